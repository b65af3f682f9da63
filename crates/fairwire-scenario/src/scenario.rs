//! A validated scenario, and what can be asked of it.

use crate::event::Event;
use crate::expect::{self, Expectation};
use crate::fair;
use crate::flow::Flow;
use crate::into::steps::tells_rates;
use crate::network::Network;
use crate::reading::diagnostic::{Diagnostic, Diagnostics, Report};
use crate::reading::setting_error::SettingError;
use crate::ring::Ring;
use crate::run::{LARGEST_SEED, MOST_REPLICATIONS, Run, SHORTEST_WINDOW};
use crate::scenario_table;
use crate::sweep::{SweepAxis, SweepMeasure, Until};
use crate::topology::Topology;
use fairwire_alloc::Criterion;
use fairwire_core::{BitRate, Span};
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use serde::Serialize;

/// A scenario in which everything is resolved and checked.
///
/// It serialises in the shape and with the keys of a scenario file, every
/// default filled in and every table that stood for several flows spelt out;
/// a sweep is left out, since each of its points is a scenario of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scenario {
    pub(crate) schema: u64,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    pub(crate) run: Run,
    #[serde(flatten)]
    pub(crate) topology: Topology,
    #[serde(rename = "flow")]
    pub(crate) flows: Vec<Flow>,
    #[serde(rename = "event", skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<Event>,
    #[serde(serialize_with = "fair::table", skip_serializing_if = "Option::is_none")]
    pub(crate) fair: Option<Criterion>,
    #[serde(rename = "expect", serialize_with = "expect::by_key", skip_serializing_if = "Vec::is_empty")]
    pub(crate) expectations: Vec<Expectation>,
    #[serde(skip)]
    pub(crate) sweep: Vec<SweepAxis>,
    #[serde(skip)]
    pub(crate) measures: Vec<SweepMeasure>,
    #[serde(skip)]
    pub(crate) until: Option<Until>,
    #[serde(skip)]
    pub(crate) warnings: Vec<Diagnostic>,
    #[serde(skip)]
    pub(crate) origin: Origin,
}

/// Where a scenario comes from in print.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Source {
    /// The paper's short name.
    pub paper: String,
    /// The figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// The section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

/// The file, and what was changed after reading it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub file_name: String,
    pub text: String,
    /// Keys that were set beside the file, with their values in TOML.
    pub settings: Vec<(String, String)>,
    pub changes: Changes,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changes {
    law: Option<RingLawChoice>,
    queue_law: Option<QueueLawChoice>,
    rate_law: Option<RateLawChoice>,
    seed: Option<u64>,
    replications: Option<u64>,
    duration: Option<Span>,
}

impl Scenario {
    /// Reads and checks a scenario. `file_name` is only told back in errors.
    ///
    /// A sweep is read but not applied: see [`Scenario::expand_sweep`].
    ///
    /// # Errors
    /// All that is wrong with the file, each with its place and its mend.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, Diagnostics> {
        Self::parse_with(file_name, text, &[])
    }

    /// The same with other values under some keys, as (dotted key, value in TOML or plain text): `("ring.span-delay", "1 ms")`.
    /// A key that the file sweeps is not swept any more.
    ///
    /// # Errors
    /// All that is wrong with the file and the values.
    pub fn parse_with(file_name: &str, text: &str, settings: &[(String, String)]) -> Result<Self, Diagnostics> {
        let report = Report::new(text);
        let tree = scenario_table::tree(text, settings, &report);
        let (tree, _) = report.finish(file_name, tree)?;
        let mut scenario = scenario_table::build(file_name, text, &tree)?;
        scenario.origin.settings = settings.to_vec();
        Ok(scenario)
    }

    /// What the scenario shows, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What the scenario shows, at length.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Where it comes from in print.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// How it is run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What its flows run on.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Its ring, if it has one.
    pub fn ring(&self) -> Option<&Ring> {
        match &self.topology {
            Topology::Ring(ring) => Some(ring),
            Topology::Network(_) => None,
        }
    }

    /// Its network, if it has one.
    pub fn network(&self) -> Option<&Network> {
        self.topology.network()
    }

    /// Its flows, in the order of the file; their positions are their numbers everywhere.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// What happens on the way, in the order of the file.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether its flows run on a ring.
    pub fn is_ring(&self) -> bool {
        self.ring().is_some()
    }

    /// What "fair" means where a question does not say: what `[fair]` says, and else the criterion of its kind. That is RIAS on a
    /// ring. On a network it is general weighted where switches tell rates or any flow is promised a minimum, weighted
    /// max-min where flows differ in weight or number of micro-flows, and max-min where they do not.
    pub fn criterion(&self) -> Criterion {
        self.fair.unwrap_or_else(|| criterion_of_kind(self.is_ring(), &self.flows))
    }

    /// How many runs with independent random numbers it asks for.
    pub fn replications(&self) -> u64 {
        self.run.replications
    }

    /// The experiment: which family of random numbers.
    pub fn seed(&self) -> u64 {
        self.run.seed
    }

    /// The law of every queue of its network whose link names none.
    pub fn queue_law(&self) -> Option<&QueueLawChoice> {
        self.network().map(|network| &network.queue)
    }

    /// The law by which its network tells flows their rates, where links name no other.
    pub fn rate_law(&self) -> Option<&RateLawChoice> {
        self.network()?.rate.as_ref()
    }

    /// The law of its ring.
    pub fn law(&self) -> Option<&RingLawChoice> {
        self.ring().map(|ring| &ring.law)
    }

    /// What it promises.
    pub fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    /// The keys that its sweep varies, in the order of the file; empty without a sweep.
    pub fn sweep(&self) -> &[SweepAxis] {
        &self.sweep
    }

    /// What its sweep wants to know beside the usual measures.
    pub fn sweep_measures(&self) -> &[SweepMeasure] {
        &self.measures
    }

    /// When a point of its sweep has enough runs; none if each has as many as there are replications.
    pub fn until(&self) -> Option<&Until> {
        self.until.as_ref()
    }

    /// What is allowed but probably not meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The same under another law; a network has none and stays as it is.
    #[must_use]
    pub fn with_law(&self, law: RingLawChoice) -> Self {
        let mut changed = self.clone();
        if let Topology::Ring(ring) = &mut changed.topology {
            ring.law = law.clone();
            changed.origin.changes.law = Some(law);
        }
        changed
    }

    /// The same with another law in front of every link that names none of its own;
    /// a ring has no such law and stays as it is.
    #[must_use]
    pub fn with_queue_law(&self, law: QueueLawChoice) -> Self {
        let mut changed = self.clone();
        if let Topology::Network(network) = &mut changed.topology {
            network.queue = law.clone();
            changed.origin.changes.queue_law = Some(law);
        }
        changed
    }

    /// The same with another law at every port whose link names none of its own; what has no such law stays as it is.
    #[must_use]
    pub fn with_rate_law(&self, law: RateLawChoice) -> Self {
        let mut changed = self.clone();
        if let Topology::Network(network) = &mut changed.topology
            && network.rate.is_some()
        {
            network.rate = Some(law.clone());
            changed.origin.changes.rate_law = Some(law);
        }
        changed
    }

    /// The same with other random numbers.
    ///
    /// # Errors
    /// [`SettingError::Seed`] beyond what a scenario file can hold.
    pub fn with_seed(&self, seed: u64) -> Result<Self, SettingError> {
        if seed > LARGEST_SEED {
            return Err(SettingError::Seed(seed));
        }
        let mut changed = self.clone();
        changed.run.seed = seed;
        changed.origin.changes.seed = Some(seed);
        Ok(changed)
    }

    /// The same, run so many times.
    ///
    /// # Errors
    /// [`SettingError::NoReplications`] for 0, [`SettingError::TooManyReplications`] for more than a file can ask for.
    pub fn with_replications(&self, replications: u64) -> Result<Self, SettingError> {
        if replications == 0 {
            return Err(SettingError::NoReplications);
        }
        if replications > MOST_REPLICATIONS {
            return Err(SettingError::TooManyReplications(replications));
        }
        let mut changed = self.clone();
        changed.run.replications = replications;
        changed.origin.changes.replications = Some(replications);
        Ok(changed)
    }

    /// The same with rows as long as they are where a file leaves the window open.
    #[must_use]
    pub fn without_window(&self) -> Self {
        let mut changed = self.clone();
        changed.run.default_window = true;
        changed.run.choose_window(changed.topology.lap(), changed.topology.rows(&changed.flows, &changed.events));
        changed
    }

    /// The same over another time. A window that the file left open is chosen
    /// anew; one that it gives is cut to the duration. Events that come later are left out.
    ///
    /// # Errors
    /// [`SettingError`] if nothing would be left to measure.
    pub fn with_duration(&self, duration: Span) -> Result<Self, SettingError> {
        if duration < SHORTEST_WINDOW {
            return Err(SettingError::TooShort(duration));
        }
        if self.run.warmup >= duration && self.run.warmup > Span::ZERO {
            return Err(SettingError::Warmup { duration, warmup: self.run.warmup });
        }
        let mut changed = self.clone();
        changed.run.duration = duration;
        changed.events.retain(|event| event.at < duration);
        changed.run.window = changed.run.window.min(duration);
        let rows = changed.topology.rows(&changed.flows, &changed.events);
        changed.run.choose_window(changed.topology.lap(), rows);
        if changed.run.has_too_many_rows(rows) {
            let shortest = rows.shortest(duration);
            return Err(SettingError::TooLong { duration, window: changed.run.window, most: rows.most(), shortest });
        }
        changed.origin.changes.duration = Some(duration);
        Ok(changed)
    }

    /// Makes to a point of the sweep the changes that were made to the whole.
    pub(crate) fn carry_over(&self, mut point: Self, swept: impl Fn(&str) -> bool) -> Result<Self, SettingError> {
        let Changes { law, queue_law, rate_law, seed, replications, duration } = &self.origin.changes;
        if let Some(law) = law.as_ref().filter(|_| !swept("ring.law")) {
            point = point.with_law(law.clone());
        }
        if let Some(law) = queue_law.as_ref().filter(|_| !swept("network.queue")) {
            point = point.with_queue_law(law.clone());
        }
        if let Some(law) = rate_law.as_ref().filter(|_| !swept("network.rate")) {
            point = point.with_rate_law(law.clone());
        }
        if let Some(seed) = seed.filter(|_| !swept("run.seed")) {
            point = point.with_seed(seed)?;
        }
        if let Some(replications) = replications.filter(|_| !swept("run.replications")) {
            point = point.with_replications(replications)?;
        }
        if let Some(duration) = duration.filter(|_| !swept("run.duration")) {
            point = point.with_duration(duration)?;
        }
        Ok(point)
    }
}

/// The criterion where the file says nothing.
pub(crate) fn criterion_of_kind(ring: bool, flows: &[Flow]) -> Criterion {
    let shares_differ = || flows.windows(2).any(|pair| pair[0].share() != pair[1].share());
    let any_promised = || flows.iter().any(|flow| flow.promised() > BitRate::ZERO);
    match ring {
        true => Criterion::Rias,
        false if tells_rates(flows) || any_promised() => Criterion::GeneralWeighted,
        false if shares_differ() => Criterion::WeightedMaxMin,
        false => Criterion::MaxMin,
    }
}
