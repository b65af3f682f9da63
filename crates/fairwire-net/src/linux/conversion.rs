//! What of a scenario's TCP the kernel does, and what it does its own way.

use crate::frame::{TCP_HEADER_BYTES, UDP_HEADER_BYTES};
use crate::layout::{Ends, Layout};
use crate::options::Carried;
use fairwire_core::Span;
use fairwire_laws::transport::{KernelControl, Recovery, TcpSettings};
use fairwire_plan::{Offer, TcpPlan};

/// Timestamps, in every segment but the first.
const OPTION_BYTES: u64 = 12;
/// What is to be known of the kernel's BBR.
const KERNEL_BBR: &str = "version 1 unless the kernel is of its authors' branch; the simulated `bbr` is version 3";
/// The kernel takes no smaller maximum segment.
const LEAST_MSS: u32 = 88;

/// The kernel's congestion control for a flow.
pub fn control(tcp: &TcpPlan, asked: Option<KernelControl>) -> KernelControl {
    asked.or(tcp.control.kernel()).unwrap_or(KernelControl::Reno)
}

/// Maximum segment size (what TCP calls so: options and data) for full segments of this size on the wire.
pub fn maximum_segment(settings: &TcpSettings) -> u32 {
    (settings.segment.get() as u32).saturating_sub(TCP_HEADER_BYTES as u32).max(LEAST_MSS)
}

/// Data in a full segment, in bytes.
pub fn data_in_segment(settings: &TcpSettings) -> u64 {
    u64::from(maximum_segment(settings)) - OPTION_BYTES
}

/// Data of a transfer that is so many segments on the wire, the last one of this size.
pub fn data_of_transfer(settings: &TcpSettings, segments: u32, last_segment_bytes: u32) -> u64 {
    let headers = TCP_HEADER_BYTES as u64 + OPTION_BYTES;
    let last = u64::from(last_segment_bytes).saturating_sub(headers).max(1);
    u64::from(segments.saturating_sub(1)) * data_in_segment(settings) + last
}

/// What cannot be carried over as the scenario has it, a sentence each.
pub fn cautions(carried: &Carried, layout: &Layout, asked: Option<KernelControl>) -> Vec<String> {
    let offers: Vec<&Offer> = match carried {
        Carried::Ring(ring) => ring.plan().flows.iter().map(|flow| &flow.offer).collect(),
        Carried::Network(network) => network.plan().flows.iter().map(|flow| &flow.offer).collect(),
    };
    let mut cautions = Vec::new();
    let flows = || layout.flows.iter().zip(&offers);
    let small = |(_, offer): &(&Ends, &&Offer)| {
        offer.datagrams().is_some_and(|traffic| usize::from(*traffic.sizes().start()) < UDP_HEADER_BYTES)
    };
    tell(&mut cautions, flows().filter(small), |names| {
        format!("datagrams of {names} are sent with {UDP_HEADER_BYTES} bytes at least: their headers")
    });
    tell(&mut cautions, flows().filter(|(_, offer)| offer.is_greedy()), |names| {
        format!("what never runs out in the simulation is sent as fast as its station's link: {names}")
    });
    let about = |wrong: fn(&TcpPlan) -> bool| flows().filter(move |(ends, _)| ends.tcp.as_ref().is_some_and(wrong));
    if asked.is_none() {
        tell(&mut cautions, about(|tcp| tcp.control.kernel().is_none()), |names| {
            format!("the kernel does not have the scenario's TCP for {names}: it is its Reno with SACK")
        });
        let repairs = |tcp: &TcpPlan| tcp.control.kernel().is_some() && tcp.control.recovery() != Recovery::Scoreboard;
        tell(&mut cautions, about(repairs), |names| {
            format!("the kernel's Reno, for {names}, repairs losses with SACK")
        });
    }
    if let Some(asked) = asked {
        let another = |tcp: &TcpPlan| tcp.control.kernel() != Some(asked);
        let replaced = flows().filter(|(ends, _)| ends.tcp.as_ref().is_some_and(another));
        tell(&mut cautions, replaced, |names| {
            let asked = asked.name();
            format!(
                "`--tcp {asked}` is for real packets alone: simulated connections of {names} have the scenario's control"
            )
        });
    }
    if asked == Some(KernelControl::Bbr) {
        cautions.push(format!("`--tcp bbr` is the kernel's BBR: {KERNEL_BBR}"));
    } else if asked.is_none() {
        tell(&mut cautions, about(|tcp| tcp.control.kernel() == Some(KernelControl::Bbr)), |names| {
            format!("the BBR of {names} is the kernel's: {KERNEL_BBR}")
        });
    }
    tell(
        &mut cautions,
        about(|tcp| tcp.settings.initial_window != 10 || tcp.settings.initial_threshold.is_some()),
        |names| format!("connections of {names} begin with the kernel's window of 10 segments and without a threshold"),
    );
    tell(&mut cautions, about(|tcp| tcp.settings.min_timeout != Span::from_millis(200)), |names| {
        format!("the shortest timeout of {names} is the kernel's 200 ms")
    });
    tell(&mut cautions, about(|tcp| tcp.settings.delayed_ack.is_none()), |names| {
        format!("receivers of {names} acknowledge every other segment, once they have sped up, as the kernel's do")
    });
    tell(&mut cautions, about(|tcp| maximum_segment(&tcp.settings) == LEAST_MSS), |names| {
        format!("segments of {names} hold {LEAST_MSS} bytes at least, options included")
    });
    let ecn = || layout.flows.iter().filter_map(|flow| flow.tcp.as_ref()).map(|tcp| tcp.settings.ecn);
    if ecn().any(|ecn| ecn) && !ecn().all(|ecn| ecn) {
        cautions.push("ECN is on for all connections, as it is for some".to_owned());
    }
    if ecn().next().is_some() {
        cautions.push("rates of TCP are of frames that arrived, those that came twice included".to_owned());
    }
    cautions
}

/// Adds a sentence about flows, if there are any.
fn tell<'a>(
    cautions: &mut Vec<String>,
    flows: impl Iterator<Item = (&'a Ends, &'a &'a Offer)>,
    sentence: impl Fn(&str) -> String,
) {
    let names: Vec<&str> = flows.map(|(ends, _)| ends.name.as_str()).collect();
    match names[..] {
        [] => {}
        [first] => cautions.push(sentence(first)),
        [first, ..] => cautions.push(sentence(&format!("{first} and {} more", names.len() - 1))),
    }
}
