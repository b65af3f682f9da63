//! What a measurement was made on, and what else ran there.

use std::fs;

/// Cores, processor and load averages before the measurement, in a line; parts that the system does not tell are left out.
pub fn described() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let mut line = format!("measured on {}", fairwire_terminal::text::count(cores, "core"));
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    if let Some((_, model)) = model {
        line.push_str(&format!(" of a machine with {model}"));
    }
    let load: Vec<String> = read("/proc/loadavg").split(' ').take(3).map(str::to_owned).collect();
    if load.len() == 3 {
        line.push_str(&format!("; load averages before: {}", load.join(", ")));
    }
    line
}
