//! What a file says twice of one thing: once is enough where it is the same, and it is refused where it is not.

use fairwire_exchange::{Foreign, GraphOptions, Layout, LibreQosOptions, Senders, from_csv, from_graph, from_libreqos};

fn file<'a>(name: &'a str, text: &'a str) -> Foreign<'a> {
    Foreign { name, text }
}

fn hub() -> Senders<'static> {
    Senders::Hub("a".to_owned())
}

fn csv(text: &str) -> Result<String, String> {
    from_csv(file("l.csv", text), &Layout::default(), &hub().into(), "").map_err(|errors| errors.to_string())
}

fn flows(text: &str) -> Result<String, String> {
    let links = file("l.csv", "from,to,capacity\na,b,10 Mb/s\n");
    let senders = Senders::Table(file("f.csv", text));
    from_csv(links, &Layout::default(), &senders.into(), "").map_err(|errors| errors.to_string())
}

fn graph(text: &str) -> Result<String, String> {
    let options = GraphOptions { unit: "1 Mb/s".parse().ok(), ..GraphOptions::default() };
    from_graph(file("g", text), &options, &hub().into(), "").map_err(|errors| errors.to_string())
}

fn refused(made: &Result<String, String>, wanted: &str) {
    let said = made.as_ref().expect_err(wanted);
    assert!(said.contains(wanted), "{wanted}\nbut\n{said}");
    assert_eq!(said.lines().count(), 1, "one cause, one message: {said}");
}

#[test]
fn columns_of_one_quantity() {
    let same = csv("from,to,capacity,capacity_mbps,delay,latency_us\na,b,10 Mb/s,10,0.25 ms,250\nb,c,,5,,\n").unwrap();
    assert!(same.contains("capacity = \"10 Mb/s\"") && same.contains("capacity = \"5 Mb/s\""), "{same}");
    assert!(same.contains("delay = \"250 us\""), "{same}");
    let differ = csv("from,to,capacity,capacity_mbps\na,b,10 Mb/s,10\nb,c,5 Mb/s,50\n");
    refused(&differ, "l.csv:3:12: `capacity` says 5 Mb/s, and `capacity_mbps` 50, for one `capacity`");
    let differ = csv("from,to,Bandwidth (Mbps),speed\na,b,10,1G\n");
    refused(&differ, "l.csv:2:8: `Bandwidth (Mbps)` says 10, and `speed` 1G, for one `capacity`");
    refused(
        &csv("from,to,capacity,delay_ms,delay\na,b,1G,3,3 us\n"),
        "l.csv:2:10: `delay_ms` says 3, and `delay` 3 us",
    );
    let differ = flows("from,to,demand_mbps,demand_kbps\na,b,1,1000\na,b,1,100\n");
    refused(&differ, "f.csv:3:7: `demand_mbps` says 1, and `demand_kbps` 100, for one `demand`");
}

/// Of these nobody could tell which counts.
#[test]
fn columns_that_are_one_and_the_same() {
    let twice = csv("from,to,bandwidth_mbps,speed_mbps\na,b,10,20\n");
    refused(&twice, "l.csv:1:24: column `capacity_mbps` is there twice, as `bandwidth_mbps` and as `speed_mbps`");
    assert!(twice.unwrap_err().contains("`--map \"speed_mbps=\"` leaves"));
    refused(&flows("from,to,weight,share\na,b,1,2\n"), "f.csv:1:16: column `weight` is there twice");
    refused(&csv("from,to,capacity,lat\na,b,1G,3\n"), "or tell that of all: `--map \"lat=delay_ms\"`");
}

#[test]
fn data_of_one_quantity() {
    let graphml = |keys: &str, data: &str| {
        let keys = keys.replace("/k ", "/>\n<key for=\"edge\" ");
        graph(&format!(
            "<graphml>\n<key for=\"edge\" {keys}\n<graph edgedefault=\"directed\">\n<node id=\"a\"/><node id=\"b\"/>\n\
             <edge source=\"a\" target=\"b\">\n{data}</edge></graph></graphml>"
        ))
    };
    let one = "id=\"c\" attr.name=\"capacity\"/>";
    let two = "id=\"c\" attr.name=\"capacity\"/k id=\"r\" attr.name=\"LinkSpeedRaw\"/>";
    let told = |key: &str, text: &str| format!("<data key=\"{key}\">{text}</data>\n");
    assert!(graphml(one, &(told("c", "10") + &told("c", "10 Mb/s"))).is_ok());
    let differ = graphml(one, &(told("c", "10") + &told("c", "20")));
    refused(&differ, "g:7:1: `capacity` is 20 here, and `capacity` is 10 in line 6");
    assert!(graphml(two, &(told("c", "10") + &told("r", "1e7"))).is_ok());
    let differ = graphml(two, &(told("c", "10") + &told("r", "1e9")));
    refused(&differ, "g:8:1: `linkspeedraw` is 1e9 here, and `capacity` is 10 in line 7");
    let default = "id=\"c\" attr.name=\"capacity\"><default>5</default></key>";
    assert!(graphml(default, &told("c", "10")).unwrap().contains("10 Mb/s"), "what is said counts before a default");
    let double = "id=\"c\" attr.name=\"capacity\"/k id=\"c\" attr.name=\"delay\"/>";
    refused(&graphml(double, &told("c", "10")), "g:3:1: key `c` is `delay` here, and `capacity` in line 2");
    let distances = "id=\"c\" attr.name=\"capacity\"/k id=\"d\" attr.name=\"dist\"/k id=\"l\" attr.name=\"length\"/>";
    refused(
        &graphml(distances, &(told("c", "10") + &told("d", "100") + &told("l", "200"))),
        "g:10:1: `length` is 200 here, and `dist` is 100 in line 9",
    );
}

#[test]
fn members_of_one_object() {
    let json = |top: &str, node: &str, edge: &str| {
        graph(&format!(
            "{{{top}\n\"nodes\": [{{\"id\": \"a\"{node}}},\n{{\"id\": \"b\"}}],\n\
             \"edges\": [{{\"source\": \"a\", \"target\": \"b\", \"capacity\": 10{edge}}}]}}"
        ))
    };
    assert!(json("", ", \"id\": \"a\"", ", \"capacity\": 10.0, \"bandwidth\": \"10 Mb/s\"").is_ok());
    refused(&json("", "", ",\n\"capacity\": 20"), "g:5:1: `capacity` stands here and in line 4 with something else");
    refused(&json("", "", ",\n\"Capacity\": 20"), "g:5:1: `capacity` is 20 here, and `capacity` is 10 in line 4");
    refused(&json("", "", ",\n\"bandwidth\": 20"), "g:5:1: `bandwidth` is 20 here, and `capacity` is 10 in line 4");
    refused(&json("", "", ",\n\"target\": \"a\""), "g:5:1: `target` stands here and in line 4");
    refused(&json("", ",\n\"id\": \"c\"", ""), "g:3:1: `id` stands here and in line 2");
    refused(&json("", ", \"label\": \"x\",\n\"Label\": \"y\"", ""), "g:3:1: `label` is y here");
    refused(&json("\"nodes\": [],", "", ""), "g:2:1: `nodes` stands here and in line 1");
    refused(&json("\n\"links\": [],", "", ""), "g:2:1: there are both `edges` and `links`, and they differ");
}

#[test]
fn devices_of_one_circuit() {
    let tree = "{\"mill\": {\"downloadBandwidthMbps\": 30, \"uploadBandwidthMbps\": 10},\n\
                \"farm\": {\"downloadBandwidthMbps\": 30, \"uploadBandwidthMbps\": 10}}";
    let made = |second: &str| {
        let devices = format!(
            "Circuit ID,Circuit Name,Parent Node,Download Min Mbps,Upload Min Mbps,Download Max Mbps,Upload Max Mbps\n\
             1,Barn,mill,0,0,25,5\n{second}\n"
        );
        let options = LibreQosOptions::default();
        from_libreqos(file("n.json", tree), Some(file("d.csv", &devices)), &options, "")
            .map_err(|errors| errors.to_string())
    };
    assert!(made("1,Barn,mill,0,0,25.0,5").is_ok() && made("1,,mill,0,0,25,5").is_ok());
    refused(&made("1,Barn,mill,0,0,50,5"), "d.csv:3:17: `download_max_mbps` of circuit 1 is 50 here and 25 in line 2");
    refused(&made("1,Barn,farm,0,0,25,5"), "d.csv:3:8: `parent_node` of circuit 1 is farm here and mill in line 2");
    refused(&made("1,Shed,mill,0,0,25,5"), "d.csv:3:3: `circuit_name` of circuit 1 is Shed here and Barn in line 2");
    let tree = tree.replace("30,", "30, \"downloadBandwidthMbps\": 40,");
    let twice = from_libreqos(file("n.json", &tree), None, &LibreQosOptions::default(), "").unwrap_err().to_string();
    assert!(twice.contains("n.json:1:40: `downloadBandwidthMbps` stands here and in line 1"), "{twice}");
    assert_eq!(twice.lines().count(), 2, "one for each site: {twice}");
}
