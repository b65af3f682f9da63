//! Very many flows come and go on one port, a thousand at a time, some without a word: memory stays as it is, nothing is
//! left at the end, and rates are then those of a port that has seen none of it.

use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, Terms};
use std::collections::VecDeque;

const AT_ONCE: usize = 1_000;
/// A flow comes and another one goes after so long, so that each is there for 50 ms.
const GAP: Span = Span::from_micros(50);
const CAPACITY: BitRate = BitRate::from_mbps(10_000);

struct Churn {
    choice: RateLawChoice,
    law: AnyRateLaw,
    view: PortView,
    now: Instant,
    rng: RandomStream,
    there: VecDeque<(FlowId, Terms, AnyRateSource)>,
    next: u32,
}

fn terms(number: u32) -> Terms {
    Terms {
        minimum_bps: if number.is_multiple_of(3) { 0.0 } else { 1e3 * f64::from(number % 977) + 0.1 },
        peak_bps: 1e6 * f64::from(1 + number % 31),
        supported_bps: 1e12,
        weight: 0.1 + f64::from(number % 29),
    }
}

impl Churn {
    fn new(choice: RateLawChoice, start: Instant) -> Self {
        Self {
            law: choice.port(&PortSite { start, capacity: CAPACITY }),
            choice,
            view: PortView { capacity: CAPACITY, ..PortView::default() },
            now: start,
            rng: Streams::new(1, 0).component("churn"),
            there: VecDeque::new(),
            next: 0,
        }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> T) -> T {
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &self.view)
    }

    fn pass(&mut self, span: Span) {
        let until = self.now + span;
        while let Some(due) = self.law.poll_timeout().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.call(|law, cx, view| law.handle_timeout(cx, view));
        }
        self.now = until;
    }

    /// A flow sends a data packet and a control packet, which comes back at once.
    fn send(&mut self, at: usize, closing: bool) {
        let (flow, terms, mut source) = self.there[at].clone();
        self.view.controlled_bytes += 1_053;
        self.call(|law, cx, view| law.on_data(cx, flow, 1_000, view));
        let mut bytes = Vec::new();
        source.write(self.now, closing, &mut bytes);
        self.call(|law, cx, view| law.on_forward_of_open(cx, flow, &terms, &mut bytes, view)).expect("it is good");
        self.choice.turn(&terms, &mut bytes).expect("it is good");
        self.call(|law, cx, view| law.on_backward(cx, flow, &mut bytes, view)).expect("it is good");
        source.on_return(self.now, &bytes).expect("it is good");
        self.there[at].2 = source;
    }

    /// A flow comes, with a number from all there are.
    fn come(&mut self) {
        let (flow, terms) = (FlowId(self.next.wrapping_mul(0x9e37_79b1)), terms(self.next));
        self.next += 1;
        let source = self.choice.source(&terms, FirstRate::Minimum);
        self.there.push_back((flow, terms, source));
        self.call(|law, cx, _| law.on_open(cx, flow, &terms));
        self.send(self.there.len() - 1, false);
    }

    /// The one that is there for longest goes, every seventh without a word.
    fn go(&mut self) {
        let flow = self.there[0].0;
        if !flow.0.is_multiple_of(7) {
            self.send(0, true);
            self.call(|law, cx, _| law.on_close(cx, flow));
        }
        self.there.pop_front();
    }

    /// So many flows come; when there are many, others go.
    fn run(&mut self, flows: u32) {
        for _ in 0..flows {
            self.pass(GAP);
            if self.there.len() == AT_ONCE {
                self.go();
            }
            self.come();
            // Half-way through its time a flow is heard again.
            self.send(self.there.len() / 2, false);
        }
        assert_eq!(self.law.violation(), None, "{}", self.name());
    }

    fn name(&self) -> &'static str {
        self.choice.about().name
    }

    /// What a dozen flows are told in the end, when each sends at the rate that it has and nothing else comes.
    fn settle(&mut self) -> Vec<f64> {
        (0..12).for_each(|_| self.come());
        for _ in 0..400 {
            self.pass(Span::from_millis(5));
            for flow in 0..self.there.len() {
                self.send(flow, false);
                self.view.controlled_bytes += (self.there[flow].2.allowed_bps() * 5e-3 / 8.0) as u64;
            }
        }
        self.there.iter().map(|(_, _, source)| source.allowed_bps()).collect()
    }
}

/// What a law keeps, without the digits of what it counts.
fn shape(law: &AnyRateLaw) -> usize {
    format!("{law:?}").chars().filter(|c| !c.is_ascii_digit()).count()
}

/// Bytes of this process that are in memory; none where the system does not tell.
fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().ok()? * 1_024)
}

/// The first flows fill what is kept; then nothing grows.
const FIRST: u32 = 20_000;

#[test]
fn nothing_stays_of_a_hundred_thousand_flows() {
    nothing_stays_of(100_000);
}

#[test]
#[ignore = "takes minutes"]
fn nothing_stays_of_a_million_flows() {
    nothing_stays_of(1_000_000);
}

fn nothing_stays_of(flows: u32) {
    for about in RateLawChoice::ALL {
        let choice = RateLawChoice::by_name(about.name).expect("it is in the list");
        let mut churn = Churn::new(choice.clone(), Instant::ZERO);
        churn.run(FIRST);
        let (kept, held) = (shape(&churn.law), resident_bytes());
        churn.run(flows - FIRST);
        let grown = shape(&churn.law) as f64 / kept as f64;
        assert!(grown < 1.1, "{}: what is kept grows by {grown}", about.name);
        if let (Some(before), Some(after)) = (held, resident_bytes()) {
            assert!(after < before + (1 << 20), "{}: {before} B grow to {after} B", about.name);
        }
        assert!(churn.law.flows() <= 2 * AT_ONCE, "{}: {} flows", about.name, churn.law.flows());
        while !churn.there.is_empty() {
            churn.go();
        }
        churn.pass(Span::from_millis(2_000));
        assert_eq!((churn.law.flows(), churn.law.violation()), (0, None), "{}", about.name);
        let mut fresh = Churn::new(choice, churn.now);
        fresh.next = churn.next;
        for (after, new) in churn.settle().into_iter().zip(fresh.settle()) {
            assert!((after - new).abs() <= 1e-6 * new.max(1.0), "{}: {after} in place of {new}", about.name);
        }
        assert_eq!(churn.law.violation(), None, "{}", about.name);
    }
}
