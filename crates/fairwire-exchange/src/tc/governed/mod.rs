//! Queues whose limits a law moves.

mod node;
mod station;

pub use node::{GovernedLink, governed_links};
pub use station::{Governed, governed_queues};

use super::graph::DirectedLink;
use super::queue::{Queue, Share, rest_of};
use super::{FIRST_FLOW, TcError};
use fairwire_core::BitRate;

/// The queue in front of a link: an HTB with classes whose limits can be moved, a class an egress or a flow, and with one for
/// control messages, and one for all else. On a ring there is one for what is in transit, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernedQueue {
    /// The network device.
    pub device: String,
    /// What the link carries.
    pub capacity: BitRate,
    /// Lines for `tc -batch` that make the root. They do nothing where another queue is there.
    pub root: String,
    /// Lines for `tc -batch` that make all below it.
    pub lines: String,
    has_transit: bool,
    limited: usize,
}

/// Classes below the root `1:`, beside those that are limited.
const CONTROL: u16 = 3;
const TRANSIT: u16 = 4;

impl GovernedQueue {
    /// The class of what belongs to no flow.
    pub const REST: u16 = super::queue::REST as u16;
    /// The class of what other stations have sent.
    pub const TRANSIT: u16 = TRANSIT;
    /// The class of control messages. Packets with [`GovernedQueue::CONTROL_PRIORITY`] find it.
    pub const CONTROL: u16 = CONTROL;
    /// The priority (`SO_PRIORITY`) of control messages: the class as the kernel writes it.
    pub const CONTROL_PRIORITY: u32 = 1 << 16 | CONTROL as u32;

    /// The class of an egress, by its place in [`Governed::egresses`], or of a flow, by its place in [`GovernedLink::flows`].
    pub const fn class_of(place: usize) -> u16 {
        (FIRST_FLOW + place) as u16
    }

    /// All classes below that of the link.
    pub fn classes(&self) -> impl Iterator<Item = u16> + use<> {
        let transit = self.has_transit.then_some(Self::TRANSIT);
        [Self::REST, Self::CONTROL].into_iter().chain(transit).chain((0..self.limited).map(Self::class_of))
    }

    /// A line for `tc -batch`: an egress or a flow, by its place, has this rate at most from now on, and a packet a second at
    /// least.
    pub fn limit(&self, place: usize, rate: BitRate) -> String {
        let mut text = String::new();
        let mut queue = Queue { text: &mut text, device: &self.device, update: true };
        let share = Share::up_to(rate.max(LEAST_LIMIT)).behind();
        queue.htb("1:1", usize::from(Self::class_of(place)), share);
        text
    }

    /// A line for `tc -batch`: the device is as it was before.
    pub fn removal(&self) -> String {
        format!("qdisc del dev {} root\n", self.device)
    }
}

/// A packet of Ethernet a second. HTB lets a class wait for each packet as long as the limit says at that moment, for a minute
/// at most, and shortens that for no later limit: under one of next to nothing it would stand still long after that has gone.
const LEAST_LIMIT: BitRate = BitRate::from_bps(8 * 1_514);

/// What control messages have of a link at least.
const CONTROL_PART: f64 = 0.01;

/// A queue while its lines are written.
struct Lines<'a> {
    device: &'a str,
    capacity: BitRate,
    root: String,
    lines: String,
}

impl<'a> Lines<'a> {
    /// The root, the link, and what belongs to no flow and control messages have of it.
    fn begin(link: &DirectedLink, to: &str, device: &'a str, rest: Option<BitRate>) -> Result<Self, TcError> {
        let mut made = Self { device, capacity: link.capacity, root: String::new(), lines: String::new() };
        Queue { text: &mut made.root, device, update: false }.root(link, to);
        let mut queue = made.queue();
        queue.link(link);
        queue.rest(rest_of(link, rest)?.behind());
        queue.comment("Control messages");
        let control = Share::at_least(link.capacity.as_bps_f64() * CONTROL_PART, link.capacity);
        queue.htb("1:1", CONTROL.into(), control);
        Ok(made)
    }

    /// Where lines go on.
    fn queue(&mut self) -> Queue<'_> {
        Queue { text: &mut self.lines, device: self.device, update: false }
    }

    /// All lines are there, those of so many `limited` classes among them.
    fn end(self, has_transit: bool, limited: usize) -> GovernedQueue {
        let Self { device, capacity, root, lines } = self;
        GovernedQueue { device: device.to_owned(), capacity, root, lines, has_transit, limited }
    }
}
