//! Lines that `tc -batch` reads: a queue of HTB, its classes and filters.

use super::graph::DirectedLink;
use crate::limits::whole_bps;
use fairwire_core::BitRate;
use fairwire_scenario::Flow;
use ipnet::IpNet;
use std::fmt::Write;

/// Classes below the root `1:`: the link, and what belongs to no flow. Flows have classes of their own.
const LINK: usize = 1;
const REST: usize = 2;

/// What packets of no flow have at least: a part of the link.
const REST_PART: f64 = 0.05;

/// Classes that borrow take turns by a packet of Ethernet.
const QUANTUM: u32 = 1514;

/// A token bucket holds what its rate brings in this time, and two packets of Ethernet at least.
const BUCKET_S: f64 = 1e-3;
const LEAST_BUCKET_BYTES: f64 = 3028.0;

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
    /// The link, and the class of what belongs to no flow.
    pub fn root(&mut self, link: &DirectedLink, to: &str, rest: Option<BitRate>) {
        let capacity = link.capacity.as_bps_f64();
        let rest = rest.map_or(capacity * REST_PART, |rest| rest.as_bps_f64().min(capacity));
        self.comment(&format!("Link {} to {to}", link.name));
        if !self.update {
            self.comment(&format!("To remove these: tc qdisc del dev {} root", self.device));
            let device = self.device;
            self.line(format_args!("qdisc add dev {device} root handle 1: htb default {REST:x}"));
        }
        self.htb("1:", LINK, capacity, capacity);
        self.comment("What belongs to no flow");
        self.htb("1:1", REST, rest, capacity);
    }

    /// As fast as is fair, and no faster.
    pub fn class(&mut self, class: usize, flow: &Flow, rate: f64) {
        self.comment(&format!("Flow {}", flow.name));
        self.htb("1:1", class, rate, rate);
    }

    fn htb(&mut self, parent: &str, class: usize, rate: f64, ceil: f64) {
        let verb = if self.update { "change" } else { "add" };
        // HTB knows no rate of zero.
        let (rate, ceil) = (whole_bps(rate).max(8), whole_bps(ceil).max(8));
        let bucket = |bps: u64| (bps as f64 / 8.0 * BUCKET_S).max(LEAST_BUCKET_BYTES).round();
        let (burst, cburst) = (bucket(rate), bucket(ceil));
        let device = self.device;
        self.line(format_args!(
            "class {verb} dev {device} parent {parent} classid 1:{class:x} \
             htb rate {rate}bit ceil {ceil}bit burst {burst}b cburst {cburst}b quantum {QUANTUM}"
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

    fn comment(&mut self, text: &str) {
        self.line(format_args!("# {text}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}
