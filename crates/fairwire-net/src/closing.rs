//! What a journal of arrivals says at its end: all that the tables of a run need beside the arrivals.

use crate::options::{Outcome, TcpCounts};
use fairwire_core::Instant;
use serde::{Deserialize, Serialize};

/// The end of a real run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    /// Where the run ended, in ns of its own clock.
    pub reached_ns: u64,
    /// What connections did, by flow.
    pub tcp: Vec<TcpCounts>,
    /// What could not be carried over.
    pub cautions: Vec<String>,
}

impl Closing {
    /// Of a run that ended at `reached`.
    pub fn of(reached: Instant, outcome: &Outcome) -> Self {
        let Outcome { tcp, cautions, .. } = outcome;
        Self { reached_ns: reached.as_nanos(), tcp: tcp.clone(), cautions: cautions.clone() }
    }

    /// As text.
    pub fn to_note(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From its text; none if it is not one.
    pub fn from_note(note: &str) -> Option<Self> {
        serde_json::from_str(note).ok()
    }
}

/// Transfers as rows of numbers.
pub(crate) mod transfers {
    use fairwire_core::Instant;
    use fairwire_plan::Transfer;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Row = (u64, u64, u64, u32, u32);

    pub fn serialize<S: Serializer>(transfers: &[Transfer], serializer: S) -> Result<S::Ok, S::Error> {
        let row = |transfer: &Transfer| -> Row {
            let Transfer { start, end, bytes, sent, retransmitted } = *transfer;
            (start.as_nanos(), end.as_nanos(), bytes, sent, retransmitted)
        };
        transfers.iter().map(row).collect::<Vec<_>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Transfer>, D::Error> {
        let transfer = |(start, end, bytes, sent, retransmitted): Row| {
            let [start, end] = [start, end].map(Instant::from_nanos);
            Transfer { start, end, bytes, sent, retransmitted }
        };
        Ok(Vec::<Row>::deserialize(deserializer)?.into_iter().map(transfer).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairwire_plan::Transfer;

    #[test]
    fn it_reads_back_as_it_was_written() {
        let transfer = Transfer {
            start: Instant::from_nanos(3),
            end: Instant::from_nanos(9),
            bytes: 5,
            sent: 2,
            retransmitted: 1,
        };
        let tcp = TcpCounts { retransmitted: 4, begun: 3, failed: 1, transfers: vec![transfer; 2], unfinished: 1 };
        let closing =
            Closing { reached_ns: u64::MAX, tcp: vec![tcp, TcpCounts::default()], cautions: vec!["é".to_owned()] };
        assert_eq!(Closing::from_note(&closing.to_note()), Some(closing));
        assert_eq!(Closing::from_note("{}"), None);
    }
}
