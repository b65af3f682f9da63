//! What a page is answered.

use super::*;
use std::cell::RefCell;

/// Keeps what it is told, in a world without time.
#[derive(Default)]
struct Told(RefCell<Vec<f64>>);

impl Outside for Told {
    fn progress(&self, fraction: f64) {
        self.0.borrow_mut().push(fraction);
    }

    fn now_s(&self) -> f64 {
        0.0
    }
}

const LOT: &str = r#"
schema = 1
title = "Two senders"
run = { duration = "40 ms" }
ring = { stations = 4, capacity = "100 Mb/s", span-delay = "0.1 ms", law = { name = "dvsr" } }
flow = [{ name = "both", from = [0, 1], to = 2 }]
expect = { fair = { criterion = "rias", within = "5 %" } }
"#;

fn asked(question: &Question) -> Answer {
    answer(question, &Told::default())
}

fn compared(text: &str, laws: &[&str]) -> Answer {
    asked(&Question::Compare { text: text.to_owned(), laws: laws.iter().map(|&law| law.to_owned()).collect() })
}

#[test]
fn mistakes_are_told_with_line_and_mend_and_nothing_is_computed() {
    for question in [
        Question::Check { text: LOT.replace("stations", "sations") },
        Question::Allocate { text: LOT.replace("stations", "sations") },
        Question::Compare { text: LOT.replace("stations", "sations"), laws: Vec::new() },
    ] {
        let answer = asked(&question);
        let told: Vec<_> = answer.findings.iter().map(|finding| (finding.line, finding.is_error)).collect();
        assert_eq!((told[0], &answer.page), ((5, true), &None));
        assert!(answer.findings[0].help.starts_with("write `stations`"), "{:?}", answer.findings);
    }
}

#[test]
fn laws_of_the_scenarios_kind_are_offered_and_its_own_is_marked() {
    let laws = asked(&Question::Check { text: LOT.to_owned() }).laws;
    let own: Vec<_> = laws.iter().filter(|law| law.is_own).map(|law| law.name).collect();
    assert!(laws.len() > 5 && own == ["dvsr"] && laws.iter().any(|law| law.name == "dvsr-plus"));
}

#[test]
fn fair_rates_come_as_a_page() {
    let answer = asked(&Question::Allocate { text: LOT.to_owned() });
    assert_eq!((answer.title.as_str(), &answer.findings[..]), ("Two senders", &[][..]));
    assert!(
        answer.page.is_some_and(|page| page.contains("50 Mb/s") && page.to_lowercase().starts_with("<!doctype html>"))
    );
}

#[test]
fn laws_that_are_chosen_are_compared_each_once_and_else_the_own_one() {
    let page = |laws: &[&str]| compared(LOT, laws).page.expect("a page");
    let has = |page: &str, law: &str| page.contains(&format!(">{law}<"));
    let own = page(&[]);
    assert!(has(&own, "dvsr") && !has(&own, "fifo"));
    assert_eq!(own, page(&["dvsr", "dvsr"]));
    let both = page(&["dvsr", "fifo"]);
    assert!(has(&both, "dvsr") && has(&both, "fifo"));
}

#[test]
fn progress_rises_to_one_run_after_the_other() {
    let told = Told::default();
    answer(&Question::Compare { text: LOT.to_owned(), laws: vec!["dvsr".to_owned(), "fifo".to_owned()] }, &told);
    let told = told.0.into_inner();
    assert!(told.is_sorted() && told[0] == 0.0 && told.contains(&0.5), "{told:?}");
}

#[test]
fn what_cannot_be_answered_is_told() {
    let unknown = compared(LOT, &["dvsrr"]);
    assert!(unknown.findings[0].message.contains("dvsrr") && unknown.findings[0].help.contains("dvsr"), "{unknown:?}");
    let promised = LOT.replace("span-delay", "min-rates = { 0 = \"80 Mb/s\", 1 = \"70 Mb/s\" }, span-delay");
    let refused = asked(&Question::Allocate { text: promised });
    assert!(refused.page.is_none() && refused.findings.iter().any(|finding| finding.is_error), "{refused:?}");
    let nonsense = answer_json("{\"ask\":\"all\"}", &Told::default());
    assert!(nonsense.contains("no question"), "{nonsense}");
}
