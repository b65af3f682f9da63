//! The network of [wmfqc] §5, whose figure is lost, as its printed response times have it.

use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_laws::rate::{FirstRate, Manner, OnChange, RateLawChoice, SendingPlan, Terms};
use fairwire_plan::{
    Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, NetworkRecord, Offer, RatePlan,
};

/// Bits of a cell.
pub const CELL: f64 = 424.0;
/// Trunks in bit/s: 50, 150, 150, 100 and 150 Mb/s in cells a millisecond, truncated to three decimals.
const TRUNKS: [u64; 5] = [117_924, 353_773, 353_773, 235_849, 353_773];
const ACCESS: u64 = 353_773;
/// Where flows enter the chain of switches, and how many trunks they take.
const PATHS: [(usize, usize); 6] = [(0, 1), (0, 5), (0, 5), (0, 5), (1, 1), (3, 2)];
pub const PEAKS: [f64; 6] = [60.0, 120.0, 120.0, 120.0, 360.0, 250.0];
pub const SUPPORTED: [f64; 6] = [150.0, 60.0, 120.0, 60.0, 500.0, 300.0];
pub const MINIMUMS: [f64; 6] = [10.0, 20.0, 30.0, 40.0, 90.0, 60.0];

/// Every 10 ms a flow comes on; afterwards every 10 ms one stops, in the same order. In the paper 50 ms lie between two stops.
/// Answers to a stop hang on where in their periods the others' control cells are, so here they are not the printed ones.
pub const STEP_MS: u64 = 10;

pub struct Setting {
    pub law: RateLawChoice,
    pub delay: Span,
    pub weighted: bool,
    pub engine: NetworkEngine,
}

/// The plan: nodes 0 to 5 are switches, 6 to 11 the sources; VC1 and VC5 have destinations of their own, 12 and 13.
pub fn plan(setting: &Setting) -> NetworkPlan {
    let mut links = Vec::new();
    let mut link = |name: String, from: u32, to: u32, cells_per_s: u64, delay: Span, law: bool| {
        links.push(NetworkLinkPlan {
            name,
            from,
            to,
            capacity: BitRate::from_bps(cells_per_s * CELL as u64),
            delay,
            reordering: Span::ZERO,
            random_loss: 0.0,
            queue: QueueLawChoice::by_name("droptail").unwrap(),
            rate: law.then(|| setting.law.clone()),
            limit: Limit::Packets(100_000),
            mean_packet: Bytes::new(53),
            changes: Vec::new(),
        });
        (links.len() - 1) as u32
    };
    let (mut forward, mut back) = (Vec::new(), Vec::new());
    for (trunk, rate) in TRUNKS.into_iter().enumerate() {
        let (from, to) = (trunk as u32, trunk as u32 + 1);
        forward.push(link(format!("L{}", trunk + 1), from, to, rate, setting.delay, true));
        back.push(link(format!("L{}-back", trunk + 1), to, from, rate, setting.delay, false));
    }
    let mut flows = Vec::new();
    for (flow, (first, trunks)) in PATHS.into_iter().enumerate() {
        let (host, switch) = (6 + flow as u32, first as u32);
        // A host's own link takes no time: 1 ns at most.
        let enter = link(format!("in{flow}"), host, switch, 10_000_000_000, setting.delay, false);
        let leave = link(format!("out{flow}"), switch, host, ACCESS, setting.delay, false);
        let mut route = vec![enter];
        route.extend((first..first + trunks).map(|trunk| forward[trunk]));
        let mut reverse: Vec<_> = (first..first + trunks).rev().map(|trunk| back[trunk]).collect();
        if flow == 0 || flow == 4 {
            let (exit, destination) = (switch + trunks as u32, 12 + u32::from(flow == 4));
            route.push(link(format!("to{flow}"), exit, destination, ACCESS, setting.delay, true));
            let from = link(format!("from{flow}"), destination, exit, 10_000_000_000, setting.delay, false);
            reverse.insert(0, from);
        }
        reverse.push(leave);
        let cells = |cells: f64| cells * 1e3 * CELL;
        let minimum = if setting.weighted { MINIMUMS[flow] } else { 0.0 };
        let terms = Terms {
            minimum_bps: cells(minimum),
            peak_bps: cells(PEAKS[flow]),
            supported_bps: cells(SUPPORTED[flow]),
            weight: if setting.weighted { MINIMUMS[flow] } else { 1.0 },
        };
        let sending = SendingPlan {
            packet_bytes: 53,
            control_every: 30,
            control_within: None,
            control_least: 0,
            first: FirstRate::Peak,
            on_change: OnChange::Keep,
            manner: Manner::Honest,
        };
        let at = |step: usize| Instant::ZERO + Span::from_millis(step as u64 * STEP_MS);
        flows.push(NetworkFlowPlan {
            name: format!("VC{}", flow + 1),
            route,
            reverse_route: reverse,
            weight: Weight::ONE,
            micro_flows: 1,
            offer: Offer::Rate(RatePlan { sending, terms, size: None }),
            high_priority: false,
            start: at(flow),
            start_jitter: Span::ZERO,
            stop: at(6 + flow),
            activity: None,
        });
    }
    NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(12 * STEP_MS),
        warmup: Span::ZERO,
        window: Span::from_micros(500),
        nodes: 14,
        links,
        flows,
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: setting.engine,
        detail: Detail::Summary,
        check: true,
    }
}

/// For each event and flow: the time in µs from the event to the last change of the allowed rate before the next event.
pub fn responses(record: &NetworkRecord) -> Vec<[f64; 6]> {
    let mut table = vec![[0.0; 6]; 12];
    for (flow, measured) in record.flows.iter().enumerate() {
        for allowed in measured.rate.iter().flat_map(|rate| &rate.allowed).filter(|allowed| allowed.rate_bps > 0.0) {
            let step = (allowed.t.as_nanos() / (STEP_MS * 1_000_000)) as usize;
            let since = allowed.t.as_nanos() % (STEP_MS * 1_000_000);
            if let Some(row) = table.get_mut(step) {
                row[flow] = since as f64 / 1e3;
            }
        }
    }
    table
}
