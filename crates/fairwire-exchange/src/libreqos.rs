//! The tree of sites of LibreQoS: `network.json`, and its circuits.

use crate::circuits;
use crate::draft::{Draft, FileSpan, Files, Flow, Link, check_asked, flow_name};
use crate::findings::{Findings, Foreign, of_the_call};
use crate::ordered_json::{Json, KeyFinder, byte_at, note_doubles};
use crate::senders::Traffic;
use crate::table::{bare_rate, of_a_link, split};
use fairwire_core::BitRate;
use fairwire_scenario::Diagnostics;
use std::ops::Range;

/// What the tree does not say.
#[derive(Clone, Debug)]
pub struct LibreQosOptions {
    /// What the place is called that all sites hang on.
    pub root: String,
    /// What circuits send.
    pub traffic: Traffic,
}

impl Default for LibreQosOptions {
    fn default() -> Self {
        Self { root: "internet".to_owned(), traffic: Traffic::default() }
    }
}

/// What the link from a site towards the root is called, beside the one to it.
pub(crate) const UP: &str = "-up";

/// A scenario from a `network.json` tree: every site is a node with a link to it of its
/// `downloadBandwidthMbps`, called as the site is, and one back of its `uploadBandwidthMbps`, with
/// `-up` behind the name. With a `ShapedDevices.csv` every circuit is a flow down and one up, with
/// its minimum and maximum as `min-rate` and `peak-rate`; without, every site without children is.
///
/// # Errors
/// Every mistake in the files, with its line and what to write instead.
pub fn from_libreqos(
    network: Foreign<'_>,
    devices: Option<Foreign<'_>>,
    options: &LibreQosOptions,
    title: &str,
) -> Result<String, Diagnostics> {
    check_asked("the title", title)?;
    let root = "the place that all sites hang on";
    check_asked(root, &options.root)?;
    if options.root.trim().is_empty() {
        let help = "call it something, such as internet".to_owned();
        return Err(of_the_call(root, &options.root, format!("{root} has no name"), "nothing here", help));
    }
    let tree: Json = match serde_json::from_str(network.text) {
        Ok(tree) => tree,
        Err(error) => {
            let at = byte_at(network.text, error.line(), error.column());
            return Findings::only(
                network,
                at..at,
                format!("this is not JSON: {error}"),
                "here",
                "mend the brackets, commas and quotes",
            );
        }
    };
    let draft = Draft { nodes: vec![options.root.clone()], ..Draft::titled(title, network) };
    let (text, findings) = (network.text, Findings::new(network));
    let mut reader = Reader { text, findings, keys: KeyFinder::new(text), draft, leaves: Vec::new() };
    match &tree {
        Json::Object(sites) if !sites.is_empty() => reader.sites(sites, &options.root),
        _ => {
            let help = "write {\"Site\": {\"downloadBandwidthMbps\": 100, \"uploadBandwidthMbps\": 20}}";
            reader.findings.error(0..0, "there are no sites in it", "here", help);
        }
    }
    let Reader { findings, mut draft, leaves, .. } = reader;
    findings.finish(())?;
    draft.flows = match devices {
        Some(devices) => circuits::read(devices, &draft.nodes[1..], &options.root)?,
        None => leaves.iter().flat_map(|leaf| both_ways(leaf, draft.places[leaf].clone(), &options.root)).collect(),
    };
    options.traffic.choose(&mut draft);
    draft.to_toml(Files { network, flows: devices })
}

fn both_ways(site: &str, span: Range<usize>, root: &str) -> [Flow; 2] {
    let name = flow_name(site);
    let place = Some(FileSpan::Network(span));
    [
        Flow {
            name: name.clone(),
            from: root.to_owned(),
            to: site.to_owned(),
            place: place.clone(),
            ..Flow::default()
        },
        Flow { name: format!("{name}{UP}"), from: site.to_owned(), to: root.to_owned(), place, ..Flow::default() },
    ]
}

struct Reader<'a> {
    text: &'a str,
    findings: Findings<'a>,
    keys: KeyFinder<'a>,
    draft: Draft,
    leaves: Vec<String>,
}

impl Reader<'_> {
    fn sites(&mut self, sites: &[(String, Json)], parent: &str) {
        for (name, site) in sites {
            let span = self.keys.next(name);
            if self.draft.places.contains_key(name) || *name == self.draft.nodes[0] {
                let message = format!("there are two places called `{name}`");
                self.findings.error(
                    span,
                    message,
                    "the second",
                    "give every site a name of its own; `--root` names the place above all",
                );
                continue;
            }
            if !matches!(site, Json::Object(_)) {
                let help = "write {\"downloadBandwidthMbps\": 100, \"uploadBandwidthMbps\": 20}";
                self.findings.error(span, format!("`{name}` is no site"), "here", help);
                continue;
            }
            note_doubles(site, self.text, self.keys.object(), &mut self.findings);
            let rates = ["downloadBandwidthMbps", "uploadBandwidthMbps"].map(|key| self.rate(name, site, key, &span));
            self.draft.add_node(name, span.clone());
            if let [Some(down), Some(up)] = rates {
                let link = |name: String, from: &str, to: &str, capacity| Link {
                    name,
                    from: from.to_owned(),
                    to: to.to_owned(),
                    capacity,
                    delay: None,
                    is_duplex: false,
                    span: span.clone(),
                };
                self.draft.links.push(link(name.clone(), parent, name, down));
                self.draft.links.push(link(format!("{name}{UP}"), name, parent, up));
            }
            match site.get("children") {
                Some(Json::Object(children)) if !children.is_empty() => self.sites(children, name),
                _ => self.leaves.push(name.clone()),
            }
        }
    }

    fn rate(&mut self, name: &str, site: &Json, key: &str, span: &Range<usize>) -> Option<BitRate> {
        let Some(text) = site.get(key).and_then(Json::as_word) else {
            let message = format!("`{name}` has no `{key}`, or none in numbers");
            self.findings.error(span.clone(), message, "this site", format!("write \"{key}\": 100"));
            return None;
        };
        let noted = |why: String| {
            let (message, help) = split(&why);
            self.findings.error(span.clone(), format!("`{key}` of `{name}`: {message}"), "this site", help);
        };
        of_a_link(bare_rate(&text, 1e6), &text, "site").map_err(noted).ok()
    }
}
