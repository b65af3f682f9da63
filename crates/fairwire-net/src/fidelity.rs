//! Whether a real run is to be believed.

use crate::frame::Foreign;
use fairwire_core::Span;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// 99th percentile of lateness from which a run is disturbed: closed loops react to it.
pub const LATE: Span = Span::from_millis(2);
/// 99th percentile of lateness from which a run is invalid.
pub const FAR_TOO_LATE: Span = Span::from_millis(50);
/// Part of a run for which the clock stood still that disturbs: kernels' timers went on.
pub const STOOD_STILL: f64 = 0.01;
/// Part of a run for which the clock stood still that makes what connections did invalid. Datagrams wait as long as the clock does.
pub const STOOD_STILL_TOO_LONG: f64 = 0.2;
/// Part of all packets missing, unsent or lost in a TAP, that disturbs.
pub const MISSING: f64 = 0.001;
/// Part of all packets missing from which a run is invalid.
pub const FAR_TOO_MANY_MISSING: f64 = 0.05;
/// The link check may see a packet later than links and ticks add up to by this much.
pub const LINK_CHECK_SLACK: Span = Span::from_micros(500);

/// Part of the link check's packets missing that disturbs.
pub const LINK_CHECK_MISSING: f64 = 0.2;
/// Part of the link check's packets missing from which a run is invalid.
pub const LINK_CHECK_FAR_TOO_MANY_MISSING: f64 = 0.8;
/// Part of the link check's streams whose loss disturbs.
pub const STREAM_LOST: f64 = 0.02;
/// The rate of a stream of the link check may be off by this part.
pub const STREAM_OFF: f64 = 0.05;

/// What a run tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fidelity {
    /// How much later than its computed time a packet was handed over: the median, in ns.
    pub lateness_p50_ns: u64,
    /// The 99th percentile.
    pub lateness_p99_ns: u64,
    /// The worst.
    pub lateness_max_ns: u64,
    /// For how long the clock stood still as the host was busy elsewhere, and the engine or those who send had no processor.
    pub stood_still_ns: u64,
    /// How long the run was meant to be, by its own clock.
    pub duration_ns: u64,
    /// Whether there are connections, whose kernels' timers go on while the clock stands still.
    pub has_connections: bool,
    /// Datagrams that senders were due to send.
    pub due: u64,
    /// Of these, not sent.
    pub not_sent: u64,
    /// Frames that came up from stations.
    pub came: u64,
    /// Frames that found a TAP full, on the way up or down.
    pub tap_lost: u64,
    /// Datagrams that an access line refused, as more came than its station's link carries.
    pub line_refused: u64,
    /// Packets that stations' kernels threw away as their checksums were wrong.
    pub checksum_errors: u64,
    /// Frames that were not carried, by kind.
    pub foreign: BTreeMap<Foreign, u64>,
    /// Processor time of engine and senders over the run's time.
    pub cpu: f64,
    /// What the check of the links found.
    pub links: Option<LinkCheck>,
    /// What to think of it.
    pub verdict: Verdict,
    /// The figures that say so.
    pub why: Vec<String>,
}

/// Packets one by one over idle links.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkCheck {
    /// Of how many flows the way was checked.
    pub ways: usize,
    /// Packets sent.
    pub sent: u64,
    /// Of these, arrived at the other end's socket.
    pub arrived: u64,
    /// The flow whose way was farthest off.
    pub worst_flow: Option<String>,
    /// What its links, spans and transmission times, add up to.
    pub expected_ns: u64,
    /// The median time its packets took from socket to socket.
    pub measured_ns: u64,
    /// The least. It is judged: what the others waited for besides is a processor.
    pub least_ns: u64,
    /// Packets of streams that were sent over one way after the other, each at four fifths of what its slowest link carries.
    pub stream_sent: u64,
    /// Of these, arrived at the other end's socket.
    pub stream_arrived: u64,
    /// The flow whose stream came farthest from the rate at which it was sent.
    pub stream_flow: Option<String>,
    /// The rate at which that was due: as it was sent, but that what was sent late in one go leaves the slowest link one packet
    /// after the other.
    pub stream_sent_bps: f64,
    /// The rate at which it arrived.
    pub stream_arrived_bps: f64,
}

/// What to think of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The machine did what it should.
    #[default]
    Undisturbed,
    /// It did not quite: rates of datagrams stand, those of TCP may not.
    Disturbed,
    /// It did not: nothing can be said.
    Invalid,
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Undisturbed => "undisturbed",
            Self::Disturbed => "disturbed",
            Self::Invalid => "invalid",
        })
    }
}

impl Fidelity {
    /// Fills in the lateness.
    pub(crate) fn with_lateness(mut self, lateness: &Histogram<u64>) -> Self {
        self.lateness_p50_ns = lateness.value_at_quantile(0.5);
        self.lateness_p99_ns = lateness.value_at_quantile(0.99);
        self.lateness_max_ns = lateness.max();
        self
    }

    /// Judges what was filled in; `tick` is how often the engine looks.
    pub fn judged(mut self, tick: Span) -> Self {
        let (mut verdict, mut why) = (Verdict::Undisturbed, Vec::new());
        let mut hold = |value: f64, disturbs: f64, spoils: f64, words: String| {
            let found = match value {
                value if value > spoils => Verdict::Invalid,
                value if value > disturbs => Verdict::Disturbed,
                _ => return,
            };
            verdict = verdict.max(found);
            why.push(words);
        };
        let ms = |ns: u64| format!("{:.2} ms", ns as f64 * 1e-6);
        let part = |of: u64, all: u64| of as f64 / all.max(1) as f64;
        let percent = |part: f64| format!("{:.2} %", part * 100.0);
        let late = self.lateness_p99_ns;
        let [limit, far] = [LATE, FAR_TOO_LATE].map(|span| span.as_nanos() as f64);
        hold(late as f64, limit, far, format!("one packet in a hundred was handed over {} late or more", ms(late)));
        let still = part(self.stood_still_ns, self.duration_ns);
        let words =
            format!("the clock stood still for {}, {} of the run's time", ms(self.stood_still_ns), percent(still));
        let too_long = if self.has_connections { STOOD_STILL_TOO_LONG } else { f64::INFINITY };
        hold(still, STOOD_STILL, too_long, words);
        let unsent = part(self.not_sent, self.due);
        let words = format!("{} of the datagrams that were due were not sent", percent(unsent));
        hold(unsent, MISSING, FAR_TOO_MANY_MISSING, words);
        let lost = part(self.tap_lost, self.came + self.tap_lost);
        let words = format!("{} of the frames found a TAP full", percent(lost));
        hold(lost, MISSING, FAR_TOO_MANY_MISSING, words);
        if let Some(links) = &self.links {
            let missing = part(links.sent - links.arrived.min(links.sent), links.sent);
            let words = format!("{} of the packets of the link check did not arrive", percent(missing));
            hold(missing, LINK_CHECK_MISSING, LINK_CHECK_FAR_TOO_MANY_MISSING, words);
            // A packet waits for a tick at most; none comes sooner than its links allow.
            let late = links.least_ns.saturating_sub(links.expected_ns + tick.as_nanos());
            let off = late.max(links.expected_ns.saturating_sub(links.least_ns)) as f64;
            let slack = LINK_CHECK_SLACK.as_nanos() as f64;
            let flow = links.worst_flow.as_deref().unwrap_or_default();
            let words = format!(
                "on idle links packets of {flow} took {} or more where links add up to {}",
                ms(links.least_ns),
                ms(links.expected_ns)
            );
            hold(off, slack, FAR_TOO_LATE.as_nanos() as f64, words);
            let lost = part(links.stream_sent - links.stream_arrived.min(links.stream_sent), links.stream_sent);
            let words = format!("{} of the packets of the link check's streams did not arrive", percent(lost));
            // They are timed by the machine's clock, which goes on while ours stands still: that alone spoils no run.
            hold(lost, STREAM_LOST, f64::INFINITY, words);
            let off = (links.stream_arrived_bps / links.stream_sent_bps.max(1.0) - 1.0).abs();
            let off = if links.stream_flow.is_some() { off } else { 0.0 };
            let words = format!(
                "a stream of {} on idle links arrived at {:.2} of the rate at which it was sent",
                links.stream_flow.as_deref().unwrap_or_default(),
                links.stream_arrived_bps / links.stream_sent_bps.max(1.0)
            );
            hold(off, STREAM_OFF, f64::INFINITY, words);
        }
        let words = format!("kernels threw away {} packets as their checksums were wrong", self.checksum_errors);
        hold(self.checksum_errors as f64, 0.0, f64::INFINITY, words);
        self.verdict = verdict;
        self.why = why;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(change: impl Fn(&mut Fidelity)) -> Verdict {
        let links = LinkCheck {
            ways: 1,
            sent: 10,
            arrived: 10,
            expected_ns: 3_000_000,
            measured_ns: 3_080_000,
            least_ns: 3_080_000,
            worst_flow: None,
            stream_sent: 100,
            stream_arrived: 100,
            stream_flow: Some("to-hub".to_owned()),
            stream_sent_bps: 80e6,
            stream_arrived_bps: 80e6,
        };
        let mut fidelity = Fidelity {
            duration_ns: 1_000_000_000,
            due: 100_000,
            came: 100_000,
            links: Some(links),
            ..Fidelity::default()
        };
        change(&mut fidelity);
        let judged = fidelity.judged(Span::from_micros(100));
        assert_eq!(judged.why.is_empty(), judged.verdict == Verdict::Undisturbed);
        judged.verdict
    }

    #[test]
    fn each_threshold_holds_from_both_sides() {
        use Verdict::{Disturbed, Invalid, Undisturbed};
        assert_eq!(verdict(|_| {}), Undisturbed);
        let late = |ns| verdict(move |found| found.lateness_p99_ns = ns);
        assert_eq!(
            [2_000_000, 2_000_001, 50_000_000, 50_000_001].map(late),
            [Undisturbed, Disturbed, Disturbed, Invalid]
        );
        let still = |(ns, has_connections)| {
            verdict(move |found| (found.stood_still_ns, found.has_connections) = (ns, has_connections))
        };
        let open = [10_000_000, 10_000_001, 900_000_000, 9_000_000_000].map(|ns| still((ns, false)));
        assert_eq!(open, [Undisturbed, Disturbed, Disturbed, Disturbed]);
        let closed = [10_000_000, 10_000_001, 200_000_000, 200_000_001].map(|ns| still((ns, true)));
        assert_eq!(closed, [Undisturbed, Disturbed, Disturbed, Invalid]);
        let unsent = |packets| verdict(move |found| found.not_sent = packets);
        assert_eq!([100, 101, 5_000, 5_001].map(unsent), [Undisturbed, Disturbed, Disturbed, Invalid]);
        let lost = |packets| verdict(move |found| found.tap_lost = packets);
        assert_eq!([100, 101, 5_263, 5_264].map(lost), [Undisturbed, Disturbed, Disturbed, Invalid]);
        let arrived = |packets| verdict(move |found| found.links.as_mut().unwrap().arrived = packets);
        assert_eq!([8, 7, 2, 1].map(arrived), [Undisturbed, Disturbed, Disturbed, Invalid]);
        let took = |ns| verdict(move |found| found.links.as_mut().unwrap().least_ns = ns);
        assert_eq!([3_600_000, 3_600_001].map(took), [Undisturbed, Disturbed]);
        assert_eq!([53_100_000, 53_100_001].map(took), [Disturbed, Invalid]);
        let stream = |arrived| verdict(move |found| found.links.as_mut().unwrap().stream_arrived = arrived);
        assert_eq!([98, 97, 1].map(stream), [Undisturbed, Disturbed, Disturbed]);
        let rate = |bps| verdict(move |found| found.links.as_mut().unwrap().stream_arrived_bps = bps);
        let rates = [76.1e6, 83.9e6, 75.9e6, 84.1e6, 1e6].map(rate);
        assert_eq!(rates, [Undisturbed, Undisturbed, Disturbed, Disturbed, Disturbed]);
        let wrong = |packets| verdict(move |found| found.checksum_errors = packets);
        assert_eq!([0, 1].map(wrong), [Undisturbed, Disturbed]);
        assert_eq!([2_500_000, 2_499_999].map(took), [Undisturbed, Disturbed], "sooner than light");
    }
}
