//! The testbed's ring.

use super::{Carried, Carrier};
use crate::runs::{Run, Trouble, law};
use fairwire_core::{Instant, Ringlet, Span, StationId};
use fairwire_plan::Detail;
use fairwire_scenario::Scenario;

/// Spans of a ring of eight on which light takes 0.6 ms for a lap, as printed: 7.5 packets a T.
pub const PRINTED_SPAN: &str = "75 us";
/// Spans on which a lap is 50 packets.
pub const LONG_SPAN: &str = "500 us";
/// Nothing is measured before.
const SETTLED: Span = Span::from_millis(500);

/// A flow: its station, the next one's number, and what it offers in Mb/s.
pub type Flow = (u16, u16, f64);

/// A run on the testbed: its flows, spans, and the parameters of `dvsr` beside its frame's bytes.
pub struct Testbed<'a> {
    pub flows: &'a [Flow],
    pub span: &'a str,
    pub parameters: &'a str,
}

impl Testbed<'_> {
    /// Runs it. Table I compares counts as printed unless `parameters` say otherwise, and the frame has a byte a link.
    pub fn run(&self, carrier: &dyn Carrier) -> Result<Carried, Trouble> {
        let law = law("dvsr", &format!("encoding = \"byte\"\n{}", self.parameters))?;
        let scenario = Scenario::parse("testbed", &self.scenario()).map_err(|errors| errors.to_string())?;
        let mut plan = scenario.with_law(law.clone()).ring_plan(0).ok_or("the testbed is a ring")?;
        plan.detail = Detail::Full;
        carrier.carry(plan, &law)
    }

    fn scenario(&self) -> String {
        let mut text = format!(
            "schema = 1\ntitle = \"testbed\"\n[run]\nduration = \"3 s\"\nwarmup = \"500 ms\"\nwindow = \"0.1 ms\"\n[ring]\n\
             stations = 8\ncapacity = \"100 Mb/s\"\nspan-delay = \"{}\"\nlaw = {{ name = \"dvsr\" }}\n\
             station-queues = \"per-destination\"\n",
            self.span
        );
        for (from, to, mbps) in self.flows {
            text += &format!(
                "[[flow]]\nname = \"from-{from}\"\nfrom = {from}\nto = {to}\nringlet = 0\n\
                 traffic = {{ kind = \"cbr\", rate = \"{mbps} Mb/s\", packet = \"1 kB\" }}\n"
            );
        }
        text
    }
}

/// What a station shows about itself or an egress once all has settled.
pub fn shown(run: &Run, name: &str, station: u16, about: u16) -> Vec<(Instant, f64)> {
    let is_it = |sample: &&fairwire_plan::LawSample| {
        (sample.name, sample.station, sample.about) == (name, StationId(station), StationId(about))
            && sample.ringlet == Ringlet::Zero
            && sample.t >= Instant::ZERO + SETTLED
    };
    run.record.laws.iter().filter(is_it).map(|sample| (sample.t, sample.value)).collect()
}

/// The byte that a station writes into its place of the frame: the middle of all it wrote.
pub fn feedback_byte(run: &Run, station: u16) -> Result<f64, Trouble> {
    let bytes = shown(run, "fair_rate_bps", station, station);
    middle(bytes.into_iter().map(|(_, bps)| (bps / run.capacity() * 255.0).floor()).collect())
}

/// The byte at which the limiter of a flow stands: the middle of all it stood at.
pub fn limiter_byte(run: &Run, (from, to, _): Flow) -> Result<f64, Trouble> {
    let limits = shown(run, "allowed_rate_bps", from, to);
    middle(limits.into_iter().map(|(_, bps)| (bps / run.capacity() * 255.0).round()).collect())
}

/// The middle of some values.
pub fn middle(mut values: Vec<f64>) -> Result<f64, Trouble> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().ok_or_else(|| "the law shows nothing".to_owned())
}
