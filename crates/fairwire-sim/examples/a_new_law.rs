//! A new ring law, from idea to result, outside the list of laws.
//!
//! The law is *reservation*: every station owns a fixed part of every link, by its
//! weight, whether it uses it or not. It is what a network without a control protocol
//! can promise, and it shows what the protocols are for: a reserved part that nobody
//! uses is lost.
//!
//! A law in the list is the same file in `crates/fairwire-laws/src/ring/`, with the
//! law called `Law`, its module and one word in the list at the end of `ring/mod.rs`.
//! From there it has a name in scenarios, a schema, a line in the table of laws.
//!
//! ```text
//! cargo run --release -p fairwire-sim --example a_new_law
//! ```

use fairwire_core::{BitRate, Bytes, Cx, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
use fairwire_laws::NoMessage;
use fairwire_laws::ring::{
    LawAbout, RingAction, RingLaw, RingLawChoice, RingNeeds, RingSite, Sends, SiteChange, StationView,
};
use fairwire_plan::{
    Arrivals, ControlPlan, Detail, EnginePath, FlowPlan, LinkPlan, Offer, Overflow, PlanError, RingPlan, RunRecord,
    StationPlan, StationQueues, Traffic, TransitPlan,
};
use fairwire_sim::{simulate, simulate_law};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What a scenario may set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// The part of every link that is promised to nobody, so that queues drain.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub headroom: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { headroom: 0.02 }
    }
}

/// Fixed parts of every link for one station on one ringlet. It decides once.
pub struct Reservation {
    headroom: f64,
    site: RingSite,
    actions: VecDeque<RingAction<NoMessage>>,
}

impl RingLaw for Reservation {
    type Params = Params;
    type Msg = NoMessage;

    const ABOUT: LawAbout = LawAbout {
        name: "reservation",
        summary: "Every station owns a fixed part of every link by its weight, used or not",
        source: "none: an example",
    };

    /// It talks to nobody.
    const NEEDS: RingNeeds = RingNeeds { sends: Sends::Nothing, ..RingNeeds::PLAIN };

    fn new(params: &Params, site: RingSite) -> Self {
        Self { headroom: params.headroom.clamp(0.0, 1.0), site, actions: VecDeque::new() }
    }

    /// All that is to be decided is known before the first packet.
    fn start(&mut self, cx: &mut Cx<'_>, _view: &StationView<'_>) {
        self.limit_all(cx);
    }

    /// The same anew where a capacity or a weight is another from now on.
    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, _view: &StationView<'_>) {
        self.site.apply(change);
        self.limit_all(cx);
    }

    fn poll_action(&mut self) -> Option<RingAction<NoMessage>> {
        self.actions.pop_front()
    }
}

impl Reservation {
    /// Limits each flow to what is reserved for it.
    fn limit_all(&mut self, cx: &mut Cx<'_>) {
        for flow in 0..self.site.flows.len() {
            let rate = self.reserved(flow);
            cx.show("allowed_rate_bps", self.site.flows[flow].egress.0.into(), rate.as_bps_f64());
            self.actions.push_back(RingAction::SetAddRate { flow, rate });
        }
    }

    /// The least of what the links on the way hold for `flow`.
    fn reserved(&self, flow: usize) -> BitRate {
        let links = (0..self.site.flows[flow].hops).map(|hops| self.part_of_link(flow, hops));
        let least = links.fold(f64::INFINITY, f64::min);
        BitRate::from_bps_f64(least.floor()).min(self.site.capacity())
    }

    /// On the link `hops` downstream: the station's part by weight among all stations,
    /// and of that the flow's part by weight among the station's flows that go there.
    fn part_of_link(&self, flow: usize, hops: usize) -> f64 {
        let link = self.site.downstream(hops);
        let all: f64 = self.site.weights.iter().map(|weight| weight.get()).sum();
        let crossing = self.site.flows.iter().filter(|flow| flow.hops > hops);
        let own: f64 = crossing.map(|flow| flow.weight.get()).sum();
        let promised = self.site.capacities[link].as_bps_f64() * (1.0 - self.headroom);
        let station = self.site.weights[self.site.station.index()].get() / all;
        promised * station * self.site.flows[flow].weight.get() / own
    }
}

/// The parallel parking lot of the DVSR paper: ten stations, of which four send to
/// station 5 for all they can, and one of these to its neighbour as well.
pub fn parallel_parking_lot() -> RingPlan {
    let link = LinkPlan { capacity: BitRate::from_mbps(622), delay: Span::from_micros(100) };
    let flow = |(from, to): (u16, u16)| FlowPlan {
        class: ServiceClass::C,
        guaranteed: BitRate::ZERO,
        strict_order: false,
        wrap_eligible: true,
        name: format!("{from}-{to}"),
        ringlet: Ringlet::Zero,
        from: StationId(from),
        to: StationId(to),
        weight: Weight::ONE,
        micro_flows: 1,
        offer: Offer::Datagrams(Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1_000, size_jitter: 0.05 }),
        start_jitter: Span::ZERO,
        start: Instant::ZERO,
        stop: Instant::NEVER,
    };
    RingPlan {
        seed: 1,
        run: 0,
        duration: Span::from_millis(300),
        warmup: Span::from_millis(100),
        window: Span::from_millis(1),
        links: [vec![link; 10], vec![link; 10]],
        stations: vec![StationPlan::default(); 10],
        transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
        station_queues: StationQueues::PerDestination,
        station_buffer: Bytes::new(200_000),
        flows: [(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)].map(flow).into(),
        protection: None,
        demand_changes: Vec::new(),
        weight_changes: Vec::new(),
        capacity_changes: Vec::new(),
        control: ControlPlan::default(),
        engine: EnginePath::Auto,
        detail: Detail::Summary,
        check: true,
    }
}

/// Each flow's rate after the warm-up, in Mb/s.
pub fn rates_mbps(record: &RunRecord) -> Vec<f64> {
    let seconds = (record.duration - record.warmup).as_secs_f64();
    record.flows.iter().map(|flow| flow.measured_bytes as f64 * 8.0 / seconds / 1e6).collect()
}

/// The plan under the new law, and under dvsr beside it.
pub fn both(plan: &RingPlan) -> Result<(RunRecord, RunRecord), PlanError> {
    plan.validate()?;
    let reservation = simulate_law::<Reservation>(plan, &Params::default(), &mut |_| true);
    let dvsr = simulate(plan, &RingLawChoice::by_name("dvsr").expect("it is in the list"))?;
    Ok((reservation, dvsr))
}

#[allow(dead_code, reason = "a test includes this file for its law")]
fn main() -> Result<(), PlanError> {
    let plan = parallel_parking_lot();
    let (reservation, dvsr) = both(&plan)?;
    println!("flow   reservation   dvsr      (Mb/s on links of 622 Mb/s)");
    for ((flow, fixed), fair) in plan.flows.iter().zip(rates_mbps(&reservation)).zip(rates_mbps(&dvsr)) {
        println!("{:5}  {fixed:11.1}  {fair:5.1}", flow.name);
    }
    let median_us = |record: &RunRecord| record.flows[4].delay.p50_ns / 1_000;
    println!("Median delay of the last flow: {} us and {} us.", median_us(&reservation), median_us(&dvsr));
    Ok(())
}
