//! The ways in which DVSR may count and tell, under each of which every claim on it is measured.
//!
//! Two things of the law come in whole units: what an ingress has brought, in packets, and, if a frame has a byte a link as the paper
//! prints it, the rate. Table I as printed compares counts strictly; the product grants them a margin of one packet.

use crate::catalogue::Claim;
use crate::reading::Reading;
use crate::row::Finding;
use crate::runs::{Trouble, law};
use fairwire_laws::ring::RingLawChoice;
use fairwire_sweep::side_by_side;

/// How DVSR counts and tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Packets by which a count may fall short of its share; 0 as printed.
    margin: u8,
    /// How frames tell rates.
    encoding: &'static str,
}

/// Measures one claim on DVSR under one of them.
pub type WayCheck = fn(&Claim, Way) -> Result<Finding, Trouble>;

/// Claims that hold as printed and not with the margin, as measured here.
const BROKEN_BY_THE_MARGIN: &[&str] = &["dvsr-tableI-is-maxmin-of-largest", "dvsr-sec5-fair-rate-cost"];

const PRINTED: Way = Way { margin: 0, encoding: "exact" };
const OTHERS: [Way; 3] =
    [Way { margin: 1, encoding: "exact" }, Way { margin: 0, encoding: "byte" }, Way { margin: 1, encoding: "byte" }];

impl Way {
    /// Counts as printed, and frames that tell rates exactly.
    pub fn is_printed(self) -> bool {
        self == PRINTED
    }

    /// DVSR so, with these parameters (TOML text) on top.
    pub fn law(self, parameters: &str) -> Result<RingLawChoice, Trouble> {
        law("dvsr", &self.parameters(parameters))
    }

    /// The parameters, and these on top.
    pub fn parameters(self, more: &str) -> String {
        format!("count-margin = {}.0\nencoding = \"{}\"\n{more}", self.margin, self.encoding)
    }

    /// The parameters if the law is DVSR, and none otherwise.
    pub fn of(self, law: &str) -> String {
        if law == "dvsr" { self.parameters("") } else { String::new() }
    }

    fn reading(self) -> Reading {
        let Self { margin, encoding } = self;
        let name = format!("`count-margin = {margin}`, `encoding = \"{encoding}\"`");
        let counts = "counts come in whole packets, so that 19 packets where 19.4 are due are no smaller demand";
        let bytes = "the paper's frame has N bytes, one a link, and tells a rate in steps of 1/255";
        let reading = match (margin, encoding) {
            (0, _) => return Reading::argued(name, bytes),
            (_, "exact") => Reading::of_the_product(name, counts),
            _ => Reading::argued(name, format!("{counts}; {bytes}")),
        };
        BROKEN_BY_THE_MARGIN.iter().fold(reading, |reading, id| reading.breaks(*id))
    }
}

/// The claim as printed, and under each other way.
pub fn each_way(claim: &Claim, check: WayCheck) -> Result<Finding, Trouble> {
    let ways = [PRINTED].into_iter().chain(OTHERS);
    let mut found = side_by_side(ways, |way| check(claim, way))?;
    let others = found.split_off(1);
    let printed = found.pop().ok_or("no way was tried")?;
    Ok(OTHERS
        .iter()
        .zip(others)
        .fold(printed, |finding, (way, other)| finding.tried(way.reading().found(other.measured, other.holds))))
}
