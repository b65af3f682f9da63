//! Runs the checks that were asked for.

use crate::catalogue::{Claim, catalogue};
use crate::registry::{Standing, standing};
use crate::row::{Finding, Row, Verdict};
use crate::runs::Trouble;
use crate::testbed::{Carrier, NEEDS_REAL_PACKETS};
use crate::ways::each_way;
use fairwire_sweep::side_by_side;
use serde_json::Value;
use std::convert::Infallible;

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
/// the checks not yet begun are left out. Claims that need real packets are checked last, one after another, by what
/// `carrier` carries; without one they are `not-run`.
///
/// # Errors
/// [`NoSuchClaim`] for the first name that is neither.
pub fn reproduce(
    asked: &[String],
    carrier: Option<&dyn Carrier>,
    done: &(dyn Fn(&Row) -> bool + Sync),
) -> Result<Vec<Row>, NoSuchClaim> {
    let chosen = chosen(asked)?;
    let going = std::sync::atomic::AtomicBool::new(true);
    let row = |claim: &Claim| {
        use std::sync::atomic::Ordering::Relaxed;
        if !chosen.iter().any(|one| std::ptr::eq(*one, claim)) || !going.load(Relaxed) {
            return Row::of(claim, Verdict::NotRun, Value::Null, "left out of this call".to_owned());
        }
        let row = check(claim, carrier);
        if !done(&row) {
            going.store(false, Relaxed);
        }
        row
    };
    let is_real = |claim: &Claim| carrier.is_some() && matches!(standing(&claim.id), Standing::OnTestbed(_));
    let simulated = |claim: &Claim| Ok((!is_real(claim)).then(|| row(claim)));
    let rows = side_by_side(catalogue(), simulated).unwrap_or_else(|never: Infallible| match never {});
    // Nothing else is at work while packets are real.
    let rows = rows.into_iter().zip(catalogue());
    let mut rows: Vec<Row> = rows.map(|(made, claim)| made.unwrap_or_else(|| row(claim))).collect();
    tell_what_breaks(&mut rows);
    Ok(rows)
}

/// Tells each reading under which a claim comes out which others do as printed, but not under a reading of the same name.
fn tell_what_breaks(rows: &mut [Row]) {
    let lost: Vec<(String, String)> = rows
        .iter()
        .filter(|row| row.verdict == Verdict::Reproduced)
        .flat_map(|row| row.readings.iter().map(move |reading| (row, reading)))
        .filter(|(_, reading)| !reading.holds)
        .map(|(row, reading)| (reading.name.clone(), row.id.clone()))
        .collect();
    for row in rows.iter_mut().filter(|row| row.verdict == Verdict::Reading) {
        for reading in row.readings.iter_mut().filter(|reading| reading.holds) {
            let others = lost.iter().filter(|(name, id)| *name == reading.name && *id != row.id);
            reading.breaks.extend(others.map(|(_, id)| id.clone()));
        }
    }
}

fn names(claim: &Claim, name: &str) -> bool {
    claim.id == name || claim.paper == name
}

fn check(claim: &Claim, carrier: Option<&dyn Carrier>) -> Row {
    let row = |finding: Result<Finding, Trouble>| match finding {
        Ok(finding) => finding.into_row(claim),
        Err(trouble) => Row::of(claim, Verdict::NotRun, Value::Null, format!("the check could not run: {trouble}")),
    };
    match standing(&claim.id) {
        Standing::Checked(check) => row(check(claim)),
        Standing::CheckedEachWay(check) => row(each_way(claim, check)),
        Standing::Pending(reason) => Row::of(claim, Verdict::NotRun, Value::Null, reason.to_owned()),
        Standing::OnTestbed(check) => match carrier {
            Some(carrier) => row(check(claim, carrier)),
            None => Row::of(claim, Verdict::NotRun, Value::Null, NEEDS_REAL_PACKETS.to_owned()),
        },
    }
}

/// The id or paper that looks most like `asked`.
fn nearest(asked: &str) -> Option<String> {
    let names = catalogue().iter().flat_map(|claim| [claim.id.as_str(), claim.paper.as_str()]);
    let alike = |name: &str| strsim::jaro_winkler(name, asked);
    let best = names.max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) > 0.7).then(|| best.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Reading;
    use crate::row::Finding;

    #[test]
    fn a_reading_tells_which_claims_are_lost_under_it() {
        let claims = &catalogue()[..3];
        let row = |claim: usize, printed: bool, read: bool, name: &str| {
            let reading = Reading::argued(name, "it is shorter").found(Value::Null, read);
            Finding::new(Value::Null, printed, "").tried(reading).into_row(&claims[claim])
        };
        let mut rows = [row(0, false, true, "short"), row(1, true, false, "short"), row(2, true, false, "long")];
        tell_what_breaks(&mut rows);
        assert_eq!(rows[0].readings[0].breaks, [claims[1].id.clone()]);
        assert!(rows[1].readings[0].breaks.is_empty() && rows[2].readings[0].breaks.is_empty());
    }
}
