//! Runs the checks that were asked for.

use crate::catalogue::{Claim, catalogue};
use crate::registry::{Standing, standing};
use crate::row::{Finding, Row, Verdict};
use crate::runs::Trouble;
use crate::ways::each_way;
use rayon::prelude::*;
use serde_json::Value;

/// What was asked for is neither a paper nor a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{asked}` is neither a paper nor a claim{}", nearest.as_ref().map(|id| format!("; did you mean `{id}`?")).unwrap_or_default())]
pub struct NoSuchClaim {
    /// What was asked for.
    pub asked: String,
    /// The id that looks most like it.
    pub nearest: Option<String>,
}

/// The claims that `asked` names, by paper or by id, in the order of the catalogue; all, if it names none.
///
/// # Errors
/// [`NoSuchClaim`] for the first name that is neither.
pub fn chosen(asked: &[String]) -> Result<Vec<&'static Claim>, NoSuchClaim> {
    if let Some(unknown) = asked.iter().find(|name| !catalogue().iter().any(|claim| names(claim, name))) {
        return Err(NoSuchClaim { asked: unknown.clone(), nearest: nearest(unknown) });
    }
    let is_chosen = |claim: &&Claim| asked.is_empty() || asked.iter().any(|name| names(claim, name));
    Ok(catalogue().iter().filter(is_chosen).collect())
}

/// A row for every claim of the catalogue, in its order. Those that `asked`
/// names, by paper or by id, are checked (all, if it names none); the others
/// are `not-run`. `done` is told after each check; when it answers `false`
/// the checks not yet begun are left out.
///
/// # Errors
/// [`NoSuchClaim`] for the first name that is neither.
pub fn reproduce(asked: &[String], done: &(dyn Fn(&Row) -> bool + Sync)) -> Result<Vec<Row>, NoSuchClaim> {
    let chosen = chosen(asked)?;
    let going = std::sync::atomic::AtomicBool::new(true);
    let row = |claim: &Claim| {
        use std::sync::atomic::Ordering::Relaxed;
        if !chosen.iter().any(|one| std::ptr::eq(*one, claim)) || !going.load(Relaxed) {
            return Row::of(claim, Verdict::NotRun, Value::Null, "left out of this call".to_owned());
        }
        let row = check(claim);
        if !done(&row) {
            going.store(false, Relaxed);
        }
        row
    };
    Ok(catalogue().par_iter().with_max_len(1).map(row).collect())
}

fn names(claim: &Claim, name: &str) -> bool {
    claim.id == name || claim.paper == name
}

fn check(claim: &Claim) -> Row {
    let row = |finding: Result<Finding, Trouble>| match finding {
        Ok(finding) => finding.into_row(claim),
        Err(trouble) => Row::of(claim, Verdict::NotRun, Value::Null, format!("the check could not run: {trouble}")),
    };
    match standing(&claim.id) {
        Standing::Checked(check) => row(check(claim)),
        Standing::CheckedEachWay(check) => row(each_way(claim, check)),
        Standing::Pending(reason) => Row::of(claim, Verdict::NotRun, Value::Null, reason.to_owned()),
        Standing::OutOfReach(reason) => Row::of(claim, Verdict::NotApplicable, Value::Null, reason.to_owned()),
    }
}

/// The id or paper that looks most like `asked`.
fn nearest(asked: &str) -> Option<String> {
    let names = catalogue().iter().flat_map(|claim| [claim.id.as_str(), claim.paper.as_str()]);
    let alike = |name: &str| strsim::jaro_winkler(name, asked);
    let best = names.max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) > 0.7).then(|| best.to_owned())
}
