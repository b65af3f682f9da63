//! How RED, FRED and VRR space their random drops: every way for each claim on gateways.
//!
//! All three draw with a probability that grows with the packets since the last drop. As Floyd
//! and Jacobson print it for RED, and Lin and Morris for FRED, it grows from the first packet
//! on. ns-2's RED, in which [vrr-gateway] was simulated, first lets 1/p_b packets pass (`wait`).
//! The paper says nothing of it, so each claim is measured with all three laws one way, with all three
//! the other way, and, where laws are compared, with FRED as printed beside RED and VRR as in ns-2.

use super::{Claim, Finding, Trouble};
use crate::gateways::{GatewayRun, Gateways, queue_law};
use crate::reading::Reading;
use std::sync::Arc;

/// How the random drops of the three laws lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// p_b/(1 - count p_b), as the laws' sources print it.
    Printed,
    /// At least 1/p_b packets apart, as ns-2 does, and fairwire by default.
    Waiting,
    /// FRED as printed, RED and VRR as ns-2 does.
    FredPrinted,
}

impl Spacing {
    /// The parameter `wait` of this law.
    pub fn waits(self, law: &str) -> bool {
        match self {
            Self::Printed => false,
            Self::Waiting => true,
            Self::FredPrinted => law != "fred",
        }
    }

    /// One run under this law with random numbers of its own.
    pub fn run(self, gateways: &Gateways, law: &str, seed: u64) -> Result<Arc<GatewayRun>, Trouble> {
        let parameters = format!("wait = {}", self.waits(law));
        gateways.run(&queue_law(law, &parameters)?, seed)
    }
}

/// A check with drops spaced in some way.
pub type Check = fn(&Claim, Spacing) -> Result<Finding, Trouble>;

fn all_wait() -> Reading {
    let why = "the paper's simulations are of ns-2, whose RED waits between drops unless told otherwise, and VRR's rule is to drop \
               with RED's probability; three laws that draw alike have one default";
    Reading::of_the_product("`wait` on in RED, FRED and VRR", why)
}

fn all_but_fred_wait() -> Reading {
    let why = "RED is ns-2's and waits, VRR's rule is to drop with RED's probability, and the paper that FRED is taken from prints \
               its probability without";
    Reading::argued("`wait` on in RED and VRR, off in FRED", why)
}

/// What `check` finds of one law as printed, and as a reading what it finds where the law waits.
pub fn both_ways(claim: &Claim, check: Check) -> Result<Finding, Trouble> {
    under(claim, check, vec![(Spacing::Waiting, all_wait())])
}

/// The same where laws are compared, so that they can also be spaced in different ways.
pub fn every_way(claim: &Claim, check: Check) -> Result<Finding, Trouble> {
    under(claim, check, vec![(Spacing::Waiting, all_wait()), (Spacing::FredPrinted, all_but_fred_wait())])
}

fn under(claim: &Claim, check: Check, readings: Vec<(Spacing, Reading)>) -> Result<Finding, Trouble> {
    let mut finding = check(claim, Spacing::Printed)?;
    let mut notes = vec![finding.note.clone()];
    for (spacing, reading) in readings {
        let Finding { measured, holds, note, figures, .. } = check(claim, spacing)?;
        if spacing == Spacing::Waiting {
            // Drawn as the laws are by default.
            finding.figures = figures;
        }
        if !notes.contains(&note) {
            notes.push(note);
        }
        finding = finding.tried(reading.found(measured, holds));
    }
    finding.note = match notes.as_slice() {
        [same] => format!("{same}. As printed, `wait` is off in all laws"),
        all => format!("`wait` off in all laws: {}", all.join(". Under the readings: ")),
    };
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::row::Verdict;
    use serde_json::json;

    #[test]
    fn the_same_law_over_the_same_gateways_is_run_once() {
        let mut gateways = Gateways::single(vec![crate::gateways::Sender::constant(12.0)]);
        (gateways.duration_s, gateways.warmup_s) = (2.0, 1.0);
        let run = |spacing: Spacing, law, seed| spacing.run(&gateways, law, seed).unwrap();
        let fred = run(Spacing::Printed, "fred", 1);
        assert!(Arc::ptr_eq(&fred, &run(Spacing::FredPrinted, "fred", 1)));
        assert!(!Arc::ptr_eq(&fred, &run(Spacing::Waiting, "fred", 1)));
        assert!(!Arc::ptr_eq(&fred, &run(Spacing::Printed, "fred", 2)));
        assert!(Arc::ptr_eq(&run(Spacing::Waiting, "vrr", 1), &run(Spacing::FredPrinted, "vrr", 1)));
    }

    #[test]
    fn a_mixture_is_tried_only_where_laws_are_compared_and_never_taken_for_the_default() {
        let check: Check = |_, spacing| {
            let fred = spacing.waits("fred");
            Ok(Finding::new(json!({ "fred_waits": fred }), spacing.waits("vrr") && !fred, "alike"))
        };
        let one = both_ways(&catalogue()[0], check).unwrap().into_row(&catalogue()[0]);
        assert_eq!((one.verdict, one.readings_tried), (Verdict::Differs, 1));
        let all = every_way(&catalogue()[0], check).unwrap().into_row(&catalogue()[0]);
        assert_eq!((all.verdict, all.readings_tried), (Verdict::Reading, 2));
        assert_eq!(all.reading.as_deref(), Some("`wait` on in RED and VRR, off in FRED"));
        assert_eq!(all.note, "alike. As printed, `wait` is off in all laws");
    }
}
