//! The command in a folder of its own, where it may carry real packets.

use super::ahead::ahead;
use super::skip::is_ready;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Three stations send to a fourth.
pub const LOT: &str = r#"
schema = 1
title = "Parking lot"
run = { duration = "1.2 s", warmup = "400 ms" }

[ring]
stations = 6
capacity = "50 Mb/s"
span-delay = "0.5 ms"
law = { name = "dvsr-plus" }
station-queues = "per-destination"

[[flow]]
name = "to-hub"
from = [0, 1, 2]
to = 3
traffic = { kind = "cbr", rate = "48 Mb/s", packet = "1 kB", size-jitter = "5 %" }

[expect]
fair = { criterion = "rias", within = "2 %" }
"#;

/// TCP and a stream through a gateway that marks.
pub const GATEWAY: &str = r#"
schema = 1
title = "Transfers and a stream"
run = { duration = "2 s", warmup = "200 ms", window = "20 ms" }

[network]
nodes = ["office", "home", "exchange", "server"]
queue = { name = "red", ecn = true }
link = [
    { from = "office", to = "exchange", capacity = "100 Mb/s", delay = "1 ms", duplex = true },
    { from = "home", to = "exchange", capacity = "100 Mb/s", delay = "1 ms", duplex = true },
    { name = "bottleneck", from = "exchange", to = "server", capacity = "10 Mb/s", delay = "2 ms", duplex = true },
]

[[flow]]
name = "bulk"
from = "office"
to = "server"
micro-flows = 3
traffic = { kind = "tcp", control = "cubic", segment = "1 kB", ecn = true }

[[flow]]
name = "files"
from = "home"
to = "server"
traffic = { kind = "transfers", control = "reno", segment = "1 kB", size = "20 kB", mean-interval = "100 ms", ecn = true }

[[flow]]
name = "stream"
from = "home"
to = "server"
traffic = { kind = "poisson", rate = "1 Mb/s", packet = "500 B" }
"#;

/// A folder of the test's own with a scenario in it.
pub struct Desk(pub PathBuf);

impl Desk {
    pub fn new(name: &str, scenario: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("file.toml"), scenario).unwrap();
        Self(folder)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = ahead(env!("CARGO_BIN_EXE_fairwire"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command starts")
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"))
    }
}

/// Whether real runs are possible here; if not, the present test is left out.
pub fn possible() -> bool {
    is_ready(Path::new(env!("CARGO_BIN_EXE_fairwire")))
}

/// Waits until something is so, for some seconds: whether it came about.
pub fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let patience = Instant::now() + Duration::from_secs(20);
    while Instant::now() < patience {
        if is_so() {
            return true;
        }
        sleep(Duration::from_millis(30));
    }
    false
}
