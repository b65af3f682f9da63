//! Which links are captured, and what they are called.

use crate::options::Carried;
use fairwire_core::{BitRate, Instant, Ringlet, StationId};
use fairwire_plan::{NetworkPlan, RingPlan};

/// A directed link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureLink {
    /// As tables have it: `r0:3` on rings, its own name in networks.
    pub name: String,
    /// Where it begins and ends, as the scenario numbers it.
    pub ends: [u32; 2],
    /// What it carries at first.
    pub capacity: BitRate,
}

/// Links of a plan that are to be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureLinks {
    /// The links.
    pub links: Vec<CaptureLink>,
    /// Their places in the plan: on rings those of ringlet 0 first.
    places: Vec<usize>,
    stations: usize,
}

/// There is no link of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no link `{name}` to capture")]
pub struct UnknownLink {
    /// The name.
    pub name: String,
    /// Names that there are, or some of them.
    pub known: Vec<String>,
}

/// All links.
const ALL: &str = "all";
/// So many names are proposed.
const PROPOSED: usize = 12;

impl CaptureLinks {
    /// Links of a ring by their names, in the order told and each once; `all` names all.
    ///
    /// # Errors
    /// [`UnknownLink`] for a name that no link has.
    pub fn of_ring(plan: &RingPlan, names: &[String]) -> Result<Self, UnknownLink> {
        let stations = plan.stations.len();
        let link = |(ringlet, from): (Ringlet, usize)| CaptureLink {
            name: ringlet.link_name(from),
            ends: [from, ringlet.downstream(from, stations)].map(|station| station as u32),
            capacity: plan.links[ringlet.index()][from].capacity,
        };
        let all = Ringlet::BOTH.into_iter().flat_map(|ringlet| (0..stations).map(move |from| (ringlet, from)));
        Self::among(all.map(link).collect(), names, stations)
    }

    /// Links of a network, likewise.
    ///
    /// # Errors
    /// [`UnknownLink`] for a name that no link has.
    pub fn of_network(plan: &NetworkPlan, names: &[String]) -> Result<Self, UnknownLink> {
        let links = plan.links.iter().map(|link| CaptureLink {
            name: link.name.clone(),
            ends: [link.from, link.to],
            capacity: link.capacity_at(Instant::ZERO),
        });
        Self::among(links.collect(), names, 0)
    }

    fn among(all: Vec<CaptureLink>, names: &[String], stations: usize) -> Result<Self, UnknownLink> {
        let mut places = Vec::new();
        for name in names {
            let found: Vec<usize> = match all.iter().position(|link| link.name == *name) {
                Some(place) => vec![place],
                None if name == ALL => (0..all.len()).collect(),
                None => {
                    let known = all.iter().map(|link| link.name.clone()).take(PROPOSED).collect();
                    return Err(UnknownLink { name: name.clone(), known });
                }
            };
            for place in found {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let links = places.iter().map(|place| all[*place].clone()).collect();
        Ok(Self { links, places, stations })
    }

    /// As rings name them.
    pub fn on_ring(&self) -> Vec<(Ringlet, StationId)> {
        let link = |place: &usize| (Ringlet::BOTH[place / self.stations], StationId((place % self.stations) as u16));
        self.places.iter().map(link).collect()
    }

    /// As networks number them.
    pub fn on_network(&self) -> &[usize] {
        &self.places
    }

    /// Has `carried` keep what they send.
    pub fn begin(&self, carried: &mut Carried) {
        match carried {
            Carried::Ring(ring) => ring.capture(&self.on_ring()),
            Carried::Network(network) => network.capture(self.on_network()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(names: &[&str]) -> Result<Vec<usize>, UnknownLink> {
        let link = |name: &str| CaptureLink { name: name.to_owned(), ends: [0, 1], capacity: BitRate::from_mbps(1) };
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        CaptureLinks::among(["r0:0", "r0:1", "r1:0", "r1:1"].map(link).to_vec(), &names, 2).map(|links| links.places)
    }

    #[test]
    fn links_are_named_as_in_tables_and_taken_once() {
        assert_eq!(among(&["r1:0", "r0:1", "r1:0"]), Ok(vec![2, 1]));
        assert_eq!(among(&["r0:1", "all"]), Ok(vec![1, 0, 2, 3]));
        let error = among(&["r2:0"]).unwrap_err();
        assert_eq!((error.to_string(), error.known.len()), ("there is no link `r2:0` to capture".to_owned(), 4));
    }
}
