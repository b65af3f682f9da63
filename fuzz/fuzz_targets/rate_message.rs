//! Any bytes handed to a port, a destination or a source under any rate law are a control packet that goes on as a good one,
//! or are refused without a trace.
#![no_main]

use crc::{CRC_16_GENIBUS, Crc};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{AnyRateLaw, AnyRateSource, FirstRate, PortSite, PortView, RateLawChoice, Refusal, Terms};
use libfuzzer_sys::fuzz_target;

const CHECKSUM: Crc<u16> = Crc::<u16>::new(&CRC_16_GENIBUS);
const CAPACITY: BitRate = BitRate::from_mbps(100);
const FLOWS: u32 = 3;

fuzz_target!(|data: &[u8]| {
    for about in RateLawChoice::ALL {
        let law = RateLawChoice::by_name(about.name).expect("it is in the list");
        check(&law, data);
        check(&law, &mended(data));
    }
});

/// The bytes with a good checksum, which no chance finds.
fn mended(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if let Some(end) = bytes.len().checked_sub(2) {
        let checksum = CHECKSUM.checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_be_bytes());
    }
    bytes
}

fn terms(flow: u32) -> Terms {
    Terms { minimum_bps: f64::from(flow) * 1e6, peak_bps: 1e9, supported_bps: 2e8, weight: 1.0 + f64::from(flow) }
}

struct Place<'a> {
    choice: &'a RateLawChoice,
    law: AnyRateLaw,
    sources: Vec<AnyRateSource>,
    view: PortView,
    now: Instant,
    rng: RandomStream,
}

impl Place<'_> {
    fn call<T>(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> T) -> T {
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &self.view)
    }

    /// A good control packet of a flow, out and back.
    fn round(&mut self, flow: u32) -> Result<(), Refusal> {
        let mut bytes = Vec::new();
        self.sources[flow as usize].write(self.now, false, &mut bytes);
        self.call(|law, cx, view| law.on_forward(cx, FlowId(flow), &mut bytes, view))?;
        self.choice.turn(&terms(flow), &mut bytes)?;
        self.call(|law, cx, view| law.on_backward(cx, FlowId(flow), &mut bytes, view))?;
        let source = &mut self.sources[flow as usize];
        source.on_return(self.now, &bytes)?;
        // Less than the minimum is a law's that grants nobody what another has not given back yet.
        let range = 0.0..=terms(flow).peak_bps;
        assert!(range.contains(&source.allowed_bps()), "{} bit/s", source.allowed_bps());
        Ok(())
    }

    fn pass(&mut self, span: Span) {
        self.now += span;
        self.call(|law, cx, view| law.handle_timeout(cx, view));
        assert!(self.law.poll_timeout().is_none_or(|at| at > self.now));
    }
}

fn check(choice: &RateLawChoice, data: &[u8]) {
    let site = PortSite { start: Instant::ZERO, capacity: CAPACITY };
    let mut place = Place {
        choice,
        law: choice.port(&site),
        sources: (0..FLOWS).map(|flow| choice.source(&terms(flow), FirstRate::Ask)).collect(),
        view: PortView { capacity: CAPACITY, ..PortView::default() },
        now: Instant::ZERO,
        rng: Streams::new(1, 0).component("law"),
    };
    for flow in 0..FLOWS {
        place.call(|law, cx, _| law.on_open(cx, FlowId(flow), &terms(flow)));
        place.round(flow).expect("it is good");
    }
    // Three more of the first flow, of which two pass the port.
    for number in 2..5 {
        let mut bytes = Vec::new();
        place.sources[0].write(place.now, false, &mut bytes);
        if number < 4 {
            place.call(|law, cx, view| law.on_forward(cx, FlowId(0), &mut bytes, view)).expect("it is good");
        }
    }
    for step in 0..4 {
        place.pass(Span::from_millis(3));
        let mut bytes = data.to_vec();
        let flow = FlowId(step % 2 * FLOWS);
        let result = place.call(|law, cx, view| match step {
            0 | 1 => law.on_forward(cx, flow, &mut bytes, view),
            _ => law.on_backward(cx, flow, &mut bytes, view),
        });
        assert!(result.is_ok() || bytes == data, "what is refused stays as it was");
        let mut turned = bytes.clone();
        assert!(choice.turn(&terms(0), &mut turned).is_ok() || turned == bytes);
        let (had, told) = (place.sources[0].allowed_bps(), place.sources[0].on_return(place.now, data));
        assert!(told.is_ok() || place.sources[0].allowed_bps() == had);
        assert_eq!(place.law.violation(), None);
    }
    // The others go on as if nothing had been.
    for flow in 1..FLOWS {
        place.round(flow).expect("it is good");
    }
}
