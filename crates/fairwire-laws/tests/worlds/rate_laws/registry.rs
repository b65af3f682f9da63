//! What the parameters of rate laws may be.

use fairwire_laws::rate::RateLawChoice;

fn problem(law: &str, key: &str, value: &str) -> Option<String> {
    let choice: Result<RateLawChoice, _> = toml::from_str(&format!("name = '{law}'\n{key} = {value}"));
    choice.unwrap_or_else(|error| panic!("{law}: {key} = {value}: {error}")).problem()
}

#[test]
fn what_is_out_of_range_is_refused_with_the_key() {
    // The values of the last column are the ends of what may be.
    let table = [
        ("capc", "target", ["0.0", "1.01"], ["0.01", "1.0"]),
        ("capc", "rup", ["0.0", "10.1"], ["0.01", "10.0"]),
        ("capc", "rdn", ["0.0", "10.1"], ["0.01", "10.0"]),
        ("capc", "eru", ["1.0", "10.1"], ["1.01", "10.0"]),
        ("capc", "erf", ["-0.01", "1.0"], ["0.0", "0.99"]),
        ("erica", "a", ["0.99", "100.1"], ["1.0", "100.0"]),
        ("erica", "b", ["0.99", "100.1"], ["1.0", "100.0"]),
        ("erica", "least-target", ["-0.01", "1.01"], ["0.0", "1.0"]),
        ("erica", "delta", ["-0.01", "1.01"], ["0.0", "1.0"]),
        ("erica-early", "target", ["0.0", "1.01"], ["0.01", "1.0"]),
        ("rcp", "alpha", ["0.0", "10.1"], ["0.01", "10.0"]),
        ("rcp", "beta", ["0.0", "10.1"], ["0.01", "10.0"]),
        ("rcp", "target", ["0.0", "1.01"], ["0.01", "1.0"]),
        ("rcp", "initial", ["0.0", "1.01"], ["0.01", "1.0"]),
        ("wmfqc", "guard", ["-0.01", "1.01"], ["0.0", "1.0"]),
        ("wmfqc-plus", "guard", ["-0.01", "1.01"], ["0.0", "1.0"]),
    ];
    for (law, key, wrong, fine) in table {
        for value in wrong {
            let problem = problem(law, key, value).unwrap_or_else(|| panic!("{law}: {key} = {value}"));
            assert!(problem.starts_with(&format!("`{key}` is ")), "{law}: {problem}");
        }
        for value in fine {
            assert_eq!(problem(law, key, value), None, "{law}: {key} = {value}");
        }
    }
}

#[test]
fn every_time_has_to_last() {
    let times = [
        ("capc", &["interval", "measure"][..]),
        ("erica", &["interval", "queue-time", "measure", "idle-after"]),
        ("erica-early", &["interval", "measure", "idle-after"]),
        ("max-min-marking", &["measure", "idle-after"]),
        ("rcp", &["interval", "measure"]),
        ("s-perc", &["recount", "measure"]),
        ("wmfqc", &["measure", "idle-after"]),
        ("wmfqc-plus", &["measure", "idle-after", "confirm-within"]),
    ];
    for (law, keys) in times {
        for key in keys {
            let problem = problem(law, key, "'0 s'").unwrap_or_else(|| panic!("{law}: {key}"));
            assert!(problem.starts_with(&format!("`{key}` needs to last")), "{law}: {problem}");
        }
    }
}
