//! WMFQC with grants, worked by hand at one port of 100 Mb/s: what is granted, who is sent notices, and what is too much.

use crate::rate_laws::one_port::{ASKED_BPS, PLAIN, assert_near, law};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Span, Streams};
use fairwire_laws::rate::wmfqc_plus::GrantCell;
use fairwire_laws::rate::{Admission, AnyRateLaw, PortSite, PortView, RateLawChoice, RateMessage, Refusal, Terms};

const MBPS: f64 = 1e6;
const DATA_BYTES: u32 = 1250;

struct Port {
    choice: RateLawChoice,
    law: AnyRateLaw,
    view: PortView,
    now: Instant,
    rng: RandomStream,
    /// The number of the last control packet of each flow.
    numbers: Vec<u32>,
}

impl Port {
    /// A port with flows of these terms, which have sent nothing.
    fn new(terms: &[Terms]) -> Self {
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

    fn call<T>(&mut self, call: impl FnOnce(&mut AnyRateLaw, &mut Cx<'_>, &PortView) -> T) -> T {
        call(&mut self.law, &mut Cx { now: self.now, rng: &mut self.rng, probe: None }, &self.view)
    }

    fn open(&mut self, terms: &Terms) {
        let flow = FlowId(self.numbers.len() as u32);
        self.numbers.push(0);
        self.call(|law, cx, _| law.on_open(cx, flow, terms));
    }

    /// Several data packets of a flow at once: how many are let in.
    fn data(&mut self, flow: u32, packets: u32) -> usize {
        let accepts = |port: &mut Self| {
            port.call(|law, cx, view| law.on_data(cx, FlowId(flow), DATA_BYTES, view)) == Admission::Accept
        };
        (0..packets).filter(|_| accepts(self)).count()
    }

    /// The next control packet of a flow goes forward. It applied the answer with the number `applied`, uses so many Mb/s and
    /// has a loop of so many ms.
    fn ask(&mut self, flow: u32, applied: u32, used_mbps: f64, loop_ms: f64) -> Result<GrantCell, Refusal> {
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
    fn answer_of(&mut self, flow: u32, others_mbps: f64) -> (f64, f64) {
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
    fn told(&mut self, flow: u32, applied: u32, used_mbps: f64) -> (f64, f64) {
        self.ask(flow, applied, used_mbps, 1.0).expect("it is good");
        self.answer_of(flow, ASKED_BPS)
    }

    /// The notices that are sent now: to whom, with which number, and the share that they tell, in Mb/s.
    fn notices(&mut self) -> Vec<(u32, u32, f64)> {
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

    fn capacity(&mut self, mbps: u64) {
        self.view.capacity = BitRate::from_mbps(mbps);
        self.law.on_capacity(self.now, self.view.capacity);
    }

    fn pass(&mut self, span: Span) {
        self.now += span;
    }
}

/// Two flows of 50 Mb/s each, which have confirmed that.
fn settled() -> Port {
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

#[test]
fn nobody_is_granted_what_another_has_not_given_back() {
    let mut port = Port::new(&[PLAIN]);
    assert_eq!(port.told(0, 0, 0.0), (100.0, 100.0));
    port.open(&PLAIN);
    assert_eq!(port.told(1, 0, 0.0), (50.0, 0.0));
    // Its share is less now; it keeps what it holds until the next answer.
    assert_eq!(port.told(0, 1, 100.0), (50.0, 50.0));
    assert_eq!(port.told(1, 1, 0.0), (50.0, 0.0));
    // It has given back a part only.
    assert_eq!(port.told(0, 1, 70.0), (50.0, 50.0));
    port.told(0, 3, 50.0);
    assert_eq!(port.told(1, 2, 0.0), (50.0, 50.0));
    assert_eq!(port.law.violation(), None);
}

#[test]
fn nobody_goes_below_his_share_because_others_hold_too_much() {
    let mut port = settled();
    // Flow 2 may have 2 of 4 parts, flow 0 one; flow 1 holds its 50 Mb/s still.
    port.open(&Terms { weight: 2.0, ..PLAIN });
    assert_eq!(port.told(0, 3, 50.0), (25.0, 25.0));
    port.capacity(60);
    assert_eq!(port.told(0, 4, 25.0), (15.0, 15.0));
    assert_eq!(port.told(2, 0, 0.0), (30.0, 0.0));
}

/// [`GrantCell`] beyond minimums; the guard is kept beside them.
#[test]
fn minimums_come_first_and_are_reserved_with_a_guard() {
    let mut port = Port::new(&[Terms { minimum_bps: 20.0 * MBPS, ..PLAIN }, PLAIN]);
    assert_near(port.law.reserved_bps(), 21.0 * MBPS);
    assert_eq!(port.told(0, 0, 0.0), (40.0, 60.0));
    assert_eq!(port.told(1, 0, 0.0), (40.0, 40.0));
}

#[test]
fn whose_share_moves_is_sent_a_notice_whatever_moved_it() {
    let mut port = Port::new(&[PLAIN]);
    port.told(0, 0, 0.0);
    assert_eq!(port.notices(), []);
    port.open(&PLAIN);
    // Who has sent nothing yet is told by his own control packets.
    assert_eq!(port.notices(), [(0, 1, 50.0)]);

    let mut port = settled();
    port.capacity(200);
    assert_eq!(port.notices(), [(0, 3, 100.0), (1, 3, 100.0)]);

    let mut port = settled();
    let terms = Terms { weight: 3.0, ..PLAIN };
    port.call(|law, cx, _| law.on_terms(cx, FlowId(0), &terms));
    assert_eq!(port.notices(), [(0, 3, 75.0), (1, 3, 25.0)]);

    let mut port = settled();
    port.call(|law, cx, _| law.on_close(cx, FlowId(1)));
    assert_eq!(port.notices(), [(0, 3, 100.0)]);
}

#[test]
fn who_will_hear_otherwise_or_is_held_elsewhere_is_sent_none() {
    let mut port = settled();
    // Flow 0 has a control packet under way; flow 1 is told 10 Mb/s by others.
    port.ask(1, 3, 50.0, 1.0).expect("it is good");
    assert_eq!(port.answer_of(1, 10.0), (10.0, 10.0));
    port.ask(0, 3, 50.0, 1.0).expect("it is good");
    port.capacity(200);
    assert_eq!(port.notices(), []);
    // It was lost: the next one that comes back tells what the port would have told.
    assert_eq!(port.told(0, 3, 50.0).0, 190.0);
    port.pass(Span::from_millis(20));
    assert_eq!(port.notices(), []);
}

#[test]
fn data_pay_for_notices() {
    let mut port = Port::new(&[PLAIN; 3]);
    for flow in 0..3 {
        port.told(flow, 0, 0.0);
    }
    // Three flows that came pay for three; each of the others is told less than before.
    port.open(&PLAIN);
    port.notices();
    let told = |port: &mut Port, mbps| {
        port.pass(Span::from_millis(100));
        port.capacity(mbps);
        port.notices().len()
    };
    let spent: usize = [1000, 300, 90, 30].into_iter().map(|mbps| told(&mut port, mbps)).sum();
    assert!(spent <= 4, "{spent}");
    assert_eq!(told(&mut port, 500), 0);
    port.data(0, 16);
    assert_eq!(told(&mut port, 1000), 1);
}

/// Another port's notice is between it and the source.
#[test]
fn notices_of_others_pass_as_they_are() {
    let mut port = settled();
    let before = format!("{:?}", port.law);
    let notice = GrantCell {
        backward: true,
        last: false,
        notice: true,
        number: 2,
        applied: 0,
        explicit_bps: 3.0 * MBPS,
        granted_bps: 4.0 * MBPS,
        current_bps: 0.0,
        loop_s: 0.0,
    };
    let mut bytes = Vec::new();
    notice.write(&mut bytes);
    assert_eq!(port.call(|law, cx, view| law.on_backward(cx, FlowId(0), &mut bytes, view)), Ok(()));
    assert_eq!((GrantCell::read(&bytes), format!("{:?}", port.law) == before), (Ok(notice), true));
}

#[test]
fn what_is_above_grants_is_dropped_and_control_packets_are_paid_for() {
    let mut port = settled();
    port.pass(Span::from_millis(100));
    assert_eq!(port.data(0, 40), 32);
    // 27 control packets of 384 bits are more than a data packet of 10,000.
    let mut port = settled();
    port.pass(Span::from_millis(100));
    assert_eq!(port.data(0, 1), 1);
    (0..27).for_each(|_| assert!(port.ask(0, 3, 50.0, 1.0).is_ok()));
    assert_eq!(port.data(0, 40), 29);
    // They come 32 at once, and no more.
    let mut port = Port::new(&[PLAIN]);
    (0..32).for_each(|_| assert!(port.ask(0, 0, 0.0, 0.0).is_ok()));
    assert_eq!(port.ask(0, 0, 0.0, 0.0), Err(Refusal::AboveAllowed));
}

/// A source that sends a little too much, as its clock is a little fast, loses nothing; one that sends more does.
#[test]
fn who_sends_as_much_as_he_may_loses_nothing() {
    let lost = |faster: f64| {
        let mut port = settled();
        let between = Span::from_secs_f64(10_000.0 / (50.0 * MBPS * faster));
        (0..20_000)
            .filter(|_| {
                port.pass(between);
                port.data(0, 1) == 0
            })
            .count()
    };
    assert_eq!(lost(1.0 + 1.0 / 256.0), 0);
    assert!(lost(1.0 + 1.0 / 64.0) > 0);
}

/// The queue less half a packet a flow is to go within the loop of most of the traffic, out of three quarters of the excess.
#[test]
fn a_queue_is_drained_at_the_pace_of_loops() {
    let share = |packets: u32, loop_ms: f64| {
        let mut port = settled();
        // The first loops that are told count no longer.
        for loop_ms in [7.0, loop_ms] {
            for flow in [0, 1] {
                port.ask(flow, 3, 50.0, loop_ms).expect("it is good");
            }
        }
        port.view.packets = packets;
        port.answer_of(0, ASKED_BPS).0
    };
    assert_near(share(8, 5.0), 50.0);
    // 20 packets of 10,000 bits in 5 ms are 40 Mb/s, which both do without.
    assert_near(share(21, 5.0), 30.0);
    assert_near(share(21, 10.0), 40.0);
    assert_near(share(101, 10.0), 12.5);
}

/// The destination turns asks of more than its flow supports.
#[test]
fn grants_are_within_what_the_destination_supports() {
    let port = Port::new(&[PLAIN]);
    let mut bytes = Vec::new();
    let cell = GrantCell {
        backward: false,
        last: false,
        notice: false,
        number: 1,
        applied: 0,
        explicit_bps: 9.0 * MBPS,
        granted_bps: 9.0 * MBPS,
        current_bps: 0.0,
        loop_s: 0.0,
    };
    cell.write(&mut bytes);
    let terms = Terms { minimum_bps: 2.0 * MBPS, supported_bps: 7.0 * MBPS, ..PLAIN };
    port.choice.turn(&terms, &mut bytes).expect("it is good");
    let turned = GrantCell::read(&bytes).expect("it is good");
    assert_eq!((turned.backward, turned.explicit_bps, turned.granted_bps), (true, 5.0 * MBPS, 7.0 * MBPS));
}
