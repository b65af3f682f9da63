//! Whatever happens: no panic, the same again, and a ring that heals is whole.

use crate::protection::ring::{Ring, address};
use crate::protection::{SETTLING, params};
use fairwire_core::{Instant, Ringlet, Span};
use fairwire_laws::WireMessage;
use fairwire_laws::frame::{Address, ControlFrame, ControlType};
use fairwire_laws::protection::{Action, Command, Event, Params, Protection, ProtectionMode, Side, SignalQuality};
use proptest::prelude::*;

/// Something done to a ring.
#[derive(Clone, Debug)]
enum Blow {
    Span { at: usize, carries: bool },
    Wire { ringlet: Ringlet, at: usize, carries: bool },
    Off(usize),
    On(usize),
}

fn ringlets() -> impl Strategy<Value = Ringlet> {
    prop_oneof![Just(Ringlet::Zero), Just(Ringlet::One)]
}

fn blows(stations: usize) -> impl Strategy<Value = Vec<(u64, Blow)>> {
    let blow = prop_oneof![
        (0..stations, any::<bool>()).prop_map(|(at, carries)| Blow::Span { at, carries }),
        (ringlets(), 0..stations, any::<bool>()).prop_map(|(ringlet, at, carries)| Blow::Wire { ringlet, at, carries }),
        (0..stations).prop_map(Blow::Off),
        (0..stations).prop_map(Blow::On),
    ];
    proptest::collection::vec((0u64..30_000, blow), 0..30)
}

fn any_event() -> impl Strategy<Value = Event> {
    let side = || prop_oneof![Just(Side::West), Just(Side::East)];
    let quality = prop_oneof![Just(SignalQuality::Good), Just(SignalQuality::Degraded), Just(SignalQuality::Failed)];
    let command = prop_oneof![Just(Command::ManualSwitch), Just(Command::ForcedSwitch), Just(Command::Clear)];
    let kind = prop_oneof![
        3 => Just(ControlType::Topology),
        1 => Just(ControlType::TopologyChecksum),
        1 => Just(ControlType::Attributes),
    ];
    let payload = proptest::collection::vec(any::<u8>(), 0..9);
    let report = (0u8..64, 0u8..6, 0u8..6).prop_map(|(sequence, west, east)| vec![sequence, west << 4 | east]);
    let frame = (kind, ringlets(), 0usize..6, 250u8.., prop_oneof![payload, report]).prop_map(
        |(kind, ringlet, source, ttl, payload)| {
            let mut frame = ControlFrame::new(kind, ringlet, address(source), Address::BROADCAST, 255, &payload);
            for _ in ttl..255 {
                frame = frame.clone().forwarded().unwrap_or(frame);
            }
            Event::Frame { ringlet, bytes: frame.into_bytes() }
        },
    );
    prop_oneof![
        6 => frame,
        1 => (ringlets(), proptest::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(ringlet, bytes)| Event::Frame { ringlet, bytes }),
        2 => ringlets().prop_map(|ringlet| Event::Heard { ringlet }),
        1 => (side(), quality).prop_map(|(side, quality)| Event::Signal { side, quality }),
        1 => (side(), command).prop_map(|(side, command)| Event::Command { side, command }),
    ]
}

/// What a machine does when this happens to it, its timeouts handled on the way.
fn play(params: &Params, events: &[(u64, Event)]) -> Vec<(Instant, Action)> {
    let mut machine = Protection::new(params, address(0), [1, 1]);
    machine.start(Instant::ZERO);
    let mut now = Instant::ZERO;
    let mut deeds = Vec::new();
    for (after_us, event) in events {
        let at = now + Span::from_micros(*after_us);
        while machine.poll_timeout() <= at {
            now = machine.poll_timeout().max(now);
            machine.handle_timeout(now);
            assert!(machine.poll_timeout() > now);
        }
        now = at;
        machine.handle(now, event.clone());
        deeds.extend(std::iter::from_fn(|| machine.poll_action()).map(|action| (now, action)));
        let topology = machine.topology();
        assert!(topology.stations().contains(&address(0)));
        for to in (0..7).map(address) {
            for ringlet in Ringlet::BOTH {
                let hops = topology.hops(to, ringlet);
                assert!(hops.is_none_or(|hops| hops < topology.stations().len()));
                assert!(!topology.is_closed() || hops.is_some() == topology.stations().contains(&to));
            }
        }
    }
    deeds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_ring_that_heals_is_whole(stations in 2usize..9, wrap in any::<bool>(), blows in blows(8)) {
        let mode = if wrap { ProtectionMode::Wrap } else { ProtectionMode::Steer };
        let mut ring = Ring::settled(stations, &Params { mode, ..params() });
        for (after_us, blow) in blows {
            ring.run_for(Span::from_micros(after_us));
            match blow {
                Blow::Span { at, carries } => ring.set_span(at % stations, carries),
                Blow::Wire { ringlet, at, carries } => ring.set_wire(ringlet, at % stations, carries),
                Blow::Off(at) => ring.switch_off(at % stations),
                Blow::On(at) if ring.live().all(|(station, _)| station != at % stations) => ring.switch_on(at % stations),
                Blow::On(_) => {}
            }
        }
        (0..stations).for_each(|span| ring.set_span(span, true));
        let dead: Vec<_> = (0..stations).filter(|at| ring.live().all(|(station, _)| station != *at)).collect();
        dead.into_iter().for_each(|station| ring.switch_on(station));
        // The longest a station may believe something false is until the next slow report.
        ring.run_for(ring.params.wait_to_restore + ring.params.slow_timer + SETTLING * 2);
        ring.assert_whole();
        for (_, machine) in ring.live() {
            prop_assert_eq!(machine.report().wrapped, [false; 2]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_events_are_borne_and_done_the_same_again(
        events in proptest::collection::vec((0u64..20_000, any_event()), 0..80),
        wrap in any::<bool>(),
        revertive in any::<bool>(),
        hold_off_ms in 0u64..9,
    ) {
        let mode = if wrap { ProtectionMode::Wrap } else { ProtectionMode::Steer };
        let params = Params { mode, revertive, hold_off: Span::from_millis(hold_off_ms), ..params() };
        prop_assert_eq!(play(&params, &events), play(&params, &events));
    }
}
