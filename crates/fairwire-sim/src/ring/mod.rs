//! The ring simulator: builds the stations of a plan around a law, walks them
//! through time, and gathers what they counted.
//!
//! | folder | holds |
//! | --- | --- |
//! | `engine` | the ways through time, and the record at the end |
//! | `station` | a station's events in their order, what its laws are told and what comes of it, ends of TCP |
//! | `mac` | a station's access to one ringlet: its transit queues, and who goes next |
//! | `adds` | what a station adds: queues, sources, limiters |
//! | `wire` | packets and frames, and the links and wires they take |
//! | `protection` | dead spans and lost stations |
//! | `books` | what is counted |

mod adds;
mod audit;
mod books;
pub(crate) mod build;
mod capture;
mod engine;
mod lateness;
mod law;
mod mac;
mod protection;
mod simulation;
mod station;
mod view;
mod whole;
mod wire;

pub use simulation::RingSimulation;
pub use view::{LimitView, RingFlowView, RingLinkView, RingView, StationQueueView};

use self::law::Law;
use self::whole::Whole;
use crate::brought::Feed;
use fairwire_core::{Ringlet, StationId};
use fairwire_laws::ring::{RingLaw, RingLawChoice, RingSite, Typed};
use fairwire_plan::{EnginePath, PlanError, RingPlan, RunRecord};
use std::rc::Rc;

/// Simulates `plan` under `law`.
///
/// The record depends on the plan and the law alone: not on the machine, the
/// time of day, or the engine path.
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate(plan: &RingPlan, law: &RingLawChoice) -> Result<RunRecord, PlanError> {
    simulate_watched(plan, law, &mut |_| true)
}

/// As [`simulate`], telling `watch` from time to time how much simulated time
/// has passed, as a fraction; when it answers `false` the run ends early and
/// its record covers what was simulated until then.
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate_watched(
    plan: &RingPlan,
    law: &RingLawChoice,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<RunRecord, PlanError> {
    let mut simulation = RingSimulation::new(plan.clone(), law)?;
    simulation.advance_watched(simulation.end(), watch);
    Ok(simulation.into_record())
}

/// As [`simulate_watched`], for a run that counts only as a whole: none as soon as `watch` answers `false`, be it while the
/// ring is being built.
///
/// # Errors
/// [`PlanError`] if the plan cannot be run.
pub fn simulate_whole(
    plan: &RingPlan,
    law: &RingLawChoice,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Option<RunRecord>, PlanError> {
    RingSimulation::whole(plan.clone(), law, watch)
}

/// Where the law of `station` stands on a ringlet of `plan`, for drivers that are not this simulator.
pub fn ring_site(plan: &RingPlan, ringlet: Ringlet, station: StationId) -> RingSite {
    let plan = Whole::of(plan, Feed::Nothing);
    build::site(&plan, ringlet, station.index(), build::max_packet(&plan))
}

/// How a run of `plan` goes through time: [`EnginePath::Windows`] or [`EnginePath::Events`], whatever the plan leaves open.
pub fn engine_path(plan: &RingPlan) -> EnginePath {
    engine::path(&Whole::of(plan, Feed::Nothing))
}

/// Simulates a checked plan under a law given as a type, which need not be in the list.
pub fn simulate_law<L: RingLaw>(plan: &RingPlan, params: &L::Params, watch: &mut dyn FnMut(f64) -> bool) -> RunRecord
where
    L::Params: Send + Sync,
{
    let law = Law::outside(Rc::new(Typed::<L>(params.clone())));
    let mut simulation = RingSimulation::under(plan.clone(), law, Feed::Nothing);
    simulation.advance_watched(simulation.end(), watch);
    simulation.into_record()
}
