//! Control packets of a network's flows.

use super::{Envelope, Head};
use fairwire_core::Span;
use fairwire_laws::rate::Terms;
use fairwire_plan::NetworkPlan;

/// What a control packet is about. In a datagram: four bytes for the flow, four for the node, eight for the life, four for
/// the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowHead {
    /// The flow, by its place in the scenario.
    pub flow: u32,
    /// The node that sends the datagram, by its place in the scenario.
    pub from: u32,
    /// Which life of the flow's source the packet belongs to. A source that begins anew, with its process or after a silence, has
    /// another one, and numbers its packets from 1 on again.
    pub life: u64,
    /// Its number among those of this life, from 1 on; 0 for what a port tells a source by itself.
    pub number: u32,
}

impl Head for FlowHead {
    const MARK: [u8; 4] = *b"fwn1";
    const BYTES: usize = 20;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.flow.to_be_bytes());
        bytes.extend(self.from.to_be_bytes());
        bytes.extend(self.life.to_be_bytes());
        bytes.extend(self.number.to_be_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (flow, rest) = bytes.split_first_chunk()?;
        let (from, rest) = rest.split_first_chunk()?;
        let (life, rest) = rest.split_first_chunk()?;
        let [flow, from, number] = [flow, from, rest.first_chunk()?].map(|number| u32::from_be_bytes(*number));
        Some(Self { flow, from, life: u64::from_be_bytes(*life), number })
    }
}

impl Envelope<FlowHead> {
    /// Of a network. All that its routers have to agree on is part of the checksum: links and their laws with parameters, the
    /// ways and `terms` of all flows, one each, and the lease.
    pub fn of_network(plan: &NetworkPlan, terms: &[Terms], lease: Span) -> Self {
        let link = |link: &fairwire_plan::NetworkLinkPlan| {
            (link.from, link.to, link.capacity.as_bps(), serde_json::to_value(link.rate.as_ref()).unwrap_or_default())
        };
        let links: Vec<_> = plan.links.iter().map(link).collect();
        let agreed = |terms: &Terms| [terms.minimum_bps, terms.peak_bps, terms.supported_bps, terms.weight];
        let flows: Vec<_> = plan.flows.iter().zip(terms).map(|(flow, terms)| (&flow.route, agreed(terms))).collect();
        Self::agreed(&(links, flows, lease.as_nanos()))
    }
}
