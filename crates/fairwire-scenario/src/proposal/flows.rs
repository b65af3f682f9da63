//! Changes to flows, new ones among them.

use super::amount::{Amount, Kind};
use super::ingresses::{promise, weight};
use super::links::links_called;
use super::words::Words;
use super::{Proposal, ProposalError};
use crate::expect::matches;
use crate::flow::ends::shorter;
use crate::flow::traffic::Traffic;
use crate::flow::{End, Flow, Way};
use crate::topology::Topology;
use fairwire_core::{BitRate, Ringlet, ServiceClass, Span};

/// What can be said of a flow, old or new.
const KEYS: &[&str] = &["demand", "weight", "min-rate", "peak-rate", "supported-rate", "over", "ringlet"];
/// What else a change to a flow may begin with.
const MORE: &[&str] = &["removed", "from", "to"];
const REMOVED: &[&str] = &["removed", "lost", "gone"];

impl Proposal {
    pub(super) fn change_flow(&mut self, words: &mut Words) -> Result<(), ProposalError> {
        let name = words.need("which flow", "write `flow NAME weight 2`, or `flow NAME from A to B` for a new one")?;
        if words.peek() == Some("from") {
            return self.add(&name, words);
        }
        let flows = self.flows_called(&name)?;
        match words.peek() {
            Some(word) if REMOVED.contains(&word) => {
                words.next();
                for flow in flows {
                    self.said.push(format!("flow {} is removed", self.changed.flows[flow].name));
                    self.silence(flow);
                }
                Ok(())
            }
            Some(_) => self.say_of(&flows, words, true),
            None => {
                let help = "write `weight 2`, `demand 10 Mb/s`, `removed`, …";
                Err(ProposalError::new(format!("nothing is said of flow {name}"), help))
            }
        }
    }

    /// A flow that is gone offers nothing and is guaranteed nothing.
    pub(super) fn silence(&mut self, flow: usize) {
        self.gone.insert(flow);
        let flow = &mut self.changed.flows[flow];
        (flow.traffic, flow.min_rate) = (Traffic::constant(BitRate::ZERO), BitRate::ZERO);
    }

    fn flows_called(&self, name: &str) -> Result<Vec<usize>, ProposalError> {
        let flows = &self.changed.flows;
        let here = |flow: &usize| matches(name, &flows[*flow].name) && !self.gone.contains(flow);
        let found: Vec<usize> = (0..flows.len()).filter(here).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        if flows.iter().any(|flow| flow.name == name) {
            let message = format!("flow {name} is gone already");
            return Err(ProposalError::new(message, "change it before, or leave it there"));
        }
        let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
        let mut error = ProposalError::unknown(format!("there is no flow \"{name}\""), name, &names);
        error.help.push_str(&format!("; a new one is `flow {name} from A to B`"));
        Err(error)
    }

    /// Reads keys with their values until the words end; `aloud` tells what each changes.
    fn say_of(&mut self, flows: &[usize], words: &mut Words, aloud: bool) -> Result<(), ProposalError> {
        while let Some(word) = words.next() {
            let key = match word.as_str() {
                "minimum" | "min" => "min-rate",
                "peak" => "peak-rate",
                "supported" => "supported-rate",
                "route" | "via" => "over",
                other => other,
            };
            if !KEYS.contains(&key) {
                let known: Vec<&str> = KEYS.iter().chain(MORE).copied().collect();
                return Err(ProposalError::unknown(format!("a flow has no \"{word}\" to change"), &word, &known));
            }
            let value = words.until(KEYS);
            for &flow in flows {
                let said = self.set(flow, key, &value)?;
                if aloud {
                    self.said.push(said);
                }
            }
        }
        Ok(())
    }

    /// Sets one key of one flow, and tells what that changes.
    fn set(&mut self, number: usize, key: &str, value: &str) -> Result<String, ProposalError> {
        let way = value.strip_prefix('=').map_or(value, str::trim_start);
        match key {
            "over" => return self.reroute(number, way),
            "ringlet" => return self.turn(number, way),
            _ => {}
        }
        let flow = &mut self.changed.flows[number];
        let called = format!("the {key} of flow {}", flow.name);
        let name = flow.name.clone();
        let kind = if key == "weight" { Kind::Number } else { Kind::Rate };
        let amount = Amount::read(kind, value, &called)?;
        let no_end =
            |bps: f64| if bps.is_finite() { BitRate::from_bps_f64(bps).to_text() } else { "no end".to_owned() };
        let said = match key {
            "demand" => {
                // As in the file, it is what each micro-flow asks for.
                let before = flow.offered_bps() / f64::from(flow.micro_flows);
                let after = amount.applied(before, &called)?;
                flow.traffic = match after.is_finite() {
                    true => Traffic::constant(BitRate::from_bps_f64(after)),
                    false => Traffic::GREEDY,
                };
                let who = match flow.micro_flows {
                    1 => format!("flow {name}"),
                    several => format!("each of the {several} micro-flows of flow {name}"),
                };
                format!("{who} asks for {} instead of {}", no_end(after), no_end(before))
            }
            "weight" => {
                let before = flow.weight;
                flow.weight = weight(amount, before, &called)?;
                format!("flow {name} weighs {} instead of {before}", flow.weight)
            }
            "min-rate" => {
                let before = flow.min_rate;
                flow.min_rate = promise(amount, before, &called)?;
                format!("flow {name} is promised {} instead of {before}", flow.min_rate)
            }
            _ => {
                let rate = if key == "peak-rate" { &mut flow.peak_rate } else { &mut flow.supported_rate };
                let before = rate.map_or(f64::INFINITY, BitRate::as_bps_f64);
                let after = amount.applied(before, &called)?;
                *rate = after.is_finite().then(|| BitRate::from_bps_f64(after));
                format!("flow {name} may have {} instead of {}", no_end(after), no_end(before))
            }
        };
        if let Some(cap) = flow.cap().filter(|cap| *cap < flow.min_rate) {
            let message = format!("flow {name} would be promised {} and may have {cap} only", flow.min_rate);
            return Err(ProposalError::new(message, "lower `min-rate`, or raise `peak-rate` and `supported-rate`"));
        }
        Ok(said)
    }

    /// `over hop-1 hop-2`: another way through a network.
    fn reroute(&mut self, number: usize, value: &str) -> Result<String, ProposalError> {
        let links = value.split([' ', ',']).filter(|name| !name.is_empty());
        let links: Vec<usize> = links.map(|name| self.only_link(name)).collect::<Result<_, _>>()?;
        let flow = &self.changed.flows[number];
        let called = format!("the way of flow {}", flow.name);
        let Topology::Network(network) = self.changed.topology() else {
            let help = "write `ringlet 0` or `ringlet 1`";
            return Err(ProposalError::new(format!("{called} is a ringlet, not a list of links"), help));
        };
        let mut here = flow.from.index;
        let mut visited = vec![here];
        for &link in &links {
            let of_link = &network.links[link];
            if of_link.ends.0 != here {
                let message =
                    format!("{called}: link {} leaves {}, not {}", of_link.name, of_link.from, network.nodes[here]);
                return Err(ProposalError::new(message, "name the links in order, from where the flow enters"));
            }
            here = of_link.ends.1;
            if visited.contains(&here) {
                let message = format!("{called} comes to {} twice, over link {}", network.nodes[here], of_link.name);
                return Err(ProposalError::new(message, "leave out the loop"));
            }
            visited.push(here);
        }
        if here != flow.to.index || links.is_empty() {
            let message = format!("{called} ends at {}, not at {}", network.nodes[here], flow.to);
            return Err(ProposalError::new(message, "name every link up to where the flow leaves"));
        }
        let names: Vec<String> = links.iter().map(|&link| network.links[link].name.clone()).collect();
        let said = format!("flow {} goes over {}", flow.name, names.join(", "));
        if let Way::Network { route, links: numbers, .. } = &mut self.changed.flows[number].way {
            (*route, *numbers) = (names, links);
        }
        Ok(said)
    }

    fn only_link(&self, name: &str) -> Result<usize, ProposalError> {
        match links_called(&self.changed, name)?[..] {
            [link] if !self.lost.contains(&link) => Ok(link),
            [_] => Err(ProposalError::new(format!("link {name} is lost"), "take another way")),
            _ => {
                Err(ProposalError::new(format!("\"{name}\" stands for several links"), "name one link after the other"))
            }
        }
    }

    /// `ringlet 1`: the other way around.
    fn turn(&mut self, number: usize, value: &str) -> Result<String, ProposalError> {
        let flow = &mut self.changed.flows[number];
        let (ringlet, Way::Ring { ringlet: now }) = (value, &mut flow.way) else {
            let help = "write the links it takes, as in `over hop-1 hop-2`";
            return Err(ProposalError::new(format!("flow {} runs on no ring", flow.name), help));
        };
        *now = match ringlet {
            "0" => Ringlet::Zero,
            "1" => Ringlet::One,
            other => {
                let message = format!("there is no ringlet \"{other}\"");
                return Err(ProposalError::new(message, "write `ringlet 0` or `ringlet 1`"));
            }
        };
        Ok(format!("flow {} takes ringlet {ringlet}", flow.name))
    }

    /// `flow NAME from A to B weight 2`: a new flow.
    fn add(&mut self, name: &str, words: &mut Words) -> Result<(), ProposalError> {
        if self.changed.flows.iter().any(|flow| flow.name == name) {
            let message = format!("there is a flow {name} already");
            return Err(ProposalError::new(message, "give the new one another name"));
        }
        let example = format!("write `flow {name} from A to B`");
        let mut end = |keyword: &str, what: &str| {
            if words.next().as_deref() != Some(keyword) {
                return Err(ProposalError::new(format!("flow {name} does not say {what}"), example.clone()));
            }
            words.need(what, &example)
        };
        let (from, to) = (end("from", "where it enters")?, end("to", "where it leaves")?);
        let (from, to) = (self.ingress(&from)?, self.ingress(&to)?);
        if from == to {
            return Err(ProposalError::new(format!("flow {name} goes nowhere"), "name two different ends"));
        }
        let given = words.peek_any(&["over", "ringlet"]);
        let way = self.usual_way(from, to, given)?;
        let called = |index: usize| match self.changed.topology() {
            Topology::Ring(_) => End { index, name: None },
            Topology::Network(network) => End { index, name: Some(network.nodes[index].clone()) },
        };
        let flow = Flow {
            name: name.to_owned(),
            from: called(from),
            to: called(to),
            way,
            weight: 1.0,
            class: ServiceClass::C,
            strict_order: false,
            wrap_eligible: true,
            min_rate: BitRate::ZERO,
            micro_flows: 1,
            traffic: Traffic::GREEDY,
            high_priority: false,
            start: Span::ZERO,
            start_jitter: Span::ZERO,
            active: None,
            stop: None,
            peak_rate: None,
            supported_rate: None,
            min_rate_span: 0..0,
            span: 0..0,
        };
        let rest = words.rest();
        let said = format!("flow {name} comes, from {} to {}{rest}", flow.from, flow.to);
        let number = self.changed.flows.len();
        self.changed.flows.push(flow);
        self.said.push(said);
        self.say_of(&[number], words, false)?;
        let problem = self.changed.offered_problem();
        if let Some(&lost) = problem.flows[number].route.iter().find(|link| self.lost.contains(link)) {
            let message = format!("flow {name} would take link {}, which is lost", problem.links[lost].id);
            return Err(ProposalError::new(message, "name another way with `over` or `ringlet`"));
        }
        Ok(())
    }

    /// The way that a flow takes unless told: the one with the fewest links.
    fn usual_way(&self, from: usize, to: usize, given: bool) -> Result<Way, ProposalError> {
        match self.changed.topology() {
            Topology::Ring(ring) => Ok(Way::Ring { ringlet: shorter(from, to, usize::from(ring.stations)) }),
            Topology::Network(network) => {
                let links = network.shortest(&network.ways(from), from, to);
                if links.is_none() && !given {
                    let (from, to) = (&network.nodes[from], &network.nodes[to]);
                    let message = format!("no way leads from {from} to {to}");
                    return Err(ProposalError::new(message, "name two ends with links between them"));
                }
                let links = links.unwrap_or_default();
                let route = links.iter().map(|&link| network.links[link].name.clone()).collect();
                Ok(Way::Network { route, links, reverse_route: Vec::new(), reverse_links: Vec::new() })
            }
        }
    }
}
