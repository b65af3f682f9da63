//! Queue control: two thresholds ([wmfqc] §3.2).

use super::packets::Packets;
use super::{Admission, PortView};

/// Q_T and Q_D among the parameters of a law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueThresholds {
    /// Q_T, `q-t`: above it sources are told that there is congestion. None if the law has none.
    pub q_t: Option<Packets>,
    /// Q_D, `q-d`: above it data packets are dropped. None if the law has none.
    pub q_d: Option<Packets>,
}

impl QueueThresholds {
    /// What is wrong with them, in words.
    pub(super) fn problem(self) -> Option<String> {
        match (self.q_t, self.q_d) {
            (Some(q_t), Some(q_d)) if q_t >= q_d => Some(format!(
                "`q-t` is {q_t} and `q-d` is {q_d}; write a `q-t` below `q-d`, about 60 % of it, so that sources are \
                 told before anything is dropped"
            )),
            _ => None,
        }
    }
}

/// Q_T and Q_D of a port. The length of the queue counts the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueControl {
    /// Q_T: above it control packets that pass backward have CI set.
    q_t: u32,
    /// Q_D: above it data packets that arrive are dropped.
    q_d: u32,
}

impl QueueControl {
    /// With these thresholds; none for none.
    pub fn new(QueueThresholds { q_t, q_d }: QueueThresholds) -> Self {
        let packets = |threshold: Option<Packets>| threshold.map_or(u32::MAX, |packets| packets.0);
        Self { q_t: packets(q_t), q_d: packets(q_d) }
    }

    /// Whether CI is to be set.
    #[inline]
    pub fn is_congested(self, port: &PortView) -> bool {
        port.packets > self.q_t
    }

    /// Whether a data packet is let in.
    #[inline]
    pub fn admit(self, port: &PortView) -> Admission {
        if port.packets > self.q_d { Admission::TooLong } else { Admission::Accept }
    }
}
