//! Lines that `tc -batch` reads: a queue of HTB, its classes and filters.

use super::TcError;
use super::graph::DirectedLink;
use crate::limits::whole_bps;
use fairwire_core::BitRate;
use fairwire_scenario::Flow;
use ipnet::IpNet;
use std::fmt::Write;

/// Classes below the root `1:`: the link, and what belongs to no flow. Flows have classes of their own.
const LINK: usize = 1;
pub const REST: usize = 2;

/// What packets of no flow have at least unless told: a part of the link.
const REST_PART: f64 = 0.05;

/// What packets of no flow have of a link.
///
/// # Errors
/// If that is to be more than it carries.
pub fn rest_of(link: &DirectedLink, least: Option<BitRate>) -> Result<Share, TcError> {
    let capacity = link.capacity;
    match least {
        Some(rest) if rest > capacity => Err(TcError::RestOverLink { rest, link: link.name.clone(), capacity }),
        Some(rest) => Ok(Share::at_least(rest.as_bps_f64(), capacity)),
        None => Ok(Share::at_least(capacity.as_bps_f64() * REST_PART, capacity)),
    }
}

/// Classes that borrow take turns by a packet of Ethernet.
const QUANTUM: u32 = 1514;

/// The least rate that HTB knows, in bit/s. A class sends as much as that whatever else waits.
const LEAST_BPS: u64 = 8;

/// A token bucket holds what its rate brings in this time, and two packets of Ethernet at least.
const BUCKET_S: f64 = 1e-3;
const LEAST_BUCKET_BYTES: f64 = 3028.0;

/// What a class has of a link.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// At least this, in bit/s.
    pub least: f64,
    /// At most this, in bit/s.
    pub most: f64,
    /// How many packets of Ethernet it may send when its turn comes.
    pub turns: u32,
    /// Of what is beyond the least, classes with a smaller number have theirs first.
    pub prio: u8,
}

impl Share {
    /// Just this.
    pub const fn fixed(bps: f64) -> Self {
        Self { least: bps, most: bps, turns: 1, prio: 0 }
    }

    /// So much whatever else waits, and all that the link can.
    pub const fn at_least(least: f64, capacity: BitRate) -> Self {
        Self { least, most: capacity.as_bps_f64(), turns: 1, prio: 0 }
    }

    /// What comes of taking turns, up to this.
    pub const fn up_to(most: BitRate) -> Self {
        Self { least: 0.0, most: most.as_bps_f64(), turns: 1, prio: 0 }
    }

    /// The same behind those that have theirs first.
    pub const fn behind(self) -> Self {
        Self { prio: 1, ..self }
    }
}

/// The queue of one device, line by line.
pub struct Queue<'a> {
    /// Where lines go.
    pub text: &'a mut String,
    /// The device.
    pub device: &'a str,
    /// Whether classes are there already.
    pub update: bool,
}

impl Queue<'_> {
    /// The root. Where a queue is there already, this is what the kernel refuses.
    pub fn root(&mut self, link: &DirectedLink, to: &str) {
        self.comment(&format!("Link {} to {to}", link.name));
        if !self.update {
            self.comment(&format!("To remove these: tc qdisc del dev {} root", self.device));
            let device = self.device;
            self.line(format_args!("qdisc add dev {device} root handle 1: htb default {REST:x}"));
        }
    }

    /// The class of the link.
    pub fn link(&mut self, link: &DirectedLink) {
        self.htb("1:", LINK, Share::fixed(link.capacity.as_bps_f64()));
    }

    /// The class of what belongs to no flow, with what it has.
    pub fn rest(&mut self, share: Share) {
        self.comment("What belongs to no flow");
        self.htb("1:1", REST, share);
    }

    /// As fast as is fair, and no faster.
    pub fn class(&mut self, class: usize, flow: &Flow, rate: f64) {
        self.comment(&format!("Flow {}", flow.name));
        self.htb("1:1", class, Share::fixed(rate));
    }

    /// A class.
    pub fn htb(&mut self, parent: &str, class: usize, share: Share) {
        let verb = if self.update { "change" } else { "add" };
        let [rate, ceil] = [share.least, share.most].map(|bps| whole_bps(bps).max(LEAST_BPS));
        let bucket = |bps: u64| (bps as f64 / 8.0 * BUCKET_S).max(LEAST_BUCKET_BYTES).round();
        let (burst, cburst) = (bucket(rate), bucket(ceil));
        let prio = if share.prio == 0 { String::new() } else { format!(" prio {}", share.prio) };
        let quantum = QUANTUM * share.turns;
        let device = self.device;
        self.line(format_args!(
            "class {verb} dev {device} parent {parent} classid 1:{class:x} \
             htb rate {rate}bit ceil {ceil}bit burst {burst}b cburst {cburst}b quantum {quantum}{prio}"
        ));
    }

    /// Packets from these addresses to those have a class.
    pub fn filter(&mut self, source: IpNet, destination: IpNet, class: usize) {
        // Filters of one priority are of one protocol.
        let (protocol, ip, priority) = if source.addr().is_ipv4() { ("ip", "ip", 1) } else { ("ipv6", "ip6", 2) };
        let ends = [("src", source), ("dst", destination)].into_iter().filter(|(_, prefix)| prefix.prefix_len() > 0);
        let mut matches: String = ends.map(|(end, prefix)| format!(" match {ip} {end} {prefix}")).collect();
        if matches.is_empty() {
            matches = " match u32 0 0".to_owned();
        }
        let device = self.device;
        self.line(format_args!(
            "filter add dev {device} parent 1: protocol {protocol} prio {priority} u32{matches} flowid 1:{class:x}"
        ));
    }

    /// Packets of a flow without addresses have to name their class.
    pub fn no_filter(&mut self, class: usize, flow: &Flow) {
        let name = &flow.name;
        self.comment(&format!(
            "Flow {name} has no filter: give its packets the priority 1:{class:x}, as with nft: meta priority set 1:{class:x}"
        ));
    }

    /// A line for people.
    pub fn comment(&mut self, text: &str) {
        self.line(format_args!("# {text}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}
