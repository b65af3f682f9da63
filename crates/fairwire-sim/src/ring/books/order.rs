//! Which packets are overtaken by later ones of their flow.
//!
//! On one ringlet nothing overtakes; a flow that changes over is received from both for
//! a while. A station takes its ringlets through time one after the other, so what it
//! delivers is noted first and judged in order of time when both have come as far.

use crate::ring::wire::Packet;

#[derive(Debug)]
pub struct Order {
    /// When and which packet, by flow and by when it was made, was delivered.
    noted: Vec<(u64, u32, u64)>,
    flows: Vec<Received>,
}

/// What one flow's egress has received.
#[derive(Clone, Copy, Debug, Default)]
struct Received {
    /// When the latest of its packets was made.
    latest: u64,
    /// Packets that came after one that was made later.
    overtaken: u64,
}

impl Order {
    pub fn new(flows: usize) -> Self {
        Self { noted: Vec::new(), flows: vec![Received::default(); flows] }
    }

    /// `packet` is delivered at `now`.
    pub fn note(&mut self, now: u64, packet: &Packet) {
        self.noted.push((now, packet.flow(), packet.born()));
    }

    /// Nothing will be delivered here any more at a time that has been noted.
    pub fn judge(&mut self) {
        self.noted.sort_by_key(|(at, ..)| *at);
        for (_, flow, born) in self.noted.drain(..) {
            let received = &mut self.flows[flow as usize];
            received.overtaken += u64::from(born < received.latest);
            received.latest = received.latest.max(born);
        }
    }

    /// Packets of `flow` that came after one that was made later.
    pub fn overtaken(&self, flow: usize) -> u64 {
        self.flows[flow].overtaken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_who_comes_after_a_later_one_in_whatever_order_it_is_told() {
        let mut order = Order::new(2);
        let packet = |flow, born| Packet::new(born, flow, 0, 0);
        // One ringlet brings packets made at 5 and 6, the other those made at 1 and 2.
        for (at, born) in [(10, 5), (30, 6), (20, 1), (25, 2), (40, 7)] {
            order.note(at, &packet(0, born));
        }
        order.note(12, &packet(1, 3));
        order.judge();
        order.note(50, &packet(0, 6));
        order.note(50, &packet(1, 3));
        order.judge();
        assert_eq!((order.overtaken(0), order.overtaken(1)), (3, 0), "as old as the latest is in order");
    }
}
