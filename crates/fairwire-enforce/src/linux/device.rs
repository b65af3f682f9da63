//! A governed device: its counters, and what they tell of the time since the last status.

use super::run::Tools;
use crate::counts::{ClassCount, ClassCounts};
use crate::error::EnforceError;
use fairwire_core::{BitRate, Instant};
use fairwire_exchange::GovernedQueue;
use nix::net::if_::if_nametoindex;
use std::cell::RefCell;

/// A governed device.
pub struct Device<'a> {
    queue: &'a GovernedQueue,
    index: u32,
    /// Counters at the status before, and when that was.
    before: (Instant, ClassCounts),
    /// What classes had sent when they were read last, in the order of the queue's classes.
    read: RefCell<Vec<u64>>,
}

impl<'a> Device<'a> {
    /// That of a queue.
    pub fn new(queue: &'a GovernedQueue) -> Result<Self, EnforceError> {
        let (before, read) = ((Instant::ZERO, ClassCounts::new()), RefCell::default());
        Ok(Self { queue, index: index(&queue.device)?, before, read })
    }

    /// What classes have counted. They stay, and count upwards, as long as nobody else touches the queue.
    pub fn counts(&self, tools: &mut Tools<'_>) -> Result<ClassCounts, EnforceError> {
        let doing = |error| EnforceError::System("reading counters of classes", error);
        let counts = tools.counters.of_device(self.index).map_err(doing)?;
        if self.go_on(&counts) { Ok(counts) } else { Err(EnforceError::Changed(self.queue.device.clone())) }
    }

    /// Whether all classes are there and have sent no less than when they were read last, which was then.
    fn go_on(&self, counts: &ClassCounts) -> bool {
        let mut read = self.read.borrow_mut();
        read.resize(self.queue.classes().count(), 0);
        let mut classes = self.queue.classes().zip(read.iter_mut());
        classes.all(|(class, read)| {
            counts.get(&class).is_some_and(|count| count.sent_bytes >= std::mem::replace(read, count.sent_bytes))
        })
    }

    /// Statuses begin with these counters.
    pub fn start(&mut self, now: Instant, counts: ClassCounts) {
        self.before = (now, counts);
    }

    /// Moves the limits of what stands at these places.
    pub fn limit(&self, limits: &[(usize, BitRate)], tools: &mut Tools<'_>) -> Result<(), EnforceError> {
        if limits.is_empty() {
            return Ok(());
        }
        let lines: String = limits.iter().map(|(place, rate)| self.queue.limit(*place, *rate)).collect();
        let changed = tools.shaper.change(&lines);
        // Whoever has taken the queue away is the reason of what `tc` refuses.
        changed.or_else(|error| self.counts(tools).and(Err(error)))
    }

    /// What has been counted since the status before.
    pub fn since(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<Since, EnforceError> {
        let now_counted = self.counts(tools)?;
        let (then, before) = std::mem::replace(&mut self.before, (now, now_counted.clone()));
        Ok(Since { seconds: now.since(then).as_secs_f64().max(1e-9), before, now: now_counted })
    }
}

/// What classes have counted in a time.
#[derive(Default)]
pub struct Since {
    seconds: f64,
    before: ClassCounts,
    now: ClassCounts,
}

impl Since {
    /// What a class has sent, in bit/s.
    pub fn rate_bps(&self, class: u16) -> f64 {
        let sent = |counts: &ClassCounts| of(counts, class).sent_bytes;
        if self.seconds > 0.0 {
            sent(&self.now).saturating_sub(sent(&self.before)) as f64 * 8.0 / self.seconds
        } else {
            0.0
        }
    }

    /// Bytes that wait in a class.
    pub fn waiting_bytes(&self, class: u16) -> u64 {
        of(&self.now, class).waiting_bytes.into()
    }

    /// Packets that a class has dropped.
    pub fn dropped(&self, class: u16) -> u64 {
        of(&self.now, class).dropped.wrapping_sub(of(&self.before, class).dropped).into()
    }
}

fn of(counts: &ClassCounts, class: u16) -> ClassCount {
    counts.get(&class).copied().unwrap_or_default()
}

/// The number of a device.
pub fn index(device: &str) -> Result<u32, EnforceError> {
    if_nametoindex(device).map_err(|error| EnforceError::Device(device.to_owned(), error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::{NETWORK, scenario};
    use crate::governor::lab::plans;

    #[test]
    fn a_queue_that_counts_from_the_beginning_again_is_another_one() {
        let plans = plans(&scenario(NETWORK));
        let mut queue = plans[0].links[0].queue.clone();
        queue.device = "lo".to_owned();
        let device = Device::new(&queue).unwrap_or_else(|error| panic!("{error}"));
        let goes_on = |sent_bytes: u64| {
            let count = ClassCount { sent_bytes, ..ClassCount::default() };
            device.go_on(&queue.classes().map(|class| (class, count)).collect())
        };
        // No status was told meanwhile.
        assert_eq!([0, 9_000, 9_000, 4_000].map(goes_on), [true, true, true, false]);
        assert!(!device.go_on(&ClassCounts::new()), "nobody's classes");
    }
}
