//! Gateways in a row, and who sends over which of them, as scenarios: the two
//! topologies of [vrr-gateway] (Figs. 1 and 2) and what varies in its experiments.
//!
//! What the paper leaves open is chosen here: access links of 100 Mb/s, queues of
//! 1000 packets in front of all links but those under test, acknowledgements of
//! 40 B, a receive window of 64 packets, Reno, constant-rate senders whose
//! intervals vary by half of their length either way.

use crate::kept::RecordCache;
use crate::runs::{self, Trouble, checked_network};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_plan::{Detail, NetworkFlowRecord, NetworkPlan, NetworkRecord};
use fairwire_scenario::Scenario;
use std::fmt::Write;
use std::sync::Arc;

/// Gateways g0 … gL, joined by L congested links of 10 Mb/s.
#[derive(Clone, Debug)]
pub struct Gateways {
    /// L, at least 1.
    pub links: usize,
    /// Propagation time of each, in ms.
    pub delay_ms: f64,
    /// Who sends.
    pub senders: Vec<Sender>,
    /// Simulated time, in s.
    pub duration_s: f64,
    /// Measured from here on, in s.
    pub warmup_s: f64,
    /// What the paper leaves open.
    pub open: Open,
}

/// What the paper leaves open, and whose effect is measured.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// Segments a TCP receiver has room for.
    pub receive_window: u32,
    /// How much intervals of constant-rate senders vary either way, in per cent.
    pub interval_jitter: u32,
}

impl Open {
    /// As we choose.
    pub const OURS: Self = Self { receive_window: 64, interval_jitter: 50 };
    /// What ns-2 does if it is told nothing.
    pub const NS2: Self = Self { receive_window: 20, interval_jitter: 0 };
}

/// One sender with a node of its own at either end.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The gateway it sends to.
    pub enter: usize,
    /// The gateway its receiver hangs on.
    pub leave: usize,
    /// Propagation times of its access link and of its receiver's, in ms.
    pub access_ms: [f64; 2],
    /// What it offers.
    pub traffic: Traffic,
    /// Further keys of its flow, a line each.
    pub keys: String,
}

/// What is offered.
#[derive(Clone, Copy, Debug)]
pub enum Traffic {
    /// So many Mb/s.
    Constant(f64),
    /// An endless Reno flow.
    Reno,
    /// Short transfers, each over a Reno connection of its own.
    Web {
        /// How many.
        objects: u64,
        /// Time from one to the next on average, in s.
        mean_interval_s: f64,
    },
}

impl Sender {
    /// From gateway `enter` to gateway `leave`, over access links of 1 ms, from a
    /// time in the first second on.
    pub fn new(enter: usize, leave: usize, traffic: Traffic) -> Self {
        Self { enter, leave, access_ms: [1.0; 2], traffic, keys: "start-jitter = \"1 s\"".to_owned() }
    }

    /// A constant rate in Mb/s, over the first link alone.
    pub fn constant(mbps: f64) -> Self {
        Self::new(0, 1, Traffic::Constant(mbps))
    }

    /// An endless Reno flow over the first link of `delay_ms`, with this round trip without queues.
    pub fn reno(round_trip_ms: f64, delay_ms: f64) -> Self {
        let near = round_trip_ms / 2.0 - delay_ms - 1.0;
        Self { access_ms: [near, 1.0], ..Self::new(0, 1, Traffic::Reno) }
    }

    /// The same with further keys.
    pub fn with(mut self, keys: &str) -> Self {
        self.keys = keys.to_owned();
        self
    }
}

impl Traffic {
    /// As a table of TOML.
    fn toml(self, open: Open) -> String {
        let tcp = format!("profile = \"ns-2\", receive-window = \"{} packets\"", open.receive_window);
        match self {
            Self::Constant(mbps) => format!(
                "{{ kind = \"cbr\", rate = \"{} b/s\", packet = \"1000 B\", interval-jitter = \"{} %\" }}",
                (mbps * 1e6).round(),
                open.interval_jitter
            ),
            Self::Reno => format!("{{ kind = \"tcp\", {tcp} }}"),
            Self::Web { objects, mean_interval_s } => format!(
                "{{ kind = \"transfers\", count = {objects}, mean-interval = \"{} us\", \
                 size = {{ kind = \"pareto\", mean = \"20 kB\", shape = 1.2 }}, {tcp} }}",
                (mean_interval_s * 1e6).round()
            ),
        }
    }
}

impl Gateways {
    /// One congested link of 5 ms, measured from 20 s to 100 s ([vrr-gateway] Fig. 1).
    pub fn single(senders: Vec<Sender>) -> Self {
        Self { links: 1, delay_ms: 5.0, senders, duration_s: 100.0, warmup_s: 20.0, open: Open::OURS }
    }

    /// The same where what the paper leaves open is chosen otherwise.
    pub fn open(&self, open: Open) -> Self {
        Self { open, ..self.clone() }
    }

    /// As a scenario file.
    pub fn toml(&self) -> String {
        let mut nodes: Vec<String> = (0..=self.links).map(|gateway| format!("\"g{gateway}\"")).collect();
        nodes.extend((0..self.senders.len()).flat_map(|sender| [format!("\"s{sender}\""), format!("\"d{sender}\"")]));
        let mut text = format!(
            "schema = 1\ntitle = \"Gateways in a row\"\n\n[run]\nduration = \"{} s\"\nwarmup = \"{} s\"\nwindow = \"1 s\"\n\n\
             [network]\nnodes = [{}]\nlimit = \"200 packets\"\n",
            self.duration_s,
            self.warmup_s,
            nodes.join(", ")
        );
        for link in 0..self.links {
            let (capacity, delay, next) = ("10 Mb/s", self.delay_ms, link + 1);
            let _ = write!(
                text,
                "\n[[network.link]]\nname = \"bottleneck-{next}\"\nfrom = \"g{link}\"\nto = \"g{next}\"\ncapacity = \"{capacity}\"\n\
                 delay = \"{delay} ms\"\nduplex = true\nback-queue = {{ name = \"droptail\" }}\nback-limit = \"1000 packets\"\n"
            );
        }
        for (number, sender) in self.senders.iter().enumerate() {
            let ends = [
                (format!("s{number}"), format!("g{}", sender.enter)),
                (format!("g{}", sender.leave), format!("d{number}")),
            ];
            for ((from, to), delay) in ends.iter().zip(sender.access_ms) {
                let _ = write!(
                    text,
                    "\n[[network.link]]\nfrom = \"{from}\"\nto = \"{to}\"\ncapacity = \"100 Mb/s\"\ndelay = \"{delay} ms\"\n\
                     duplex = true\nqueue = {{ name = \"droptail\" }}\nlimit = \"1000 packets\"\n"
                );
            }
        }
        for (number, Sender { traffic, keys, .. }) in self.senders.iter().enumerate() {
            let traffic = traffic.toml(self.open);
            let _ = write!(
                text,
                "\n[[flow]]\nname = \"flow-{number}\"\nfrom = \"s{number}\"\nto = \"d{number}\"\ntraffic = {traffic}\n{keys}\n"
            );
        }
        text
    }

    /// One run under `law` with random numbers of its own; one that was made before is not made again.
    pub fn run(&self, law: &QueueLawChoice, seed: u64) -> Result<Arc<GatewayRun>, Trouble> {
        static RUNS: RecordCache<NetworkPlan, GatewayRun> = RecordCache::new();
        let scenario = Scenario::parse("gateways", &self.toml()).map_err(|errors| errors.to_string())?;
        let scenario = scenario.with_seed(seed).map_err(|error| error.to_string())?.with_queue_law(law.clone());
        let mut plan = scenario.network_plan(0).ok_or("the scenario is not a network")?;
        plan.detail = Detail::Summary;
        RUNS.run(plan, |plan| Ok(GatewayRun { plan: plan.clone(), record: checked_network(plan)? }))
    }
}

/// A queue law by its name, with parameters as TOML text (`wait = false`).
pub fn queue_law(name: &str, parameters: &str) -> Result<QueueLawChoice, Trouble> {
    runs::of_toml(&format!("name = \"{name}\"\n{parameters}"))
}

/// One run and its plan.
pub struct GatewayRun {
    pub plan: NetworkPlan,
    pub record: NetworkRecord,
}

impl GatewayRun {
    /// What arrived of a flow after the warm-up, in Mb/s.
    pub fn mbps(&self, flow: usize) -> f64 {
        let seconds = (self.plan.duration - self.plan.warmup).as_secs_f64();
        self.record.flows[flow].measured_bytes as f64 * 8e-6 / seconds
    }

    /// The same of all flows, in order.
    pub fn all_mbps(&self) -> Vec<f64> {
        (0..self.record.flows.len()).map(|flow| self.mbps(flow)).collect()
    }

    /// What was dropped of a flow after the warm-up, as a part of what it sent.
    pub fn loss(&self, flow: usize) -> f64 {
        let NetworkFlowRecord { measured_dropped, measured_sent, .. } = self.record.flows[flow];
        measured_dropped as f64 / measured_sent.max(1) as f64
    }

    /// Packets waiting for the first link on average.
    pub fn waiting_packets(&self) -> f64 {
        self.record.links[0].mean_packets
    }
}
