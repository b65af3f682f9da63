//! Any bytes handed to the stations of dvsr or dvsr-plus are the frame that circulates, which says itself again in
//! the same bytes and which a station can take, or are refused.
#![no_main]

use fairwire_core::{BitRate, Bytes, Cx, Instant, Ringlet, Span, StationId, Streams, Weight};
use fairwire_laws::WireMessage;
use fairwire_laws::ring::{
    AddQueueView, LinkView, RingAction, RingLaw, RingSite, SiteFlow, StationView, dvsr, dvsr_plus,
};
use libfuzzer_sys::fuzz_target;
use std::fmt::Debug;

const STATIONS: u16 = 4;

fuzz_target!(|data: &[u8]| {
    let Some((choice, frame)) = data.split_first() else { return };
    // Weights tell how wide a ledger's entries are.
    let weight = if choice & 1 == 0 { 1.0 } else { 2.5 };
    let encoding = if choice & 2 == 0 { dvsr::Encoding::Exact } else { dvsr::Encoding::Byte };
    let signalling = if choice & 4 == 0 { dvsr::Signalling::Circulating } else { dvsr::Signalling::PerNode };
    check::<dvsr::Law>(frame, weight, &dvsr::Params { encoding, signalling, ..dvsr::Params::default() });
    check::<dvsr_plus::Law>(frame, weight, &dvsr_plus::Params::default());
});

fn check<L: RingLaw>(data: &[u8], weight: f64, params: &L::Params)
where
    L::Msg: Clone + Debug + PartialEq,
{
    let Ok(frame) = L::Msg::parse(data.to_vec()) else { return };
    assert_eq!(frame.wire_bytes(), data.len());
    assert_eq!(frame.clone().into_bytes(), data);
    take::<L>(&frame, weight, params);
}

/// A station takes it, again and again, and sets limits that its link has; what it passes on can be read.
fn take<L: RingLaw>(frame: &L::Msg, weight: f64, params: &L::Params)
where
    L::Msg: Clone + Debug + PartialEq,
{
    let capacity = BitRate::from_mbps(622);
    let flow = |hops: u16| SiteFlow { egress: StationId(1 + hops), hops: hops.into(), weight: Weight::ONE };
    let mut site = RingSite {
        flows: [1, 2].map(flow).into(),
        delays: vec![Span::from_micros(100); STATIONS.into()],
        ring_time: Span::from_micros(100) * u64::from(STATIONS),
        ..RingSite::bare(StationId(1), Ringlet::Zero, vec![capacity; STATIONS.into()])
    };
    site.weights[1] = Weight::new(weight).expect("a good weight");
    let mut law = L::new(params, site);
    let mut rng = Streams::new(1, 0).component("law");
    let adds = [AddQueueView { packets: u32::MAX, ..AddQueueView::default() }; 2];
    let link = LinkView { waiting: Bytes::new(20_000), ..LinkView::default() };
    let view = StationView { link, adds: &adds, ..StationView::default() };
    let mut now = Instant::ZERO;
    law.start(&mut Cx { now, rng: &mut rng, probe: None }, &view);
    for round in 0..16 {
        now += Span::from_micros(400);
        law.on_message(&mut Cx { now, rng: &mut rng, probe: None }, on_lap(frame, round / 2), &view);
        if let Some(due) = law.poll_timeout() {
            now = now.max(due);
            law.handle_timeout(&mut Cx { now, rng: &mut rng, probe: None }, &view);
        }
        while let Some(action) = law.poll_action() {
            match action {
                RingAction::SendUpstream(sent) => assert_eq!(L::Msg::parse(sent.clone().into_bytes()), Ok(sent)),
                RingAction::SetAddRate { rate, .. } => assert!(rate <= capacity, "{rate}"),
                _ => {}
            }
        }
    }
}

/// The same frame so many laps later: byte 1 counts them in its lower four bits, where it is not a note's.
fn on_lap<M: WireMessage + Clone>(frame: &M, laps: u8) -> M {
    let mut bytes = frame.clone().into_bytes();
    let number = bytes[1];
    bytes[1] = (number & 0xf0) | (number.wrapping_add(laps) & 0x0f);
    M::parse(bytes).unwrap_or_else(|_| frame.clone())
}
