//! The answer as JSON; names are never changed, only added.

use super::Args;
use fairwire_alloc::{Criterion, Problem, Uniqueness, solve_rates_with_terms};
use fairwire_analysis::AnalysisError;
use fairwire_analysis::bounds::{pairwise_bound_bits, throttling_bound_bits};
use fairwire_analysis::cycle::{AggressiveModel, ConservativeModel, Cycle, Loss, ModeParameters};
use fairwire_analysis::oscillation::{self, AggressiveFlow, ConservativeParty, LinkAnalysis, Party};
use fairwire_core::{ServiceClass, Span};
use fairwire_laws::ring::RingLawChoice;
use fairwire_scenario::{Arrivals, Datagrams, Ring, Scenario, Traffic, Way};
use fairwire_terminal::CliError;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Answer {
    pub scenario: String,
    /// Whether the fair rates are the only ones.
    pub unique: String,
    pub parameters: Parameters,
    pub links: Vec<LinkAnswer>,
    /// What the models leave out of this scenario.
    pub notes: Vec<String>,
    /// How to see what a simulation makes of it.
    pub compare: String,
}

/// What the cycles were computed with.
#[derive(Debug, Serialize)]
pub struct Parameters {
    rampcoef: f64,
    lpcoef: f64,
    aging_interval_ns: u64,
    /// None: the spans back to each flow's ingress.
    propagation_ns: Option<u64>,
    stq_low_threshold_bytes: u64,
    low_threshold: f64,
}

/// One link over which flows share what classes have not been guaranteed.
#[derive(Debug, Serialize)]
pub struct LinkAnswer {
    pub id: String,
    pub capacity_bps: f64,
    /// Sum of the fair rates.
    pub load_bps: f64,
    /// Sum of the demands; None without end.
    pub demand_bps: Option<f64>,
    pub ingresses: usize,
    pub aggressive: AggressiveAnswer,
    pub conservative: ConservativeAnswer,
    pub feedback_bound: BoundAnswer,
}

/// Proposition 2.
#[derive(Debug, Serialize)]
pub struct AggressiveAnswer {
    pub congested: bool,
    pub oscillates: bool,
    pub flows: Vec<AggressiveFlowAnswer>,
}

#[derive(Debug, Serialize)]
pub struct AggressiveFlowAnswer {
    #[serde(flatten)]
    pub party: PartyAnswer,
    /// The smallest sender between its ingress and the link.
    pub smallest_downstream: Option<SmallestAnswer>,
    #[serde(flatten)]
    pub swing: Swing,
}

#[derive(Debug, Serialize)]
pub struct SmallestAnswer {
    pub from: String,
    pub to: String,
    pub rate_bps: f64,
}

/// Proposition 3.
#[derive(Debug, Serialize)]
pub struct ConservativeAnswer {
    pub congested: bool,
    pub oscillates: bool,
    /// n_a.
    pub active: usize,
    /// C/n_a.
    pub share_bps: f64,
    /// What crosses the link once all obey.
    pub throttled_load_bps: f64,
    /// Whether that is below the threshold, for the page.
    #[serde(skip)]
    pub clears: bool,
    pub low_threshold_bps: f64,
    pub ingresses: Vec<ConservativePartyAnswer>,
}

#[derive(Debug, Serialize)]
pub struct ConservativePartyAnswer {
    #[serde(flatten)]
    pub party: PartyAnswer,
    /// Whether it needs less than C/n_a.
    pub small: bool,
    #[serde(flatten)]
    pub swing: Swing,
}

/// Flows that count as one.
#[derive(Debug, Serialize)]
pub struct PartyAnswer {
    pub ids: Vec<String>,
    pub from: String,
    pub to: String,
    pub fair_rate_bps: f64,
    /// None without end.
    pub demand_bps: Option<f64>,
}

/// Whether a rate comes to rest, and if not, what it does.
#[derive(Debug, Serialize)]
pub struct Swing {
    pub oscillates: bool,
    /// Between which rates, without delay, filter and buffer; None if it rests.
    pub low_bps: Option<f64>,
    pub high_bps: Option<f64>,
    /// One cycle with delay, filter and buffer; None if it rests, or if several flows swing on the link.
    pub cycle: Option<CycleAnswer>,
}

#[derive(Debug, Serialize)]
pub struct CycleAnswer {
    pub period_ns: f64,
    pub low_bps: f64,
    pub high_bps: f64,
    /// Eq. (7), in bit/s as printed.
    pub loss_printed_bps: f64,
    /// Eq. (7) over the fair rate.
    pub loss: f64,
    /// The same without setting off what lies above the fair rate.
    pub loss_clipped: f64,
    /// 1 − (mean rate)/(fair rate).
    pub loss_mean: f64,
    /// The rate in each aging interval, with --trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates_bps: Option<Vec<f64>>,
}

/// How far a law may stray that tells rates once a window.
#[derive(Debug, Serialize)]
pub struct BoundAnswer {
    /// N.
    pub ingresses: usize,
    /// T.
    pub window_ns: u64,
    /// (1 − 1/N)·C·T.
    pub bound_bytes: f64,
    /// What the link takes to send that: (1 − 1/N)·T.
    pub bound_ns: f64,
    /// 2·(1 − 1/N)·C·T.
    pub pairwise_bound_bytes: f64,
}

/// Looks at every link of a ring that carries flows.
pub fn answer(scenario: &Scenario, file: &str, args: &Args) -> Result<Answer, CliError> {
    let Some(ring) = scenario.ring() else {
        return Err(CliError::bad_input(
            "these models are about rings, and the scenario has a [network]",
            "use `fairwire allocate` for the fair rates of a network",
        ));
    };
    let problem = scenario.problem();
    let fair = solve_rates_with_terms(&problem, &scenario.terms(), Criterion::Rias)
        .map_err(|error| CliError::unsolved(scenario, error))?;
    let judged = oscillation::links(&problem, &fair.rates_bps, args.low_threshold).map_err(refused)?;
    mode(args, 0.0).validate().map_err(refused)?;
    let view = View { scenario, ring, problem: &problem, args };
    Ok(Answer {
        scenario: scenario.title().to_owned(),
        unique: fair.unique.to_string(),
        parameters: Parameters {
            rampcoef: args.rampcoef,
            lpcoef: args.lpcoef,
            aging_interval_ns: args.aging_interval.as_nanos(),
            propagation_ns: args.propagation.map(|time| time.as_nanos()),
            stq_low_threshold_bytes: args.stq_low_threshold.get(),
            low_threshold: args.low_threshold,
        },
        links: judged.iter().map(|link| view.link(link)).collect(),
        notes: notes(scenario, ring, fair.unique),
        compare: format!("fairwire compare {file} --law rpr-aggressive --law rpr-conservative"),
    })
}

fn refused(error: AnalysisError) -> CliError {
    let help = "change the option; `fairwire help analyse` tells them all";
    match error {
        AnalysisError::Parameter { name, value, needed } => {
            // Of what has a unit, the command knows the option by another name than the model.
            let option = match name {
                "aging_interval_s" => "aging-interval",
                "threshold_bytes" => "stq-low-threshold",
                "propagation_s" => "propagation",
                "low_threshold" => "low-threshold",
                name => name,
            };
            CliError::bad_input(format!("`--{option}` is {value}, but it has to be {needed}"), help)
        }
        error => CliError::bad_input(error.to_string(), help),
    }
}

fn mode(args: &Args, propagation_s: f64) -> ModeParameters {
    ModeParameters {
        rampcoef: args.rampcoef,
        lpcoef: args.lpcoef,
        aging_interval_s: args.aging_interval.as_secs_f64(),
        propagation_s,
        threshold_bytes: args.stq_low_threshold.get() as f64,
        low_threshold: args.low_threshold,
    }
}

/// What of the scenario the propositions and models do not see.
fn notes(scenario: &Scenario, ring: &Ring, unique: Uniqueness) -> Vec<String> {
    let mut notes = Vec::new();
    let is_weighted = ring.weights.iter().any(|weight| *weight != ring.weights[0])
        || scenario.flows().iter().any(|flow| flow.weight != scenario.flows()[0].weight);
    if is_weighted {
        notes.push(
            "weights differ; the propositions are stated for equal ones and compare rates as they are".to_owned(),
        );
    }
    if unique != Uniqueness::Yes {
        notes.push(format!("other rates may be fair too (unique: {unique}); the reference rates are taken"));
    }
    if scenario.flows().iter().any(|flow| flow.stop.is_some() || flow.start != Span::ZERO) {
        notes.push("flows start or stop; all are taken as active at once".to_owned());
    }
    notes.extend(traffic_notes(scenario));
    notes.extend(class_notes(scenario));
    notes
}

/// The propositions know demands that never change.
fn traffic_notes(scenario: &Scenario) -> impl Iterator<Item = String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for flow in scenario.flows() {
        let Some(what) = taken_as(&flow.traffic) else { continue };
        match found.iter_mut().find(|(other, _)| *other == what) {
            Some((_, names)) => names.push(&flow.name),
            None => found.push((what, vec![&flow.name])),
        }
    }
    found.into_iter().map(|(what, names)| format!("demands are not constant: {what} ({})", names.join(", ")))
}

/// What is made of traffic whose rate changes or hangs on the network.
fn taken_as(traffic: &Traffic) -> Option<&'static str> {
    match traffic {
        Traffic::Datagrams(Datagrams { arrivals, .. }) => match arrivals {
            Arrivals::Greedy | Arrivals::Cbr { .. } => None,
            Arrivals::Poisson { .. } => Some("Poisson traffic is taken at its mean rate"),
            Arrivals::ParetoOnOff { .. } => Some("Pareto on-off traffic is taken at its mean rate"),
        },
        Traffic::Rate(_) => Some("traffic whose rate switches tell is taken as demand without end"),
        Traffic::Tcp(tcp) => match tcp.work.mean_rate() {
            None => Some("TCP, which sends as its window allows, is taken as demand without end"),
            Some(_) => Some("TCP transfers are taken at the mean rate that they ask for"),
        },
    }
}

/// What classes guarantee is no part of what modes share.
fn class_notes(scenario: &Scenario) -> Option<String> {
    let is_there = |class: ServiceClass| scenario.flows().iter().any(|flow| flow.class == class);
    let above_c = [ServiceClass::A0, ServiceClass::A1, ServiceClass::B];
    let present: Vec<String> =
        above_c.into_iter().filter(|class| is_there(*class)).map(|class| format!("{class:?}")).collect();
    (!present.is_empty()).then(|| {
        format!(
            "flows are of class {} beside C; what their classes guarantee is taken off the links first, and who asks for no \
             more is counted as no sender",
            present.join(", ")
        )
    })
}

struct View<'a> {
    scenario: &'a Scenario,
    ring: &'a Ring,
    problem: &'a Problem,
    args: &'a Args,
}

impl View<'_> {
    fn link(&self, link: &LinkAnalysis) -> LinkAnswer {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let (aggressive, conservative) = (&link.aggressive, &link.conservative);
        LinkAnswer {
            id: self.problem.links[link.link].id.clone(),
            capacity_bps: link.capacity_bps,
            load_bps: link.load_bps,
            demand_bps: finite(link.demand_bps),
            ingresses: link.ingresses,
            aggressive: AggressiveAnswer {
                congested: aggressive.congested,
                oscillates: aggressive.oscillates(),
                flows: aggressive.flows.iter().map(|flow| self.aggressive_flow(link, flow)).collect(),
            },
            conservative: ConservativeAnswer {
                congested: conservative.congested,
                oscillates: conservative.oscillates(),
                active: conservative.active,
                share_bps: conservative.share_bps,
                throttled_load_bps: conservative.throttled_load_bps,
                clears: conservative.clears,
                low_threshold_bps: conservative.low_threshold_bps,
                ingresses: conservative.ingresses.iter().map(|party| self.conservative_party(link, party)).collect(),
            },
            feedback_bound: self.bound(link),
        }
    }

    fn aggressive_flow(&self, link: &LinkAnalysis, flow: &AggressiveFlow) -> AggressiveFlowAnswer {
        let swings_alone = link.aggressive.flows.iter().filter(|flow| flow.oscillates).count() == 1;
        let range = flow.range_bps();
        let model = || AggressiveModel {
            capacity_bps: link.capacity_bps,
            fair_bps: flow.party.fair_bps,
            lowest_bps: range.map_or(0.0, |range| range.0),
            demand_bps: flow.party.demand_bps,
            parameters: mode(self.args, self.propagation_s(link.link, &flow.party)),
        };
        let cycle = range.filter(|_| swings_alone).and_then(|_| model().trace().ok()).map(|trace| trace.cycle);
        AggressiveFlowAnswer {
            party: self.party(&flow.party),
            smallest_downstream: flow.smallest.map(|smallest| SmallestAnswer {
                from: self.problem.nodes[smallest.ingress].clone(),
                to: self.problem.nodes[smallest.egress].clone(),
                rate_bps: smallest.rate_bps,
            }),
            swing: self.swing(flow.oscillates, range, cycle.as_ref()),
        }
    }

    fn conservative_party(&self, link: &LinkAnalysis, party: &ConservativeParty) -> ConservativePartyAnswer {
        let verdict = &link.conservative;
        let swings_alone = verdict.ingresses.iter().filter(|party| party.oscillates).count() == 1;
        let range = verdict.range_bps(party);
        let model = || ConservativeModel {
            capacity_bps: link.capacity_bps,
            active: verdict.active,
            others_bps: link.load_bps - party.party.fair_bps,
            demand_bps: party.party.demand_bps,
            fair_bps: party.party.fair_bps,
            parameters: mode(self.args, 0.0),
        };
        let cycle = range.filter(|_| swings_alone).and_then(|_| model().trace().ok()).map(|trace| trace.cycle);
        ConservativePartyAnswer {
            party: self.party(&party.party),
            small: party.small,
            swing: self.swing(party.oscillates, range, cycle.as_ref()),
        }
    }

    fn party(&self, party: &Party) -> PartyAnswer {
        PartyAnswer {
            ids: party.flows.iter().map(|&flow| self.problem.flows[flow].id.clone()).collect(),
            from: self.problem.nodes[party.ingress].clone(),
            to: self.problem.nodes[party.egress].clone(),
            fair_rate_bps: party.fair_bps,
            demand_bps: Some(party.demand_bps).filter(|demand| demand.is_finite()),
        }
    }

    fn swing(&self, oscillates: bool, range: Option<(f64, f64)>, cycle: Option<&Cycle>) -> Swing {
        let cycle = cycle.map(|cycle| {
            let (low_bps, high_bps) = cycle.range_bps();
            let Loss { printed_bps, normalised, clipped, mean } = cycle.loss();
            CycleAnswer {
                period_ns: cycle.period_s() * 1e9,
                low_bps,
                high_bps,
                loss_printed_bps: printed_bps,
                loss: normalised,
                loss_clipped: clipped,
                loss_mean: mean,
                rates_bps: self.args.trace.then(|| cycle.rates_bps.clone()),
            }
        });
        Swing { oscillates, low_bps: range.map(|range| range.0), high_bps: range.map(|range| range.1), cycle }
    }

    /// How long a message takes from the station at the link back to where the flow enters.
    fn propagation_s(&self, link: usize, party: &Party) -> f64 {
        if let Some(time) = self.args.propagation {
            return time.as_secs_f64();
        }
        let Some(&flow) = party.flows.first() else { return 0.0 };
        let Way::Ring { ringlet } = self.scenario.flows()[flow].way else { return 0.0 };
        let (spans, stations) = (self.ring.ringlet(ringlet), usize::from(self.ring.stations));
        let before = self.problem.flows[flow].route.iter().take_while(|&&crossed| crossed != link);
        before.map(|&crossed| spans[crossed % stations].delay.as_secs_f64()).sum()
    }

    fn bound(&self, link: &LinkAnalysis) -> BoundAnswer {
        let window = match &self.ring.law {
            RingLawChoice::dvsr(params) => self.ring.lap().max(params.min_interval),
            _ => self.ring.lap(),
        };
        let bits = throttling_bound_bits(link.capacity_bps, window.as_secs_f64(), link.ingresses);
        BoundAnswer {
            ingresses: link.ingresses,
            window_ns: window.as_nanos(),
            bound_bytes: bits / 8.0,
            bound_ns: bits / link.capacity_bps * 1e9,
            pairwise_bound_bytes: pairwise_bound_bits(link.capacity_bps, window.as_secs_f64(), link.ingresses) / 8.0,
        }
    }
}
