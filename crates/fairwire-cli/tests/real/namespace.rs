//! Scripts in namespaces of their own, where they are root and may set limits.

use crate::common::ahead::ahead;
use crate::common::desk::Desk;
use crate::common::skip::skip;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

fn unshared(script: &str) -> Command {
    let mut command = ahead("unshare");
    // Nothing that a script has begun outlives it.
    command.args(["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", script]);
    command
}

/// Runs a script in the folder of a desk. `fairwire` is there the command.
pub fn inside(desk: &Desk, script: &str) -> io::Result<Output> {
    let command = Path::new(env!("CARGO_BIN_EXE_fairwire"));
    let folders = [command.parent().map(Path::to_owned), Some(std::env::var_os("PATH").unwrap_or_default().into())];
    let path = std::env::join_paths(
        folders.into_iter().flatten().flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>()),
    );
    unshared(script).current_dir(&desk.0).env("PATH", path.expect("folders without colons")).output()
}

/// Whether a namespace has all that limits need; if not, the present test is left out.
pub fn has_htb() -> bool {
    let probe =
        "python3 -V && ip link add name eth7 type veth peer name far && tc qdisc add dev eth7 root handle 1: htb";
    match unshared(probe).output() {
        Ok(probe) if probe.status.success() => return true,
        Ok(probe) => {
            let told = String::from_utf8_lossy(&probe.stderr).into_owned();
            skip(&format!("no HTB in a namespace, or no Python: {}", told.trim()));
        }
        Err(error) => skip(&format!("no `unshare`: {error}")),
    }
    false
}
