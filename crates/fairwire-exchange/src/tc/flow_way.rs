//! Between which addresses the packets of a flow go.

use super::TcError;
use super::queue::Queue;
use fairwire_scenario::Flow;
use ipnet::IpNet;
use std::collections::BTreeMap;

/// A flow, the addresses behind its ends, and those of its own among them.
pub struct FlowWay<'a> {
    /// The flow.
    pub flow: &'a Flow,
    behind_source: Vec<IpNet>,
    behind_destination: Vec<IpNet>,
    own_sources: Vec<IpNet>,
    own_destinations: Vec<IpNet>,
}

impl<'a> FlowWay<'a> {
    /// All that is behind its ends.
    pub fn new(flow: &'a Flow, behind_source: Vec<IpNet>, behind_destination: Vec<IpNet>) -> Self {
        Self { flow, behind_source, behind_destination, own_sources: Vec::new(), own_destinations: Vec::new() }
    }

    /// Addresses of its own, in place of all those behind the end within whose prefix they lie; of both the one with the
    /// longer prefix.
    pub fn narrow(&mut self, prefix: IpNet) -> Result<(), TcError> {
        let around = |end: &[IpNet]| end.iter().filter(|end| end.contains(&prefix)).map(IpNet::prefix_len).max();
        match (around(&self.behind_source), around(&self.behind_destination)) {
            (None, None) => return Err(TcError::Elsewhere { flow: self.flow.name.clone(), prefix }),
            (source, destination) if source > destination => self.own_sources.push(prefix),
            _ => self.own_destinations.push(prefix),
        }
        Ok(())
    }

    /// Whether no packet can go from its addresses at one end to those at the other.
    pub fn is_nowhere(&self) -> bool {
        self.pairs().next().is_none()
    }

    /// Every source with every destination of the same protocol.
    fn pairs(&self) -> impl Iterator<Item = (IpNet, IpNet)> + '_ {
        fn own<'b>(own: &'b [IpNet], behind: &'b [IpNet]) -> &'b [IpNet] {
            if own.is_empty() { behind } else { own }
        }
        let destinations = own(&self.own_destinations, &self.behind_destination);
        own(&self.own_sources, &self.behind_source).iter().flat_map(move |source| {
            let is_alike = move |destination: &&IpNet| source.addr().is_ipv4() == destination.addr().is_ipv4();
            destinations.iter().filter(is_alike).map(move |destination| (*source, *destination))
        })
    }
}

/// Filters by the addresses of both ends, the longest prefixes first, since the first that fits counts.
pub fn filters(
    queue: &mut Queue<'_>,
    ways: &BTreeMap<usize, FlowWay<'_>>,
    flows: &[usize],
    classes: &BTreeMap<usize, usize>,
) -> Result<(), TcError> {
    let mut owners: BTreeMap<(IpNet, IpNet), usize> = BTreeMap::new();
    for &number in flows {
        let mut has_some = false;
        for pair in ways[&number].pairs() {
            has_some = true;
            if let Some(other) = owners.insert(pair, number).filter(|other| *other != number) {
                let name = |number: usize| ways[&number].flow.name.clone();
                return Err(TcError::SameAddresses(name(other), name(number)));
            }
        }
        if !has_some {
            queue.no_filter(classes[&number], ways[&number].flow);
        }
    }
    let mut filters: Vec<_> = owners.into_iter().collect();
    filters.sort_by_key(|((source, destination), _)| {
        std::cmp::Reverse(u16::from(source.prefix_len()) + u16::from(destination.prefix_len()))
    });
    for ((source, destination), number) in filters {
        queue.filter(source, destination, classes[&number]);
    }
    Ok(())
}
