//! Who is at the ends of a plan: stations or hosts, their addresses, and to which flow a frame belongs.

use crate::error::NetError;
use crate::frame::{Foreign, Headers};
use crate::{MOST_FLOWS, MOST_STATIONS};
use fairwire_core::BitRate;
use fairwire_plan::{NetworkPlan, Offer, RingPlan, TcpPlan};
use std::collections::BTreeMap;

/// Receivers of flow n listen on this port plus n.
const FIRST_PORT: u16 = 2_000;
/// 10.77.0.0/16.
const NETWORK: u32 = 0x0A4D_0000;

/// All ends of a plan.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Stations or hosts that have traffic, as the scenario numbers them.
    pub stations: Vec<u32>,
    /// In the order of the plan.
    pub flows: Vec<Ends>,
    /// The first flow from one station to another, and the first that is answered.
    pairs: BTreeMap<(u16, u16), usize>,
    answered_pairs: BTreeMap<(u16, u16), usize>,
}

/// The ends of a flow.
#[derive(Clone, Debug)]
pub struct Ends {
    /// Its name.
    pub name: String,
    /// Its source, by its place among [`Layout::stations`].
    pub from: u16,
    /// Its destination, likewise.
    pub to: u16,
    /// Capacity of the link at its source.
    pub line: BitRate,
    /// If it is made of connections.
    pub tcp: Option<TcpPlan>,
}

/// Where a frame belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameOwner {
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// Whether it answers the flow.
    pub back: bool,
    /// The ports of both ends, the flow's source first; 0 where there are none.
    pub connection: u32,
}

impl Layout {
    /// The ends of a ring's flows.
    ///
    /// # Errors
    /// [`NetError`] if there are too many.
    pub fn of_ring(plan: &RingPlan) -> Result<Self, NetError> {
        Self::ring(plan).checked()
    }

    /// The ends of a ring's flows, however many.
    pub fn ring(plan: &RingPlan) -> Self {
        Self::new(plan.flows.iter().map(|flow| {
            let line = plan.links[flow.ringlet.index()][flow.from.index()].capacity;
            (flow.name.as_str(), u32::from(flow.from.0), u32::from(flow.to.0), line, &flow.offer)
        }))
    }

    /// The ends of a network's flows.
    ///
    /// # Errors
    /// [`NetError`] if there are too many.
    pub fn of_network(plan: &NetworkPlan) -> Result<Self, NetError> {
        Self::network(plan).checked()
    }

    /// The ends of a network's flows, however many.
    pub fn network(plan: &NetworkPlan) -> Self {
        Self::new(plan.flows.iter().map(|flow| {
            let first = &plan.links[flow.route[0] as usize];
            let last = &plan.links[flow.route[flow.route.len() - 1] as usize];
            (flow.name.as_str(), first.from, last.to, first.capacity, &flow.offer)
        }))
    }

    fn checked(self) -> Result<Self, NetError> {
        if self.stations.len() > MOST_STATIONS {
            return Err(NetError::Stations(self.stations.len()));
        }
        if self.flows.len() > MOST_FLOWS {
            return Err(NetError::Flows(self.flows.len()));
        }
        Ok(self)
    }

    fn new<'a>(flows: impl Iterator<Item = (&'a str, u32, u32, BitRate, &'a Offer)> + Clone) -> Self {
        let mut stations: Vec<u32> = flows.clone().flat_map(|(_, from, to, ..)| [from, to]).collect();
        stations.sort_unstable();
        stations.dedup();
        let place = |station: u32| stations.binary_search(&station).unwrap_or(0) as u16;
        let ends = |(name, from, to, line, offer): (&str, u32, u32, BitRate, &Offer)| Ends {
            name: name.to_owned(),
            from: place(from),
            to: place(to),
            line,
            tcp: offer.tcp().copied(),
        };
        let flows: Vec<Ends> = flows.map(ends).collect();
        let (mut pairs, mut answered_pairs) = (BTreeMap::new(), BTreeMap::new());
        for (number, flow) in flows.iter().enumerate() {
            pairs.entry((flow.from, flow.to)).or_insert(number);
            if flow.tcp.is_some() {
                answered_pairs.entry((flow.from, flow.to)).or_insert(number);
            }
        }
        Self { stations, flows, pairs, answered_pairs }
    }

    /// Whether packets have a way from one station to the other.
    pub fn reaches(&self, from: u16, to: u16) -> bool {
        self.pairs.contains_key(&(from, to)) || self.answered_pairs.contains_key(&(to, from))
    }

    /// The flow and the way of a frame that came up at `station`. What no declared flow's ports claim belongs to the first
    /// flow of its pair of stations.
    ///
    /// # Errors
    /// Why it is not carried.
    pub fn place(&self, station: u16, headers: &Headers) -> Result<FrameOwner, Foreign> {
        if headers.source != address(station) {
            return Err(Foreign::Source);
        }
        let to = headers.destination.wrapping_sub(address(0));
        let to = u16::try_from(to).ok().filter(|to| usize::from(*to) < self.stations.len() && *to != station);
        let to = to.filter(|to| headers.to_mac == mac(*to)).ok_or(Foreign::Destination)?;
        if let Some(ports) = headers.ports {
            let [source, destination] = [ports.source, ports.destination];
            if let Some(flow) = self.flow_of(destination)
                && (self.flows[flow].from, self.flows[flow].to) == (station, to)
            {
                return Ok(FrameOwner { flow, back: false, connection: connection(source, destination) });
            }
            if let Some(flow) = self.flow_of(source)
                && (self.flows[flow].from, self.flows[flow].to) == (to, station)
                && self.flows[flow].tcp.is_some()
            {
                return Ok(FrameOwner { flow, back: true, connection: connection(destination, source) });
            }
        }
        let [source, destination] = headers.ports.map_or([0, 0], |ports| [ports.source, ports.destination]);
        if let Some(flow) = self.pairs.get(&(station, to)) {
            return Ok(FrameOwner { flow: *flow, back: false, connection: connection(source, destination) });
        }
        match self.answered_pairs.get(&(to, station)) {
            Some(flow) => Ok(FrameOwner { flow: *flow, back: true, connection: connection(destination, source) }),
            None => Err(Foreign::NoFlow),
        }
    }

    fn flow_of(&self, port: u16) -> Option<usize> {
        port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < self.flows.len())
    }
}

fn connection(near: u16, far: u16) -> u32 {
    u32::from(near) << 16 | u32::from(far)
}

/// Where receivers of a flow listen; in captures of simulated runs flows beyond those of real runs share ports.
pub fn port(flow: usize) -> u16 {
    FIRST_PORT + (flow % MOST_FLOWS) as u16
}

/// The IPv4 address of a station: 10.77.0.1 and on.
pub fn address(station: u16) -> u32 {
    NETWORK + 1 + u32::from(station)
}

/// The station's Ethernet address: administered by us.
pub fn mac(station: u16) -> [u8; 6] {
    let [high, low] = (station + 1).to_be_bytes();
    [2, 0x66, 0x61, 0x69, high, low]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::frame::{Ports, read, tests::datagram};

    /// Two flows from station 0 to 1 of the places, the second of TCP, and one from 1 to 2.
    pub fn layout() -> Layout {
        let ends =
            |name: &str, from, to| Ends { name: name.to_owned(), from, to, line: BitRate::from_mbps(100), tcp: None };
        let settings = fairwire_laws::transport::TcpSettings {
            segment: fairwire_core::Bytes::new(1_000),
            ack: fairwire_core::Bytes::new(40),
            receive_window: 64,
            initial_window: 10,
            initial_threshold: None,
            min_timeout: fairwire_core::Span::from_millis(200),
            granularity: fairwire_core::Span::from_millis(1),
            delayed_ack: None,
            ecn: false,
        };
        let control = fairwire_laws::transport::ControlChoice::by_name("reno").unwrap();
        let tcp = TcpPlan { control, settings, work: fairwire_plan::Work::Unlimited };
        let mut flows = vec![ends("a", 0, 1), ends("b", 0, 1), ends("c", 1, 2)];
        flows[1].tcp = Some(tcp);
        let pairs = BTreeMap::from([((0, 1), 0), ((1, 2), 2)]);
        Layout { stations: vec![0, 4, 6], flows, pairs, answered_pairs: BTreeMap::from([((0, 1), 1)]) }
    }

    /// Three stations with links of 100, 200 and 300 Mb/s on both ringlets, by the station that they leave.
    pub fn ring() -> RingPlan {
        use fairwire_core::{BitRate, Bytes, Instant, Ringlet, ServiceClass, Span, StationId, Weight};
        use fairwire_plan::*;
        let link = |mbps| LinkPlan { capacity: BitRate::from_mbps(mbps), delay: Span::from_micros(100) };
        let flow = FlowPlan {
            name: "there".to_owned(),
            ringlet: Ringlet::Zero,
            from: StationId(1),
            to: StationId(2),
            weight: Weight::default(),
            class: ServiceClass::C,
            guaranteed: BitRate::ZERO,
            strict_order: false,
            wrap_eligible: true,
            micro_flows: 1,
            offer: Offer::Datagrams(Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1_000, size_jitter: 0.0 }),
            start: Instant::ZERO,
            start_jitter: Span::ZERO,
            stop: Instant::NEVER,
        };
        RingPlan {
            seed: 1,
            run: 0,
            duration: Span::from_millis(100),
            warmup: Span::ZERO,
            window: Span::from_millis(1),
            links: [vec![link(100), link(200), link(300)], vec![link(100), link(200), link(300)]],
            stations: vec![StationPlan::default(); 3],
            transit: TransitPlan::merged(Bytes::new(200_000), Overflow::Drop),
            station_queues: StationQueues::PerDestination,
            station_buffer: Bytes::new(200_000),
            flows: vec![flow],
            protection: None,
            demand_changes: Vec::new(),
            weight_changes: Vec::new(),
            capacity_changes: Vec::new(),
            control: ControlPlan::default(),
            engine: EnginePath::Auto,
            detail: Detail::Summary,
            check: false,
        }
    }

    #[test]
    fn a_flow_comes_to_its_station_as_fast_as_it_leaves() {
        let layout = Layout::of_ring(&ring()).unwrap();
        assert_eq!((layout.flows[0].from, layout.flows[0].to), (0, 1), "two of the three stations have a flow");
        assert_eq!(layout.flows[0].line, BitRate::from_mbps(200));
    }

    fn headers(from: u16, to: u16, ports: [u16; 2]) -> Headers {
        let mut frame = datagram(100, 0, address(from), address(to), ports);
        frame[..6].copy_from_slice(&mac(to));
        read(&frame).unwrap()
    }

    #[test]
    fn frames_go_to_the_flow_of_their_ports_or_of_their_pair() {
        let layout = layout();
        let place =
            |from, to, ports| layout.place(from, &headers(from, to, ports)).map(|place| (place.flow, place.back));
        assert_eq!(place(0, 1, [5, port(0)]), Ok((0, false)));
        assert_eq!(place(0, 1, [5, port(1)]), Ok((1, false)));
        assert_eq!(place(1, 0, [port(1), 5]), Ok((1, true)), "an acknowledgement");
        assert_eq!(place(1, 0, [port(0), 5]), Ok((1, true)), "nothing answers datagrams: it goes where answers go");
        assert_eq!(place(0, 1, [5, port(2)]), Ok((0, false)), "another pair's port");
        assert_eq!(place(1, 2, [9, 9]), Ok((2, false)), "anything else");
        assert_eq!(place(2, 1, [9, 9]), Err(Foreign::NoFlow));
        let there = layout.place(0, &headers(0, 1, [5, port(1)])).unwrap().connection;
        assert_eq!(layout.place(1, &headers(1, 0, [port(1), 5])).unwrap().connection, there, "one connection");
    }

    #[test]
    fn addresses_that_nobody_has_are_foreign() {
        let layout = layout();
        assert_eq!(layout.place(0, &headers(1, 2, [1, 1])), Err(Foreign::Source));
        assert_eq!(layout.place(0, &headers(0, 0, [1, 1])), Err(Foreign::Destination), "to itself");
        assert_eq!(layout.place(0, &headers(0, 9, [1, 1])), Err(Foreign::Destination));
        let strange = Headers { to_mac: mac(2), ..headers(0, 1, [1, 1]) };
        assert_eq!(layout.place(0, &strange), Err(Foreign::Destination));
        let bare = Headers { ports: None::<Ports>, ..headers(0, 1, [1, 1]) };
        assert_eq!(layout.place(0, &bare), Ok(FrameOwner { flow: 0, back: false, connection: 0 }));
    }

    /// Small numbers out of nothing.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % sides
        }
    }

    /// A good frame with something about it that is not, or bytes out of nothing.
    fn hostile(dice: &mut Dice) -> Vec<u8> {
        let [from, to] = [dice.roll(3), dice.roll(4)].map(|station| station as u16);
        let ports = [dice.roll(4) as u16 + FIRST_PORT, dice.roll(5) as u16 + FIRST_PORT];
        let mut frame = datagram(42 + dice.roll(200), dice.roll(256) as u8, address(from), address(to), ports);
        frame[..6].copy_from_slice(&mac(to));
        match dice.roll(8) {
            0 => frame.truncate(dice.roll(frame.len() + 1)),
            1 => frame[12..14].copy_from_slice(&[[0x81, 0], [0x88, 0xA8], [0x86, 0xDD], [8, 6]][dice.roll(4)]),
            2 => frame[..6].copy_from_slice(&[[0xFF; 6], [1, 0, 0x5E, 0, 0, 1], [2; 6]][dice.roll(3)]),
            3 => frame[16..18].copy_from_slice(&(dice.roll(1 << 16) as u16).to_be_bytes()),
            4 => frame[20..22].copy_from_slice(&(dice.roll(1 << 16) as u16).to_be_bytes()),
            5 => frame.iter_mut().for_each(|byte| *byte = dice.roll(256) as u8),
            _ => {}
        }
        for _ in 0..dice.roll(4) {
            if !frame.is_empty() {
                let place = dice.roll(frame.len());
                frame[place] ^= 1 << dice.roll(8);
            }
        }
        frame
    }

    #[test]
    fn a_million_hostile_frames_are_carried_or_told_by_kind_and_nothing_else_happens() {
        let (layout, mut dice) = (layout(), Dice(24));
        let (mut carried, mut foreign) = (0u32, BTreeMap::new());
        for _ in 0..1_000_000 {
            let mut frame = hostile(&mut dice);
            let from = dice.roll(3) as u16;
            match read(&frame).and_then(|headers| layout.place(from, &headers)) {
                Ok(FrameOwner { flow, back, .. }) => {
                    let Ends { from: source, to, .. } = layout.flows[flow];
                    assert_eq!(if back { to } else { source }, from, "it takes a way that begins here");
                    let length = frame.len();
                    crate::frame::mark(&mut frame);
                    assert_eq!((frame.len(), frame[15] & 3), (length, 3));
                    carried += 1;
                }
                Err(kind) => *foreign.entry(kind).or_insert(0u32) += 1,
            }
        }
        assert!(carried > 10_000 && carried + foreign.values().sum::<u32>() == 1_000_000);
        let unseen: Vec<_> = Foreign::ALL.into_iter().filter(|kind| !foreign.contains_key(kind)).collect();
        assert_eq!(unseen, [Foreign::TooLarge], "all kinds but that which its length alone tells");
    }
}
