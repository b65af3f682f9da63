//! A parking lot on a machine that has other things to do: four programs that take processors, and a process that is stopped.

use super::case::{Case, Disturbance, Limit, Part};
use super::rings;
use super::scaled::{Scale, ring, shipped, under, written};
use fairwire_terminal::CliError;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Error, Read};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

const LOT: &str = include_str!("../../../../scenarios/papers/parking-lot.toml");
/// Long enough for three stops after the links were checked.
const TIMES: (&str, &str) = ("3 s", "0.5 s");
/// When the process is stopped first, how long each time, and how long it goes on between.
const FIRST_STOP: Duration = Duration::from_millis(1_500);
const STOP: Duration = Duration::from_millis(300);
const BETWEEN: Duration = Duration::from_millis(400);
/// Runs of each.
const RUNS: u64 = 20;

/// Both under a law that is fair, and without control.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for (name, disturbance) in
        [("four busy loops", Disturbance::Busy(4)), ("three stops of 0.3 s", Disturbance::Stops(3))]
    {
        for law in ["dvsr-plus", "fifo"] {
            let mut table = shipped(LOT)?;
            ring(&mut table, &Scale { times: TIMES, ..rings::SPEEDS[0].1 })?;
            under(&mut table, law);
            cases.push(Case {
                part: Part::Disturbed,
                name: name.to_owned(),
                law: law.to_owned(),
                tcp: None,
                toml: written(&table)?,
                link_bps: rings::SPEEDS[0].1.link_bps,
                simulated: 20,
                simulated_most: 200,
                real: RUNS,
                most: RUNS,
                bears: "disturbed",
                at_once: 1,
                disturbance: Some(disturbance),
                limit: Limit::EachRun(if law == "fifo" { 0.02 } else { 0.01 }),
                fair_within: None,
                packet_bps: 0.0,
                is_quick: false,
            });
        }
    }
    Ok(cases)
}

/// A first look: one run of each under one law.
pub fn quick(cases: Vec<Case>) -> Vec<Case> {
    let few = |case: Case| Case { real: 1, most: 1, is_quick: true, ..case };
    cases.into_iter().filter(|case| case.law == "dvsr-plus").map(few).collect()
}

/// Runs a command to its end while the machine is disturbed.
pub fn disturbed(command: &mut Command, disturbance: Disturbance) -> io::Result<Output> {
    match disturbance {
        Disturbance::Busy(programs) => {
            let _busy = Busy::start(programs)?;
            command.output()
        }
        Disturbance::Stops(stops) => {
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            let pid = Pid::from_raw(child.id() as i32).ok_or_else(|| Error::other("a process has a number"))?;
            let stopper = thread::spawn(move || stop(pid, stops));
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            // What is said on stderr is too little to fill a pipe.
            let read = child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut stdout));
            let read = read.and_then(|_| child.stderr.take().map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut stderr)));
            // Until it is waited for its number is nobody else's.
            let _ = stopper.join();
            let status = child.wait()?;
            read.map(|_| Output { status, stdout, stderr })
        }
    }
}

/// Stops a process so many times.
fn stop(pid: Pid, stops: usize) {
    thread::sleep(FIRST_STOP);
    for _ in 0..stops {
        // One that has ended needs no stop.
        let _ = kill_process(pid, Signal::STOP);
        thread::sleep(STOP);
        let _ = kill_process(pid, Signal::CONT);
        thread::sleep(BETWEEN);
    }
}

/// Programs that take processors until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start(programs: usize) -> io::Result<Self> {
        let mut busy = Self(Vec::new());
        for _ in 0..programs {
            busy.0.push(Command::new("sh").args(["-c", "while :; do :; done"]).spawn()?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that is gone need not be ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
