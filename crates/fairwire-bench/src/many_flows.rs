//! A link of 10 Gb/s that few or many flows share: what does it cost that there are many?

use std::io::{self, Write};

/// Flows have links of this capacity to the shared one, and behind it.
const SIDES: &str = "capacity = \"40 Gb/s\", delay = \"1 ms\", duplex = true";

const SHARED_BPS: u64 = 10_000_000_000;

/// The scenario of ten flows.
pub fn ten(file: &mut dyn Write) -> io::Result<()> {
    scenario(file, 10, None)
}

/// The scenario of ten thousand.
pub fn ten_thousand(file: &mut dyn Write) -> io::Result<()> {
    scenario(file, 10_000, None)
}

/// Ten whose rates a law tells.
pub fn ten_told(file: &mut dyn Write) -> io::Result<()> {
    scenario(file, 10, Some("wmfqc"))
}

/// Ten thousand whose rates a law tells.
pub fn ten_thousand_told(file: &mut dyn Write) -> io::Result<()> {
    scenario(file, 10_000, Some("wmfqc"))
}

/// So many flows, even streams or under a rate law, that fill about nine tenths of the shared link or all of it. Each sends
/// packets of 1 kB at a rate of its own.
fn scenario(file: &mut dyn Write, flows: u64, law: Option<&str>) -> io::Result<()> {
    let elsewhere = law.map_or("", |_| ", rate = \"none\"");
    let rate = law.map_or(String::new(), |law| format!("rate = {{ name = \"{law}\" }}\n"));
    write!(
        file,
        r#"schema = 1
title = "W9: {flows} flows over one link"

[run]
duration = "1.1 s"
window = "20 ms"

[network]
nodes = ["S", "R1", "R2", "D"]
limit = "100000 packets"
{rate}link = [
    {{ from = "S", to = "R1", {SIDES}{elsewhere} }},
    {{ name = "shared", from = "R1", to = "R2", capacity = "{SHARED_BPS} b/s", delay = "2 ms", duplex = true }},
    {{ from = "R2", to = "D", {SIDES}{elsewhere} }},
]
"#
    )?;
    let share = SHARED_BPS / flows;
    for flow in 0..flows {
        write!(file, "\n[[flow]]\nname = \"f{flow}\"\nfrom = \"S\"\nto = \"D\"\nstart-jitter = \"8 ms\"\n")?;
        match law {
            None => {
                let rate = share * (90 + flow % 8) / 100;
                writeln!(file, "traffic = {{ kind = \"cbr\", rate = \"{rate} b/s\", packet = \"1 kB\" }}")
            }
            Some(_) => writeln!(
                file,
                "traffic = {{ kind = \"explicit-rate\", packet = \"1 kB\" }}\nmin-rate = \"{} b/s\"\npeak-rate = \"{} b/s\"\nweight = {}.5",
                share / 10,
                share * (50 + flow % 97 * 3) / 100,
                flow % 7,
            ),
        }?;
    }
    Ok(())
}
