//! Control packets that somebody made or spoiled: nothing panics, each refusal has its kind, what is refused leaves no trace,
//! and where ports know flows nobody else's rate falls, whatever one flow's packets say. A port that knows none believes them.

use crate::rate_contract::chain::{Chain, Letter, Port};
use crate::rate_contract::checks;
use crate::rate_contract::spoiled::{mended, spoil};
use fairwire_core::{Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::{FirstRate, RateCell, RateFormat, RateLawChoice, RateMessage, Refusal, Terms};
use rand::RngExt;

/// So many spoiled packets a law, half of them with a good checksum: more than a million over all laws.
const PACKETS: u32 = 250_000;
/// The flow whose packets are spoiled. It could use more than the link has.
const HOSTILE: usize = 0;
const FLOWS: usize = 6;
/// Nobody has this number.
const UNKNOWN: FlowId = FlowId(4_000_000_000);

fn laws() -> impl Iterator<Item = RateLawChoice> {
    RateLawChoice::ALL.iter().map(|about| RateLawChoice::by_name(about.name).expect("it is in the list"))
}

/// A port in the middle of things.
struct Scene {
    law: RateLawChoice,
    port: Port,
    now: Instant,
    terms: Terms,
    rng: RandomStream,
    /// The next packet of the hostile flow out and back, both good.
    forward: Vec<u8>,
    backward: Vec<u8>,
    /// A packet that came by before.
    old: Vec<u8>,
    /// What has come back to the switch for the others, with their sources.
    chain: Chain,
    answers: Vec<Letter>,
    /// What these tell the others if nothing happens before.
    told_bps: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Forward,
    Backward,
}

impl Scene {
    fn new(law: RateLawChoice) -> Self {
        let terms = |flow: usize| Terms {
            minimum_bps: 1e6 * (flow % 3) as f64,
            peak_bps: if flow == HOSTILE { 1e9 } else { 3e7 * (1 + flow % 2) as f64 },
            supported_bps: 1e9,
            weight: 1.0 + (flow % 4) as f64,
        };
        let flows: Vec<_> = (0..FLOWS).map(|flow| (terms(flow), FirstRate::Minimum, 0..1)).collect();
        let mut chain = Chain::new(&law, Instant::ZERO, &[100], &flows);
        for _ in 0..40 {
            for flow in 0..FLOWS {
                chain.data(flow, 1_500);
                chain.round(flow);
            }
            chain.pass(Span::from_millis(1));
        }
        let old = waits_at(&mut chain, HOSTILE, 0).bytes;
        let answers: Vec<_> = (0..FLOWS).map(|flow| waits_at(&mut chain, flow, 2)).collect();
        let backward = answers[HOSTILE].bytes.clone();
        let forward = waits_at(&mut chain, HOSTILE, 0).bytes;
        let mut scene = Self {
            law,
            port: chain.ports[0].clone(),
            now: chain.now,
            terms: terms(HOSTILE),
            rng: Streams::new(1, 0).component("hostile"),
            forward,
            backward,
            old,
            answers,
            chain,
            told_bps: Vec::new(),
        };
        scene.told_bps = scene.tell_others();
        scene
    }

    fn name(&self) -> &'static str {
        self.law.about().name
    }

    /// Whether ports of the law know flows.
    fn knows_flows(&self) -> bool {
        self.port.law.flows() > 0
    }

    /// The bytes come to the port.
    fn pass(&mut self, way: Way, flow: FlowId, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        let (law, view) = (&mut self.port.law, &self.port.view);
        let cx = &mut Cx { now: self.now, rng: &mut self.rng, probe: None };
        match way {
            Way::Forward => law.on_forward(cx, flow, bytes, view),
            Way::Backward => law.on_backward(cx, flow, bytes, view),
        }
    }

    /// The rates that the port would tell the other flows now.
    fn tell_others(&mut self) -> Vec<f64> {
        let port = self.port.clone();
        let mut rates = Vec::new();
        for flow in 1..FLOWS {
            let mut bytes = self.answers[flow].bytes.clone();
            self.pass(Way::Backward, FlowId(flow as u32), &mut bytes).expect("it is good");
            let mut source = self.chain.flows[flow].source.clone();
            source.on_return(self.now, &bytes).expect("it is good");
            rates.push(source.allowed_bps());
        }
        self.port = port;
        rates
    }

    /// Nobody gets less than before; and all is again as it was.
    fn nobody_lost(&mut self, calm: &Port) {
        checks::port(&self.port);
        let told_bps = self.tell_others();
        assert!(told_bps.iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{}: {told_bps:?}", self.name());
        for (before, after) in self.told_bps.iter().zip(&told_bps) {
            let lost = self.knows_flows() && *after < before * (1.0 - 1e-9);
            assert!(!lost, "{}: {:?} → {told_bps:?}", self.name(), self.told_bps);
        }
        self.port = calm.clone();
    }
}

/// The next control packet of a flow after so many steps of its way.
fn waits_at(chain: &mut Chain, flow: usize, steps: usize) -> Letter {
    chain.write(flow, false);
    loop {
        let letter = chain.letters.pop().expect("it was written");
        if letter.steps == steps {
            return letter;
        }
        chain.step(letter);
    }
}

#[test]
fn spoiled_packets_move_nobody() {
    for law in laws() {
        let mut scene = Scene::new(law);
        let (calm, mut dice) = (scene.port.clone(), Streams::new(7, 0).component("spoiled"));
        let (mut refused, mut taken) = ([0_u32; Refusal::ALL.len()], 0_u32);
        for packet in 0..PACKETS {
            let way = if dice.random() { Way::Forward } else { Way::Backward };
            let good = [&scene.forward, &scene.backward, &scene.old][dice.random_range(0..3)].clone();
            let mut bytes = spoil(&good, &mut dice);
            if packet % 2 == 0 {
                bytes = mended(bytes);
            }
            let flow = if dice.random_ratio(1, 8) { UNKNOWN } else { FlowId(HOSTILE as u32) };
            let before = bytes.clone();
            match scene.pass(way, flow, &mut bytes) {
                Ok(()) => {
                    taken += 1;
                    scene.nobody_lost(&calm);
                }
                Err(refusal) => {
                    assert_eq!(bytes, before, "what is refused stays as it was");
                    refused[refusal.index()] += 1;
                }
            }
            if packet % 1_000 == 0 {
                checks::is_the_same(&calm.law, &scene.port.law);
            }
        }
        checks::is_the_same(&calm.law, &scene.port.law);
        assert_eq!(refused.iter().sum::<u32>() + taken, PACKETS);
        let kinds = [Refusal::Length, Refusal::Checksum, Refusal::Field, Refusal::Direction];
        let of_flows = [Refusal::UnknownFlow, Refusal::Stale].into_iter().filter(|_| scene.knows_flows());
        for refusal in kinds.into_iter().chain(of_flows) {
            assert!(refused[refusal.index()] > 0, "{}: none refused for {refusal:?}", scene.name());
        }
        println!("{}: {refused:?} refused, {taken} taken", scene.name());
    }
}

#[test]
fn spoiled_packets_tell_ends_nothing() {
    for law in laws() {
        let scene = Scene::new(law);
        let mut dice = Streams::new(8, 0).component("spoiled");
        let source = scene.chain.flows[HOSTILE].source.clone();
        for packet in 0..100_000 {
            let good = [&scene.forward, &scene.backward, &scene.old][dice.random_range(0..3)];
            let mut bytes = spoil(good, &mut dice);
            if packet % 2 == 0 {
                bytes = mended(bytes);
            }
            let before = bytes.clone();
            if scene.law.turn(&scene.terms, &mut bytes).is_err() {
                assert_eq!(bytes, before);
            }
            let mut hears = source.clone();
            let result = hears.on_return(scene.now, &before);
            let (told, had) = (hears.allowed_bps(), source.allowed_bps());
            let range = scene.terms.minimum_bps..=scene.terms.peak_bps;
            assert!(range.contains(&told), "{}: {told} bit/s", scene.name());
            assert!(result.is_ok() || told == had, "{}: {had} → {told}", scene.name());
        }
    }
}

/// What comes again, too late, or on the wrong way.
#[test]
fn only_what_is_new_and_goes_its_way_is_taken() {
    for law in laws() {
        let mut scene = Scene::new(law);
        let (calm, hostile) = (scene.port.clone(), FlowId(HOSTILE as u32));
        let (forward, backward, old) = (scene.forward.clone(), scene.backward.clone(), scene.old.clone());
        let of_flow = |scene: &Scene, refusal| if scene.knows_flows() { Err(refusal) } else { Ok(()) };
        let is = |scene: &mut Scene, way, flow, bytes: &[u8], expected: Result<(), Refusal>| {
            let result = scene.pass(way, flow, &mut bytes.to_vec());
            assert_eq!(result, expected, "{} {way:?}", scene.name());
            if result.is_err() {
                checks::port(&scene.port);
            }
        };
        is(&mut scene, Way::Backward, hostile, &forward, Err(Refusal::Direction));
        is(&mut scene, Way::Forward, hostile, &backward, Err(Refusal::Direction));
        let (unknown, stale) = (of_flow(&scene, Refusal::UnknownFlow), of_flow(&scene, Refusal::Stale));
        is(&mut scene, Way::Forward, UNKNOWN, &forward, unknown);
        is(&mut scene, Way::Backward, UNKNOWN, &backward, unknown);
        is(&mut scene, Way::Forward, hostile, &old, stale);
        // An answer to what has not passed yet.
        let mut answer = forward.clone();
        scene.law.turn(&scene.terms, &mut answer).expect("it is good");
        is(&mut scene, Way::Backward, hostile, &answer, stale);
        scene.nobody_lost(&calm);
        is(&mut scene, Way::Forward, hostile, &forward, Ok(()));
        is(&mut scene, Way::Forward, hostile, &forward, stale);
        // The later one overtakes.
        is(&mut scene, Way::Backward, hostile, &answer, Ok(()));
        is(&mut scene, Way::Backward, hostile, &backward, stale);
        is(&mut scene, Way::Backward, hostile, &answer, stale);
        scene.nobody_lost(&calm);
    }
}

/// Fields of [`RateCell`] that say what cannot be, with a good checksum.
#[test]
fn what_cannot_be_is_refused() {
    let rates = [-1.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.1e18, -f64::MIN_POSITIVE];
    let weights = [0.0, -1.0, f64::NAN, f64::INFINITY, 1.1e18];
    let times = [-1.0, f64::NAN, f64::INFINITY, 1.1e6];
    let doubles = [(8, &rates[..]), (16, &rates), (24, &rates), (32, &weights), (40, &times)];
    let mut spoils: Vec<(usize, Vec<u8>)> = doubles
        .iter()
        .flat_map(|(at, values)| values.iter().map(|value| (*at, value.to_be_bytes().to_vec())))
        .collect();
    // Version, flags, zeros, number 0.
    spoils.extend([(0, vec![0]), (0, vec![2]), (1, vec![16]), (2, vec![1]), (50, vec![1]), (4, vec![0; 4])]);
    for law in laws() {
        let mut scene = Scene::new(law);
        if RateCell::read(&scene.forward).is_err() {
            continue;
        }
        let (calm, hostile) = (scene.port.clone(), FlowId(HOSTILE as u32));
        for (at, spoil) in &spoils {
            let mut bytes = scene.forward.clone();
            bytes[*at..at + spoil.len()].copy_from_slice(spoil);
            assert_eq!(scene.pass(Way::Forward, hostile, &mut bytes.clone()), Err(Refusal::Checksum), "{at} {spoil:?}");
            bytes = mended(bytes);
            assert_eq!(scene.pass(Way::Forward, hostile, &mut bytes), Err(Refusal::Field), "{at} {spoil:?}");
        }
        for length in [0, 1, 52, 54, 9_000] {
            let mut bytes = scene.forward.clone();
            bytes.resize(length, 0);
            assert_eq!(scene.pass(Way::Forward, hostile, &mut bytes), Err(Refusal::Length), "{length}");
        }
        checks::is_the_same(&calm.law, &scene.port.law);
    }
}

/// A rate has one code among ATM's floats, and nothing after it.
#[test]
fn a_rate_is_written_in_one_way() {
    let mut good = Vec::new();
    RateCell {
        backward: false,
        congestion: false,
        last: false,
        format: RateFormat::AtmFloat,
        number: 1,
        explicit_bps: 1e7,
        current_bps: 0.0,
        minimum_bps: 0.0,
        weight: 1.0,
        round_trip_s: 0.0,
    }
    .write(&mut good);
    assert!(RateCell::read(&good).is_ok());
    // More digits; and a rate of zero that says an exponent.
    for (at, spoil) in [(10, 1), (15, 1), (16, 2), (17, 1)] {
        let mut bytes = good.clone();
        bytes[at] = spoil;
        assert_eq!(RateCell::read(&mended(bytes)), Err(Refusal::Field), "{at}");
    }
}

/// Fields that may be, but are lies: others keep what they have.
#[test]
fn lies_about_oneself_take_nothing_from_others_at_once() {
    let (rates, weights, times) = ([0.0_f64, 1.0, 1e9, 1e18], [1e-300_f64, 1e18], [0.0_f64, 1e-9, 1e6]);
    let doubles = [(8, &rates[..]), (16, &rates), (24, &rates), (32, &weights), (40, &times)];
    for law in laws() {
        let mut scene = Scene::new(law);
        if RateCell::read(&scene.forward).is_err() {
            continue;
        }
        let (calm, hostile) = (scene.port.clone(), FlowId(HOSTILE as u32));
        for (at, values) in doubles {
            for value in values {
                for way in [Way::Forward, Way::Backward] {
                    let mut bytes = if way == Way::Forward { scene.forward.clone() } else { scene.backward.clone() };
                    bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
                    assert_eq!(scene.pass(way, hostile, &mut mended(bytes)), Ok(()), "{at} {value}");
                    scene.nobody_lost(&calm);
                }
            }
        }
    }
}
