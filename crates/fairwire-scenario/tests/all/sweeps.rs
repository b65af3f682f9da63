//! Sweeps: ranges, designs, keys that go together, tables of points, and settings beside the file.

use fairwire_scenario::{AxisUnit, Cell, HalfWidth, PointTable, Scenario};

const RING: &str = r#"schema = 1
[ring]
stations = 6
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
[[flow]]
name = "a"
from = [0, 1]
to = 5
"#;

fn parse(sweep: &str) -> Scenario {
    Scenario::parse("ring.toml", &format!("{RING}[sweep]\n{sweep}")).unwrap_or_else(|errors| panic!("{errors}"))
}

fn labels(scenario: &Scenario) -> Vec<String> {
    let sweep = scenario.sweep_points().unwrap();
    let text = |point| sweep.labels(point).into_iter().map(|(_, value)| value).collect::<Vec<_>>().join(" ");
    (0..sweep.len()).map(text).collect()
}

#[test]
fn a_range_has_its_ends_and_equal_steps() {
    let scenario = parse("\"ring.span-delay\" = { from = \"0.05 ms\", to = \"2 ms\", steps = 4, scale = \"log\" }");
    assert_eq!(labels(&scenario), ["50 us", "171 us", "584.8 us", "2 ms"]);
    assert_eq!(scenario.sweep()[0].unit, AxisUnit::Time);
    let linear = parse("\"ring.capacity\" = { from = \"1 Gb/s\", to = \"2 Gb/s\", steps = 3 }");
    assert_eq!(labels(&linear), ["1 Gb/s", "1.5 Gb/s", "2 Gb/s"]);
    let whole = parse("ring.stations = { from = 6, to = 8, steps = 3 }");
    assert_eq!(labels(&whole), ["6", "7", "8"]);
    let many = labels(&parse("run.seed = { from = 1, to = 100000, steps = 100000 }"));
    assert_eq!(many[23_456], "23457", "every whole number by itself");
    let fine = labels(&parse("ring.span-delay = { from = \"1 ms\", to = \"1.001 ms\", steps = 501 }"));
    assert_eq!((fine.len(), fine[1].as_str()), (501, "1000002 ns"));
    let real = parse("flow.a.weight = { from = 1.0, to = 2.0, steps = 5 }");
    assert_eq!(labels(&real), ["1.0", "1.25", "1.5", "1.75", "2.0"]);
}

#[test]
fn a_key_that_begins_a_flow_is_no_range() {
    let scenario = parse("flow.a.from = [0, 1, [0, 1]]");
    assert_eq!(labels(&scenario), ["0", "1", "[0, 1]"]);
}

#[test]
fn lists_stay_crossed_with_the_points_of_a_design() {
    let text = r#"
"ring.law.name" = ["dvsr", "fifo"]
"ring.span-delay" = { from = "0.1 ms", to = "1 ms" }
"ring.capacity" = { from = "100 Mb/s", to = "1 Gb/s", scale = "log" }
design = { method = "sobol", points = 8, seed = 3 }
"#;
    let scenario = parse(text);
    let sweep = scenario.sweep_points().unwrap();
    assert_eq!(sweep.len(), 16);
    // The same eight points under both laws.
    let places = |from: usize| (from..from + 8).map(|point| sweep.choices(point)[1..].to_vec()).collect::<Vec<_>>();
    assert_eq!(places(0), places(8));
    assert_eq!(sweep.choices(7), [0, 7, 7]);
    let delays: Vec<f64> = sweep.axes()[1].values.iter().map(|label| AxisUnit::Time.read(label).unwrap()).collect();
    for eighth in 0..8 {
        let inside = |ns: &&f64| ((**ns - 1e5) / 9e5 * 8.0) as usize == eighth;
        assert_eq!(delays.iter().filter(inside).count(), 1, "one in each eighth of the range");
    }
    sweep.check().unwrap();
    assert_ne!(labels(&scenario), labels(&parse(&text.replace("seed = 3", "seed = 4"))));
}

#[test]
fn keys_go_together_where_they_are_said_to() {
    let scenario = parse(
        "\"flow.a.weight\" = [1, 2]\ntogether.size = { \"ring.stations\" = [6, 12], \"ring.span-delay\" = [\"2 ms\", \"1 ms\"] }",
    );
    assert_eq!(labels(&scenario), ["1 6 2 ms", "1 12 1 ms", "2 6 2 ms", "2 12 1 ms"]);
    let repeated = parse(
        "together.size = { \"ring.stations\" = [6, 12, 6], \"ring.span-delay\" = [\"2 ms\", \"2 ms\", \"1 ms\"] }",
    );
    assert_eq!(labels(&repeated), ["6 2 ms", "12 2 ms", "6 1 ms"]);
}

#[test]
fn a_table_gives_points_row_by_row_and_its_mistakes_are_told_with_their_row() {
    let table = PointTable {
        name: "points.csv".to_owned(),
        columns: vec![
            ("ring.span-delay_ns".to_owned(), vec![Cell::Whole(200_000), Cell::Number(1e6)]),
            ("ring.stations".to_owned(), vec![Cell::Whole(7), Cell::Whole(4)]),
        ],
    };
    let scenario = parse("\"flow.a.weight\" = [1, 2]");
    let sweep = scenario.sweep_points_of(&table).unwrap();
    assert_eq!(sweep.len(), 4);
    assert_eq!(sweep.labels(2)[1], ("ring.span-delay".to_owned(), "200 us".to_owned()));
    assert_eq!(sweep.point(0).unwrap().ring().unwrap().stations, 7);
    let error = sweep.check().unwrap_err().to_string();
    let expected = "with flow.a.weight = 1, ring.span-delay = 1 ms, ring.stations = 4 (row 2 of points.csv): ";
    assert!(error.contains(expected), "{error}");
    let twice = parse("\"ring.stations\" = [6, 7]").sweep_points_of(&table).unwrap_err().to_string();
    assert!(twice.contains("`ring.stations` is swept twice") && twice.contains("points.csv"), "{twice}");
    let whole = Scenario::parse("ring.toml", RING).unwrap();
    assert_eq!(whole.sweep_points_of(&table).unwrap().len(), 2, "a file without a sweep takes a table, too");
    let wrong = PointTable { columns: vec![("ring.delay".to_owned(), vec![Cell::Whole(1)])], ..table };
    let error = whole.sweep_points_of(&wrong).unwrap().check().unwrap_err().to_string();
    assert!(error.contains("ring.delay = 1 (row 1 of points.csv): [ring] has no key `delay`"), "{error}");
}

#[test]
fn a_design_goes_with_the_last_of_its_ranges() {
    let ranges = "ring.span-delay = { from = \"1 ms\", to = \"2 ms\" }\n\"flow.*.weight\" = { from = 1.0, to = 2.0 }";
    let text = format!("{RING}[sweep]\n{ranges}\ndesign = {{ method = \"sobol\", points = 8 }}\n");
    let set = |settings: &[(&str, &str)]| {
        let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scenario::parse_with("ring.toml", &text, &settings).unwrap().sweep_points().unwrap().len()
    };
    assert_eq!(set(&[("ring.span-delay", "3 ms")]), 8);
    assert_eq!(set(&[("ring.span-delay", "3 ms"), ("flow.*.weight", "2.0")]), 1, "a point by itself");
    let again = ("sweep.flow.*.weight", "{ from = 2.0, to = 3.0 }");
    assert_eq!(set(&[("ring.span-delay", "3 ms"), again]), 8);
}

/// As the reference has it: at most 200 runs, or as many as there are first; designs are those of seed 1.
#[test]
fn what_is_left_out_of_a_sweep_has_its_default() {
    let until = |more: &str| {
        let text = format!("until = {{ measure = \"jain\", half-width = \"1 %\"{more} }}\nring.stations = [6, 7]");
        parse(&text).until().map(|until| (until.first, until.most)).unwrap()
    };
    assert_eq!(until(""), (10, 200));
    assert_eq!(until(", first = 500"), (500, 500));
    assert_eq!(until(", first = 500, most = 600"), (500, 600));
    for method in ["random", "sobol"] {
        let laid_out = |seed: &str| {
            let range = "ring.span-delay = { from = \"1 ms\", to = \"2 ms\" }";
            labels(&parse(&format!("{range}\ndesign = {{ method = \"{method}\", points = 8{seed} }}")))
        };
        assert_eq!(laid_out(""), laid_out(", seed = 1"));
        assert_ne!(laid_out(""), laid_out(", seed = 2"));
    }
}

#[test]
fn no_key_is_swept_for_nothing() {
    let text = format!("{RING}[[flow]]\nname = \"b\"\nfrom = 2\nto = 5\n");
    let swept = |sweep: &str| Scenario::parse("ring.toml", &format!("{text}[sweep]\n{sweep}")).unwrap().sweep_points();
    let both = swept("\"flow.*.weight\" = [1, 2]\n\"flow.a.weight\" = [3, 4]").unwrap();
    let weights = |point| both.point(point).unwrap().flows().iter().map(|flow| flow.weight).collect::<Vec<_>>();
    assert_eq!(weights(2), [3.0, 3.0, 2.0], "what is said of one goes before what is said of all");
    for (sweep, lost, winner) in [
        ("\"flow.a.weight\" = [3, 4]\n\"flow.*.weight\" = [1, 2]", "flow.a.weight", "flow.*.weight"),
        ("\"flow.b.weight\" = [3, 4]\n\"flow.1.weight\" = [1, 2]", "flow.b.weight", "flow.1.weight"),
    ] {
        let error = swept(sweep).unwrap_err().to_string();
        let expected = format!("`{lost}` is swept twice: `{winner}` takes its place everywhere");
        assert!(error.contains(&expected), "{error}");
    }
    let columns = vec![("run.seed".to_owned(), vec![Cell::Whole(1)]); 2];
    let twice = PointTable { name: "points.csv".to_owned(), columns };
    let error = Scenario::parse("ring.toml", RING).unwrap().sweep_points_of(&twice).unwrap_err().to_string();
    assert!(error.contains("points.csv has two columns `run.seed`"), "{error}");
}

#[test]
fn settings_beside_the_file_replace_values_and_axes() {
    let text = format!("{RING}[sweep]\n\"ring.span-delay\" = [\"1 ms\", \"2 ms\"]\nring.stations = [6, 7]\n");
    let settings = [("ring.span-delay".to_owned(), "3 ms".to_owned()), ("flow.*.weight".to_owned(), "2".to_owned())];
    let scenario = Scenario::parse_with("ring.toml", &text, &settings).unwrap();
    assert_eq!(labels(&scenario), ["6", "7"]);
    let point = scenario.sweep_points().unwrap().point(1).unwrap();
    assert!(point.resolved_toml().contains("\"3 ms\"") && !point.resolved_toml().contains("\"100 us\""));
    assert_eq!(point.flows()[1].weight, 2.0);
    let swept = [
        ("sweep.ring.span-delay".to_owned(), "[\"5 ms\"]".to_owned()),
        ("sweep.flow.a.weight".to_owned(), "[1, 2]".to_owned()),
    ];
    let scenario = Scenario::parse_with("ring.toml", &text, &swept).unwrap();
    assert_eq!(labels(&scenario), ["6 5 ms 1", "6 5 ms 2", "7 5 ms 1", "7 5 ms 2"]);
    assert_eq!(labels(&Scenario::parse_with("ring.toml", RING, &swept).unwrap()), ["5 ms 1", "5 ms 2"]);
    let wrong = [("ring.span".to_owned(), "3 ms".to_owned())];
    let error = Scenario::parse_with("ring.toml", RING, &wrong).unwrap_err().to_string();
    assert!(error.contains("[ring] has no key `span`"), "{error}");
}

#[test]
fn until_is_about_a_measure_of_every_point() {
    let scenario = parse(
        "ring.stations = [6, 7]\nuntil = { measure = \"flow.*.ratio\", half-width = \"1 %\" }\nmeasures = [\"flow.a-*.delay.p99\"]",
    );
    let until = scenario.until().unwrap();
    assert_eq!((until.first, until.most, until.half_width), (10, 200, HalfWidth::OfMean(0.01)));
    assert_eq!(scenario.sweep_measures()[0].key, "flow.a-*.delay.p99");
    let point = scenario.sweep_points().unwrap().point(1).unwrap();
    assert_eq!(point.until(), scenario.until());
    let absolute = parse(
        "ring.stations = [6, 7]\nuntil = { measure = \"flow.a-0.rate.mean\", half-width = \"1 Mb/s\", first = 3, most = 9 }",
    );
    assert_eq!(absolute.until().unwrap().half_width, HalfWidth::Absolute(1e6));
    let part = parse("ring.stations = [6, 7]\nuntil = { measure = \"utilisation\", half-width = \"1 %\" }");
    assert_eq!(part.until().unwrap().half_width, HalfWidth::Absolute(0.01));
}

/// `+3` is a number to TOML, and three stations on to a flow.
#[test]
fn relative_stations_mean_the_same_beside_the_file_as_in_it() {
    for to in ["+3", "-1"] {
        let beside = [("flow.f.to".to_owned(), to.to_owned())];
        let ring = |to: &str| {
            format!(
                "schema = 1\n[ring]\nstations = 5\ncapacity = \"1 Mb/s\"\nspan-delay = \"1 ms\"\nlaw = {{ name = \"dvsr\" }}\n\
                 [[flow]]\nname = \"f\"\nfrom = [1, 2]\nto = {to}\n"
            )
        };
        let ends = |scenario: Scenario| -> Vec<[usize; 2]> {
            scenario.flows().iter().map(|flow| [flow.from.index, flow.to.index]).collect()
        };
        let in_file = Scenario::parse("ring.toml", &ring(&format!("\"{to}\""))).unwrap();
        let set = Scenario::parse_with("ring.toml", &ring("4"), &beside).unwrap();
        assert_eq!(ends(set), ends(in_file), "{to}");
    }
}
