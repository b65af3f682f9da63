//! Where packets come by. Other stations have only control frames to send on.

use super::whole::Whole;
use fairwire_core::Ringlet;

/// By ringlet and station: whether packets ever enter there, pass, or leave the ring.
pub struct Passing([Vec<bool>; 2]);

impl Passing {
    /// Under a law that sends messages among the packets, if it `sends_downstream`.
    pub fn of(plan: &Whole<'_>, sends_downstream: bool) -> Self {
        Self(Ringlet::BOTH.map(|ringlet| stations(plan, ringlet, sends_downstream)))
    }

    /// Whether packets come by `station` on `ringlet`.
    pub fn at(&self, ringlet: Ringlet, station: usize) -> bool {
        self.0[ringlet.index()][station]
    }

    /// Whether packets come by anywhere on `ringlet`.
    pub fn anywhere(&self, ringlet: Ringlet) -> bool {
        self.0[ringlet.index()].contains(&true)
    }
}

fn stations(plan: &Whole<'_>, ringlet: Ringlet, sends_downstream: bool) -> Vec<bool> {
    let stations = plan.stations.len();
    // Where a ring is open, packets go another way than their flow's.
    let anywhere = plan.protection.is_some() || sends_downstream;
    let mut passed = vec![anywhere; stations];
    for flow in plan.flows.iter().filter(|flow| flow.ringlet == ringlet && !anywhere) {
        let mut at = flow.from.index();
        passed[at] = true;
        while at != flow.to.index() {
            at = ringlet.downstream(at, stations);
            passed[at] = true;
        }
    }
    passed
}
