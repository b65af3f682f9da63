//! What the paper's tables tell of its simulations, and what the scenario files have of it: Tables 1, 4 and 5.

use super::central::cells_per_ms;
use super::runs::{Scheme, Setting, tests};
use super::table::FLOWS;
use super::{Claim, Finding, Trouble, expected_numbers, list};
use crate::catalogue::number;
use fairwire_laws::rate::Terms;
use fairwire_plan::Offer;
use serde_json::{Value, json};

/// Each connection's terms in a file.
fn terms(setting: Setting) -> Result<Vec<Terms>, Trouble> {
    let terms = setting.plan(Scheme::Wmfqc)?.flows.into_iter().map(|flow| match flow.offer {
        Offer::Rate(plan) => Ok(plan.terms),
        _ => Err(format!("{} is not told its rate", flow.name)),
    });
    terms.collect()
}

/// One of the terms of each connection, in cell/ms to a millionth.
fn in_cells(terms: &[Terms], of: fn(&Terms) -> f64) -> Result<Vec<f64>, Trouble> {
    terms.iter().map(|terms| Ok((cells_per_ms(of(terms) / 1e6)? * 1e6).round() / 1e6)).collect()
}

/// One of the terms, and its key in the catalogue.
type Column = (&'static str, fn(&Terms) -> f64);

/// Those of the terms whose keys the claim has, in all of these files.
fn as_the_files_have_it(
    claim: &Claim,
    settings: &[Setting],
    columns: &[Column],
    note: &str,
) -> Result<Finding, Trouble> {
    let (mut measured, mut holds) = (serde_json::Map::new(), true);
    for setting in settings {
        let terms = terms(*setting)?;
        holds &= terms.len() == FLOWS;
        for (key, of) in columns {
            let found = in_cells(&terms, *of)?;
            holds &= found == expected_numbers(claim, key)?;
            measured.insert((*key).to_owned(), json!(found));
        }
    }
    Ok(Finding::new(Value::Object(measured), holds, note))
}

const PEAK: Column = ("pr_cells_per_ms", |terms| terms.peak_bps);
const SUPPORTED: Column = ("sr_cells_per_ms", |terms| terms.supported_bps);
const MINIMUM: Column = ("mr_cells_per_ms", |terms| terms.minimum_bps);

/// Table 1.
pub fn peak_and_supported_rates(claim: &Claim) -> Result<Finding, Trouble> {
    let settings = [Setting::Equal, Setting::Wan, Setting::Lan];
    as_the_files_have_it(claim, &settings, &[PEAK, SUPPORTED], "input: what the three scenario files have")
}

/// Table 4.
pub fn minimum_rates(claim: &Claim) -> Result<Finding, Trouble> {
    let settings = [Setting::Wan, Setting::Lan];
    let note = "input: what the scenario files of WAN and LAN have; weights are the minimum rates in cell/ms";
    let mut finding = as_the_files_have_it(claim, &settings, &[MINIMUM, PEAK, SUPPORTED], note)?;
    let minimums = expected_numbers(claim, MINIMUM.0)?;
    for setting in settings {
        let weights = terms(setting)?.iter().map(|terms| terms.weight).collect::<Vec<f64>>();
        finding.holds &= weights == minimums;
    }
    Ok(finding)
}

/// Table 5.
pub fn thresholds(claim: &Claim) -> Result<Finding, Trouble> {
    let (mut measured, mut holds) = (serde_json::Map::new(), true);
    for (key, setting) in [("lan", Setting::Lan), ("wan", Setting::Wan)] {
        let expected = claim.expected.get(key).and_then(toml::Value::as_table);
        let expected = expected.ok_or_else(|| format!("the catalogue gives no `{key}`"))?;
        let delays = setting.plan(Scheme::Wmfqc)?.links.into_iter().map(|link| link.delay.as_secs_f64() * 1e6);
        let mut delays: Vec<f64> = delays.collect();
        delays.dedup();
        let (mut q_d, mut q_t, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for test in tests(setting)? {
            if let Scheme::Controlled { q_t: target, q_d: dropping } = test.scheme {
                q_t.push(f64::from(target));
                q_d.push(f64::from(dropping));
                ratios.push(f64::from(test.ratio_percent()));
            }
        }
        q_d.dedup();
        let one = |key: &str| expected.get(key).and_then(number).map(|value| vec![value]);
        let many = |key: &str| list(expected, key).ok()?.iter().map(number).collect::<Option<Vec<f64>>>();
        holds &= Some(&delays) == one("pd_us").as_ref() && Some(&q_d) == one("q_d").as_ref();
        holds &= Some(&q_t) == many("q_t").as_ref() && Some(&ratios) == many("ratio_percent").as_ref();
        measured.insert(key.to_owned(), json!({ "pd_us": delays, "q_d": q_d, "q_t": q_t, "ratio_percent": ratios }));
    }
    Ok(Finding::new(Value::Object(measured), holds, "input: delays of all links, and thresholds of the files' sweeps"))
}
