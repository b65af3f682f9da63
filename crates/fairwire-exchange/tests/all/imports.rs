//! Files of others become scenarios on which fair rates can be computed.

use fairwire_alloc::Criterion;
use fairwire_core::BitRate;
use fairwire_exchange::{
    Foreign, GraphOptions, Layout, LibreQosOptions, Limits, Senders, Sending, Traffic, from_csv, from_graph,
    from_libreqos,
};
use fairwire_scenario::Scenario;

fn file<'a>(name: &'a str, text: &'a str) -> Foreign<'a> {
    Foreign { name, text }
}

fn fair(toml: &str) -> (Scenario, Vec<(String, f64)>) {
    let scenario = Scenario::parse("made", toml).unwrap_or_else(|errors| panic!("{errors}\n{toml}"));
    let rates = scenario.fair_rates(Criterion::MaxMin).expect("solvable").rates_bps;
    let rates = scenario.flows().iter().zip(rates).map(|(flow, rate)| (flow.name.clone(), rate / 1e6)).collect();
    (scenario, rates)
}

const LINKS: &str = include_str!("../samples/links.csv");
const FLOWS: &str = include_str!("../samples/flows.csv");

#[test]
fn tables_of_links_and_flows() {
    let toml = from_csv(
        file("links.csv", LINKS),
        &Layout::default(),
        &Senders::Table(file("flows.csv", FLOWS)).into(),
        "A \"chain\"",
    )
    .unwrap();
    let (scenario, rates) = fair(&toml);
    assert_eq!(scenario.title(), "A \"chain\"");
    assert_eq!(scenario.network().unwrap().links.len(), 3, "one goes both ways: {toml}");
    assert_eq!(scenario.network().unwrap().links[0].delay, "0.2 ms".parse().unwrap());
    assert_eq!(rates, [("hub to farm".to_owned(), 10.0), ("hub to mill".to_owned(), 25.0)]);
    assert_eq!(scenario.flows()[0].weight, 2.0);
    assert_eq!(fairwire_scenario::format(&toml).unwrap(), toml, "it is formatted");
}

#[test]
fn without_flows_a_hub_or_everybody_sends() {
    let duplex = LINKS.replace(",no", ",yes");
    let hub =
        from_csv(file("links.csv", &duplex), &Layout::default(), &Senders::Hub("hub".to_owned()).into(), "").unwrap();
    assert_eq!(fair(&hub).1, [("mill".to_owned(), 30.0), ("farm".to_owned(), 10.0)]);
    let all = from_csv(file("links.csv", &duplex), &Layout::default(), &Senders::AllPairs.into(), "").unwrap();
    assert_eq!(fair(&all).1.len(), 6);
    let wrong = from_csv(file("links.csv", &duplex), &Layout::default(), &Senders::Hub("bub".to_owned()).into(), "")
        .unwrap_err();
    assert!(wrong.to_string().contains("no node `bub`"), "{wrong}");
}

/// Of `a,b` and `b,a` each has its own capacity, unless a column says otherwise; names are nobody else's.
#[test]
fn links_listed_both_ways_are_one_way_each() {
    let links = |rows: &str| from_csv(file("links.csv", rows), &Layout::default(), &Senders::AllPairs.into(), "");
    let named = |toml: &str| -> Vec<(String, f64)> {
        let (scenario, _) = fair(toml);
        let links = &scenario.network().unwrap().links;
        links.iter().map(|link| (link.name.clone(), link.capacity.as_bps_f64() / 1e6)).collect()
    };
    let both = "from,to,capacity\na,b,10 Mb/s\nb,a,5 Mb/s\nb,c,1 Mb/s\n";
    let expected = [("a-b", 10.0), ("b-a", 5.0), ("b-c", 1.0), ("c-b", 1.0)];
    let found = named(&links(both).unwrap());
    assert_eq!(found.iter().map(|(_, rate)| *rate).collect::<Vec<_>>(), expected.map(|(_, rate)| rate), "{found:?}");
    let told = "from,to,capacity,duplex\na,b,10 Mb/s,yes\nb,a,5 Mb/s,no\n";
    assert_eq!(named(&links(told).unwrap()).len(), 3);
    for rows in [
        "name,from,to,capacity\nx,a,b,1 Mb/s\nx,b,c,1 Mb/s\n",
        "name,from,to,capacity\nx,a,b,1 Mb/s\nx-back,b,c,1 Mb/s\n",
    ] {
        let wrong = links(rows).unwrap_err().to_string();
        assert!(wrong.contains("links.csv:3:1") && wrong.contains("a name of its own"), "{wrong}");
    }
}

/// What one edge says of itself counts before what all do.
#[test]
fn an_edge_of_graphml_may_have_a_direction_of_its_own() {
    let options = GraphOptions { capacity: Some("1 Gb/s".parse().unwrap()), unit: None };
    let links = |all: &str, one: &str| {
        let text = format!(
            "<graphml><graph edgedefault=\"{all}\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/>\
             <edge source=\"a\" target=\"b\" directed=\"{one}\"/><edge source=\"a\" target=\"c\"/></graph></graphml>"
        );
        let toml = from_graph(file("g.graphml", &text), &options, &Senders::Hub("a".to_owned()).into(), "").unwrap();
        fair(&toml).0.network().unwrap().links.iter().map(|link| link.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(links("undirected", "true"), ["a-b", "a-c", "a-c-back"]);
    assert_eq!(links("directed", "false"), ["a-b", "a-b-back", "a-c"]);
}

const GRAPHML: &str = include_str!("../samples/graph.graphml");

#[test]
fn a_graphml_graph() {
    let options = GraphOptions { capacity: Some("2 Gb/s".parse().unwrap()), unit: None };
    let toml =
        from_graph(file("small.graphml", GRAPHML), &options, &Senders::Hub("North".to_owned()).into(), "").unwrap();
    let (scenario, rates) = fair(&toml);
    assert_eq!(scenario.title(), "Small");
    let network = scenario.network().unwrap();
    let links: Vec<_> =
        network.links.iter().map(|link| (link.name.as_str(), link.capacity.to_text(), link.delay.to_text())).collect();
    let [from, to, more] = [
        ("North-South", "1 Gb/s", "0.5 ms"),
        ("South-East", "2 Gb/s", "1.2525 ms"),
        ("South-East-2", "2 Gb/s", "0.5 ms"),
    ];
    for (at, (name, capacity, delay)) in [(0, from), (2, to), (4, more)] {
        assert_eq!(links[at].0, name);
        assert_eq!(links[at].1.parse::<BitRate>().unwrap(), capacity.parse().unwrap());
        assert_eq!(links[at].2.parse::<fairwire_core::Span>().unwrap(), delay.parse().unwrap());
    }
    assert_eq!(rates, [("South".to_owned(), 500.0), ("East".to_owned(), 500.0)]);
}

#[test]
fn a_graph_without_capacities_says_so() {
    let wrong = from_graph(file("small.graphml", GRAPHML), &GraphOptions::default(), &Senders::AllPairs.into(), "")
        .unwrap_err();
    assert_eq!((wrong.items.len(), wrong.items[0].line), (2, 11), "{wrong}");
    assert!(wrong.to_string().contains("--capacity"), "{wrong}");
}

const NODE_LINK: &str = include_str!("../samples/graph.json");

#[test]
fn a_graph_in_node_link_json() {
    let options = GraphOptions { unit: Some("1 Gb/s".parse().unwrap()), capacity: None };
    let toml = from_graph(file("g.json", NODE_LINK), &options, &Senders::AllPairs.into(), "mine").unwrap();
    let (scenario, rates) = fair(&toml);
    assert_eq!(scenario.network().unwrap().nodes, ["7", "8", "9"], "one has no name: ids for all");
    assert_eq!(scenario.network().unwrap().links[0].capacity.to_text(), "2.5 Gb/s");
    assert_eq!(rates.len(), 6);
    let wrong =
        from_graph(file("g.json", NODE_LINK), &GraphOptions::default(), &Senders::AllPairs.into(), "").unwrap_err();
    assert_eq!(wrong.items[0].line, 6, "{wrong}");
    assert!(wrong.to_string().contains("--unit"), "{wrong}");
}

const TREE: &str = include_str!("../samples/network.json");

const CIRCUITS: &str = include_str!("../samples/ShapedDevices.csv");

#[test]
fn a_tree_of_sites_with_circuits_and_back() {
    let options = LibreQosOptions::default();
    let toml =
        from_libreqos(file("network.json", TREE), Some(file("ShapedDevices.csv", CIRCUITS)), &options, "t").unwrap();
    let (scenario, rates) = fair(&toml);
    let down: Vec<_> = rates.iter().step_by(2).map(|(name, rate)| (name.as_str(), *rate)).collect();
    assert_eq!(down, [("5 Mill Road, Hill", 19.5), ("circuit 2", 10.5), ("Barn", 60.0)]);
    let bps: Vec<f64> = rates.iter().map(|(_, rate)| rate * 1e6).collect();
    let limits = Limits::new(&scenario, &bps).unwrap();
    let tree = limits.libreqos(None).unwrap();
    let kept = &tree["hill"]["downloadBandwidthMbps"];
    assert!(
        TREE.contains(&format!("\"downloadBandwidthMbps\": {kept}").replace(".0", "")),
        "no flow ends there: {kept}"
    );
    assert_eq!(tree["hill"]["children"]["mill"]["downloadBandwidthMbps"], 30.0);
    assert_eq!(tree["hill"]["children"]["farm"]["uploadBandwidthMbps"], 10.0);
    // What came out can be read in again.
    let again = from_libreqos(file("again", &tree.to_string()), None, &options, "").unwrap();
    assert!(fair(&again).1.contains(&("mill".to_owned(), 30.0)));
    assert!(limits.sites_csv().unwrap().contains("mill,30,10\n"), "{}", limits.sites_csv().unwrap());
    assert!(limits.flows_csv().unwrap().contains("\"5 Mill Road, Hill\",internet,mill,19.5\n"));
}

#[test]
fn a_network_that_is_no_tree_has_no_tree_of_limits() {
    let links = "from,to,capacity\na,b,1 Mb/s\nb,c,1 Mb/s\nc,a,1 Mb/s\n";
    let toml = from_csv(file("l", links), &Layout::default(), &Senders::AllPairs.into(), "").unwrap();
    let (scenario, rates) = fair(&toml);
    let bps: Vec<f64> = rates.iter().map(|(_, rate)| rate * 1e6).collect();
    let wrong = Limits::new(&scenario, &bps).unwrap().libreqos(None).unwrap_err();
    assert!(wrong.to_string().contains("two ways"), "{wrong}");
}

#[test]
fn mistakes_have_their_line_and_a_mend() {
    let csv = |text: &str| {
        from_csv(file("l.csv", text), &Layout::default(), &Senders::AllPairs.into(), "").unwrap_err().to_string()
    };
    for (text, wanted) in [
        ("", "l.csv:1:1: the table is empty"),
        ("from,to,capcity\na,b,1 Mb/s\n", "l.csv:1:1: there is no column `capacity`"),
        ("from,to,capacity\na,b,1\n", "l.csv:2:5: `capacity`: `1` has no unit"),
        ("from,to,capacity\na,b,\n", "l.csv:2:1: `capacity` is missing"),
        ("from,to,capacity\n# a\n\na,a,1 Mb/s\n", "l.csv:4:1: a link from a to itself"),
        ("from,to,capacity_mbps\na,b,-1\n", "l.csv:2:5: `capacity_mbps`: `-1` is out of range"),
        ("from,to,capacity,delay\na,b,1 Mb/s,3\n", "l.csv:2:12: `delay`: `3` has no unit"),
        ("from,to,capacity,duplex\na,b,1 Mb/s,maybe\n", "l.csv:2:12: `duplex`: `maybe`"),
        ("from,to,capacity\n", "there are no links"),
        ("von,nach,capacity\na,b,1G\n", "there are no columns `from`, `to` — add them"),
        (
            "von,nach,rtt\na,b,1\n",
            "`--map THEIRS=from --map THEIRS=to --map THEIRS=capacity`; there are von, nach, rtt; of an rtt",
        ),
        ("a b 100Mbps 10ms\n", "l.csv:1:1: this looks like a file without a header"),
        ("a,b,1G\nb,c,1G\n", "l.csv:1:1: this looks like a file without a header"),
        ("from,to,capacity,x,y\na,b,1G,1,1\n", "l.csv:1:18: nobody knows columns `x`, `y`"),
        ("node1,node2,bw\na,b,100\n", "`--map \"bw=capacity_mbps\"`"),
    ] {
        let said = csv(text);
        assert!(said.contains(wanted), "{text:?}: {said}");
        assert!(said.lines().all(|line| line.contains(" — ")), "{said}");
        assert_eq!(said.lines().count(), 1, "one cause, one message: {said}");
    }
    let flows = |text: &str| {
        let senders = Senders::Table(file("f.csv", text));
        from_csv(file("l.csv", LINKS), &Layout::default(), &senders.into(), "").unwrap_err().to_string()
    };
    assert!(flows("from,to\nhub,moll\n").contains("f.csv:2:5: `to`: there is no node `moll`"));
    assert!(flows("from,to,route\nhub,farm,hop-1;x\n").contains("no link `x`"));
    assert!(flows("from,to,weight\nhub,farm,0\n").contains("f.csv:2:10: `weight`"));
    assert!(flows("from,to\nfarm,hub\n").starts_with("f.csv:2:1: no way leads from farm to hub"), "out of reach");

    let tree = |text: &str| {
        from_libreqos(file("n.json", text), None, &LibreQosOptions::default(), "").unwrap_err().to_string()
    };
    assert!(tree("{").contains("n.json:1:1: this is not JSON"), "{}", tree("{"));
    assert!(tree("{}").contains("no sites"));
    assert!(
        tree("{\n\"a\": {\n").contains("n.json:2:"),
        "a file cut off ends on its last line: {}",
        tree("{\n\"a\": {\n")
    );
    let missing = TREE.replace("\"uploadBandwidthMbps\": 10, \"type\": \"AP\"},", "\"type\": \"AP\"},");
    assert!(tree(&missing).contains("n.json:5:7: `mill` has no `uploadBandwidthMbps`"), "{}", tree(&missing));
    assert!(tree(&TREE.replace("farm", "mill")).contains("n.json:6:7: there are two places called `mill`"));
    let circuits = CIRCUITS.replace(",farm,", ",form,");
    let wrong =
        from_libreqos(file("n", TREE), Some(file("d.csv", &circuits)), &LibreQosOptions::default(), "").unwrap_err();
    assert!(wrong.to_string().contains("d.csv:5:12: there is no site `form`"), "{wrong}");
    let circuits = CIRCUITS.replace(",200,50,", ",fast,50,");
    let wrong =
        from_libreqos(file("n", TREE), Some(file("d.csv", &circuits)), &LibreQosOptions::default(), "").unwrap_err();
    assert!(wrong.to_string().contains("d.csv:5:33: `download_max_mbps`: `fast`"), "{wrong}");

    let graph = |text: &str| {
        from_graph(file("g", text), &GraphOptions::default(), &Senders::AllPairs.into(), "").unwrap_err().to_string()
    };
    assert!(graph("<graphml>\n<graph>").contains("this is not XML"), "{}", graph("<graphml>\n<graph>"));
    assert!(graph("<graphml/>").contains("no graph in it"));
    let entity = "<!DOCTYPE graphml [\n <!ENTITY a \"b\">\n]>\n<graphml/>";
    assert!(graph(entity).starts_with("g:2:2: the DOCTYPE declares an entity"), "{}", graph(entity));
    assert_eq!(graph(entity).lines().count(), 1);
    for doctype in ["<!DOCTYPE graphml SYSTEM \"graphml.dtd\">", "<!DOCTYPE graphml [ <!ELEMENT a ANY> ]>\n<!-- -->"] {
        let text = GRAPHML.replace("<graphml ", &format!("{doctype}<graphml "));
        let options = GraphOptions { capacity: "1 Gb/s".parse().ok(), unit: None };
        from_graph(file("g", &text), &options, &Senders::AllPairs.into(), "").unwrap_or_else(|said| panic!("{said}"));
    }
    assert!(graph(&GRAPHML.replace("target=\"2\"", "target=\"5\"")).contains("target of this edge is `5`"));
    assert!(graph("[]").contains("no graph"));
    assert!(graph("hello").contains("neither GraphML nor JSON"));
}

const OPERATORS: &str =
    "\u{feff}Source;Target;Bandwidth (Mbps);Latency_ms;Region\ncore;west;1000;0,25;1\nwest;farm;12,5;1,5;2\n";

#[test]
fn tables_of_operators_are_understood_with_their_headings_separators_and_units() {
    let left_out = Layout { map: vec![("region".to_owned(), String::new())], ..Layout::default() };
    let hub = || Senders::Hub("core".to_owned()).into();
    let toml = from_csv(file("l.csv", OPERATORS), &left_out, &hub(), "").unwrap();
    let (scenario, rates) = fair(&toml);
    assert_eq!(rates, [("west".to_owned(), 987.5), ("farm".to_owned(), 12.5)]);
    assert_eq!(scenario.network().unwrap().links[0].delay, "250 us".parse().unwrap());
    let unknown = from_csv(file("l.csv", OPERATORS), &Layout::default(), &hub(), "").unwrap_err().to_string();
    assert!(unknown.contains("nobody knows a column `Region`") && unknown.contains("--map \"Region=\""), "{unknown}");
    let tabs = "a_end\tb_end\tspeed\ncore\twest\t1G\nwest\tfarm\t500mbit\n";
    assert_eq!(fair(&from_csv(file("l.tsv", tabs), &Layout::default(), &hub(), "").unwrap()).1[1].1, 500.0);
    let theirs = "von,nach,kap\ncore,west,10 Mb/s\n";
    let map =
        [("von", "from"), ("nach", "to"), ("kap", "capacity")].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    assert_eq!(
        fair(&from_csv(file("l", theirs), &Layout { map, ..Layout::default() }, &hub(), "").unwrap()).1[0].1,
        10.0
    );
    let thousands = "from;to;capacity_mbps\ncore;west;1,000\n";
    let wrong = from_csv(file("l", thousands), &Layout::default(), &hub(), "").unwrap_err().to_string();
    assert!(wrong.contains("l:2:11") && wrong.contains("--decimal"), "{wrong}");
}

#[test]
fn flows_are_connections_where_acknowledgements_find_a_way_back() {
    let links = "from,to,capacity,duplex\nhub,mill,10 Mb/s,yes\nmill,farm,5 Mb/s,no\n";
    let made = |traffic: Traffic| {
        let sending = Sending { senders: Senders::Hub("hub".to_owned()), traffic };
        from_csv(file("l", links), &Layout::default(), &sending, "").unwrap()
    };
    let tcp = |toml: &str| toml.matches("kind = \"tcp\"").count();
    assert_eq!((tcp(&made(Traffic::Usual)), tcp(&made(Traffic::Greedy))), (1, 0));
    let sending = Sending { senders: Senders::Hub("hub".to_owned()), traffic: Traffic::Tcp };
    assert!(from_csv(file("l", links), &Layout::default(), &sending, "").is_err(), "the farm cannot answer");
}

/// A site in another file keeps what is not ours, and a limit that nobody asked about.
#[test]
fn limits_go_into_a_tree_that_keeps_all_else() {
    let tree = r#"{
  "hill": {
    "uploadBandwidthMbps": 20,
    "downloadBandwidthMbps": 500,
    "type": "Site",
    "latitude": 47.25,
    "children": {
      "mill": {"downloadBandwidthMbps": 80, "uploadBandwidthMbps": 20, "type": "AP", "tags": ["5 GHz", null, true, {}]}
    }
  },
  "elsewhere": {"downloadBandwidthMbps": 7, "uploadBandwidthMbps": 3}
}"#;
    let devices =
        "circuit_id,parent_node,download_min_mbps,upload_min_mbps,download_max_mbps,upload_max_mbps\n1,mill,1,1,50,5\n";
    let options = LibreQosOptions { traffic: Traffic::Greedy, ..LibreQosOptions::default() };
    let toml = from_libreqos(file("n", tree), Some(file("d", devices)), &options, "").unwrap();
    let scenario = Scenario::parse("made", &toml).unwrap();
    let limits = Limits::new(&scenario, &[50e6, 5e6]).unwrap();
    let written = limits.libreqos_into(tree, None).unwrap();
    let [was, is] = [tree, &written].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    let mut expected = was.clone();
    expected["hill"]["children"]["mill"]["downloadBandwidthMbps"] = 50.into();
    expected["hill"]["children"]["mill"]["uploadBandwidthMbps"] = 5.into();
    let numbers = |value: &serde_json::Value| value.to_string().replace(".0,", ",").replace(".0}", "}");
    assert_eq!(numbers(&is), numbers(&expected));
    for nothing in ["{}", "[1]", "5", "{\"elsewhere\": {}}", "{\"mill\": 5}"] {
        let told = limits.libreqos_into(nothing, None).unwrap_err().to_string();
        assert!(told.contains("names no site"), "{nothing}: {told}");
    }
    assert!(
        written.find("\"uploadBandwidthMbps\": 20").unwrap() < written.find("\"downloadBandwidthMbps\": 500").unwrap()
    );
    let told = |text: &str| limits.libreqos_into(text, None).unwrap_err().to_string();
    assert!(told("no").contains("no JSON to set limits in"));
    let twice = r#"{"hill": {"children": {"mill": {"type": "Site", "id": 1, "type": "AP"}}}}"#;
    assert_eq!(told(twice), "`type` stands twice in one object");
}

/// What cannot be read is not taken for something else.
#[test]
fn words_and_numbers_that_mean_nothing_are_refused() {
    let graph = |text: &str| {
        let options = GraphOptions { capacity: "10 Gb/s".parse().ok(), ..GraphOptions::default() };
        from_graph(file("graph", text), &options, &Senders::Hub("a".to_owned()).into(), "")
    };
    let json = |more: &str, edge: &str| {
        format!(
            "{{{more}\"nodes\": [{{\"id\": \"a\"}}, {{\"id\": \"b\"}}], \
             \"edges\": [{{\"source\": \"a\", \"target\": \"b\"{edge}}}]}}"
        )
    };
    let graphml = |kind: &str, directed: &str| {
        format!(
            "<graphml><graph edgedefault=\"{kind}\"><node id=\"a\"/><node id=\"b\"/>\
             <edge source=\"a\" target=\"b\"{directed}/></graph></graphml>"
        )
    };
    let is_duplex = |text: &str| graph(text).unwrap().contains("duplex = true");
    assert!(is_duplex(&json("", "")) && !is_duplex(&json("\"directed\": true, ", "")));
    assert!(is_duplex(&graphml("undirected", "")) && !is_duplex(&graphml("directed", "")));
    assert!(!is_duplex(&graphml("undirected", " directed=\"true\"")));
    for (text, wrong) in [
        (json("\"directed\": \"true\", ", ""), "`directed` is"),
        (json("", ", \"LinkSpeedRaw\": \"fast\""), "`LinkSpeedRaw` of fast is no rate"),
        (json("", ", \"LinkSpeedRaw\": 0"), "`LinkSpeedRaw`: `0` carries nothing"),
        (graphml("sideways", ""), "`edgedefault` is \"sideways\""),
        (graphml("directed", " directed=\"maybe\""), "`directed` is \"maybe\""),
    ] {
        let told = graph(&text).unwrap_err().to_string();
        assert!(told.contains(wrong), "{text}: {told}");
    }
}

/// Of a tree of thousands of sites memory holds no answer for each pair.
#[test]
fn many_sites_are_read_and_a_deep_chain_is_no_tree() {
    let sites: Vec<String> = (0..5_000)
        .map(|site| format!("\"s{site}\": {{\"downloadBandwidthMbps\": 30, \"uploadBandwidthMbps\": 10}}"))
        .collect();
    let tree = format!("{{{}}}", sites.join(",\n"));
    let toml = from_libreqos(file("n.json", &tree), None, &LibreQosOptions::default(), "").unwrap();
    assert_eq!(toml.matches("kind = \"tcp\"").count(), 10_000);
    let limits_of = |links: usize| {
        let rows: String = (0..links).map(|node| format!("n{node},n{},1 Gb/s\n", node + 1)).collect();
        let flows = Senders::Table(file("f.csv", "from,to\nn0,n1\n"));
        let text = format!("from,to,capacity\n{rows}");
        let toml = from_csv(file("l.csv", &text), &Layout::default(), &flows.into(), "").unwrap();
        let scenario = Scenario::parse("made", &toml).unwrap();
        Limits::new(&scenario, &[1e9]).unwrap().libreqos(None).map(|tree| tree.to_string())
    };
    let deepest = limits_of(60).unwrap();
    from_libreqos(file("again", &deepest), None, &LibreQosOptions::default(), "").unwrap();
    let told = limits_of(20_000).unwrap_err().to_string();
    assert!(told.contains("n61 is more than 60 links away"), "{told}");
}

/// Before anything is made of them: twenty thousand nodes would make 400 million flows.
#[test]
fn more_pairs_than_there_may_be_flows_are_refused_at_once() {
    let rows: String = (0..20_000).map(|node| format!("n{node},n{},1 Gb/s\n", node + 1)).collect();
    let links = format!("from,to,capacity\n{rows}");
    let told = from_csv(file("links.csv", &links), &Layout::default(), &Senders::AllPairs.into(), "").unwrap_err();
    assert!(told.to_string().contains("20001 nodes make 400020000 pairs"), "{told}");
}

/// 50 nodes make 2450 pairs, of 100000 that there may be.
#[test]
fn as_many_pairs_as_there_may_be_flows_are_made() {
    let rows: String = (1..50).map(|node| format!("hub,n{node},1 Gb/s,yes\n")).collect();
    let links = format!("from,to,capacity,duplex\n{rows}");
    let toml = from_csv(file("links.csv", &links), &Layout::default(), &Senders::AllPairs.into(), "").unwrap();
    assert_eq!(toml.matches("[[flow]]").count(), 50 * 49);
}

/// A delay of nothing is what a link has that says nothing.
#[test]
fn no_delay_is_not_written() {
    let links = "from,to,capacity,delay\na,b,1 Gb/s,0 ms\nb,c,1 Gb/s,1 ns\n";
    let toml =
        from_csv(file("links.csv", links), &Layout::default(), &Senders::Hub("a".to_owned()).into(), "").unwrap();
    assert_eq!(toml.lines().filter(|line| line.starts_with("delay")).collect::<Vec<_>>(), ["delay = \"1 ns\""]);
}

/// More than 20 mistakes help nobody.
#[test]
fn the_first_twenty_mistakes_are_told() {
    let mistakes = |count: usize| {
        let rows = "a,b,1\n".repeat(count);
        let links = format!("from,to,capacity\n{rows}");
        let told = from_csv(file("links.csv", &links), &Layout::default(), &Senders::AllPairs.into(), "").unwrap_err();
        told.items.iter().map(|item| item.line).collect::<Vec<_>>()
    };
    assert_eq!(mistakes(3), [2, 3, 4]);
    assert_eq!(mistakes(20), (2..22).collect::<Vec<_>>());
    assert_eq!(mistakes(25), (2..22).collect::<Vec<_>>());
}

/// The scenario made of a table of links, or what is said of it.
fn links(text: &str) -> Result<String, String> {
    let made = from_csv(file("links.csv", text), &Layout::default(), &Senders::AllPairs.into(), "");
    made.map_err(|errors| errors.to_string())
}

/// A cell in no column, or in the next one, would make another number of what was written.
#[test]
fn rows_with_more_cells_than_columns_are_refused() {
    let told = links("from,to,capacity_mbps\na,b,100\nb,c,12,5\n").unwrap_err();
    let wanted = "links.csv:3:1: the row has 4 cells, and the header 3: `5` is in no column";
    assert!(told.starts_with(wanted) && told.contains("`\"12,5\"`"), "{told}");
    let told = links("from;to;capacity_mbps\na;b;12;x\n").unwrap_err();
    assert!(told.contains("quote what holds a `;`"), "{told}");
    assert!(links("from,to,capacity_mbps\na,b,12.5,,\n").is_ok(), "spreadsheets leave empty cells");
    assert!(links("from;to;capacity_mbps\na;b;12,5\n").is_ok_and(|toml| toml.contains("12.5 Mb/s")));
    let flows = file("flows.csv", "from,to,demand_mbps\nhub,mill,1,5\n");
    let told = from_csv(file("links.csv", LINKS), &Layout::default(), &Senders::Table(flows).into(), "").unwrap_err();
    assert!(told.to_string().starts_with("flows.csv:2:1: the row has 4 cells"), "{told}");
}

#[test]
fn quotes_that_do_not_end_are_told_where_they_begin() {
    let told = links("from,to,capacity\na,b,1 Mb/s\n\"b,c,1 Mb/s\nc,d,1 Mb/s\n").unwrap_err();
    assert!(told.starts_with("links.csv:3:1: a quote that begins here never ends"), "{told}");
    let told = links("from,to,capacity\n\"a,b,1 Mb/s\nb,c\",d,1 Mb/s,\"x\"\n").unwrap_err();
    assert!(told.starts_with("links.csv:2:1: a quote that begins here ends in a later line"), "{told}");
    assert!(links("from,to,capacity\n\"a \"\"big\"\" one\",b,\"1 Mb/s\"").is_ok());
    assert!(links("from,to,capacity\n12\" pipe,b,1 Mb/s").is_ok(), "within a cell it is a sign like others");
}

/// What was imported is good for `allocate`.
#[test]
fn minimums_that_do_not_fit_are_told_of_the_circuit() {
    let network = file("network.json", r#"{"Site": {"downloadBandwidthMbps": 500, "uploadBandwidthMbps": 500}}"#);
    let header =
        "Circuit ID,Circuit Name,Parent Node,Download Min Mbps,Upload Min Mbps,Download Max Mbps,Upload Max Mbps";
    let devices = |least: u32| format!("{header}\n1,Mill,Site,100,10,700,100\n2,Farm,Site,{least},10,700,100\n");
    let made = |least: u32| {
        let text = devices(least);
        let devices = Some(file("ShapedDevices.csv", &text));
        from_libreqos(network, devices, &LibreQosOptions::default(), "").map_err(|errors| errors.to_string())
    };
    let told = made(600).unwrap_err();
    assert!(told.starts_with("ShapedDevices.csv:3:1: ") && told.contains("600 Mb/s"), "{told}");
    assert!(made(500).unwrap_err().starts_with("ShapedDevices.csv:"));
    assert!(made(400).is_ok());
}
