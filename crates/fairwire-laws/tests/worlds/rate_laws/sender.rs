//! The sending end: which packets leave, and when.

use crate::rate_laws::one_port::law;
use fairwire_core::{Instant, Span};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{FirstRate, Leaving, Manner, OnChange, RateCell, RateMessage, Sender, SendingPlan, Terms};

const TERMS: Terms = Terms { minimum_bps: 0.0, peak_bps: 8e6, supported_bps: 1e9, weight: 1.0 };
/// A packet of 1000 bytes a millisecond, at the peak rate.
const PLAN: SendingPlan = SendingPlan {
    packet_bytes: 1000,
    control_every: 5,
    control_within: None,
    control_least: 0,
    first: FirstRate::Peak,
    on_change: OnChange::Reschedule,
    manner: Manner::Honest,
};

/// What leaves, when, and whether it is marked as the last; control packets as they are.
#[derive(Clone, Debug)]
struct Sent {
    at: Instant,
    cell: Option<RateCell>,
    last: bool,
}

fn sender(plan: &SendingPlan, terms: &Terms, stop: Instant) -> Sender {
    let mut sender = Sender::new(&law("name = 'wmfqc'"), plan, terms);
    sender.start(Instant::ZERO, stop, None);
    sender
}

/// All that leaves before `until`, each packet when it is due.
fn sent(sender: &mut Sender, until: Instant) -> Vec<Sent> {
    let (mut all, mut bytes) = (Vec::new(), Vec::new());
    while sender.is_on() && sender.poll_timeout() < until {
        let at = sender.poll_timeout();
        if let Some((leaving, last)) = sender.take(at, &mut bytes) {
            let cell = (leaving == Leaving::Control).then(|| RateCell::read(&bytes).expect("it is good"));
            all.push(Sent { at, cell, last });
        }
    }
    all
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

/// C for control packets, D for data.
fn kinds(sent: &[Sent]) -> String {
    sent.iter().map(|sent| if sent.cell.is_some() { 'C' } else { 'D' }).collect()
}

/// Told by CI to fall to its minimum.
fn fall(sender: &mut Sender, now: Instant, cell: RateCell) {
    let mut bytes = Vec::new();
    RateCell { backward: true, congestion: true, ..cell }.write(&mut bytes);
    assert_eq!(sender.on_return(now, &bytes), Ok(true));
}

#[test]
fn one_packet_in_so_many_is_a_control_packet() {
    let all = sent(&mut sender(&PLAN, &TERMS, Instant::NEVER), ms(14));
    assert!(kinds(&all).starts_with("DCDDDDCDDDDCDDDD"), "{}", kinds(&all));
    // A control packet is 53 bytes long.
    assert_eq!(all[2].at.as_nanos(), 1_053_000);
}

#[test]
fn a_control_packet_leaves_in_time_if_enough_data_has() {
    let plan = SendingPlan { control_every: 1000, control_within: Some(Span::from_millis(2)), ..PLAN };
    let all = |plan| kinds(&sent(&mut sender(&plan, &TERMS, Instant::NEVER), ms(20)));
    assert!(all(plan).starts_with("DCDDCDDC"), "{}", all(plan));
    let least = SendingPlan { control_least: 4, ..plan };
    assert!(all(least).starts_with("DCDDDDCDDDDC"), "{}", all(least));
}

#[test]
fn a_slow_flow_sends_a_control_packet_each_hundred_milliseconds() {
    let slow = Terms { peak_bps: 8_000.0, ..TERMS };
    let all = sent(&mut sender(&SendingPlan { control_every: 1000, ..PLAN }, &slow, Instant::NEVER), ms(1000));
    assert_eq!(kinds(&all), "DCCCCCCCCC");
    assert_eq!(all[3].at, ms(300));
}

#[test]
fn who_begins_without_a_rate_begins_with_a_control_packet() {
    let all = sent(&mut sender(&SendingPlan { first: FirstRate::Minimum, ..PLAN }, &TERMS, Instant::NEVER), ms(150));
    assert_eq!(kinds(&all), "CC");
}

/// Whatever its minimum, and whatever the law: sixteen packets take 16 ms at its peak rate.
#[test]
fn who_asks_asks_again_ever_later_until_it_hears() {
    for name in ["wmfqc", "rcp", "s-perc", "wmfqc-plus"] {
        for (minimum_bps, control_within) in [(0.0, None), (4e6, None), (0.0, Some(Span::from_micros(500)))] {
            let plan = SendingPlan { first: FirstRate::Ask, control_within, ..PLAN };
            let mut sender = Sender::new(&law(&format!("name = '{name}'")), &plan, &Terms { minimum_bps, ..TERMS });
            sender.start(Instant::ZERO, Instant::NEVER, None);
            let (mut asked, mut bytes) = (Vec::new(), Vec::new());
            while sender.poll_timeout() < ms(200) {
                let now = sender.poll_timeout();
                let (leaving, _) = sender.take(now, &mut bytes).expect("it is on");
                assert_eq!(leaving, Leaving::Control, "{name}");
                asked.push(now);
            }
            assert_eq!(asked, [ms(0), ms(16), ms(64), ms(164)], "{name}, {minimum_bps}");
        }
    }
}

/// The answer says what it may send, and from then on it sends as others do.
/// Each request leaves three data packets early, and the next control packet is so much later: by four requests at most.
#[test]
fn requests_sent_early_delay_the_next_control_packet() {
    for (requests, data) in [(2, 10), (4, 16), (6, 16)] {
        let plan = SendingPlan { control_least: 3, first: FirstRate::Ask, ..PLAN };
        let mut sender = Sender::new(&law("name = 'wmfqc-plus'"), &plan, &TERMS);
        sender.start(Instant::ZERO, Instant::NEVER, None);
        let mut bytes = Vec::new();
        let mut asked_at = Instant::ZERO;
        for _ in 0..requests {
            asked_at = sender.poll_timeout();
            assert_eq!(sender.take(asked_at, &mut bytes), Some((Leaving::Control, false)));
        }
        let asked = GrantCell::read(&bytes).expect("it is good");
        GrantCell { backward: true, granted_bps: TERMS.peak_bps, ..asked }.write(&mut bytes);
        sender.on_return(asked_at + Span::from_micros(1), &bytes).expect("it is good");
        let taken = |_| sender.take(sender.poll_timeout(), &mut bytes).filter(|taken| taken.0 == Leaving::Data);
        assert_eq!((0..100).map_while(taken).count(), data, "{requests} requests");
    }
}

#[test]
fn who_has_heard_asks_no_more() {
    let plan = SendingPlan { first: FirstRate::Ask, ..PLAN };
    let mut sender = sender(&plan, &Terms { minimum_bps: 4e6, ..TERMS }, Instant::NEVER);
    let cell = sent(&mut sender, ms(1))[0].cell.expect("it asks");
    let mut bytes = Vec::new();
    RateCell { backward: true, explicit_bps: 0.0, ..cell }.write(&mut bytes);
    sender.on_return(ms(2), &bytes).expect("it is good");
    let all = sent(&mut sender, ms(40));
    assert!(kinds(&all).contains("DDDDC") && !kinds(&all).contains("CC"), "{}", kinds(&all));
}

/// Without a minimum it has no rate then, but asks on.
#[test]
fn who_is_told_to_stop_sends_control_packets_alone() {
    let mut sender = sender(&PLAN, &TERMS, Instant::NEVER);
    let cell = sent(&mut sender, ms(2))[1].cell.expect("the second is a control packet");
    fall(&mut sender, ms(2), cell);
    assert_eq!(sender.allowed_bps(), 0.0);
    let all = sent(&mut sender, ms(1000));
    assert_eq!((kinds(&all), all[1].at.since(all[0].at)), ("CCCCCCCCC".to_owned(), Span::from_millis(100)));
    let mut bytes = Vec::new();
    let cell = all[8].cell.expect("they are control packets");
    RateCell { backward: true, explicit_bps: 4e6, ..cell }.write(&mut bytes);
    sender.on_return(ms(1000), &bytes).expect("it is good");
    assert!(kinds(&sent(&mut sender, ms(1020))).contains("DDDD"));
}

/// [wmfqc] §5: the next packet leaves when the rate before the change had it. What leaves meanwhile puts it off by its own bits, not by all
/// that follows from the new rate, by which the packet has long been due.
#[test]
fn who_keeps_to_a_due_time_is_put_off_by_control_packets_alone() {
    // A packet a second, and a control packet, of 53 ms, each 100 ms. At 8 Mb/s a control packet takes 53 us; nine more leave.
    for (on_change, due_ns) in [(OnChange::Keep, 1_053_000_000 + 9 * 53_000), (OnChange::Reschedule, 150_000_000)] {
        let slow = Terms { minimum_bps: 8_000.0, ..TERMS };
        let plan = SendingPlan { control_every: 1000, first: FirstRate::Minimum, on_change, ..PLAN };
        let mut sender = sender(&plan, &slow, Instant::NEVER);
        let begun = sent(&mut sender, ms(110));
        assert_eq!(kinds(&begun), "DC");
        let mut bytes = Vec::new();
        let told = RateCell { backward: true, explicit_bps: 8e6, ..begun[1].cell.expect("a control packet") };
        told.write(&mut bytes);
        assert_eq!(sender.on_return(ms(150), &bytes), Ok(true));
        let data = sent(&mut sender, ms(2_000)).into_iter().find(|sent| sent.cell.is_none()).expect("data");
        assert_eq!(data.at.as_nanos(), due_ns, "{on_change:?}");
    }
}

#[test]
fn no_part_of_a_nanosecond_is_lost() {
    // A packet takes 2666.66… ns.
    let fast = Terms { peak_bps: 3e9, ..TERMS };
    let all = sent(&mut sender(&SendingPlan { control_every: 1_000_000, ..PLAN }, &fast, Instant::NEVER), ms(9));
    let control_ns = 53.0 * 8.0 / 3.0;
    assert_eq!(all[3_001].at.as_nanos(), (3_000.0 * 8_000.0 / 3.0 + control_ns) as u64);
}

#[test]
fn the_last_packet_says_so_unless_its_flow_vanishes() {
    for (manner, says_so) in [(Manner::Honest, true), (Manner::Vanishes, false)] {
        let all = sent(&mut sender(&SendingPlan { manner, ..PLAN }, &TERMS, ms(10)), ms(20));
        assert_eq!(all.iter().filter(|sent| sent.last).count(), usize::from(says_so));
        assert!(all.iter().all(|sent| sent.at < ms(10)));
        // Who has no rate when the time comes has nothing but a control packet to say it with.
        let mut sender = sender(&SendingPlan { manner, ..PLAN }, &TERMS, ms(10));
        let cell = sent(&mut sender, ms(2))[1].cell.expect("the second is a control packet");
        fall(&mut sender, ms(2), cell);
        let all = sent(&mut sender, ms(20));
        let farewells = all.iter().filter(|sent| sent.last && sent.cell.is_some_and(|cell| cell.last)).count();
        assert_eq!(farewells, usize::from(says_so), "{all:?}");
    }
}

/// Under wmfqc-plus: its last packet says so; if that is a control packet another one says so again when the flow stops.
#[test]
fn a_flow_that_ends_with_a_control_packet_says_so_twice() {
    let mut seen = [false; 2];
    for (manner, says) in [(Manner::Honest, true), (Manner::Vanishes, false)] {
        for control_every in 2..12 {
            // A packet a millisecond, data or control.
            let plan = SendingPlan { packet_bytes: 48, control_every, manner, ..PLAN };
            let mut sender = asked_and_granted(&plan, Some(48.0 * 8.0 * 1e3));
            let (mut ends, mut bytes) = (Vec::new(), Vec::new());
            while sender.is_on() {
                let now = sender.poll_timeout();
                if let Some((leaving, true)) = sender.take(now, &mut bytes) {
                    ends.push((now, leaving));
                    // Who has said it sends nothing more but the second word.
                    assert!(sender.poll_timeout() >= ms(10), "{ends:?}");
                }
            }
            match ends[..] {
                [] => assert!(!says),
                [(at, Leaving::Data)] => assert!(says && (ms(8)..ms(10)).contains(&at)),
                [(at, Leaving::Control), (ended, Leaving::Control)] => {
                    assert!(says && (ms(8)..ms(10)).contains(&at) && ended == ms(10));
                }
                _ => panic!("{ends:?}"),
            }
            if says {
                seen[ends.len() - 1] = true;
            }
        }
    }
    assert_eq!(seen, [true; 2]);
}

/// Who has no rate when the time comes has nothing but control packets to say it with.
#[test]
fn a_flow_without_a_rate_says_its_end_twice_by_control_packets() {
    let mut sender = asked_and_granted(&PLAN, None);
    let (mut ends, mut bytes) = (Vec::new(), Vec::new());
    while sender.is_on() {
        let now = sender.poll_timeout();
        if let Some((leaving, true)) = sender.take(now, &mut bytes) {
            assert!(GrantCell::read(&bytes).expect("it is good").last);
            ends.push((now, leaving));
        }
    }
    assert_eq!(ends, [(ms(10), Leaving::Control); 2]);
}

/// It stops after 10 ms. What it asks for at first is answered after a millisecond, if at all.
fn asked_and_granted(plan: &SendingPlan, granted_bps: Option<f64>) -> Sender {
    let mut sender = Sender::new(&law("name = 'wmfqc-plus'"), &SendingPlan { first: FirstRate::Ask, ..*plan }, &TERMS);
    sender.start(Instant::ZERO, ms(10), None);
    let mut bytes = Vec::new();
    assert_eq!(sender.take(Instant::ZERO, &mut bytes), Some((Leaving::Control, false)));
    if let Some(granted_bps) = granted_bps {
        let asked = GrantCell::read(&bytes).expect("it is good");
        GrantCell { backward: true, granted_bps, ..asked }.write(&mut bytes);
        sender.on_return(ms(1), &bytes).expect("it is good");
    }
    sender
}

#[test]
fn who_ignores_rates_sends_at_its_peak() {
    let mut sender = sender(&SendingPlan { manner: Manner::IgnoresRates, ..PLAN }, &TERMS, Instant::NEVER);
    let cell = sent(&mut sender, ms(2))[1].cell.expect("the second is a control packet");
    let mut bytes = Vec::new();
    RateCell { backward: true, congestion: true, ..cell }.write(&mut bytes);
    sender.on_return(ms(2), &bytes).expect("it is good");
    assert_eq!(sender.allowed_bps(), 8e6);
    assert!(sent(&mut sender, ms(20)).len() > 20);
}

#[test]
fn who_claims_a_minimum_tells_twice_what_was_admitted_or_a_tenth_of_its_peak() {
    let claims = SendingPlan { manner: Manner::ClaimsMinimum, first: FirstRate::Minimum, ..PLAN };
    for (admitted_bps, claimed_bps) in [(0.0, 8e5), (1e6, 2e6), (6e6, 8e6)] {
        let terms = Terms { minimum_bps: admitted_bps, ..TERMS };
        let all = sent(&mut sender(&claims, &terms, Instant::NEVER), ms(30));
        assert_eq!(all[1].cell.expect("the second is a control packet").minimum_bps, claimed_bps);
    }
}
