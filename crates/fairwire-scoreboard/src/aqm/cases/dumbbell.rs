//! The topology of RFC 7928 §3.1 as scenario text: every sender has an access link of its
//! own to one router, and one bottleneck leads to the other.

use std::fmt::Write;

/// Mb/s of every bottleneck.
pub const CAPACITY_MBPS: u32 = 10;
/// Propagation round trip where nothing else is said.
pub const USUAL_RTT_MS: f64 = 50.0;
/// Of that, the bottleneck's part in each direction.
const BOTTLENECK_MS: f64 = 2.0;
/// Name of links whose queues are judged; several have a number behind it.
pub const BOTTLENECK: &str = "bottleneck";
/// Bulk data over NewReno.
pub const NEWRENO: &str =
    "kind = \"tcp\", profile = \"ns-2\", control = \"newreno\", receive-window = \"2000 packets\"";
/// Access links hold what a sender may have under way.
const ACCESS: &str = "capacity = \"100 Mb/s\"\nqueue = { name = \"droptail\" }\nlimit = \"2000 packets\"\n";

/// Senders of one kind.
pub struct Senders {
    /// Name of their flows.
    pub name: &'static str,
    /// How many.
    pub count: usize,
    /// Propagation round trip in ms.
    pub rtt_ms: f64,
    /// The other lines of their flows, in TOML.
    pub flow: String,
    /// Whether they send against the usual direction.
    pub back: bool,
}

impl Senders {
    /// Senders of this traffic at the usual distance, all the time.
    pub fn new(name: &'static str, count: usize, traffic: &str) -> Self {
        let flow = format!("start-jitter = \"1 s\"\ntraffic = {{ {traffic} }}\n");
        Self { name, count, rtt_ms: USUAL_RTT_MS, flow, back: false }
    }

    /// The same from another distance.
    pub fn away(self, rtt_ms: f64) -> Self {
        Self { rtt_ms, ..self }
    }

    /// The same the other way.
    pub fn back(self) -> Self {
        Self { back: true, ..self }
    }

    /// The same from second `start` to second `stop`.
    pub fn between(mut self, start_s: u32, stop_s: u32) -> Self {
        let _ = write!(self.flow, "start = \"{start_s} s\"\nstop = \"{stop_s} s\"\n");
        self
    }
}

/// One bottleneck.
pub struct Dumbbell {
    pub title: String,
    pub description: String,
    pub duration_s: u32,
    pub warmup_s: u32,
    /// Other capacities of the bottleneck, in TOML; empty if it never changes.
    pub changes: String,
    pub senders: Vec<Senders>,
}

impl Dumbbell {
    /// Thirty seconds after ten of warm-up.
    pub fn new(title: impl Into<String>, description: impl Into<String>, senders: Vec<Senders>) -> Self {
        let (title, description) = (title.into(), description.into());
        Self { title, description, duration_s: 40, warmup_s: 10, changes: String::new(), senders }
    }

    /// The scenario file.
    pub fn toml(&self) -> String {
        let names: Vec<Vec<String>> = self.names();
        let nodes: Vec<&str> = names.iter().flatten().map(String::as_str).chain(["left", "right"]).collect();
        let mut toml = head(&self.title, &self.description, self.duration_s, self.warmup_s, &nodes);
        let _ = write!(
            toml,
            "\n[[network.link]]\nname = \"{BOTTLENECK}\"\nfrom = \"left\"\nto = \"right\"\n\
             capacity = \"{CAPACITY_MBPS} Mb/s\"\ndelay = \"{BOTTLENECK_MS} ms\"\nduplex = true\n"
        );
        if !self.changes.is_empty() {
            let _ = writeln!(toml, "changes = {}", self.changes);
        }
        for (senders, nodes) in self.senders.iter().zip(&names) {
            let router = if senders.back { "right" } else { "left" };
            for node in nodes {
                toml.push_str(&access(node, router, senders.rtt_ms / 2.0 - BOTTLENECK_MS));
            }
        }
        for (senders, nodes) in self.senders.iter().zip(&names) {
            let target = if senders.back { "left" } else { "right" };
            let from = nodes.iter().map(|node| format!("\"{node}\"")).collect::<Vec<_>>().join(", ");
            let _ = write!(
                toml,
                "\n[[flow]]\nname = \"{}\"\nfrom = [{from}]\nto = \"{target}\"\n{}",
                senders.name, senders.flow
            );
        }
        toml
    }

    /// Nodes of each kind of senders, numbered through.
    fn names(&self) -> Vec<Vec<String>> {
        let mut number = 0..;
        let next = |_| format!("s{}", number.next().unwrap_or(0) + 1);
        let mut next = next;
        self.senders.iter().map(|senders| (0..senders.count).map(&mut next).collect()).collect()
    }
}

/// Everything above the links.
pub fn head(title: &str, description: &str, duration_s: u32, warmup_s: u32, nodes: &[&str]) -> String {
    let nodes = nodes.iter().map(|node| format!("\"{node}\"")).collect::<Vec<_>>().join(", ");
    format!(
        "schema = 1\ntitle = \"{title}\"\ndescription = \"{description}\"\n\n\
         [run]\nduration = \"{duration_s} s\"\nwarmup = \"{warmup_s} s\"\nseed = 7928\nwindow = \"100 ms\"\n\n\
         [network]\nnodes = [{nodes}]\nqueue = {{ name = \"droptail\" }}\nlimit = \"200 packets\"\n"
    )
}

/// A sender's own link to its router, and back.
pub fn access(node: &str, router: &str, delay_ms: f64) -> String {
    format!(
        "\n[[network.link]]\nfrom = \"{node}\"\nto = \"{router}\"\ndelay = \"{delay_ms} ms\"\nduplex = true\n{ACCESS}"
    )
}
