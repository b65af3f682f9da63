//! One port, called by hand: tests say what arrives and what the driver's counters show.

use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{
    Admission, AnyRateLaw, PortSite, PortView, RateCell, RateFormat, RateLawChoice, RateMessage, Refusal, Terms,
};

/// No source asks for more.
pub const ASKED_BPS: f64 = 1e12;

/// A flow of weight 1 without a minimum.
pub const PLAIN: Terms = Terms { minimum_bps: 0.0, peak_bps: ASKED_BPS, supported_bps: ASKED_BPS, weight: 1.0 };

/// The law that a scenario's table describes.
pub fn law(toml: &str) -> RateLawChoice {
    let choice: RateLawChoice = toml::from_str(toml).expect("the law is well written");
    assert_eq!(choice.problem(), None);
    choice
}

pub struct OnePort {
    pub law: AnyRateLaw,
    /// What the driver shows; tests change it.
    pub view: PortView,
    pub now: Instant,
    rng: RandomStream,
    terms: Vec<Terms>,
    numbers: Vec<u32>,
}

impl OnePort {
    /// A port of 100 Mb/s with these flows open.
    pub fn new(toml: &str, terms: &[Terms]) -> Self {
        let capacity = BitRate::from_mbps(100);
        let mut port = Self {
            law: law(toml).port(&PortSite { start: Instant::ZERO, capacity }),
            view: PortView { capacity, ..PortView::default() },
            now: Instant::ZERO,
            rng: Streams::new(1, 0).component("port"),
            terms: terms.to_vec(),
            numbers: vec![0; terms.len()],
        };
        for (flow, terms) in terms.iter().enumerate() {
            port.call(|law, cx, _| law.on_open(cx, FlowId(flow as u32), terms));
        }
        port
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> T) -> T {
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &self.view)
    }

    /// A data packet of 1250 bytes.
    pub fn data(&mut self, flow: usize) -> Admission {
        self.call(|law, cx, view| law.on_data(cx, FlowId(flow as u32), 1250, view))
    }

    pub fn close(&mut self, flow: usize) {
        self.call(|law, cx, _| law.on_close(cx, FlowId(flow as u32)));
    }

    /// A flow opens, or has other terms.
    pub fn set_terms(&mut self, flow: usize, terms: Terms) {
        let is_new = flow == self.terms.len();
        self.terms.resize(self.terms.len().max(flow + 1), terms);
        self.numbers.resize(self.terms.len(), 0);
        self.terms[flow] = terms;
        let flow = FlowId(flow as u32);
        self.call(|law, cx, _| if is_new { law.on_open(cx, flow, &terms) } else { law.on_terms(cx, flow, &terms) });
    }

    pub fn capacity(&mut self, mbps: u64) {
        self.view.capacity = BitRate::from_mbps(mbps);
        self.law.on_capacity(self.now, self.view.capacity);
    }

    /// The next control packet of a flow, as its source writes it.
    pub fn cell(&mut self, flow: usize, current_bps: f64) -> RateCell {
        self.numbers[flow] += 1;
        RateCell {
            backward: false,
            congestion: false,
            last: false,
            format: RateFormat::Exact,
            number: self.numbers[flow],
            explicit_bps: ASKED_BPS,
            current_bps,
            minimum_bps: self.terms[flow].minimum_bps,
            weight: self.terms[flow].weight,
            round_trip_s: 0.0,
        }
    }

    /// A control packet goes forward: as it goes on.
    pub fn pass_forward(&mut self, flow: usize, cell: &RateCell) -> Result<RateCell, Refusal> {
        self.pass(flow, cell, |law, cx, flow, bytes, view| law.on_forward(cx, flow, bytes, view))
    }

    /// A control packet comes back: as it goes on.
    pub fn pass_backward(&mut self, flow: usize, cell: &RateCell) -> Result<RateCell, Refusal> {
        let cell = RateCell { backward: true, ..*cell };
        self.pass(flow, &cell, |law, cx, flow, bytes, view| law.on_backward(cx, flow, bytes, view))
    }

    fn pass(
        &mut self,
        flow: usize,
        cell: &RateCell,
        pass: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, FlowId, &mut Vec<u8>, &PortView) -> Result<(), Refusal>,
    ) -> Result<RateCell, Refusal> {
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        self.call(|law, cx, view| pass(law, cx, FlowId(flow as u32), &mut bytes, view))?;
        RateCell::read(&bytes)
    }

    /// A control packet of a flow goes forward and tells its rate.
    pub fn tell(&mut self, flow: usize, current_bps: f64) {
        let cell = self.cell(flow, current_bps);
        self.pass_forward(flow, &cell).expect("it is good");
    }

    /// The rate in Mb/s that the last control packet of a flow brings back.
    pub fn answer(&mut self, flow: usize) -> f64 {
        let cell = self.cell(flow, 0.0);
        self.numbers[flow] -= 1;
        let cell = RateCell { number: self.numbers[flow], ..cell };
        self.pass_backward(flow, &cell).expect("it is good").explicit_bps / 1e6
    }

    /// So much arrives, as the driver counts it.
    pub fn arrived(&mut self, bits: u64) {
        self.view.controlled_bytes += bits / 8;
    }

    /// Time passes; the law is woken when it wants to be.
    pub fn wait(&mut self, span: Span) {
        let until = self.now + span;
        while let Some(due) = self.law.poll_timeout().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.call(|law, cx, view| law.handle_timeout(cx, view));
        }
        self.now = until;
    }

    /// Time passes, and the law sleeps through it; then it is woken once.
    pub fn sleep(&mut self, span: Span) {
        self.now += span;
        self.call(|law, cx, view| law.handle_timeout(cx, view));
    }
}

/// Whether both are the same but for rounding.
#[track_caller]
pub fn assert_near(got: f64, wanted: f64) {
    assert!((got - wanted).abs() <= 1e-6 * wanted.abs().max(1e-6), "{got} in place of {wanted}");
}
