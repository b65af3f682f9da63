//! What is run: a scenario under a law, simulated some times and with real packets some times.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Datagrams over rings, under every ring law
    Rings,
    /// The kernel's TCP over rings
    Tcp,
    /// The kernel's TCP and datagrams through gateways, under every queue law
    Gateways,
    /// A span that is cut and mended
    Protection,
    /// Senders on rings that come and go
    ComeAndGo,
    /// The kernel's Reno beside one simulated TCP after another
    Kernel,
    /// A machine that is busy, and one that stops
    Disturbed,
    /// Round trips over idle links
    Idle,
}

impl Part {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 8] = [
        Self::Rings,
        Self::Tcp,
        Self::Gateways,
        Self::Kernel,
        Self::Protection,
        Self::ComeAndGo,
        Self::Disturbed,
        Self::Idle,
    ];

    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rings => "rings",
            Self::Tcp => "tcp",
            Self::Gateways => "gateways",
            Self::Protection => "protection",
            Self::ComeAndGo => "come-and-go",
            Self::Kernel => "kernel",
            Self::Disturbed => "disturbed",
            Self::Idle => "idle",
        }
    }
}

/// How close real and simulated have to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Every flow within this part of a link of the mean of the simulated seeds; where those differ among
    /// themselves by more than [`Limit::REST`] of a link, outside their range by no more than this.
    OfLink(f64),
    /// The mean of every flow within this part of a link of the mean of the simulated seeds.
    MeanOfLink(f64),
    /// As [`Limit::OfLink`], of every real run by itself: one that says of itself that it is not to be believed is no fault.
    EachRun(f64),
    /// Every flow within this part of its fair rate.
    OfFair(f64),
    /// The first flow's share within this part of a link of the simulated one.
    FirstOfLink(f64),
    /// Jain's index within 0.05, and each flow within 15 % or 0.3 Mb/s.
    Gateway,
    /// After each change of a demand every real run is fair again when a simulated seed is, give or take a window.
    FairAgain,
    /// Nothing is asked; the figures are shown.
    Shown,
}

impl Limit {
    /// Simulated seeds that differ by more than this part of a link have not come to rest.
    pub const REST: f64 = 0.01;
    /// For Jain's index of a gateway.
    pub const JAIN: f64 = 0.05;
    /// For a flow of a gateway: of its rate, or in bit/s, whatever is more.
    pub const FLOW: (f64, f64) = (0.15, 300e3);
}

/// What is done to the machine while packets are real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// So many programs that do nothing but take processors.
    Busy(usize),
    /// The run's process is stopped so many times, for 0.3 s each.
    Stops(usize),
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    pub part: Part,
    /// The scenario, and what was changed in it.
    pub name: String,
    pub law: String,
    /// The kernel's TCP, where it is not the scenario's.
    pub tcp: Option<&'static str>,
    /// The scenario under the law, as a file.
    pub toml: String,
    /// Capacity of the links that matter.
    pub link_bps: f64,
    /// So many simulated runs.
    pub simulated: u64,
    /// So many where a real one does not come near enough: few seeds show a part of what chance may do.
    pub simulated_most: u64,
    /// So many real ones.
    pub real: u64,
    /// So many where the first ones do not come near enough: chance has its part in what is asked.
    pub most: u64,
    /// What a run may say of itself without being repeated: connections feel a busy machine, datagrams do not.
    pub bears: &'static str,
    /// So many of them side by side: those that leave processors idle.
    pub at_once: usize,
    pub disturbance: Option<Disturbance>,
    pub limit: Limit,
    /// Part of the fair rate by which any flow may miss it, where that is asked, too.
    pub fair_within: Option<f64>,
    /// What a packet more or less makes of a rate: counts of whole packets come no nearer to a fair rate.
    pub packet_bps: f64,
    /// Whether it is part of a first look.
    pub is_quick: bool,
}
