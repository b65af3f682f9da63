//! What the pictures of a report mean: lines under capacities, bottlenecks that stand out, tables and charts for everybody.

use fairwire_laws::queue::QueueLawChoice;
use fairwire_plan::Detail;
use fairwire_results::{Plan, Record, ReportInput, RunOutcome, SummaryInput, render, summarise};
use fairwire_scenario::Scenario;
use fairwire_sim::simulate_network;

/// Two connections through 10 Mb/s behind links of 100 Mb/s.
const DUMBBELL: &str = r#"
schema = 1
title = "Two behind one"
[run]
duration = "8 s"
warmup = "1 s"
[network]
nodes = ["a", "b", "c", "d"]
queue = { name = "LAW" }
limit = "40 packets"
link = [
    { name = "wide", from = "a", to = "b", capacity = "100 Mb/s", delay = "5 ms", duplex = true },
    { name = "narrow", from = "b", to = "c", capacity = "10 Mb/s", delay = "10 ms", duplex = true },
    { name = "beyond", from = "c", to = "d", capacity = "100 Mb/s", delay = "1 ms", duplex = true },
]
[[flow]]
name = "one"
from = "a"
to = "d"
traffic = { kind = "tcp" }
[[flow]]
name = "two"
from = "a"
to = "d"
traffic = { kind = "tcp" }
"#;

struct Seen {
    page: String,
    oscillation: f64,
    record: fairwire_plan::NetworkRecord,
}

fn report(law: &str) -> Seen {
    report_of(&DUMBBELL.replace("LAW", law), law)
}

fn report_of(text: &str, law: &str) -> Seen {
    report_of_runs(text, law, |run| vec![run])
}

/// The report of what `replications` makes of a run.
fn report_of_runs(text: &str, law: &str, replications: impl FnOnce(RunOutcome) -> Vec<RunOutcome>) -> Seen {
    let scenario = Scenario::parse("dumbbell.toml", text).expect("a scenario");
    let mut plan = scenario.network_plan(0).expect("a network");
    plan.detail = Detail::Full;
    let record = simulate_network(&plan).expect("runnable");
    let problem = scenario.problem();
    let allocation = fairwire_alloc::solve(&problem, fairwire_alloc::Criterion::MaxMin).expect("solvable");
    let (plan, kept) = (Plan::from(plan), Record::from(record.clone()));
    let input = SummaryInput {
        plan: &plan,
        record: &kept,
        allocation: &allocation,
        law: QueueLawChoice::by_name(law).expect("a law").about().name,
        seed: 1,
        run: 0,
        wall_s: 0.1,
    };
    let run = RunOutcome { law: law.to_owned(), summary: summarise(&input), record: kept.clone() };
    let runs = replications(run);
    let page = render(&ReportInput {
        title: "t",
        description: "",
        scenario_text: text,
        scenario_sha256: "00",
        plan: &plan,
        allocation: &allocation,
        problem: &problem,
        runs: &runs,
        promises: &[],
    });
    Seen { page, oscillation: runs[0].summary.oscillation, record }
}

/// The section of a page.
fn section<'p>(page: &'p str, id: &str) -> &'p str {
    let start = page.find(&format!("<section id=\"{id}\">")).expect("the section");
    let rest = &page[start..];
    &rest[..rest.find("</section>").expect("its end")]
}

/// Of each line in a part of a page its chart, name, class and largest value.
fn lines(part: &str) -> Vec<(String, String, f64)> {
    let mut found = Vec::new();
    for chart in part.split("<svg class=\"chart\"").skip(1) {
        let frame = between(chart, "data-frame=\"", "\"");
        let frame: Vec<f64> = frame.split(' ').map(|number| number.parse().expect("a number")).collect();
        let (top, bottom, most) = (frame[2], frame[3], frame[6]);
        for path in chart.split("<path class=\"line ").skip(1) {
            let highest = highest_of(between(path, " d=\"", "\""));
            let value = (bottom - highest) / (bottom - top) * most;
            found.push((between(path, "data-name=\"", "\"").to_owned(), between(path, "", "\"").to_owned(), value));
        }
    }
    found
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let rest = &text[text.find(before).expect(before) + before.len()..];
    &rest[..rest.find(after).expect(after)]
}

/// The smallest y of a path of relative steps.
fn highest_of(path: &str) -> f64 {
    let mut numbers: Vec<f64> = Vec::new();
    let mut word = String::new();
    for letter in path.chars().chain([' ']) {
        let begins = matches!(letter, '-' | ' ' | 'M' | 'l') || (letter == '.' && word.contains('.'));
        if begins && !word.is_empty() {
            numbers.push(word.parse().expect("a number"));
            word.clear();
        }
        if !matches!(letter, ' ' | 'M' | 'l') {
            word.push(letter);
        }
    }
    let ys = numbers.chunks_exact(2).scan(0.0, |y, step| {
        *y += step[1];
        Some(*y)
    });
    ys.fold(f64::INFINITY, f64::min)
}

#[test]
fn no_line_of_goodput_is_above_capacity() {
    let seen = report("droptail");
    // In order of delivery a flow has far more than its link at times: else this test would tell nothing.
    let row_s = seen.record.window.as_secs_f64();
    let rows = (0.02 / row_s).round() as usize;
    let most = seen.record.flows.iter().flat_map(|flow| flow.delivered_bytes.windows(rows));
    let most = most.map(|window| f64::from(window.iter().sum::<u32>()) * 8.0 / 0.02).fold(0.0, f64::max);
    assert!(most > 15e6, "{most}");
    let drawn = lines(section(&seen.page, "throughput"));
    assert!(drawn.len() >= 2);
    for (name, _, most_mbps) in &drawn {
        assert!(*most_mbps < 10.1, "{name}: {most_mbps} Mb/s");
    }
    assert!(drawn.iter().any(|(_, _, most)| *most > 5.0), "{drawn:?}");
    assert!(seen.page.contains("Bytes of TCP count when they left the narrowest link"));
    assert!((0.1..=1.01).contains(&seen.oscillation), "no swing is wider than the link: {}", seen.oscillation);
}

#[test]
fn the_bottleneck_stands_out_whichever_way_its_value_is_better() {
    for law in ["red", "fq-codel"] {
        let page = report(law).page;
        let control = lines(section(&page, "control"));
        let (own, grey): (Vec<_>, Vec<_>) = control.iter().partition(|(_, class, _)| class.starts_with('s'));
        assert!(own.iter().all(|(name, ..)| name == "narrow (bottleneck)"), "{law}: {own:?}");
        assert!(!own.is_empty() && !grey.is_empty(), "{law}: {control:?}");
    }
}

#[test]
fn control_values_fill_their_charts_and_queues_of_flows_are_means() {
    let seen = report("fred");
    let control = section(&seen.page, "control");
    let deepest = seen.record.links.iter().flat_map(|link| &link.law).filter(|sample| sample.name == "queued_packets");
    let deepest = deepest.map(|sample| sample.value).fold(0.0, f64::max);
    let queued = control.split("<h3>").find(|part| part.starts_with("fred · queued packets")).expect("queues of flows");
    let drawn = lines(queued).into_iter().filter(|(_, class, _)| class.starts_with('s')).map(|line| line.2);
    let highest = drawn.fold(0.0, f64::max);
    assert!(highest > 0.3 * deepest && highest < deepest, "{highest} of {deepest}");
    for chart in queued.split("<svg class=\"chart\"").skip(1) {
        let most: f64 = between(chart, "data-frame=\"", "\"").rsplit(' ').next().unwrap().parse().unwrap();
        assert!(most < 1.5 * deepest, "an axis up to {most} for {deepest}");
    }
}

#[test]
fn tables_have_heads_and_scroll_by_keyboard() {
    let page = report("droptail").page;
    assert!(!page.contains("<th></th>"));
    assert_eq!(
        page.matches("<div class=\"scroll\"").count(),
        page.matches("<div class=\"scroll\" tabindex=\"0\"").count()
    );
}

#[test]
fn reasons_for_drops_stand_apart_and_are_told() {
    let seen = report("red");
    let link = seen.record.links.iter().max_by_key(|link| link.dropped.iter().sum::<u64>()).expect("links");
    let [full, early, unfair] = link.dropped;
    assert!(early > 0, "RED drops early");
    assert!(seen.page.contains(&format!(">{full} / {early} / {unfair}<")), "{full}, {early}, {unfair}");
    assert!(section(&seen.page, "numbers").contains("early to tell of congestion"));
}

/// Thirty fair rates as dashed lines would cover what was measured.
#[test]
fn of_many_fair_rates_those_of_coloured_flows_are_drawn() {
    let head = DUMBBELL.replace("LAW", "droptail").split("[[flow]]").next().expect("a network").to_owned();
    let flow = |number: usize| {
        let rate = format!("{}", 100 + 5 * number);
        format!(
            "[[flow]]\nname = \"f{number}\"\nfrom = \"a\"\nto = \"d\"\ntraffic = {{ kind = \"cbr\", rate = \"{rate} kb/s\" }}\n"
        )
    };
    let page = |flows: usize| {
        let text = head.clone() + &(0..flows).map(flow).collect::<String>();
        report_of(&text, "droptail").page
    };
    let dashed = |page: &str| {
        let charts = section(page, "throughput").split("<svg class=\"chart\"").skip(1).map(str::to_owned);
        charts.map(|chart| chart.matches("class=\"fair ").count()).max().expect("a chart")
    };
    let (few, many) = (page(5), page(30));
    assert_eq!(dashed(&few), 5);
    assert!((1..=8).contains(&dashed(&many)), "{}", dashed(&many));
    assert!(many.contains("rates of the coloured flows") && !few.contains("rates of the coloured flows"));
}

/// The cells of each row that a part of a page has, without tags.
fn rows(part: &str) -> Vec<Vec<String>> {
    let text = |cell: &str| {
        let pieces = cell.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
        pieces.collect::<String>().trim().to_owned()
    };
    let cells = |row: &str| row.split("</th>").flat_map(|cells| cells.split("</td>")).map(text).collect::<Vec<_>>();
    part.split("<tr").skip(1).map(|row| cells(&format!("<tr{row}"))).collect()
}

/// All goes through the narrow link and fills it; of the others it is a tenth.
#[test]
fn each_link_is_told_what_it_sent_itself() {
    let page = report("droptail").page;
    let told = rows(between(&page, "Fullest links", "</table>"));
    let told: Vec<_> = told.iter().skip(1).map(|row| row[..4].join(", ")).collect();
    let due = ["narrow, 10 Mb/s, 100 %, 100 %", "wide, 100 Mb/s, 10 %, 10 %", "beyond, 100 Mb/s, 10 %, 10 %"];
    assert_eq!(told, due);
}

/// A threshold of a connection that has not lost yet has no end: it is drawn no higher than the window ever was.
#[test]
fn a_connection_alone_is_drawn_with_its_threshold() {
    let alone = DUMBBELL.replace("LAW", "droptail");
    let alone = &alone[..alone.rfind("[[flow]]").expect("a flow")];
    let drawn = lines(section(&report_of(alone, "droptail").page, "windows"));
    let highest = |name: &str| drawn.iter().filter(|line| line.0 == name).map(|line| line.2).fold(0.0, f64::max);
    assert!(highest("one") > 1.0 && highest("one, threshold") > 1.0, "{drawn:?}");
    assert!(highest("one, threshold") <= highest("one") + 0.5, "{drawn:?}");
}

#[test]
fn tables_have_the_mean_of_all_replications() {
    let replications = |run: RunOutcome| {
        let with = |(rate_bps, loss)| {
            let mut run = run.clone();
            (run.summary.flows[0].rate_bps, run.summary.flows[0].loss) = (rate_bps, loss);
            run
        };
        [(2e6, 0.1), (4e6, 0.3), (3e6, 0.2)].map(with).to_vec()
    };
    let page = report_of_runs(&DUMBBELL.replace("LAW", "droptail"), "droptail", replications).page;
    let numbers = rows(section(&page, "numbers"));
    let one = numbers.iter().find(|row| row[0] == "one").expect("a row for the flow");
    // Its fair rate is half of 10 Mb/s.
    assert_eq!(one[1..6], ["droptail", "3 Mb/s", "5 Mb/s", "60 %", "20 %"]);
}

/// A flow begins at 3 s, and 1.5 s later all have their shares: both instants are marked where they are.
#[test]
fn what_happened_is_marked_at_its_time() {
    let later = DUMBBELL.replace("LAW", "droptail").replace("name = \"two\"", "name = \"two\"\nstart = \"3 s\"");
    let fair_after = |mut run: RunOutcome| {
        run.summary.time_to_fair[0].ns = Some(1_500_000_000);
        vec![run]
    };
    let page = report_of_runs(&later, "droptail", fair_after).page;
    let chart = between(section(&page, "throughput"), "<svg class=\"chart\"", "</svg>");
    let frame: Vec<f64> =
        between(chart, "data-frame=\"", "\"").split(' ').map(|number| number.parse().unwrap()).collect();
    // The run of 8 s goes from the left to the right edge.
    let at = |time_s: f64| frame[0] + time_s / 8.0 * (frame[1] - frame[0]);
    let marks =
        chart.split("class=\"mark\" d=\"M").skip(1).map(|mark| mark.split(' ').next().unwrap().parse().unwrap());
    let marks: Vec<f64> = marks.collect();
    assert!(marks.len() == 2 && (marks[0] - at(3.0)).abs() < 0.1 && (marks[1] - at(4.5)).abs() < 0.1, "{marks:?}");
    assert!(chart.contains(">last start or stop<") && chart.contains(">within 5 % after 1.5 s<"), "{chart}");
}
