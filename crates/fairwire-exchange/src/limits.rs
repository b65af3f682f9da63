//! What is fair, as limits for the shapers of others.

use fairwire_scenario::{Network, Scenario, Way};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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
    #[error("limits of sites are for networks, and this scenario is a ring")]
    Ring,
    /// The network is no tree.
    #[error("the network is no tree with {root} at the top: {why}")]
    NoTree {
        /// The node that should be above all.
        root: String,
        /// What is in the way.
        why: String,
    },
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

    /// A tree of sites as LibreQoS has it in `network.json`: each with what its flows and those
    /// of the sites below it have together. `root` is above all sites; without it that is the
    /// first node.
    ///
    /// # Errors
    /// [`LimitError::NoTree`] if links do not make one.
    pub fn libreqos(&self, root: Option<&str>) -> Result<Value, LimitError> {
        let root = root.unwrap_or(&self.network.nodes[0]);
        let mut loads: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for link in &self.network.links {
            loads.insert((&link.from, &link.to), 0.0);
        }
        for (flow, rate) in self.scenario.flows().iter().zip(self.rates_bps) {
            let Way::Network { links, .. } = &flow.way else { return Err(LimitError::Ring) };
            for link in links.iter().map(|&link| &self.network.links[link]) {
                *loads.entry((&link.from, &link.to)).or_default() += rate;
            }
        }
        let mut seen = vec![root];
        let sites = self.below(root, None, &loads, &mut seen)?;
        match self.network.nodes.iter().find(|node| !seen.contains(&node.as_str())) {
            Some(node) => Err(no_tree(root, format!("no links lead from it to {node}"))),
            None => Ok(Value::Object(sites)),
        }
    }

    fn below<'b>(
        &'b self,
        node: &'b str,
        parent: Option<&str>,
        loads: &BTreeMap<(&str, &str), f64>,
        seen: &mut Vec<&'b str>,
    ) -> Result<Map<String, Value>, LimitError> {
        let mut sites = Map::new();
        let children = self.network.links.iter().filter(|link| link.from == node && parent != Some(link.to.as_str()));
        for child in children.map(|link| link.to.as_str()) {
            if sites.contains_key(child) {
                continue;
            }
            if seen.contains(&child) {
                return Err(no_tree(seen[0], format!("there are two ways to {child}")));
            }
            seen.push(child);
            let load = |from: &str, to: &str| loads.get(&(from, to)).copied().unwrap_or(0.0) / 1e6;
            let mut site = json!({
                "downloadBandwidthMbps": rounded(load(node, child)),
                "uploadBandwidthMbps": rounded(load(child, node)),
            });
            let below = self.below(child, Some(node), loads, seen)?;
            if !below.is_empty() {
                site["children"] = Value::Object(below);
            }
            sites.insert(child.to_owned(), site);
        }
        Ok(sites)
    }
}

fn no_tree(root: &str, why: String) -> LimitError {
    LimitError::NoTree { root: root.to_owned(), why }
}

/// To the bit/s, rounded down: limits must not be more than there is.
fn rounded(megabits: f64) -> f64 {
    // A rate of a whole number of bit/s is not to lose one to rounding.
    (megabits * 1e6 * (1.0 + 1e-12)).floor() / 1e6
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
