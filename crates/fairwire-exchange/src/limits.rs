//! What is fair, as limits for the shapers of others.

use crate::ordered_json::Json;
use fairwire_scenario::{Network, Scenario, Way};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Fair rates in a network, to be written in the way of others. Rates are in bit/s, one a flow of
/// the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    network: &'a Network,
    scenario: &'a Scenario,
    rates_bps: &'a [f64],
}

/// Why limits cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    /// The scenario is a ring.
    #[error("`export` is for networks, and this scenario is a ring")]
    Ring,
    /// The network is no tree.
    #[error("the network is no tree with {root} at the top: {why}")]
    NoTree {
        /// The node that should be above all.
        root: String,
        /// What is in the way.
        why: String,
    },
    /// What limits are to be set in is no JSON.
    #[error("no JSON to set limits in: {0}")]
    NoJson(String),
    /// What limits are to be set in has a key twice in one object.
    #[error("`{0}` stands twice in one object")]
    Twice(String),
    /// What limits are to be set in names no site that has one.
    #[error("it names no site at which a flow of the scenario begins or ends")]
    NoSites,
    /// The table cannot be written.
    #[error("the table cannot be written: {0}")]
    Table(String),
}

impl<'a> Limits<'a> {
    /// Limits of a scenario from the fair rates of its flows.
    ///
    /// # Errors
    /// [`LimitError::Ring`].
    pub fn new(scenario: &'a Scenario, rates_bps: &'a [f64]) -> Result<Self, LimitError> {
        let network = scenario.network().ok_or(LimitError::Ring)?;
        Ok(Self { network, scenario, rates_bps })
    }

    /// A table with a row a flow: `flow,from,to,limit_mbps`.
    ///
    /// # Errors
    /// [`LimitError::Table`].
    pub fn flows_csv(&self) -> Result<String, LimitError> {
        let mut rows = vec![["flow", "from", "to", "limit_mbps"].map(str::to_owned)];
        for (flow, rate) in self.scenario.flows().iter().zip(self.rates_bps) {
            rows.push([flow.name.clone(), flow.from.to_string(), flow.to.to_string(), megabits(*rate)]);
        }
        written(&rows)
    }

    /// A table with a row a node: `site,download_mbps,upload_mbps`, what the flows that end
    /// there and those that begin there have together.
    ///
    /// # Errors
    /// [`LimitError::Table`].
    pub fn sites_csv(&self) -> Result<String, LimitError> {
        let mut sums = vec![(0.0, 0.0); self.network.nodes.len()];
        for (flow, rate) in self.scenario.flows().iter().zip(self.rates_bps) {
            sums[flow.to.index].0 += rate;
            sums[flow.from.index].1 += rate;
        }
        let mut rows = vec![["site", "download_mbps", "upload_mbps"].map(str::to_owned)];
        for (site, (down, up)) in self.network.nodes.iter().zip(sums) {
            rows.push([site.clone(), megabits(down), megabits(up)]);
        }
        written(&rows)
    }

    /// A tree of sites as LibreQoS has it in `network.json`. A site where flows end or begin has what crosses the link to it
    /// and the one back; all others, and ways that no flow takes, keep the capacity of their link. `root` is above all sites;
    /// without it that is the first node.
    ///
    /// # Errors
    /// [`LimitError::NoTree`] if links do not make one.
    pub fn libreqos(&self, root: Option<&str>) -> Result<Value, LimitError> {
        Ok(Value::Object(self.sites(root)?.tree))
    }

    /// The `network.json` in `text` with the limits of [`Limits::libreqos`]. All else in it stays as it is, and so do limits
    /// of sites that the scenario does not know or where none of its flows end or begin.
    ///
    /// # Errors
    /// As [`Limits::libreqos`], [`LimitError::NoJson`] for another text, [`LimitError::Twice`] for one that readers take in
    /// different ways, and [`LimitError::NoSites`] if there is nothing to set.
    pub fn libreqos_into(&self, text: &str, root: Option<&str>) -> Result<String, LimitError> {
        let mut tree: Json = serde_json::from_str(text).map_err(|error| LimitError::NoJson(error.to_string()))?;
        if let Some(key) = tree.doubled() {
            return Err(LimitError::Twice(key.to_owned()));
        }
        match set_limits(&mut tree, &self.sites(root)?.asked) {
            0 => Err(LimitError::NoSites),
            _ => Ok(format!("{tree}\n")),
        }
    }

    fn sites<'b>(&'b self, root: Option<&'b str>) -> Result<Sites<'b>, LimitError> {
        let root = root.unwrap_or(&self.network.nodes[0]);
        let mut sites = Sites::default();
        for link in &self.network.links {
            *sites.capacities.entry((&link.from, &link.to)).or_default() += link.capacity.as_bps_f64();
        }
        for (flow, rate) in self.scenario.flows().iter().zip(self.rates_bps) {
            let Way::Network { links, .. } = &flow.way else { return Err(LimitError::Ring) };
            sites.ends.extend([flow.from.index, flow.to.index].map(|node| self.network.nodes[node].as_str()));
            for link in links.iter().map(|&link| &self.network.links[link]) {
                *sites.loads.entry((&link.from, &link.to)).or_default() += rate;
            }
        }
        sites.seen.insert(root);
        sites.tree = self.below(&[root], &mut sites)?;
        match self.network.nodes.iter().find(|node| !sites.seen.contains(node.as_str())) {
            Some(node) => Err(no_tree(root, format!("no links lead from it to {node}"))),
            None => Ok(sites),
        }
    }

    /// The sites below the last of a way from the root.
    fn below<'b>(&'b self, way: &[&'b str], sites: &mut Sites<'b>) -> Result<Map<String, Value>, LimitError> {
        let (&node, parent) = (&way[way.len() - 1], way.len().checked_sub(2).map(|before| way[before]));
        let mut tree = Map::new();
        let children = self.network.links.iter().filter(|link| link.from == node && parent != Some(link.to.as_str()));
        for child in children.map(|link| link.to.as_str()) {
            if way.len() > DEEPEST {
                let why = format!("{child} is more than {DEEPEST} links away, deeper than what reads JSON follows");
                return Err(no_tree(way[0], why));
            }
            if tree.contains_key(child) {
                continue;
            }
            if !sites.seen.insert(child) {
                return Err(no_tree(way[0], format!("there are two ways to {child}")));
            }
            let asked = [(node, child), (child, node)].map(|way| sites.asked_of(way, child));
            let kept = |way: (&str, &str)| sites.capacities.get(&way).copied().map_or(0.0, |bps| rounded(bps / 1e6));
            let [down, up] = [(node, child), (child, node)].map(kept);
            let mut site = json!({
                DOWNLOAD: asked[0].unwrap_or(down),
                UPLOAD: asked[1].unwrap_or(up),
            });
            sites.asked.insert(child, asked);
            let below = self.below(&[way, &[child]].concat(), sites)?;
            if !below.is_empty() {
                site["children"] = Value::Object(below);
            }
            tree.insert(child.to_owned(), site);
        }
        Ok(tree)
    }
}

/// Most that read JSON give up at 128 levels, of which a site takes two.
const DEEPEST: usize = 60;
const DOWNLOAD: &str = "downloadBandwidthMbps";
const UPLOAD: &str = "uploadBandwidthMbps";

/// A network on its way to a tree. Links are told by their ends.
#[derive(Default)]
struct Sites<'a> {
    capacities: BTreeMap<(&'a str, &'a str), f64>,
    loads: BTreeMap<(&'a str, &'a str), f64>,
    /// Where flows begin and end.
    ends: BTreeSet<&'a str>,
    seen: BTreeSet<&'a str>,
    /// The limits down and up, in Mb/s, that were asked about.
    asked: BTreeMap<&'a str, [Option<f64>; 2]>,
    tree: Map<String, Value>,
}

impl Sites<'_> {
    /// What flows have together on the way to or from a site where some end or begin.
    fn asked_of(&self, way: (&str, &str), site: &str) -> Option<f64> {
        let load = self.loads.get(&way).filter(|_| self.ends.contains(site))?;
        Some(rounded(load / 1e6))
    }
}

/// Sets the limits of the sites in a tree, and of those below them: how many.
fn set_limits(tree: &mut Json, asked: &BTreeMap<&str, [Option<f64>; 2]>) -> usize {
    let Json::Object(sites) = tree else { return 0 };
    let mut set = 0;
    for (name, site) in sites {
        let Json::Object(fields) = site else { continue };
        let limits = asked.get(name.as_str()).copied().unwrap_or_default();
        for (key, limit) in [DOWNLOAD, UPLOAD].into_iter().zip(limits) {
            let Some(limit) = limit else { continue };
            set += 1;
            match fields.iter_mut().find(|(field, _)| field == key) {
                Some((_, value)) => *value = Json::Number(limit),
                None => fields.push((key.to_owned(), Json::Number(limit))),
            }
        }
        let children = fields.iter_mut().find(|(field, _)| field == "children");
        set += children.map_or(0, |(_, children)| set_limits(children, asked));
    }
    set
}

fn no_tree(root: &str, why: String) -> LimitError {
    LimitError::NoTree { root: root.to_owned(), why }
}

/// To the bit/s, rounded down: limits must not be more than there is.
fn rounded(megabits: f64) -> f64 {
    whole_bps(megabits * 1e6) as f64 / 1e6
}

/// A rate in bit/s as a whole number of them.
pub(crate) fn whole_bps(bps: f64) -> u64 {
    // A rate of a whole number of bit/s is not to lose one to rounding.
    (bps * (1.0 + 1e-12)).floor() as u64
}

fn megabits(bps: f64) -> String {
    rounded(bps / 1e6).to_string()
}

fn written<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> Result<String, LimitError> {
    let failed = |error: &dyn std::fmt::Display| LimitError::Table(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.write_record(row)).map_err(|error| failed(&error))?;
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}
