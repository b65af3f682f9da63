//! Which of the laws' messages one link loses.

use fairwire_core::{RandomStream, Ringlet, Streams};
use fairwire_plan::RingPlan;
use rand::RngExt;

/// What is lost of the messages that one link sends: any with some probability, and single ones.
#[derive(Debug)]
pub struct Losses {
    probability: f64,
    draw: RandomStream,
    /// The first message that is sent at one of these times or later is lost, the latest time first.
    single: Vec<u64>,
}

impl Losses {
    /// Those of the link of `ringlet` that leaves `station`, if it loses anything.
    pub fn of(plan: &RingPlan, ringlet: Ringlet, station: usize) -> Option<Box<Self>> {
        let here = plan.control.lost.iter().filter(|lost| (lost.ringlet, lost.from.index()) == (ringlet, station));
        let mut single: Vec<u64> = here.map(|lost| lost.at.as_nanos()).collect();
        if plan.control.loss == 0.0 && single.is_empty() {
            return None;
        }
        single.sort_unstable_by(|one, other| other.cmp(one));
        let draw = Streams::new(plan.seed, plan.run).component(&format!("control-loss/{}/{station}", ringlet.index()));
        Some(Box::new(Self { probability: plan.control.loss, draw, single }))
    }

    /// Whether a message is lost that begins to be sent at `sent`. Asked once for each message, in their order.
    pub fn takes(&mut self, sent: u64) -> bool {
        let by_lot = self.probability > 0.0 && self.draw.random_bool(self.probability);
        let single = self.single.pop_if(|at| *at <= sent).is_some();
        by_lot || single
    }
}
