//! A queue in front of one link, as the contract describes it, that checks at every call
//! what any law owes its driver.

use fairwire_core::{BitRate, Bytes, Cx, FlowId, Instant, Probe, RandomStream, Sample, Serialiser, Span, Streams};
use fairwire_laws::queue::{
    AnyQueueLaw, DropReason, Lanes, Limit, MOST_LANES, Order, QueueLawChoice, QueueSite, QueueView, QueuedPacket,
    Selection, Verdict, Waiting,
};
use std::collections::{BTreeMap, BTreeSet};

/// 10 Mb/s and packets of 1000 bytes: 0.8 ms each.
pub fn site(limit: Limit) -> QueueSite {
    QueueSite {
        start: Instant::ZERO,
        capacity: BitRate::from_mbps(10),
        delay: Span::from_millis(5),
        limit,
        mean_packet: Bytes::new(1000),
    }
}

pub fn packet(flow: u32) -> QueuedPacket {
    QueuedPacket { flow: FlowId(flow), source: flow, destination: 1000 + flow, size_bytes: 1000, ecn_capable: false }
}

/// A scenario's table of the law, as `name = "red"` and what else is set.
pub fn law(toml: &str) -> QueueLawChoice {
    let choice: QueueLawChoice = toml::from_str(toml).expect("the law is well written");
    assert_eq!(choice.problem(), None);
    choice
}

/// What happened to a packet, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Accepted {
        handle: u32,
        lane: u32,
        mark: bool,
    },
    Refused {
        handle: u32,
        reason: DropReason,
    },
    Evicted {
        handle: u32,
        reason: DropReason,
    },
    /// Thrown away at the head as it was its turn.
    Discarded {
        handle: u32,
        reason: DropReason,
    },
    Sent {
        handle: u32,
        flow: u32,
        size_bytes: u32,
        at: Instant,
        waited: Span,
        mark: bool,
    },
}

/// The latest value of everything that was shown, by name and index.
#[derive(Clone, Debug, Default)]
pub struct Board(pub BTreeMap<(&'static str, u32), f64>);

impl Probe for Board {
    fn show(&mut self, _now: Instant, sample: Sample) {
        assert!(sample.value.is_finite(), "{sample:?}");
        self.0.insert((sample.name, sample.index), sample.value);
    }
}

pub struct Queue {
    pub law: AnyQueueLaw,
    pub site: QueueSite,
    pub now: Instant,
    pub lanes: Lanes,
    /// Lanes below this may have been used.
    lanes_used: u32,
    pub deeds: Vec<Deed>,
    pub board: Board,
    rng: RandomStream,
    next_handle: u32,
    link: Link,
    /// Handles of those that wait.
    waiting: BTreeSet<u32>,
    /// Handles and flows of all that arrived.
    pub flows: Vec<(u32, u32)>,
    /// The driver sleeps until then: what happens before is told then.
    awake_at: Instant,
    /// By how much each timeout is late, one after the other and from the first again.
    lateness: Vec<Span>,
    timeouts: usize,
}

/// What the link does.
enum Link {
    /// It sends when [`Queue::depart`] says so.
    ByHand,
    Idle(Serialiser),
    Sending(Serialiser, Instant),
}

impl Queue {
    /// A queue whose link sends at the site's capacity.
    pub fn new(choice: &QueueLawChoice, site: QueueSite, seed: u64) -> Self {
        let link = Link::Idle(Serialiser::new(site.capacity));
        Self {
            law: choice.build(&site),
            site,
            now: site.start,
            lanes: Lanes::default(),
            lanes_used: 0,
            deeds: Vec::new(),
            board: Board::default(),
            rng: Streams::new(seed, 0).component("queue"),
            next_handle: 0,
            link,
            waiting: BTreeSet::new(),
            flows: Vec::new(),
            awake_at: site.start,
            lateness: vec![Span::ZERO],
            timeouts: 0,
        }
    }

    /// A queue whose link sends only when told to.
    pub fn by_hand(choice: &QueueLawChoice, site: QueueSite) -> Self {
        Self::new(choice, site, 1).held()
    }

    /// The same with a driver whose timers are late by these times in turn.
    pub fn late_by(self, lateness: Vec<Span>) -> Self {
        Self { lateness, ..self }
    }

    /// The same with a link that sends only when told to.
    pub fn held(self) -> Self {
        Self { link: Link::ByHand, ..self }
    }

    /// Lets time pass to `until`: departures before timeouts at the same instant.
    pub fn pass(&mut self, until: Instant) {
        loop {
            let departs = match self.link {
                Link::Sending(_, free_at) if free_at <= until => Some(free_at),
                _ => None,
            };
            let late = self.lateness[self.timeouts % self.lateness.len()];
            let wakes = self.law.poll_timeout().map(|at| at + late).filter(|&at| at <= until);
            match (departs, wakes) {
                (Some(departs), wakes) if wakes.is_none_or(|wakes| departs <= wakes) => {
                    self.now = departs.max(self.awake_at);
                    self.become_free();
                }
                (_, Some(wakes)) => {
                    self.now = wakes.max(self.now).max(self.awake_at);
                    self.timeouts += 1;
                    self.call(|law, cx, queue| law.handle_timeout(cx, queue));
                    assert!(self.law.poll_timeout().is_none_or(|next| next > self.now), "the timeout lies ahead");
                    self.try_to_send();
                }
                (_, None) => break,
            }
        }
        self.now = until;
    }

    pub fn pass_for(&mut self, span: Span) {
        self.pass(self.now + span);
    }

    /// The driver sleeps for so long: it sees nothing, does nothing, and the link idles once it
    /// has sent what it was sending. Afterwards all that was missed has the time of the awakening.
    pub fn stall(&mut self, span: Span) {
        self.pass(self.now);
        self.awake_at = self.now + span;
        self.pass(self.awake_at);
    }

    /// The link has another capacity; what is being sent is sent to its end at the old one.
    pub fn set_capacity(&mut self, capacity: BitRate) {
        self.site.capacity = capacity;
        self.law.on_capacity(self.now, capacity);
        if let Link::Idle(serialiser) = &mut self.link {
            *serialiser = Serialiser::new(capacity);
        }
    }

    /// A flow is gone, unless a packet of it waits. Whether it is.
    pub fn let_go(&mut self, flow: u32) -> bool {
        let gone = self.waiting_of(flow) == 0;
        if gone {
            self.law.on_flow_gone(FlowId(flow));
        }
        gone
    }

    /// Packets of a flow that wait.
    pub fn waiting_of(&self, flow: u32) -> usize {
        let lanes = (0..self.lanes_used).map(|lane| self.lanes.lane(lane));
        let packets = lanes.flat_map(|lane| (0..lane.packets()).filter_map(|place| lane.get(place)));
        packets.filter(|waiting| waiting.packet.flow == FlowId(flow)).count()
    }

    /// A packet arrives now. Whether it was let in (it may be evicted again).
    pub fn arrive(&mut self, packet: QueuedPacket) -> Verdict {
        self.pass(self.now);
        let handle = self.next_handle;
        self.next_handle += 1;
        self.flows.push((handle, packet.flow.0));
        let verdict = self.call(|law, cx, queue| law.on_arrival(cx, &packet, queue));
        match verdict {
            Verdict::Accept { lane, mark } => {
                assert!(lane < MOST_LANES && (lane == 0 || self.law.order() == Order::Chosen));
                assert!(packet.ecn_capable || !mark, "{packet:?} is not to be marked");
                self.lanes_used = self.lanes_used.max(lane + 1);
                self.lanes.push(lane, Waiting { packet, since: self.now, marked: mark, handle });
                self.waiting.insert(handle);
                self.deeds.push(Deed::Accepted { handle, lane, mark });
            }
            Verdict::Drop(reason) => self.deeds.push(Deed::Refused { handle, reason }),
        }
        while self.law.order() == Order::Chosen
            && let Some(eviction) = self.call(|law, cx, queue| law.poll_eviction(cx, queue))
        {
            let thrown = self.lanes.take(eviction.lane, eviction.place).expect("there is what is evicted");
            assert!(self.waiting.remove(&thrown.handle));
            self.deeds.push(Deed::Evicted { handle: thrown.handle, reason: eviction.reason });
        }
        let held = self.site.limit.holds(self.lanes.packets(), self.lanes.bytes());
        assert!(held, "{} packets, {} B wait", self.lanes.packets(), self.lanes.bytes());
        self.try_to_send();
        verdict
    }

    /// Arrives, and says whether the packet waits now or is sent.
    pub fn takes(&mut self, packet: QueuedPacket) -> bool {
        matches!(self.arrive(packet), Verdict::Accept { .. })
    }

    /// By hand: the next packet leaves for the link, if one may.
    pub fn depart(&mut self) -> Option<Waiting> {
        while self.lanes.packets() > 0 {
            let selection = match self.law.order() {
                Order::Fifo => Some(Selection::Send { lane: 0, mark: false }),
                Order::Chosen => self.call(|law, cx, queue| law.select(cx, queue)),
            };
            match selection? {
                Selection::Drop { lane, reason } => {
                    let head = self.lanes.take(lane, 0).expect("a lane with packets is selected");
                    assert!(self.waiting.remove(&head.handle));
                    self.deeds.push(Deed::Discarded { handle: head.handle, reason });
                }
                Selection::Send { lane, mark } => {
                    let head = self.lanes.take(lane, 0).expect("a lane with packets is selected");
                    assert!(self.waiting.remove(&head.handle));
                    assert!(head.packet.ecn_capable || !mark, "{head:?} is not to be marked");
                    self.call(|law, cx, queue| law.on_departure(cx, &head.packet, queue));
                    self.deeds.push(Deed::Sent {
                        handle: head.handle,
                        flow: head.packet.flow.0,
                        size_bytes: head.packet.size_bytes,
                        at: self.now,
                        waited: self.now.since(head.since),
                        mark: mark || head.marked,
                    });
                    return Some(head);
                }
            }
        }
        None
    }

    fn become_free(&mut self) {
        if let Link::Sending(serialiser, _) = std::mem::replace(&mut self.link, Link::ByHand) {
            let same = serialiser.rate() == self.site.capacity;
            self.link = Link::Idle(if same { serialiser } else { Serialiser::new(self.site.capacity) });
        }
        self.try_to_send();
        if matches!(self.link, Link::Idle(_)) {
            assert_eq!(self.lanes.packets(), 0, "a free link idles beside waiting packets");
            self.law.on_idle(self.now);
        }
    }

    fn try_to_send(&mut self) {
        if matches!(self.link, Link::Idle(_))
            && let Some(head) = self.depart()
            && let Link::Idle(mut serialiser) = std::mem::replace(&mut self.link, Link::ByHand)
        {
            let takes = serialiser.transmit(head.packet.size_bytes);
            self.link = Link::Sending(serialiser, self.now + takes);
        }
    }

    fn call<T>(&mut self, ask: impl FnOnce(&mut AnyQueueLaw, &mut Cx<'_>, &QueueView<'_>) -> T) -> T {
        let none = Lanes::default();
        let lanes = if self.law.order() == Order::Fifo { &none } else { &self.lanes };
        let view = QueueView { packets: self.lanes.packets(), bytes: self.lanes.bytes(), lanes };
        let mut cx = Cx { now: self.now, rng: &mut self.rng, probe: Some(&mut self.board) };
        ask(&mut self.law, &mut cx, &view)
    }

    pub fn shown(&self, name: &'static str, index: u32) -> f64 {
        self.board.0[&(name, index)]
    }

    pub fn waiting(&self) -> u32 {
        self.lanes.packets()
    }

    /// Bytes sent of each flow.
    pub fn sent_bytes(&self) -> BTreeMap<u32, u64> {
        let mut sent = BTreeMap::new();
        for deed in &self.deeds {
            if let Deed::Sent { flow, size_bytes, .. } = *deed {
                *sent.entry(flow).or_insert(0) += u64::from(size_bytes);
            }
        }
        sent
    }

    /// Every packet that arrived has exactly one end, or waits.
    pub fn assert_conserved(&self) {
        let mut ended = BTreeSet::new();
        let mut accepted = BTreeSet::new();
        for deed in &self.deeds {
            match *deed {
                Deed::Accepted { handle, .. } => assert!(accepted.insert(handle)),
                Deed::Refused { handle, .. } => assert!(ended.insert(handle)),
                Deed::Evicted { handle, .. } | Deed::Discarded { handle, .. } | Deed::Sent { handle, .. } => {
                    assert!(accepted.contains(&handle) && ended.insert(handle));
                }
            }
        }
        assert!(ended.is_disjoint(&self.waiting));
        assert_eq!(ended.len() + self.waiting.len(), self.next_handle as usize);
        assert_eq!(self.waiting.len(), self.lanes.packets() as usize);
    }
}
