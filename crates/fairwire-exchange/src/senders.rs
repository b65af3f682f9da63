//! Who sends, where the file of a network does not say.

use crate::draft::{Draft, Files, Flow, Names, flow_name};
use crate::findings::{Foreign, any_of, of_the_call};
use crate::flow_table;
use crate::headings::Layout;
use crate::reach::Reach;
use fairwire_scenario::{Diagnostics, MOST_FLOWS};

/// Who sends over a network.
#[derive(Clone, Debug)]
pub enum Senders<'a> {
    /// A table of flows: `from`, `to`, and perhaps `name`, `demand`, `weight`, `min_rate`,
    /// `peak_rate` and `route` (names of links with `;` between them).
    Table(Foreign<'a>),
    /// One node to every other.
    Hub(String),
    /// Every node to every other.
    AllPairs,
}

/// Who sends, and how.
#[derive(Clone, Debug)]
pub struct Sending<'a> {
    /// Between whom.
    pub senders: Senders<'a>,
    /// What.
    pub traffic: Traffic,
}

/// What flows send whose table does not tell a demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traffic {
    /// Connections of TCP where acknowledgements find a way back, else datagrams.
    #[default]
    Usual,
    /// Connections of TCP.
    Tcp,
    /// Datagrams without end, whatever becomes of them.
    Greedy,
}

impl<'a> From<Senders<'a>> for Sending<'a> {
    fn from(senders: Senders<'a>) -> Self {
        Self { senders, traffic: Traffic::default() }
    }
}

impl Sending<'_> {
    /// Fills in the flows; a table of them is laid out as the one of links.
    ///
    /// # Errors
    /// Mistakes in the table; a hub that is no node.
    pub(crate) fn add_to(&self, draft: &mut Draft, layout: &Layout) -> Result<(), Diagnostics> {
        self.senders.add_to(draft, layout)?;
        self.traffic.choose(draft);
        Ok(())
    }

    /// The files of a draft whose network is in one.
    pub(crate) fn files<'a>(&'a self, network: Foreign<'a>) -> Files<'a> {
        Files { network, flows: if let Senders::Table(flows) = self.senders { Some(flows) } else { None } }
    }
}

impl Traffic {
    /// Decides what the flows of a draft send.
    pub(crate) fn choose(self, draft: &mut Draft) {
        let mut reach = Reach::of(draft);
        for flow in draft.flows.iter_mut().filter(|flow| flow.demand.is_none()) {
            flow.is_tcp = match self {
                Self::Usual => reach.leads(&flow.to, &flow.from),
                Self::Tcp => true,
                Self::Greedy => false,
            };
        }
    }
}

impl Senders<'_> {
    /// Fills in the flows.
    ///
    /// # Errors
    /// Mistakes in the table; a hub that is no node.
    fn add_to(&self, draft: &mut Draft, layout: &Layout) -> Result<(), Diagnostics> {
        let pairs: Vec<(String, String)> = match self {
            Self::Table(file) => {
                draft.flows = flow_table::read(*file, layout, draft)?;
                return Ok(());
            }
            Self::Hub(hub) => {
                if !draft.nodes.contains(hub) {
                    return Err(no_such_node(hub, &draft.nodes));
                }
                draft.nodes.iter().filter(|node| *node != hub).map(|node| (hub.clone(), node.clone())).collect()
            }
            Self::AllPairs if draft.nodes.len().pow(2) > MOST_FLOWS => return Err(too_many_pairs(draft.nodes.len())),
            Self::AllPairs => (draft.nodes.iter())
                .flat_map(|from| draft.nodes.iter().filter(move |to| *to != from).map(|to| (from.clone(), to.clone())))
                .collect(),
        };
        let mut names = Names::default();
        let one_hub = matches!(self, Self::Hub(_));
        draft.flows = (pairs.into_iter())
            .map(|(from, to)| {
                let name = if one_hub { flow_name(&to) } else { flow_name(&format!("{from} to {to}")) };
                Flow { name: names.unique(&name), from, to, ..Flow::default() }
            })
            .collect();
        Ok(())
    }
}

/// A node that is only named on the command line.
fn no_such_node(name: &str, nodes: &[String]) -> Diagnostics {
    let some: Vec<&str> = nodes.iter().take(12).map(String::as_str).collect();
    let help = format!("name one of the nodes: {}", any_of(&some));
    of_the_call("the node to send from", name, format!("there is no node `{name}` to send from"), "no such node", help)
}

/// Found before anything is made of them: there may be more than memory holds.
fn too_many_pairs(nodes: usize) -> Diagnostics {
    let message =
        format!("{nodes} nodes make {} pairs, and there may be {MOST_FLOWS} flows at most", nodes * (nodes - 1));
    let help = "name who sends to whom: flows in a table, or one node that sends to all";
    of_the_call("who sends to whom", "all pairs", message, "too many", help.to_owned())
}
