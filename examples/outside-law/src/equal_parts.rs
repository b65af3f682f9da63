//! Equal parts: each link is divided equally among the stations that use it.
//!
//! Every interval a station looks which ingresses have used its link, and gives each of
//! them an equal part. It tells its upstream neighbour its own part and those of the
//! links downstream of it. A flow gets the least of the parts on its way, divided among
//! the flows of its station that cross the same link.
//!
//! What an ingress leaves of its part, because it is held elsewhere, nobody gets. That is
//! what laws like dvsr are for.

use super::parts::Parts;
use fairwire_core::{BitRate, Cx, Instant, Span};
use fairwire_laws::ring::{
    Counters, LawAbout, RingAction, RingLaw, RingNeeds, RingSite, SiteChange, StationView, Weighing,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What can be set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Params {
    /// The time from one look at the counters to the next, above zero.
    pub interval: Span,
}

impl Default for Params {
    fn default() -> Self {
        Self { interval: Span::from_millis(1) }
    }
}

/// The law at one station, for one ringlet.
pub struct EqualParts {
    interval: Span,
    site: RingSite,
    /// The part of one station on each link, the station's own link first, in bit/s.
    parts: Vec<u64>,
    /// What had arrived from each ingress at the last look.
    seen: Vec<u64>,
    next_look: Option<Instant>,
    actions: VecDeque<RingAction<Parts>>,
}

impl RingLaw for EqualParts {
    type Params = Params;
    type Msg = Parts;

    const ABOUT: LawAbout = LawAbout {
        name: "equal-parts",
        summary: "Every station that uses a link gets an equal part of it",
        source: "none: an example",
    };

    const NEEDS: RingNeeds = RingNeeds { weighing: Weighing::Alike, ..RingNeeds::PLAIN };

    fn counters(_params: &Params) -> Counters {
        Counters { arrived_by_ingress: true, ..Counters::NONE }
    }

    fn new(params: &Params, site: RingSite) -> Self {
        let stations = site.stations();
        let parts = (0..stations).map(|hops| site.capacities[site.downstream(hops)].as_bps()).collect();
        Self {
            interval: params.interval.max(Span::from_micros(1)),
            site,
            parts,
            seen: vec![0; stations],
            next_look: None,
            actions: VecDeque::new(),
        }
    }

    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.look(cx, view);
    }

    /// Lost messages leave older parts in place, repeated ones change nothing.
    fn on_message(&mut self, cx: &mut Cx<'_>, message: Parts, _view: &StationView<'_>) {
        for (part, told) in self.parts.iter_mut().skip(1).zip(message.0) {
            *part = told;
        }
        self.limit(cx);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.next_look
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.look(cx, view);
    }

    fn on_change(&mut self, _cx: &mut Cx<'_>, change: SiteChange, _view: &StationView<'_>) {
        self.site.apply(change);
    }

    fn poll_action(&mut self) -> Option<RingAction<Parts>> {
        self.actions.pop_front()
    }
}

impl EqualParts {
    /// Counts who has used the link since the last look, and tells the neighbour.
    fn look(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let arrived = &view.traffic.arrived_by_ingress;
        let active = arrived.iter().zip(&self.seen).filter(|(now, then)| now > then).count();
        self.seen.clone_from(arrived);
        self.parts[0] = self.site.unreserved().as_bps() / active.max(1) as u64;
        // The last link of the lap is the neighbour's own.
        let told = self.parts[..self.parts.len() - 1].to_vec();
        self.actions.push_back(RingAction::SendUpstream(Parts(told)));
        self.next_look = Some(cx.now + self.interval);
        self.limit(cx);
    }

    /// Limits each flow to the least of its parts on its way.
    fn limit(&mut self, cx: &mut Cx<'_>) {
        for (flow, of) in self.site.flows.iter().enumerate() {
            let parts = (0..of.hops).map(|hops| self.parts[hops] / self.crossing(hops));
            let rate = BitRate::from_bps(parts.min().unwrap_or(0)).min(self.site.capacity());
            cx.show("allowed_rate_bps", of.egress.0.into(), rate.as_bps_f64());
            self.actions.push_back(RingAction::SetAddRate { flow, rate });
        }
    }

    /// How many flows of the station cross the link so many hops downstream.
    fn crossing(&self, hops: usize) -> u64 {
        self.site.flows.iter().filter(|flow| flow.hops > hops).count() as u64
    }
}
