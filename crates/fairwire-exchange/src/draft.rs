//! A network read from somewhere, and the scenario it makes.

use crate::findings::{Findings, Foreign, of_the_call};
use crate::reach::Reach;
use fairwire_core::{BitRate, Span, is_text_control};
use fairwire_scenario::{Diagnostic, Diagnostics, Scenario, format};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// A network and who sends over it.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub title: String,
    pub nodes: Vec<String>,
    /// Where the file of the network first names nodes.
    pub places: BTreeMap<String, Range<usize>>,
    pub links: Vec<Link>,
    pub flows: Vec<Flow>,
}

/// A link, or two that are the way of each other back.
#[derive(Debug)]
pub(crate) struct Link {
    pub name: String,
    pub from: String,
    pub to: String,
    pub capacity: BitRate,
    pub delay: Option<Span>,
    pub is_duplex: bool,
    /// Where the file of the network tells of it.
    pub span: Range<usize>,
}

/// Where a flow is told of.
#[derive(Clone, Debug)]
pub(crate) enum FileSpan {
    /// In the file of the network.
    Network(Range<usize>),
    /// In that of the flows.
    Flows(Range<usize>),
}

/// The files that a draft is made of.
#[derive(Clone, Copy)]
pub(crate) struct Files<'a> {
    pub network: Foreign<'a>,
    pub flows: Option<Foreign<'a>>,
}

/// A flow.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub name: String,
    pub from: String,
    pub to: String,
    pub route: Vec<String>,
    pub demand: Option<BitRate>,
    pub weight: Option<f64>,
    pub min_rate: Option<BitRate>,
    pub peak_rate: Option<BitRate>,
    /// Whether it is a connection; else it sends datagrams.
    pub is_tcp: bool,
    /// Where it is told of, if it is one by one.
    pub place: Option<FileSpan>,
}

impl Draft {
    /// A draft called `title`, or after the file that it comes from.
    pub fn titled(title: &str, file: Foreign<'_>) -> Self {
        let title = if title.trim().is_empty() { format!("From {}", file.name) } else { title.to_owned() };
        Self { title: title.chars().filter(|letter| !is_text_control(*letter)).collect(), ..Self::default() }
    }

    /// Adds a node with the place that names it, unless it is there.
    pub fn add_node(&mut self, name: &str, span: Range<usize>) {
        if !self.places.contains_key(name) {
            self.nodes.push(name.to_owned());
            self.places.insert(name.to_owned(), span);
        }
    }

    /// The scenario file.
    ///
    /// # Errors
    /// What the scenario format does not allow, such as a flow to a place out of reach, and minimums that do not fit; with
    /// the place in the files.
    pub fn to_toml(&self, files: Files<'_>) -> Result<String, Diagnostics> {
        let text = format(&self.text())?;
        match Scenario::parse("the scenario made of it", &text) {
            // What is promised has to fit, or nothing could be allocated.
            Ok(made) => match made.unkept_minimums() {
                None => Ok(text),
                Some(errors) => Err(self.at_their_place(errors, files)),
            },
            Err(errors) => Err(self.out_of_reach(files).unwrap_or_else(|| self.at_their_place(errors, files))),
        }
    }

    /// Which flows find no way, if there are any.
    fn out_of_reach(&self, files: Files<'_>) -> Option<Diagnostics> {
        let mut found = FileFindings::new(files);
        let mut reach = Reach::of(self);
        let mut leads = |from: &str, to: &str| reach.leads(from, to);
        let mut others: Vec<(Range<usize>, String, String)> = Vec::new();
        for flow in self.flows.iter().filter(|flow| flow.route.is_empty()) {
            let (from, to) = (flow.from.as_str(), flow.to.as_str());
            let (from, to, why) = match (leads(from, to), flow.is_tcp && !leads(to, from)) {
                (false, _) => (from, to, ""),
                (true, true) => (to, from, ", which acknowledgements need"),
                (true, false) => continue,
            };
            let message = format!("no way leads from {from} to {to}{why}");
            let help = format!("add links on the way from {from} to {to}, or have one of those there carry both ways");
            match &flow.place {
                Some(place) => found.error(place.clone(), message, "out of reach", help),
                None => others.push((self.places.get(&flow.to).cloned().unwrap_or(0..0), message, help)),
            }
        }
        let count = others.len();
        if let Some((span, message, help)) = others.into_iter().next() {
            let more = match count {
                1 => String::new(),
                2 => ", and another flow finds none".to_owned(),
                _ => format!(", and {} other flows find none", count - 1),
            };
            let help = format!("{help}; or name who sends to whom: flows in a table, or one node that sends to all");
            found.error(FileSpan::Network(span), message + &more, "out of reach", help);
        }
        found.finish()
    }

    /// What is wrong in the scenario, told of the links, flows and nodes that it is made of.
    fn at_their_place(&self, made: Diagnostics, files: Files<'_>) -> Diagnostics {
        let mut found = FileFindings::new(files);
        for Diagnostic { message, label, help, span, .. } in &made.items {
            if let Some(place) = self.place_of(&made.text, span) {
                found.error(place, message.clone(), label, help.clone());
            }
        }
        found.finish().unwrap_or(made)
    }

    /// What a place in the scenario is made of.
    fn place_of(&self, made: &str, span: &Range<usize>) -> Option<FileSpan> {
        let mut nth = [0_usize; 2];
        let mut within = None;
        let end = made[span.start..].find('\n').map_or(made.len(), |length| span.start + length);
        for line in made[..end].lines() {
            let header = ["[[network.link]]", "[[flow]]"].iter().position(|header| line == *header);
            if let Some(header) = header {
                within = Some((header, nth[header]));
                nth[header] += 1;
            }
        }
        match within {
            Some((0, link)) => Some(FileSpan::Network(self.links.get(link)?.span.clone())),
            Some((_, flow)) => {
                let flow = self.flows.get(flow)?;
                flow.place.clone().or_else(|| Some(FileSpan::Network(self.places.get(&flow.to)?.clone())))
            }
            None => {
                let Ok(toml::Value::String(name)) = made[span.clone()].parse() else { return None };
                Some(FileSpan::Network(self.places.get(&name)?.clone()))
            }
        }
    }

    fn text(&self) -> String {
        let mut text = format!("schema = 1\ntitle = {}\n", quoted(&self.title));
        let nodes: Vec<String> = self.nodes.iter().map(|node| quoted(node)).collect();
        let _ = writeln!(text, "\n[network]\nnodes = [{}]", nodes.join(", "));
        for link in &self.links {
            let _ = write!(text, "\n[[network.link]]\nname = {}\n", quoted(&link.name));
            let _ = write!(text, "from = {}\nto = {}\n", quoted(&link.from), quoted(&link.to));
            let _ = writeln!(text, "capacity = \"{}\"", link.capacity);
            if let Some(delay) = link.delay.filter(|&delay| delay > Span::ZERO) {
                let _ = writeln!(text, "delay = \"{delay}\"");
            }
            if link.is_duplex {
                text.push_str("duplex = true\n");
            }
        }
        for flow in &self.flows {
            let _ = write!(text, "\n[[flow]]\nname = {}\n", quoted(&flow.name));
            let _ = write!(text, "from = {}\nto = {}\n", quoted(&flow.from), quoted(&flow.to));
            if !flow.route.is_empty() {
                let route: Vec<String> = flow.route.iter().map(|link| quoted(link)).collect();
                let _ = writeln!(text, "route = [{}]", route.join(", "));
            }
            let rates = [("demand", flow.demand), ("min-rate", flow.min_rate), ("peak-rate", flow.peak_rate)];
            for (key, rate) in rates.into_iter().filter_map(|(key, rate)| Some((key, rate?))) {
                let _ = writeln!(text, "{key} = \"{rate}\"");
            }
            if flow.is_tcp {
                text.push_str("traffic = { kind = \"tcp\" }\n");
            }
            if let Some(weight) = flow.weight {
                let _ = writeln!(text, "weight = {weight}");
            }
        }
        text
    }
}

/// What is wrong in two files, of which one is told.
struct FileFindings<'a> {
    network: Findings<'a>,
    flows: Option<Findings<'a>>,
}

impl<'a> FileFindings<'a> {
    fn new(files: Files<'a>) -> Self {
        Self { network: Findings::new(files.network), flows: files.flows.map(Findings::new) }
    }

    fn error(&mut self, place: FileSpan, message: String, label: &str, help: String) {
        match (place, &mut self.flows) {
            (FileSpan::Flows(span), Some(flows)) => flows.error(span, message, label, help),
            (FileSpan::Network(span) | FileSpan::Flows(span), _) => self.network.error(span, message, label, help),
        }
    }

    /// The network comes first: flows can be mended once it is right.
    fn finish(self) -> Option<Diagnostics> {
        let network = self.network.finish(()).err();
        network.or_else(|| self.flows.and_then(|flows| flows.finish(()).err()))
    }
}

/// A title or a name that was asked for.
///
/// # Errors
/// If it has control characters.
pub(crate) fn check_asked(what: &str, asked: &str) -> Result<(), Diagnostics> {
    if !asked.contains(is_text_control) {
        return Ok(());
    }
    let help = "write letters, digits and marks".to_owned();
    Err(of_the_call(what, asked, format!("{what} has control characters"), "no name", help))
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Gives names that nothing else has, with a number where they are taken.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// `name`, or `name-2`, `name-3`, …
    pub fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.0.insert(candidate.clone()) {
            candidate = format!("{name}-{number}");
            number += 1;
        }
        candidate
    }

    /// Whether a link of this name, and its way back if it has one, would need a number.
    pub fn takes_link(&self, name: &str, is_duplex: bool) -> bool {
        self.0.contains(name) || is_duplex && self.0.contains(&format!("{name}-back"))
    }

    /// The same for a link that may have a way back, whose name nothing else may have either.
    pub fn unique_link(&mut self, name: &str, is_duplex: bool) -> String {
        let mut candidate = self.unique(name);
        while is_duplex && !self.0.insert(format!("{candidate}-back")) {
            candidate = self.unique(name);
        }
        candidate
    }
}

/// A name that a flow may have: patterns and control characters are taken out.
pub(crate) fn flow_name(text: &str) -> String {
    let name: String = text.trim().chars().filter(|c| !(is_text_control(*c) || *c == '*' || *c == '?')).collect();
    if name.is_empty() { "flow".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_taken_get_a_number() {
        let mut names = Names::default();
        let given: Vec<String> = ["a", "a", "b", "a"].iter().map(|name| names.unique(name)).collect();
        assert_eq!(given, ["a", "a-2", "b", "a-3"]);
        assert_eq!(names.unique_link("b", true), "b-2");
        assert_eq!(names.unique("b-2-back"), "b-2-back-2");
    }

    #[test]
    fn what_patterns_are_made_of_is_left_out_of_names() {
        assert_eq!(flow_name(" 5 Mill *Road*?\t"), "5 Mill Road");
        assert_eq!(flow_name("*"), "flow");
    }
}
