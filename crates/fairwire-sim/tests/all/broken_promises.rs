//! Laws that break their contract are told of, and end no run by a panic or for ever.

use crate::common::{flow, ring};
use fairwire_core::{BitRate, Cx, Instant};
use fairwire_laws::NoMessage;
use fairwire_laws::ring::{LawAbout, RingAction, RingLaw, RingNeeds, RingSite, Sends, StationView};
use fairwire_plan::*;
use fairwire_sim::simulate_law;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
enum Fault {
    /// It wants to wake at once, always.
    #[default]
    Awake,
    /// It limits a flow that no station has.
    Stranger,
}

struct Broken {
    fault: Fault,
    wakes_at: Instant,
    limits: bool,
}

impl RingLaw for Broken {
    type Params = Fault;
    type Msg = NoMessage;

    const ABOUT: LawAbout = LawAbout { name: "broken", summary: "Breaks its contract", source: "none: a test" };
    const NEEDS: RingNeeds = RingNeeds { sends: Sends::Nothing, ..RingNeeds::PLAIN };

    fn new(fault: &Fault, _site: RingSite) -> Self {
        Self { fault: *fault, wakes_at: Instant::from_nanos(1_000_000), limits: *fault == Fault::Stranger }
    }

    fn poll_timeout(&self) -> Option<Instant> {
        (self.fault == Fault::Awake).then_some(self.wakes_at)
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, _view: &StationView<'_>) {
        self.wakes_at = cx.now;
    }

    fn poll_action(&mut self) -> Option<RingAction<NoMessage>> {
        std::mem::take(&mut self.limits).then_some(RingAction::SetAddRate { flow: 99, rate: BitRate::from_mbps(1) })
    }
}

#[test]
fn a_law_that_never_sleeps_or_limits_a_stranger_is_told_of() {
    let flows = vec![flow(0, 2, Arrivals::Greedy), flow(1, 2, Arrivals::Greedy)];
    let plan = RingPlan { flows, ..ring(4) };
    let faults = [
        (Fault::Awake, "the law wakes 10000 times at 1000000 ns"),
        (Fault::Stranger, "a limit of flow 99, where 1 begin"),
    ];
    for (fault, told) in faults {
        let record = simulate_law::<Broken>(&plan, &fault, &mut |_| true);
        assert!(record.violations.iter().any(|violation| violation.contains(told)), "{:?}", record.violations);
        assert!(record.flows.iter().all(|flow| flow.delivered > 0));
    }
}
