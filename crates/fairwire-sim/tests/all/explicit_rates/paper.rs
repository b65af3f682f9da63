//! Response times as printed.

use crate::explicit_rates::paper_network::{Setting, plan, responses};
use fairwire_core::Span;
use fairwire_laws::rate::{RateLawChoice, wmfqc};
use fairwire_plan::NetworkEngine;
use fairwire_sim::simulate_network;

fn wmfqc_without_queue_control() -> RateLawChoice {
    RateLawChoice::wmfqc(wmfqc::Params { queue_control: false, ..wmfqc::Params::default() })
}

fn run(law: RateLawChoice, weighted: bool) -> Vec<[f64; 6]> {
    let setting = Setting { law, delay: Span::from_micros(250), weighted, engine: NetworkEngine::Ahead };
    let record = simulate_network(&plan(&setting)).unwrap();
    assert_eq!(record.violations, Vec::<String>::new());
    let events = simulate_network(&plan(&Setting { engine: NetworkEngine::Events, ..setting })).unwrap();
    assert!(record == events, "both ways through time give the same");
    responses(&record)
}

/// Tables 2 and 3, turn-on rows, in µs.
const UNWEIGHTED_ON: [&[f64]; 6] = [
    &[0.0],
    &[539.28, 3062.19],
    &[757.37, 643.34, 4662.88],
    &[891.02, 938.11, 793.95, 8086.78],
    &[0.0, 0.0, 0.0, 0.0, 1514.13],
    &[0.0, 0.0, 0.0, 0.0, 0.0, 1525.44],
];

#[test]
fn turn_on_rows_are_those_of_tables_2_and_3() {
    for law in [RateLawChoice::by_name("max-min-marking").unwrap(), wmfqc_without_queue_control()] {
        let table = run(law.clone(), false);
        for (row, printed) in table.iter().zip(UNWEIGHTED_ON) {
            for (got, printed) in row.iter().zip(printed) {
                assert!((got - printed).abs() <= 0.05, "{}: {got} for {printed}\n{table:?}", law.about().name);
            }
        }
    }
}

#[test]
fn max_min_answers_no_stop_as_in_table_2() {
    let table = run(RateLawChoice::by_name("max-min-marking").unwrap(), false);
    for (stopped, row) in table[6..].iter().enumerate() {
        assert!(row[stopped + 1..].iter().all(|response| *response == 0.0), "{table:?}");
    }
}
