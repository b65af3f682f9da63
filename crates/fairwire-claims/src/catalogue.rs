//! The catalogue as it travels with the product: `claims/*.toml`.

use serde::Deserialize;
use std::sync::LazyLock;
use toml::Table;

/// One checkable statement of a paper.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// Its name, stable for ever.
    pub id: String,
    /// The paper's short name.
    pub paper: String,
    /// Section, figure or table.
    #[serde(rename = "where")]
    pub place: String,
    /// What it says, in one sentence.
    pub title: String,
    /// What sort of check it takes.
    pub kind: String,
    /// What the paper leaves open, and slips of its print.
    pub notes: String,
    /// What to build.
    pub scenario: Table,
    /// What the paper says comes out.
    pub expected: Table,
    /// How close a reproduction must come.
    pub tolerance: Table,
}

/// A paper that claims are from.
#[derive(Clone, Debug, Deserialize)]
pub struct Paper {
    /// Its short name, as claims have it.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// What it is about, in words of our own.
    pub about: String,
}

/// The papers, in the order of the files.
pub fn papers() -> &'static [Paper] {
    &CATALOGUE.papers
}

/// Every claim, paper by paper in the order of the files.
pub fn catalogue() -> &'static [Claim] {
    &CATALOGUE.claims
}

/// The flows of a topology that several claims share, as pairs of nodes.
pub(crate) fn topology(name: &str) -> Option<Vec<(usize, usize)>> {
    flows(CATALOGUE.topologies.get(name)?.as_table()?)
}

/// A topology that several claims share, as the catalogue has it.
pub(crate) fn topology_table(name: &str) -> Option<&'static Table> {
    CATALOGUE.topologies.get(name)?.as_table()
}

/// What the simulations of a paper have in common, such as `wmfqc-sim`.
pub(crate) fn defaults(name: &str) -> Option<&'static Table> {
    CATALOGUE.defaults.get(name)?.as_table()
}

/// The `flows` of a table, as pairs of nodes.
pub(crate) fn flows(table: &Table) -> Option<Vec<(usize, usize)>> {
    let pair = |value: &toml::Value| {
        let ends = value.as_array()?;
        Some((index(ends.first()?)?, index(ends.get(1)?)?))
    };
    table.get("flows")?.as_array()?.iter().map(pair).collect()
}

fn index(value: &toml::Value) -> Option<usize> {
    value.as_integer().and_then(|number| usize::try_from(number).ok())
}

struct Catalogue {
    papers: Vec<Paper>,
    claims: Vec<Claim>,
    topologies: Table,
    defaults: Table,
}

#[derive(Deserialize)]
struct PaperFile {
    paper: Paper,
    claim: Vec<Claim>,
}

#[derive(Deserialize)]
struct SharedFile {
    topology: Table,
    defaults: Table,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    const FILES: [&str; 5] = [
        include_str!("../../../claims/dvsr.toml"),
        include_str!("../../../claims/rias-benchmark-slides.toml"),
        include_str!("../../../claims/rpr-enhanced-conservative.toml"),
        include_str!("../../../claims/vrr-gateway.toml"),
        include_str!("../../../claims/wmfqc.toml"),
    ];
    let read = |text: &str| toml::from_str::<PaperFile>(text).expect("the tests read every file of the catalogue");
    let shared: SharedFile = toml::from_str(include_str!("../../../claims/shared.toml"))
        .expect("the tests read every file of the catalogue");
    let (papers, claims): (Vec<Paper>, Vec<Vec<Claim>>) =
        FILES.into_iter().map(read).map(|file| (file.paper, file.claim)).unzip();
    Catalogue {
        papers,
        claims: claims.into_iter().flatten().collect(),
        topologies: shared.topology,
        defaults: shared.defaults,
    }
});

impl Claim {
    /// The numbers under `key` of what is expected.
    pub(crate) fn expected_rates(&self, key: &str) -> Option<Vec<f64>> {
        self.expected.get(key)?.as_array()?.iter().map(number).collect()
    }

    /// The number under `key` of what is expected.
    pub(crate) fn expected_number(&self, key: &str) -> Option<f64> {
        number(self.expected.get(key)?)
    }
}

/// A TOML number of either kind.
pub(crate) fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_184_claims_with_ids_of_their_own() {
        let ids: BTreeSet<&str> = catalogue().iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!((catalogue().len(), ids.len()), (184, 184));
    }

    #[test]
    fn each_file_tells_of_one_paper() {
        let of_claims: BTreeSet<&str> = catalogue().iter().map(|claim| claim.paper.as_str()).collect();
        let told: BTreeSet<&str> = papers().iter().map(|paper| paper.name.as_str()).collect();
        assert_eq!((papers().len(), told), (5, of_claims));
        assert!(papers().iter().all(|paper| paper.about.ends_with('.') && !paper.about.contains("  ")));
    }

    #[test]
    fn shared_topologies_are_read() {
        assert_eq!(topology("two-flow"), Some(vec![(1, 3), (2, 3)]));
    }
}
