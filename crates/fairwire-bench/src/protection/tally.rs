//! All cuts under one law.

use super::cut::CutEffect;
use super::experiment::Experiment;
use super::options::names;
use fairwire_laws::ring::RingLawChoice;
use fairwire_terminal::text;
use serde::Serialize;

const MOST_OUTAGE_NS: u64 = 50_000_000;
const MOST_RING_TIMES: f64 = 10.0;

/// All cuts under one law.
#[derive(Debug, Serialize)]
pub struct Tally {
    /// The law.
    pub law: String,
    /// The ring, and what was done to it.
    #[serde(flatten)]
    pub experiment: Experiment,
    /// Cuts measured.
    pub cuts: usize,
    /// The largest outage of all, two rows added for what rows do not tell.
    pub worst_outage_ns: u64,
    /// Cuts with an outage below 50 ms.
    pub short: usize,
    /// The latest settling of all; none if one never did.
    pub worst_settled_ns: Option<u64>,
    /// Cuts after which rates were fair again within ten ring times and the window.
    pub soon_fair: usize,
    /// Cuts after which they were fair again at all.
    pub fair: usize,
    /// Median of the ring times until then, never counting as infinite; none if that is the median.
    pub median_ring_times: Option<f64>,
    /// The most of those that became fair.
    pub most_ring_times: Option<f64>,
    /// Flows that had no way any more, on average.
    pub cut_off: f64,
    /// Packets lost on cut wires and at edges, on average.
    pub lost: f64,
    /// What all flows together deliver in the end, over what they did before the cut, on average.
    pub throughput: f64,
    /// Packets dropped by full queues, over all.
    pub dropped: u64,
    /// Cuts after which an invariant was broken, conservation of packets among them.
    pub broken: usize,
}

/// The outage at most: what is silent in whole rows lasts less than two rows more.
pub fn outage_at_most(found: &CutEffect) -> u64 {
    found.event.outage_ns.map_or(u64::MAX, |ns| ns + 2 * found.event.row_ns)
}

impl Tally {
    /// One a law and ring that was measured.
    pub fn all(laws: &[RingLawChoice], experiments: &[Experiment], found: &[CutEffect]) -> Vec<Self> {
        let of = |law: &RingLawChoice, experiment: &Experiment| {
            let name = law.about().name;
            let is_own = |found: &&CutEffect| found.law == name && found.experiment == *experiment;
            let own: Vec<&CutEffect> = found.iter().filter(is_own).collect();
            (!own.is_empty()).then(|| Self::of(name, *experiment, &own))
        };
        laws.iter().flat_map(|law| experiments.iter().filter_map(move |experiment| of(law, experiment))).collect()
    }

    /// Whether a cut is one of these.
    pub fn counts(&self, found: &CutEffect) -> bool {
        self.law == found.law && self.experiment == found.experiment
    }

    fn of(law: &str, experiment: Experiment, found: &[&CutEffect]) -> Self {
        let count = |is: &dyn Fn(&CutEffect) -> bool| found.iter().filter(|found| is(found)).count();
        let mean = |value: &dyn Fn(&CutEffect) -> f64| {
            found.iter().map(|found| value(found)).sum::<f64>() / found.len() as f64
        };
        let times = |found: &&CutEffect| found.event.fair_again.ring_times;
        let mut sorted: Vec<f64> = found.iter().map(|found| times(found).unwrap_or(f64::INFINITY)).collect();
        sorted.sort_by(f64::total_cmp);
        let settled: Option<Vec<u64>> = found.iter().map(|found| found.event.settled_ns).collect();
        Self {
            law: law.to_owned(),
            experiment,
            cuts: found.len(),
            worst_outage_ns: found.iter().map(|found| outage_at_most(found)).max().unwrap_or(0),
            short: count(&|found| outage_at_most(found) < MOST_OUTAGE_NS),
            worst_settled_ns: settled.and_then(|all| all.into_iter().max()),
            soon_fair: count(&|found| found.event.fair_again.ring_times.is_some_and(|times| times <= MOST_RING_TIMES)),
            fair: count(&|found| found.event.fair_again.ring_times.is_some()),
            median_ring_times: sorted.get((sorted.len() - 1) / 2).copied().filter(|times| times.is_finite()),
            most_ring_times: sorted.iter().copied().filter(|times| times.is_finite()).max_by(f64::total_cmp),
            cut_off: mean(&|found| found.event.cut_off as f64),
            lost: mean(&|found| found.lost as f64),
            throughput: mean(&|found| found.throughput),
            dropped: found.iter().map(|found| found.dropped).sum(),
            broken: count(&|found| !found.violations.is_empty()),
        }
    }
}

/// A column that names rings, where they are not all alike in it.
type Naming = (&'static str, fn(&Experiment) -> String);

const NAMING: [Naming; 3] = [
    (">stations", |ring| ring.stations.to_string()),
    ("load", |ring| names(&[ring.load])),
    ("mode", |ring| names(&[ring.mode])),
];

/// The columns in which rings are not all alike.
fn naming(tallies: &[Tally]) -> Vec<Naming> {
    let differ = |name: fn(&Experiment) -> String| {
        tallies.windows(2).any(|pair| name(&pair[0].experiment) != name(&pair[1].experiment))
    };
    NAMING.into_iter().filter(|(_, name)| differ(*name)).collect()
}

/// Law and ring of each, as short as tells them apart.
pub fn titles(tallies: &[Tally]) -> Vec<String> {
    let naming = naming(tallies);
    let title = |tally: &Tally| {
        let ring = naming.iter().map(|(_, name)| name(&tally.experiment));
        std::iter::once(tally.law.clone()).chain(ring).collect::<Vec<_>>().join(", ")
    };
    tallies.iter().map(title).collect()
}

/// Header and rows of the table.
pub fn table(tallies: &[Tally]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let naming = naming(tallies);
    let measured = [
        ">cuts",
        ">worst outage",
        ">below 50 ms",
        ">settled",
        ">fair again in 10 laps",
        ">at all",
        ">median laps",
        ">most",
        ">cut off",
        ">lost",
        ">dropped",
        ">kept",
        ">books wrong",
    ];
    let header = std::iter::once("law").chain(naming.iter().map(|column| column.0)).chain(measured).collect();
    let row = |tally: &Tally| {
        let laps = |laps: Option<f64>| laps.map_or("–".to_owned(), |laps| format!("{laps:.1}"));
        let measured = [
            tally.cuts.to_string(),
            text::time(tally.worst_outage_ns as f64),
            tally.short.to_string(),
            tally.worst_settled_ns.map_or("never".to_owned(), |ns| text::time(ns as f64)),
            tally.soon_fair.to_string(),
            tally.fair.to_string(),
            laps(tally.median_ring_times),
            laps(tally.most_ring_times),
            text::number(tally.cut_off, 3),
            format!("{:.0}", tally.lost),
            tally.dropped.to_string(),
            text::percent(tally.throughput),
            tally.broken.to_string(),
        ];
        let ring = naming.iter().map(|(_, name)| name(&tally.experiment));
        std::iter::once(tally.law.clone()).chain(ring).chain(measured).collect()
    };
    (header, tallies.iter().map(row).collect())
}
