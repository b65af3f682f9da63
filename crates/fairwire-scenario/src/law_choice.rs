//! The law that runs of a scenario differ in: a ring's, or that of a network's ports or queues.

use crate::reading::no_such_name::NoSuchName;
use crate::{Scenario, Way};
use fairwire_laws::LawAbout;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::{OutsideLaw, RingLawChoice};
use fairwire_laws::transport::ControlChoice;

/// A law of either kind with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum LawChoice {
    /// What every station of a ring runs.
    Ring(RingLawChoice),
    /// What manages every queue of a network whose link names no other.
    Queue(QueueLawChoice),
    /// What tells the flows of a network their rates, where no link names another.
    Rate(RateLawChoice),
}

impl LawChoice {
    /// What is to be known of it.
    pub fn about(&self) -> &'static LawAbout {
        match self {
            Self::Ring(law) => law.about(),
            Self::Queue(law) => law.about(),
            Self::Rate(law) => law.about(),
        }
    }
}

/// The keys of a sweep that list laws.
pub(crate) const LAW_KEYS: [&str; 3] = ["ring.law.name", "network.rate.name", "network.queue.name"];

/// The lists of laws: of which kind they are, and where such a law is written.
const LISTS: [(&str, &str, &[&LawAbout]); 4] = [
    ("ring law", "in `law` of [ring]", RingLawChoice::ALL),
    ("queue law", "in `queue` of [network] and of links", QueueLawChoice::ALL),
    ("rate law", "in `rate` of [network] and of links", RateLawChoice::ALL),
    ("congestion control", "in `control` of TCP traffic", ControlChoice::ALL),
];

/// Of which kind the law of the lists is that is called `name`: `ring law`, `queue law`, `rate law` or
/// `congestion control`.
pub fn kind_of_law(name: &str) -> Option<&'static str> {
    LISTS.iter().find(|(.., laws)| laws.iter().any(|law| law.name == name)).map(|(kind, ..)| *kind)
}

/// What is called `name` among laws of another kind than `what`: its kind, and where such a law is written.
pub(crate) fn of_other_kind(what: &str, name: &str) -> Option<String> {
    let others = LISTS.iter().filter(|(kind, ..)| *kind != what);
    let called = |laws: &[&LawAbout]| laws.iter().any(|law| law.name == name);
    let (kind, place, _) = others.into_iter().find(|(.., laws)| called(laws))?;
    Some(format!("\"{name}\" is a {kind}, which stands {place}"))
}

impl Scenario {
    /// The keys of a sweep that list laws.
    pub const LAW_KEYS: [&str; 3] = LAW_KEYS;

    /// Every law that the scenario could be run under.
    pub fn all_laws(&self) -> &'static [&'static LawAbout] {
        match (self.is_ring(), self.rate_law()) {
            (true, _) => RingLawChoice::ALL,
            (false, Some(_)) => RateLawChoice::ALL,
            (false, None) => QueueLawChoice::ALL,
        }
    }

    /// The laws that the scenario's sweep lists, if it has one over laws.
    pub fn swept_laws(&self) -> Option<&[String]> {
        self.sweep().iter().find(|axis| Self::LAW_KEYS.contains(&axis.key.as_str())).map(|axis| &axis.values[..])
    }

    /// The law that the scenario names itself: a network's that of [`Scenario::rate_law`] if it has one, else that of
    /// [`Scenario::queue_law`].
    pub fn own_law(&self) -> Option<LawChoice> {
        let ring = self.law().cloned().map(LawChoice::Ring);
        let rate = || self.rate_law().cloned().map(LawChoice::Rate);
        ring.or_else(rate).or_else(|| self.queue_law().cloned().map(LawChoice::Queue))
    }

    /// Whether the law of a network's ports, or queues, rules no link that a flow takes, as each has one of its own.
    pub fn law_rules_nothing(&self) -> bool {
        let Some(network) = self.network() else { return false };
        let taken = self.flows().iter().flat_map(|flow| match &flow.way {
            Way::Network { links, reverse_links, .. } => links.iter().chain(reverse_links),
            Way::Ring { .. } => [].iter().chain(&[]),
        });
        let has_own = |link: usize| match &network.rate {
            Some(_) => network.links[link].rate.is_some(),
            None => network.links[link].queue.is_some(),
        };
        taken.copied().all(has_own)
    }

    /// The law called `name` for this scenario: as it sets it if it is its own, with its
    /// defaults otherwise.
    ///
    /// # Errors
    /// [`NoSuchName`] with the names there are.
    pub fn law_called(&self, name: &str) -> Result<LawChoice, NoSuchName> {
        self.law_among(name, &[])
    }

    /// The law called `name` for this scenario, as [`Scenario::law_called`] finds it, or one of `outside`.
    /// The rings of a scenario can run under laws from outside, its queues cannot.
    ///
    /// # Errors
    /// [`NoSuchName`] with the names there are.
    pub fn law_among(&self, name: &str, outside: &[OutsideLaw]) -> Result<LawChoice, NoSuchName> {
        if let Some(own) = self.own_law().filter(|law| law.about().name == name) {
            return Ok(own);
        }
        let outside = if self.is_ring() { outside } else { &[] };
        let (what, found) = if self.is_ring() {
            let from_outside = || outside.iter().find(|law| law.about().name == name);
            let law = RingLawChoice::by_name(name).ok();
            ("ring law", law.or_else(|| from_outside().cloned().map(RingLawChoice::outside)).map(LawChoice::Ring))
        } else if self.rate_law().is_some() {
            ("rate law", RateLawChoice::by_name(name).ok().map(LawChoice::Rate))
        } else {
            ("queue law", QueueLawChoice::by_name(name).ok().map(LawChoice::Queue))
        };
        let known = self.all_laws().iter().copied().chain(outside.iter().map(OutsideLaw::about));
        found.ok_or_else(|| {
            let unknown = NoSuchName::new(what, name, known.map(|about| about.name));
            NoSuchName { elsewhere: of_other_kind(what, name), ..unknown }
        })
    }

    /// The same under a law; one of the other kind changes nothing.
    #[must_use]
    pub fn under(&self, law: &LawChoice) -> Self {
        match law {
            LawChoice::Ring(law) => self.with_law(law.clone()),
            LawChoice::Queue(law) => self.with_queue_law(law.clone()),
            LawChoice::Rate(law) => self.with_rate_law(law.clone()),
        }
    }
}
