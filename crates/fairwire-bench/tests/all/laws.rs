//! `--law NAME` of the measurements that run laws.

use crate::common::{bench, bench_in, folder};

#[test]
fn a_law_that_is_not_there_ends_with_2() {
    let wrong = [
        ("fairness", "dsvr", "dvsr"),
        ("protection", "dsvr", "dvsr"),
        ("aqm", "codle", "codel"),
        ("rates", "wmfcq", "wmfqc"),
    ];
    for (what, wrong, right) in wrong {
        let said = bench(&[what, "--law", wrong]).ends_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains(&format!("did you mean `{right}`?")), "{said}");
    }
}

#[test]
fn parameters_of_a_law_can_be_others() {
    let scores = |settings: &[&str]| {
        let with: Vec<&str> = settings.iter().flat_map(|setting| ["--with", setting]).collect();
        let quick = ["fairness", "--law", "rpr-aggressive", "--case", "lot-8", "--json"];
        bench_in(&folder(&format!("with-{}", settings.len())), &[&quick[..], &with].concat()).ends_with(0).stdout
    };
    let usual = scores(&[]);
    assert_eq!(scores(&["lp-coef=64", "encoding=standard"]), usual, "what it is anyway");
    assert_ne!(scores(&["lp-coef = 8"]), usual);
}

#[test]
fn a_parameter_that_is_not_there_ends_with_2() {
    let wrong = [
        ("lp-coef", "write `--with KEY=VALUE`"),
        ("lpcoef=3", "unknown field `lpcoef`"),
        ("lp-coef=0", "a coefficient is 1 to 65536, not 0"),
        ("name=dvsr", "another law is `--law NAME`"),
        ("rate-low-threshold=0.99", "`rate-low-threshold` is 0.99, above `rate-high-threshold`"),
    ];
    for (setting, problem) in wrong {
        let said = bench(&["fairness", "--law", "rpr-conservative", "--with", setting]).ends_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains(problem), "{said}");
    }
    let said = bench(&["fairness", "--with", "lp-coef=3"]).ends_with(2);
    assert!(said.stderr.contains("--law <NAME>"), "{said}");
}
