//! `--law NAME` of the measurements that run laws.

use crate::common::bench;

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
