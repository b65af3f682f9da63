//! A network read from somewhere, and the scenario it makes.

use crate::findings::Foreign;
use fairwire_core::{BitRate, Span, is_text_control};
use fairwire_scenario::{Diagnostics, Scenario, format};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A network and who sends over it.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub title: String,
    pub nodes: Vec<String>,
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
}

impl Draft {
    /// A draft called `title`, or after the file that it comes from.
    pub fn titled(title: &str, file: Foreign<'_>) -> Self {
        let title = if title.is_empty() { format!("From {}", file.name) } else { title.to_owned() };
        Self { title, ..Self::default() }
    }

    /// The nodes that links lead to from one.
    pub fn reached_from(&self, start: &str) -> BTreeSet<String> {
        let mut ways: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for link in &self.links {
            ways.entry(&link.from).or_default().push(&link.to);
            if link.is_duplex {
                ways.entry(&link.to).or_default().push(&link.from);
            }
        }
        let (mut reached, mut next) = (BTreeSet::from([start.to_owned()]), vec![start]);
        while let Some(node) = next.pop() {
            let new = ways.get(node).into_iter().flatten().filter(|node| reached.insert((**node).to_owned()));
            next.extend(new);
        }
        reached
    }

    /// The scenario file.
    ///
    /// # Errors
    /// What the scenario format does not allow, such as a flow to a place out of reach; with
    /// the place in the scenario.
    pub fn to_toml(&self) -> Result<String, Diagnostics> {
        let text = format(&self.text())?;
        Scenario::parse("the scenario made of it", &text)?;
        Ok(text)
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
