//! What a scenario says and a criterion does not heed.

use fairwire_alloc::Criterion;
use fairwire_scenario::Scenario;
use fairwire_terminal::output;

/// Tells people, and which criterion would heed it.
pub fn tell(scenario: &Scenario, criterion: Criterion) {
    if let Some(key) = scenario.unheeded_promise(criterion) {
        let heeding = if key == "min-rate" { Criterion::GeneralWeighted } else { Criterion::Rias };
        output::note(&format!("{criterion} does not heed `{key}`; `--criterion {heeding}` does"));
    }
    if criterion == Criterion::MaxMin && scenario.criterion() == Criterion::WeightedMaxMin {
        output::note("max-min does not heed weights and numbers of micro-flows; `--criterion weighted-max-min` does");
    }
}
