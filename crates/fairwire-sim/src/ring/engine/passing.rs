//! Where packets come by. Other stations have only control frames to send on.

use crate::ring::whole::Whole;
use fairwire_core::Ringlet;

/// By ringlet, and in it by station.
pub struct Passing([Marks; 2]);

/// Where packets of one ringlet come by.
struct Marks {
    /// They enter at the station, pass it, or leave the ring there.
    at: Vec<bool>,
    /// They travel on the link that leaves it.
    from: Vec<bool>,
}

impl Passing {
    /// Under a law that sends messages among the packets, if it `sends_downstream`.
    pub fn of(plan: &Whole<'_>, sends_downstream: bool) -> Self {
        Self(Ringlet::BOTH.map(|ringlet| Marks::of(plan, ringlet, sends_downstream)))
    }

    /// Whether packets come by `station` on `ringlet`.
    pub fn at(&self, ringlet: Ringlet, station: usize) -> bool {
        self.0[ringlet.index()].at[station]
    }

    /// Whether packets travel on the link of `ringlet` that leaves `station`.
    pub fn from(&self, ringlet: Ringlet, station: usize) -> bool {
        self.0[ringlet.index()].from[station]
    }

    /// Whether packets come by anywhere on `ringlet`.
    pub fn anywhere(&self, ringlet: Ringlet) -> bool {
        self.0[ringlet.index()].at.contains(&true)
    }
}

impl Marks {
    fn of(plan: &Whole<'_>, ringlet: Ringlet, sends_downstream: bool) -> Self {
        let stations = plan.stations.len();
        let mut flows = plan.flows.iter().filter(|flow| flow.ringlet == ringlet).peekable();
        // Where a ring is open, packets go another way than their flow's.
        if plan.protection.is_some() || (sends_downstream && flows.peek().is_some()) {
            return Self { at: vec![true; stations], from: vec![true; stations] };
        }
        let mut marks = Self { at: vec![false; stations], from: vec![false; stations] };
        for flow in flows {
            let mut at = flow.from.index();
            while at != flow.to.index() {
                (marks.at[at], marks.from[at]) = (true, true);
                at = ringlet.downstream(at, stations);
            }
            marks.at[at] = true;
        }
        marks
    }
}
