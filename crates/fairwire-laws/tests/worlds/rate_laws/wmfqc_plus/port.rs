//! One port under WMFQC with grants, called by hand.

use crate::rate_laws::one_port::{ASKED_BPS, PLAIN, law};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{Admission, AnyRateLaw, PortSite, PortView, RateLawChoice, RateMessage, Refusal, Terms};

pub const MBPS: f64 = 1e6;
pub const DATA_BYTES: u32 = 1250;

pub struct Port {
    pub choice: RateLawChoice,
    pub law: AnyRateLaw,
    pub view: PortView,
    pub now: Instant,
    rng: RandomStream,
    /// The number of the last control packet of each flow.
    numbers: Vec<u32>,
}

impl Port {
    /// A port with flows of these terms, which have sent nothing.
    pub fn new(terms: &[Terms]) -> Self {
        let (choice, capacity) = (law("name = 'wmfqc-plus'"), BitRate::from_mbps(100));
        let mut port = Self {
            law: choice.port(&PortSite { start: Instant::ZERO, capacity }),
            choice,
            view: PortView { capacity, ..PortView::default() },
            now: Instant::ZERO,
            rng: Streams::new(1, 0).component("port"),
            numbers: Vec::new(),
        };
        terms.iter().for_each(|terms| port.open(terms));
        port
    }

    pub fn call<T>(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> T) -> T {
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &self.view)
    }

    pub fn open(&mut self, terms: &Terms) {
        let flow = FlowId(self.numbers.len() as u32);
        self.numbers.push(0);
        self.call(|law, cx, _| law.on_open(cx, flow, terms));
    }

    /// Several data packets of a flow at once: how many are let in.
    pub fn data(&mut self, flow: u32, packets: u32) -> usize {
        self.data_of(flow, packets, DATA_BYTES)
    }

    pub fn data_of(&mut self, flow: u32, packets: u32, bytes: u32) -> usize {
        let accepts = |port: &mut Self| {
            port.call(|law, cx, view| law.on_data(cx, FlowId(flow), bytes, view)) == Admission::Accept
        };
        (0..packets).filter(|_| accepts(self)).count()
    }

    /// The next control packet of a flow goes forward. It applied the answer with the number `applied`, uses so many Mb/s and
    /// has a loop of so many ms.
    pub fn ask(&mut self, flow: u32, applied: u32, used_mbps: f64, loop_ms: f64) -> Result<GrantCell, Refusal> {
        let number = &mut self.numbers[flow as usize];
        *number += 1;
        let cell = GrantCell {
            backward: false,
            last: false,
            notice: false,
            number: *number,
            applied,
            explicit_bps: ASKED_BPS,
            granted_bps: ASKED_BPS,
            current_bps: used_mbps * MBPS,
            loop_s: loop_ms / 1e3,
        };
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        self.call(|law, cx, view| law.on_forward(cx, FlowId(flow), &mut bytes, view))?;
        GrantCell::read(&bytes)
    }

    /// The last control packet of a flow comes back: its share and its grant in Mb/s, of which others leave `others_mbps`.
    pub fn answer_of(&mut self, flow: u32, others_mbps: f64) -> (f64, f64) {
        let number = self.numbers[flow as usize];
        let cell = GrantCell {
            backward: true,
            last: false,
            notice: false,
            number,
            applied: 0,
            explicit_bps: others_mbps * MBPS,
            granted_bps: ASKED_BPS,
            current_bps: 0.0,
            loop_s: 0.0,
        };
        let mut bytes = Vec::new();
        cell.write(&mut bytes);
        self.call(|law, cx, view| law.on_backward(cx, FlowId(flow), &mut bytes, view)).expect("it is good");
        let cell = GrantCell::read(&bytes).expect("it is good");
        (cell.explicit_bps / MBPS, cell.granted_bps / MBPS)
    }

    /// A flow asks, as before, and is answered: its share and its grant in Mb/s.
    pub fn told(&mut self, flow: u32, applied: u32, used_mbps: f64) -> (f64, f64) {
        self.ask(flow, applied, used_mbps, 1.0).expect("it is good");
        self.answer_of(flow, ASKED_BPS)
    }

    /// The notices that are sent now: to whom, with which number, and the share that they tell, in Mb/s.
    pub fn notices(&mut self) -> Vec<(u32, u32, f64)> {
        let mut sent = Vec::new();
        while self.law.poll_timeout().is_some_and(|at| at <= self.now) {
            self.call(|law, cx, view| law.handle_timeout(cx, view));
            let mut bytes = Vec::new();
            while let Some(FlowId(flow)) = self.law.poll_notice(&mut bytes) {
                let cell = GrantCell::read(&bytes).expect("it is good");
                assert!(cell.backward && cell.notice && cell.granted_bps >= cell.explicit_bps);
                sent.push((flow, cell.number, (cell.explicit_bps / MBPS).round()));
            }
        }
        sent
    }

    pub fn capacity(&mut self, mbps: u64) {
        self.view.capacity = BitRate::from_mbps(mbps);
        self.law.on_capacity(self.now, self.view.capacity);
    }

    pub fn pass(&mut self, span: Span) {
        self.now += span;
    }
}

/// Two flows of 50 Mb/s each, which have confirmed that.
pub fn settled() -> Port {
    let mut port = Port::new(&[PLAIN; 2]);
    port.told(0, 0, 0.0);
    port.told(0, 1, 100.0);
    port.told(1, 0, 0.0);
    port.told(0, 2, 50.0);
    assert_eq!(port.told(1, 1, 0.0), (50.0, 50.0));
    port.told(1, 2, 50.0);
    // Nobody has anything to be told, and data have paid for notices.
    port.data(0, 16);
    port.data(1, 16);
    port.notices();
    port.pass(Span::from_millis(20));
    assert_eq!(port.notices(), []);
    port
}
