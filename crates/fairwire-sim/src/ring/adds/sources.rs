//! What makes the packets of a station queue: sources, and crowds of them.

use crate::endpoint::crowd::Crowd;
use crate::endpoint::source::Source;
use crate::lots::Lots;
use crate::ring::wire::Packet;
use crate::ties::Ties;
use crate::tournament::Tournament;

/// All that makes packets of one queue. Each source has a number, in the order in which it was added, and so has each
/// member of a crowd.
#[derive(Debug, Default)]
pub struct Sources {
    /// Those that are no part of a crowd.
    pub singles: Vec<Source>,
    pub crowds: Vec<Crowd>,
    lots: NumberedLots,
    /// Whose packet arises first of the singles, where that takes long to look for.
    turns: Option<Box<Tournament<NumberedLots>>>,
    /// How many there are, with all members of crowds.
    count: u32,
}

/// More sources than this play a tournament, or are a crowd if they can; fewer are looked at one after the other.
pub const FEW_SOURCES: usize = 8;

/// Who goes first of single sources that make a packet at the same nanosecond: lots are drawn by their numbers.
#[derive(Clone, Debug, Default)]
struct NumberedLots {
    lots: Lots,
    numbers: Vec<u32>,
}

/// A single source or a crowd, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    Single(usize),
    Crowd(usize),
}

impl Ties for NumberedLots {
    fn right_is_first(&self, at_ns: u64, left: u32, right: u32) -> bool {
        self.draw(at_ns, right as usize) < self.draw(at_ns, left as usize)
    }
}

impl NumberedLots {
    /// What the single at `place` draws for this instant.
    fn draw(&self, at_ns: u64, place: usize) -> u64 {
        self.lots.draw(at_ns, self.numbers[place])
    }
}

impl Sources {
    /// Nobody yet; those who make a packet at the same nanosecond will draw these `lots`.
    pub fn new(lots: Lots) -> Self {
        Self { lots: NumberedLots { lots, numbers: Vec::new() }, ..Self::default() }
    }

    pub fn add(&mut self, source: Source) {
        self.lots.numbers.push(self.count);
        self.singles.push(source);
        self.count += 1;
    }

    pub fn add_crowd(&mut self, crowd: Crowd) {
        let members = crowd.members() as u32;
        self.crowds.push(crowd.numbered_from(self.count));
        self.count += members;
    }

    /// All have been added.
    pub fn ready(mut self) -> Self {
        if self.singles.len() > FEW_SOURCES {
            let keys = self.singles.iter().map(Source::next_at).collect();
            self.turns = Some(Box::new(Tournament::new(keys, self.lots.clone())));
        }
        self
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.singles.is_empty() && self.crowds.is_empty()
    }

    pub fn plays(&self) -> bool {
        self.turns.is_some()
    }

    /// The size of what they make, if it is one.
    pub fn equal_size(&self) -> Option<u16> {
        let singles = self.singles.iter().map(|source| source.has_equal_sizes().then(|| source.next_size()));
        let mut sizes = singles.chain(self.crowds.iter().map(|crowd| Some(crowd.size())));
        let size = sizes.next()??;
        sizes.all(|other| other == Some(size)).then_some(size)
    }

    /// The flow of all that they make, if it is one.
    pub fn only_flow(&self) -> Option<u32> {
        match (self.singles.as_slice(), self.crowds.as_slice()) {
            ([source], []) => Some(source.flow),
            ([], [crowd]) => Some(crowd.flow),
            _ => None,
        }
    }

    /// Packets of each flow over the whole run: how many came up, and how many of these found no room. A flow may be
    /// there more than once.
    pub fn counts(&self) -> impl Iterator<Item = (u32, u64, u64)> {
        let singles = self.singles.iter().map(|source| (source.flow, source.offered, source.refused));
        singles.chain(self.crowds.iter().map(Crowd::counts))
    }

    /// What flows that are `mine` have offered.
    pub fn offered_bytes(&self, mine: impl Fn(u32) -> bool) -> u64 {
        let singles = self.singles.iter().map(|source| (source.flow, source.offered_bytes));
        let crowds = self.crowds.iter().map(|crowd| (crowd.flow, crowd.offered_bytes()));
        singles.chain(crowds).filter(|(flow, _)| mine(*flow)).map(|(_, bytes)| bytes).sum()
    }

    /// A single source has another next packet.
    #[inline(always)]
    pub fn has_moved(&mut self, source: usize) {
        if let Some(turns) = &mut self.turns {
            turns.update(source, self.singles[source].next_at());
        }
    }

    /// The single source whose packet arises first; only where they `MAY_PLAY` a tournament it is looked for there.
    #[inline]
    pub fn next_single<const MAY_PLAY: bool>(&self) -> usize {
        match &self.turns {
            _ if self.singles.len() == 1 => 0,
            Some(turns) if MAY_PLAY => turns.first().0,
            _ => self.next_of_few(),
        }
    }

    /// The same among few; equals draw lots.
    fn next_of_few(&self) -> usize {
        let Some(at) = self.singles.iter().map(Source::next_at).min() else { return 0 };
        let mut first = self.singles.iter().enumerate().filter(|(_, source)| source.next_at() == at);
        let Some((alone, _)) = first.next() else { return 0 };
        let draw = |place| self.lots.draw(at, place);
        first.map(|(place, _)| place).fold(alone, |first, other| if draw(other) < draw(first) { other } else { first })
    }

    /// Whose packet arises first of all, and when; of equals by lot.
    #[inline]
    pub fn next(&self) -> Option<(Maker, u64)> {
        if !self.crowds.is_empty() {
            return self.next_beside_crowds();
        }
        let place = self.next_single::<true>();
        self.singles.get(place).map(|source| (Maker::Single(place), source.next_at()))
    }

    #[inline(never)]
    fn next_beside_crowds(&self) -> Option<(Maker, u64)> {
        if let ([], [crowd]) = (self.singles.as_slice(), self.crowds.as_slice()) {
            // Its members' packets are alike, so that nobody need draw.
            return Some((Maker::Crowd(0), crowd.next_at()));
        }
        let single = self.next_single::<true>();
        let single = self.singles.get(single).map(|source| (Maker::Single(single), source.next_at()));
        let crowds = self.crowds.iter().enumerate().map(|(place, crowd)| (Maker::Crowd(place), crowd.next_at()));
        let all = || single.into_iter().chain(crowds.clone());
        let first_at = all().map(|(_, at)| at).min()?;
        let mut first = all().filter(|(_, at)| *at == first_at);
        let alone = first.next()?;
        let Some(other) = first.next().filter(|_| first_at < u64::MAX) else { return Some(alone) };
        [alone, other].into_iter().chain(first).min_by_key(|(maker, at)| self.draw(*maker, *at))
    }

    /// The lot of whoever it is that makes this maker's next packet, which arises at `at_ns`.
    fn draw(&self, maker: Maker, at_ns: u64) -> u64 {
        match maker {
            Maker::Single(place) => self.lots.draw(at_ns, place),
            Maker::Crowd(place) => self.crowds[place].draw(&self.lots.lots),
        }
    }

    /// Takes the next packet of `maker`, which does not say yet when it was made.
    #[inline]
    pub fn take(&mut self, maker: Maker) -> Packet {
        match maker {
            Maker::Single(place) => {
                let source = &mut self.singles[place];
                let packet = Packet::new(0, source.flow, source.take(), source.egress);
                self.has_moved(place);
                packet
            }
            Maker::Crowd(place) => {
                let crowd = &mut self.crowds[place];
                crowd.take();
                Packet::new(0, crowd.flow, crowd.size(), crowd.egress)
            }
        }
    }
}
