//! What the flows of a plan send and when, for those who send it themselves.
//!
//! These are the simulator's own sources and schedules, with their own streams of random numbers: whoever asks them gets the
//! packets and the connections that the simulation of the same plan has.

use crate::endpoint::connection::Load;
use crate::endpoint::periods::Periods;
use crate::endpoint::schedule::Schedule;
use crate::endpoint::stream::{Next, Stream};
use crate::{network, ring};
use fairwire_core::{Instant, Streams};
use fairwire_plan::{NetworkPlan, Offer, RingPlan};
use std::sync::Arc;

/// One micro-flow of a flow of the plan.
#[derive(Clone, Debug)]
pub struct MicroFlowMaker {
    /// The flow, by its place in the plan.
    pub flow: usize,
    /// Which of its micro-flows.
    pub number: u32,
    /// What it sends.
    pub maker: Maker,
}

/// What a micro-flow sends.
#[derive(Clone, Debug)]
pub enum Maker {
    /// Packets that nobody acknowledges.
    Datagrams(Box<DatagramMaker>),
    /// Connections, one after another or several at a time.
    Connections(Box<ConnectionMaker>),
}

/// Makes datagrams.
#[derive(Clone, Debug)]
pub struct DatagramMaker(Stream);

impl DatagramMaker {
    /// When the next one is sent, [`Instant::NEVER`] if there is none.
    pub fn next_at(&self) -> Instant {
        Instant::from_nanos(self.0.next_at())
    }

    /// Takes the next one: its size on the wire in bytes.
    pub fn take(&mut self) -> u16 {
        match self.0.take() {
            Next::Made { size_bytes } | Next::Brought { size_bytes, .. } => size_bytes,
        }
    }
}

/// Begins connections.
#[derive(Clone, Debug)]
pub struct ConnectionMaker(Schedule);

impl ConnectionMaker {
    /// When the next connection begins, [`Instant::NEVER`] if that is not known yet or never.
    pub fn next_begin(&self) -> Instant {
        Instant::from_nanos(self.0.next_begin())
    }

    /// When the connection without end that is open offers no more new data.
    pub fn next_end(&self) -> Instant {
        Instant::from_nanos(self.0.next_end())
    }

    /// The time of [`ConnectionMaker::next_begin`] has come: what the connection is to carry, if one begins after all.
    pub fn begin(&mut self, now: Instant) -> Option<Load> {
        self.0.begin(now.as_nanos(), true)
    }

    /// The time of [`ConnectionMaker::next_end`] has come.
    pub fn end(&mut self, now: Instant) {
        self.0.end(now.as_nanos());
    }

    /// All of a connection with an end has arrived.
    pub fn on_closed(&mut self, now: Instant) {
        self.0.on_closed(now.as_nanos());
    }
}

/// What the micro-flows of a ring send, one flow's after the other's. Where demand is without end it is the rate of the
/// station's link.
pub fn ring_makers(plan: &RingPlan) -> Vec<MicroFlowMaker> {
    let mut makers = Vec::new();
    for (flow, planned) in plan.flows.iter().enumerate() {
        for number in 0..planned.micro_flows {
            let maker = match &planned.offer {
                Offer::Datagrams(traffic) => {
                    let source = ring::build::source(plan, flow, traffic, number, true);
                    datagrams(Stream::new(source, Arc::new(Periods::always())))
                }
                Offer::Tcp(tcp) => connections(ring::build::schedule(plan, planned, tcp, number)),
                Offer::Rate(_) => continue,
            };
            makers.push(MicroFlowMaker { flow, number, maker });
        }
    }
    makers
}

/// What the micro-flows of a network send; of flows whose rates switches tell, nothing.
pub fn network_makers(plan: &NetworkPlan) -> Vec<MicroFlowMaker> {
    let streams = Streams::new(plan.seed, plan.run);
    let periods = network::build::periods(plan, &streams);
    let mut makers = Vec::new();
    for (flow, (planned, periods)) in plan.flows.iter().zip(&periods).enumerate() {
        for number in 0..planned.micro_flows {
            let rng = streams.component(&format!("source/{}/{number}", planned.name));
            let maker = match &planned.offer {
                Offer::Datagrams(traffic) => datagrams(network::build::stream(plan, flow, traffic, periods, rng)),
                Offer::Tcp(tcp) => connections(network::build::schedule(plan, flow, tcp, periods, rng)),
                Offer::Rate(_) => continue,
            };
            makers.push(MicroFlowMaker { flow, number, maker });
        }
    }
    makers
}

fn datagrams(stream: Stream) -> Maker {
    Maker::Datagrams(Box::new(DatagramMaker(stream)))
}

fn connections(schedule: Schedule) -> Maker {
    Maker::Connections(Box::new(ConnectionMaker(schedule)))
}
