//! The table of late calls.

use super::{StallScore, Stalls, Verdict, stalls};
use crate::tables::Table;

/// In points of the link, the largest move over the cases, and on how many of them it is more than allowed.
pub fn stall_table(scores: &[StallScore]) -> Table {
    let mut laws: Vec<&str> = Vec::new();
    for score in scores {
        if !laws.contains(&score.law.as_str()) {
            laws.push(&score.law);
        }
    }
    let ways = stalls(true);
    let row = |law: &&str| {
        let own = || scores.iter().filter(|score| score.law == **law);
        let of = |way: &Stalls| cell(&own().filter(|score| score.stalls == way.name).collect::<Vec<_>>());
        let seeds = own().map(|score| score.seeds).max().unwrap_or(0);
        std::iter::once((*law).to_owned()).chain(ways.iter().map(of)).chain([seeds.to_string()]).collect()
    };
    let mut cases: Vec<&str> = scores.iter().map(|score| score.case.as_str()).collect();
    cases.sort_unstable();
    cases.dedup();
    let allowed = |way: &Stalls| format!(">{} ({:.0})", way.name, 100.0 * way.within);
    let header = std::iter::once("law".to_owned()).chain(ways.iter().map(allowed)).chain([">seeds".to_owned()]);
    Table {
        title: format!(
            "{} cases: how far the mean share moves where laws are called late, in points of the link",
            cases.len()
        ),
        header: header.collect(),
        rows: laws.iter().map(row).collect(),
    }
}

/// The largest move; and on how many cases it is surely above what is allowed, or not surely below.
fn cell(scores: &[&StallScore]) -> String {
    let Some(worst) = scores.iter().max_by(|a, b| a.moved.total_cmp(&b.moved)) else { return "–".to_owned() };
    let count = |verdict: Verdict| scores.iter().filter(|score| score.verdict == verdict).count();
    let moved = format!("{:.2} ± {:.2}", 100.0 * worst.moved, 100.0 * worst.error);
    let beyond = [(count(Verdict::Beyond), "more"), (count(Verdict::Open), "open")];
    let beyond = beyond.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {what} on {count}"));
    std::iter::once(moved).chain(beyond).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(moved: f64, error: f64, verdict: Verdict) -> StallScore {
        let (case, law) = (String::new(), String::new());
        StallScore { case, law, stalls: "", within: 0.02, moved, error, seeds: 8, verdict }
    }

    #[test]
    fn cells_tell_the_largest_move_and_who_moves_too_far() {
        let scores = [
            score(0.01, 0.001, Verdict::Within),
            score(0.025, 0.01, Verdict::Open),
            score(0.03, 0.005, Verdict::Beyond),
        ];
        assert_eq!(cell(&scores.iter().collect::<Vec<_>>()), "3.00 ± 0.50, more on 1, open on 1");
        assert_eq!(cell(&[&scores[0]]), "1.00 ± 0.10");
        assert_eq!(cell(&[]), "–");
    }
}
