//! Runs a work as a process of its own and reads off what it used.

use super::work::{Command as WorkCommand, NS2_SCRIPTS, NS2_TRIAL, WORKS, Work};
use fairwire_terminal::{CliError, sibling};
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::Instant;
use wait4::Wait4;

/// What one run of a work used.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// User and system time of the whole process.
    pub cpu_s: f64,
    pub wall_s: f64,
    pub peak_bytes: u64,
    /// None where the program does not tell.
    pub packet_hops: Option<u64>,
}

/// A place with the files that the works need; it is removed at the end.
pub struct Bench {
    place: PathBuf,
    fairwire: PathBuf,
}

/// The part of an answer that is needed here.
#[derive(Deserialize)]
struct RunAnswer {
    runs: Vec<RunHops>,
}

#[derive(Deserialize)]
struct RunHops {
    packet_hops: u64,
}

impl Bench {
    /// Writes the files that the works need.
    ///
    /// # Errors
    /// [`CliError::Missing`] without a place to write to, or without `fairwire`.
    pub fn prepare() -> Result<Self, CliError> {
        let lacks = |error: io::Error| CliError::Missing {
            message: format!("cannot prepare the works: {error}"),
            help: "set TMPDIR to a folder that can be written".to_owned(),
        };
        let fairwire = sibling("fairwire").ok_or_else(|| CliError::Missing {
            message: "there is no fairwire to measure beside this program or on PATH".to_owned(),
            help:
                "get it with `cargo install --path crates/fairwire-cli --locked`, or type `make bench` in the checkout"
                    .to_owned(),
        })?;
        let place = std::env::temp_dir().join(format!("fairwire-bench-{}", std::process::id()));
        fs::create_dir(&place).map_err(lacks)?;
        let bench = Self { place, fairwire };
        for (script, text) in NS2_SCRIPTS {
            fs::write(bench.place.join(script), text).map_err(lacks)?;
        }
        for work in WORKS {
            if let WorkCommand::Fairwire { file, text, .. } = work.command {
                let mut file = BufWriter::new(File::create(bench.place.join(file)).map_err(lacks)?);
                text.write_to(&mut file).and_then(|()| file.flush()).map_err(lacks)?;
            }
        }
        Ok(bench)
    }

    /// Whether ns-2 is here and does what is asked.
    pub fn has_ns2(&self) -> bool {
        run(&mut self.command(&NS2_TRIAL)).is_ok_and(|(output, _)| output.trim().parse::<u64>().is_ok())
    }

    /// Runs a work once.
    ///
    /// # Errors
    /// [`CliError::Missing`] if it cannot be run or fails.
    pub fn measure(&self, work: &Work) -> Result<Sample, CliError> {
        let failed = |why: String| CliError::Missing {
            message: format!("cannot measure {}: {why}", work.what),
            help: "see whether the machine has memory and disk space left".to_owned(),
        };
        let mut command = self.command(&work.command);
        if work.is_ns2() {
            return run(&mut command).map(|(_, sample)| sample).map_err(failed);
        }
        // An answer that is long is not kept: what this process holds counts as its children's, too.
        let read = |stdout| serde_json::from_reader(BufReader::new(stdout)).map_err(io::Error::from);
        let (answer, sample): (Option<RunAnswer>, _) = run_and_read(&mut command, read).map_err(failed)?;
        let answer = answer.ok_or_else(|| failed("it says nothing".to_owned()))?;
        Ok(Sample { packet_hops: Some(answer.runs.iter().map(|run| run.packet_hops).sum()), ..sample })
    }

    fn command(&self, work: &WorkCommand) -> Command {
        match *work {
            WorkCommand::Ns2 { script, arguments } => {
                let mut command = Command::new("ns");
                command.arg(self.place.join(script)).args(arguments);
                command
            }
            WorkCommand::Fairwire { file, options, folder, one_core, .. } => {
                let mut command = Command::new(&self.fairwire);
                command.arg("run").arg(self.place.join(file)).arg("--json").args(options);
                if folder {
                    command.arg("--out").arg(self.place.join("results"));
                } else {
                    command.arg("--no-folder");
                }
                if one_core {
                    command.env("RAYON_NUM_THREADS", "1");
                }
                command
            }
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // A folder left behind in the temporary place is no reason to fail.
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// Runs a command to its end: what it printed, and what it used.
///
/// # Errors
/// In words, if it cannot be started or does not end well.
pub fn run(command: &mut Command) -> Result<(String, Sample), String> {
    let (output, sample) = run_and_read(command, io::read_to_string)?;
    Ok((output.unwrap_or_default(), sample))
}

/// Runs a command to its end: what was read of what it printed, and what it used.
fn run_and_read<T>(
    command: &mut Command,
    read: impl FnOnce(ChildStdout) -> io::Result<T>,
) -> Result<(Option<T>, Sample), String> {
    let program =
        Path::new(command.get_program()).file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned();
    let started = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{program}: {error}"))?;
    let mut complaints = String::new();
    // What is said on stderr is too little to fill a pipe.
    let output = child.stdout.take().map(read).transpose();
    let heard = child.stderr.take().map_or(Ok(0), |mut stderr| stderr.read_to_string(&mut complaints));
    let used = child.wait4().map_err(|error| format!("{program}: {error}"))?;
    if !used.status.success() {
        return Err(format!("{program} ended with {}: {}", used.status, complaints.trim()));
    }
    let output = heard.and(output).map_err(|error| format!("{program}: {error}"))?;
    let sample = Sample {
        cpu_s: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        wall_s: started.elapsed().as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        packet_hops: None,
    };
    Ok((output, sample))
}

/// The middle of some values, or the mean of the two in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert!(median(std::iter::empty()).is_nan());
    }
}
