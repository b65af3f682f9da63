//! What all micro-flows are made of.
//!
//! Ends of one kind stand side by side, so that of thousands of them nothing but what a packet needs comes from afar.

use crate::endpoint::rate_end::RateEnd;
use crate::endpoint::session::Session;
use crate::endpoint::stream::Stream;

/// What a micro-flow is made of: a `D` of datagrams, a `T` of TCP, or an `R` whose rate switches tell.
#[derive(Clone, Copy, Debug)]
pub enum MicroFlow<D, T, R> {
    Datagrams(D),
    Tcp(T),
    Rate(R),
}

/// A micro-flow of its own.
pub type Made = MicroFlow<Stream, Session, RateEnd>;

/// One that is looked at.
pub type MicroFlowRef<'a> = MicroFlow<&'a Stream, &'a Session, &'a RateEnd>;

/// One that is changed.
pub type MicroFlowMut<'a> = MicroFlow<&'a mut Stream, &'a mut Session, &'a mut RateEnd>;

/// All micro-flows.
#[derive(Debug, Default)]
pub struct MicroFlows {
    /// Where each of them stands among those of its kind.
    places: Vec<MicroFlow<u32, u32, u32>>,
    datagrams: Vec<Stream>,
    tcp: Vec<Session>,
    rate: Vec<RateEnd>,
}

impl MicroFlows {
    /// There is one more.
    pub fn push(&mut self, made: Made) {
        self.places.push(match made {
            MicroFlow::Datagrams(stream) => MicroFlow::Datagrams(push(&mut self.datagrams, stream)),
            MicroFlow::Tcp(session) => MicroFlow::Tcp(push(&mut self.tcp, session)),
            MicroFlow::Rate(end) => MicroFlow::Rate(push(&mut self.rate, end)),
        });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The one with this number.
    #[inline(always)]
    pub fn get(&self, number: usize) -> MicroFlowRef<'_> {
        match self.places[number] {
            MicroFlow::Datagrams(place) => MicroFlow::Datagrams(&self.datagrams[place as usize]),
            MicroFlow::Tcp(place) => MicroFlow::Tcp(&self.tcp[place as usize]),
            MicroFlow::Rate(place) => MicroFlow::Rate(&self.rate[place as usize]),
        }
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn get_mut(&mut self, number: usize) -> MicroFlowMut<'_> {
        match self.places[number] {
            MicroFlow::Datagrams(place) => MicroFlow::Datagrams(&mut self.datagrams[place as usize]),
            MicroFlow::Tcp(place) => MicroFlow::Tcp(&mut self.tcp[place as usize]),
            MicroFlow::Rate(place) => MicroFlow::Rate(&mut self.rate[place as usize]),
        }
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = MicroFlowRef<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }
}

/// Puts one more behind the others: its place.
fn push<E>(ends: &mut Vec<E>, end: E) -> u32 {
    ends.push(end);
    ends.len() as u32 - 1
}
