//! What the places of a list of numbers are called.

use crate::catalogue::{Claim, catalogue, topology_table};
use crate::tandem::flows_of;
use serde_json::Value;

/// Claims whose paper numbers its flows, from 0 on.
const FLOWS_FROM_0: [&str; 2] = ["vrr-fig3-vrr", "vrr-fig3-red"];

/// The names of so many places in a list of row `id`: those that the paper's table has, else flows, else numbers.
pub(super) fn of_items(id: &str, expected: &Value, count: usize) -> Vec<String> {
    let is_name_list = |value: &&Value| texts(value).is_some_and(|names| names.len() == count);
    let printed = ["tests", "columns", "events", "rows"].iter().filter_map(|key| expected.get(key));
    if let Some(names) = printed.filter(is_name_list).find_map(texts) {
        return names;
    }
    let claim = catalogue().iter().find(|claim| claim.id == id);
    let flows = claim.and_then(flows_of).filter(|flows| flows.len() == count);
    match (flows, claim.and_then(flow_names).filter(|names| names.len() == count)) {
        (_, Some(names)) => names,
        (Some(flows), None) => flows.iter().map(|(from, to)| format!("({from},{to})")).collect(),
        (None, None) if FLOWS_FROM_0.contains(&id) => (0..count).map(|number| format!("flow {number}")).collect(),
        (None, None) => (1..=count).map(|number| number.to_string()).collect(),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The names that a topology gives its flows.
fn flow_names(claim: &Claim) -> Option<Vec<String>> {
    let topology = topology_table(claim.scenario.get("topology")?.as_str()?)?;
    topology.get("flow_names")?.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::of_items;
    use serde_json::json;

    #[test]
    fn places_are_called_as_in_the_paper() {
        assert_eq!(of_items("dvsr-fig4-parking-lot-rias", &json!({}), 4), ["(1,5)", "(2,5)", "(3,5)", "(4,5)"]);
        assert_eq!(of_items("wmfqc-table3", &json!({}), 6)[5], "VC6");
        assert_eq!(of_items("vrr-table-web", &json!({ "rows": ["RED", "FRED"] }), 2), ["RED", "FRED"]);
        assert_eq!(of_items("vrr-fig3-red", &json!({}), 2), ["flow 0", "flow 1"]);
        assert_eq!(of_items("no-such-claim", &json!({}), 2), ["1", "2"]);
    }
}
