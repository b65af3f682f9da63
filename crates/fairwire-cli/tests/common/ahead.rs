//! Programs of which processors may not keep waiting.

use std::process::Command;
use std::sync::LazyLock;

/// `program`, ahead of what else runs on the machine where the system allows that: packets that wait for a processor are late, and a
/// test of real packets would measure the machine's other work.
pub fn ahead(program: &str) -> Command {
    const PRIORITY: [&str; 2] = ["-n", "-10"];
    // Where it may not, `nice` says so and starts the program all the same.
    static IS_ALLOWED: LazyLock<bool> = LazyLock::new(|| {
        let tried = Command::new("nice").args(PRIORITY).arg("true").output();
        tried.is_ok_and(|tried| tried.status.success() && tried.stderr.is_empty())
    });
    if !*IS_ALLOWED {
        return Command::new(program);
    }
    let mut command = Command::new("nice");
    command.args(PRIORITY).arg(program);
    command
}
