//! Flows whose rate is told by switches.

use fairwire_core::{Bytes, Instant};
use fairwire_laws::rate::{SendingPlan, Terms};

/// A micro-flow that sends as control packets tell it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePlan {
    /// How its source sends.
    pub sending: SendingPlan,
    /// What was agreed for it at first.
    pub terms: Terms,
    /// What it has to send, in bytes of data packets; none for no end.
    pub size: Option<Bytes>,
}

impl RatePlan {
    /// What is out of range, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        if self.sending.packet_bytes == 0 {
            return Some("packets need at least one byte".to_owned());
        }
        if self.sending.control_every < 2 {
            return Some("if every packet is a control packet nothing is left for data".to_owned());
        }
        terms_problem(&self.terms)
    }

    /// How many data packets it has to send; none for no end.
    pub fn packets(&self) -> Option<u64> {
        self.size.map(|size| size.get().div_ceil(self.sending.packet_bytes.into()))
    }
}

/// What is out of range in terms, if anything is.
fn terms_problem(terms: &Terms) -> Option<String> {
    let Terms { minimum_bps, peak_bps, supported_bps, weight } = *terms;
    if ![minimum_bps, peak_bps, supported_bps].iter().all(|rate| rate.is_finite() && *rate >= 0.0) {
        return Some("rates are finite and not negative".to_owned());
    }
    if !(weight.is_finite() && weight > 0.0) {
        return Some(format!("a weight is above zero, not {weight}"));
    }
    if minimum_bps > peak_bps.min(supported_bps) {
        return Some("its minimum is above its peak or supported rate".to_owned());
    }
    (peak_bps == 0.0).then(|| "its peak rate is zero".to_owned())
}

/// What happens to a flow whose rate is told by switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowChange {
    /// When. What happens at one instant happens in the order of the plan.
    pub at: Instant,
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// What.
    pub kind: FlowChangeKind,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FlowChangeKind {
    /// It comes on, if it is off.
    Start,
    /// It stops, if it is on.
    Stop,
    /// Each of its micro-flows has other terms. Source, destination and ports on its way know at once.
    Terms(Terms),
}

impl FlowChangeKind {
    /// Whether the flow comes on or stops.
    pub fn switches(&self) -> bool {
        matches!(self, Self::Start | Self::Stop)
    }
}

impl FlowChange {
    /// What is out of range, if anything is.
    pub(crate) fn problem(&self) -> Option<String> {
        match &self.kind {
            FlowChangeKind::Terms(terms) => terms_problem(terms),
            FlowChangeKind::Start | FlowChangeKind::Stop => None,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use fairwire_laws::rate::{FirstRate, Manner, OnChange};

    /// Packets of 1000 B, and nothing out of the ordinary.
    pub const SENDING: SendingPlan = SendingPlan {
        packet_bytes: 1_000,
        control_every: 32,
        control_within: None,
        control_least: 0,
        first: FirstRate::Peak,
        on_change: OnChange::Keep,
        manner: Manner::Honest,
    };

    #[test]
    fn what_fills_no_packet_takes_one() {
        let terms = Terms { minimum_bps: 0.0, peak_bps: 1e6, supported_bps: 1e6, weight: 1.0 };
        let packets = |size: u64| RatePlan { sending: SENDING, terms, size: Some(Bytes::new(size)) }.packets();
        assert_eq!([1, 1_000, 1_001, 2_500].map(packets), [1, 1, 2, 3].map(Some));
        assert_eq!(RatePlan { sending: SENDING, terms, size: None }.packets(), None);
    }

    /// A bound that is met is kept; the least beyond it is refused.
    #[test]
    fn terms_keep_their_bounds() {
        let good = Terms { minimum_bps: 1e6, peak_bps: 1e6, supported_bps: 1e6, weight: 1.0 };
        assert_eq!(terms_problem(&good), None, "all of the peak may be promised");
        assert_eq!(terms_problem(&Terms { minimum_bps: 0.0, weight: f64::MIN_POSITIVE, ..good }), None);
        for weight in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let problem = terms_problem(&Terms { weight, ..good }).expect("no such weight");
            assert_eq!(problem, format!("a weight is above zero, not {weight}"));
        }
        let above = Some("its minimum is above its peak or supported rate".to_owned());
        assert_eq!(terms_problem(&Terms { peak_bps: 999_999.0, ..good }), above);
        assert_eq!(terms_problem(&Terms { supported_bps: 999_999.0, ..good }), above);
        for wrong in [-1.0, f64::INFINITY, f64::NAN] {
            let wrongs = [
                Terms { minimum_bps: wrong, ..good },
                Terms { peak_bps: wrong, ..good },
                Terms { supported_bps: wrong, ..good },
            ];
            for terms in wrongs {
                assert_eq!(terms_problem(&terms), Some("rates are finite and not negative".to_owned()), "{terms:?}");
            }
        }
        let nothing = Terms { minimum_bps: 0.0, peak_bps: 0.0, ..good };
        assert_eq!(terms_problem(&nothing), Some("its peak rate is zero".to_owned()));
    }
}
