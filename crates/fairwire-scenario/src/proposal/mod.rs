//! What could be different, in a line: `link hop-3 +10%; flow farm weight = 60`.

mod amount;
mod error;
mod flows;
mod ingresses;
mod links;
mod outcome;
mod words;

pub use error::ProposalError;

use crate::Scenario;
use crate::flow::guarantee::Guarantees;
use crate::topology::Topology;
use fairwire_core::Ringlet;
use std::collections::BTreeSet;
use words::Words;

/// Changes to a scenario, made together.
#[derive(Clone, Debug)]
pub struct Proposal {
    text: String,
    said: Vec<String>,
    /// The scenario with the changes; what is lost or gone is still there and carries nothing.
    changed: Scenario,
    /// Links that are lost, by their position in the problem.
    lost: BTreeSet<usize>,
    /// Flows that are gone, by position.
    gone: BTreeSet<usize>,
    /// How many flows the scenario has as it is; later ones are new.
    known: usize,
}

/// What a change can be about.
const SUBJECTS: &[&str] = &["link", "flow", "station", "node"];

impl Scenario {
    /// Reads changes: one, or several with `;` between them, made one after the other.
    ///
    /// | change | meaning |
    /// | --- | --- |
    /// | `link NAME +10%`, `-5 Mb/s`, `= 1 Gb/s` | another capacity |
    /// | `link NAME lost` | the link is gone, and every flow that crosses it |
    /// | `flow NAME demand …`, `weight …`, `min-rate …`, `peak-rate …`, `supported-rate …` | another number; `none` for no limit |
    /// | `flow NAME over LINK LINK`, `flow NAME ringlet 1` | another way |
    /// | `flow NAME from A to B` and any of these | a new flow |
    /// | `flow NAME removed` | the flow is gone |
    /// | `station N weight …`, `min-rate …`; `node NAME …` | what an ingress is worth or promised |
    ///
    /// On a ring `link 4` is the link that leaves station 4, if flows use only one of the two.
    /// `*` in the name of a link or flow stands for any characters.
    ///
    /// # Errors
    /// [`ProposalError`] with what to write instead.
    pub fn proposal(&self, text: &str) -> Result<Proposal, ProposalError> {
        let mut proposal = Proposal {
            text: text.trim().to_owned(),
            said: Vec::new(),
            changed: self.clone(),
            lost: BTreeSet::new(),
            gone: BTreeSet::new(),
            known: self.flows().len(),
        };
        for clause in text.split(';').map(str::trim).filter(|clause| !clause.is_empty()) {
            let mut words = Words::read(clause)?;
            let subject = words.next().unwrap_or_default();
            match subject.as_str() {
                "link" => proposal.change_link(&mut words)?,
                "flow" => proposal.change_flow(&mut words)?,
                "station" | "node" => proposal.change_ingress(&mut words)?,
                other => {
                    let message = format!("\"{clause}\" is about a \"{other}\"");
                    return Err(ProposalError::unknown(message, other, SUBJECTS));
                }
            }
            words.end()?;
        }
        if proposal.said.is_empty() {
            return Err(ProposalError::new("nothing is proposed", "write a change, such as \"link NAME +10%\""));
        }
        proposal.check_guarantees()?;
        Ok(proposal)
    }
}

impl Proposal {
    /// The changes as they were written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every change in a sentence, with the numbers before and after.
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// What classes guarantee must still leave something of every link.
    fn check_guarantees(&self) -> Result<(), ProposalError> {
        let Topology::Ring(ring) = self.changed.topology() else { return Ok(()) };
        let capacities = ring.capacities();
        let Some((flow, link)) = Guarantees::too_much(ring, self.changed.flows(), &capacities) else { return Ok(()) };
        let (stations, flow) = (usize::from(ring.stations), &self.changed.flows()[flow].name);
        let message = format!(
            "then, with flow {flow}, link {} would guarantee as much as it carries, {}, and leave nothing to share",
            Ringlet::BOTH[link / stations].link_name(link % stations),
            capacities[link]
        );
        Err(ProposalError::new(message, "take less capacity away, or guarantee less with `min-rate`"))
    }
}
