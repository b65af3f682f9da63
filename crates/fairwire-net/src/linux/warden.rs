//! Programs that others run in stations end with the ring or network, however that ends.

use super::stage::Stage;
use super::sys;
use crate::error::NetError;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, setsid};
use std::collections::BTreeSet;
use std::fs;
use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::os::unix::fs::MetadataExt;
use std::process::exit;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// So long programs that were asked to end have for it. Then they are killed.
const GRACE: Duration = Duration::from_secs(1);
/// Nobody waits any longer for one that even so does not end.
const PATIENCE: Duration = Duration::from_secs(5);
/// From one look to the next.
const LOOK: Duration = Duration::from_millis(10);

/// Device and inode of a network namespace.
type Network = [u64; 2];

/// A process that ends the programs in stations when the one that made it ends, be it by `kill -9`: then the pipe between
/// them is shut.
#[derive(Debug)]
pub struct Warden {
    process: Pid,
    pipe: PipeWriter,
}

impl Warden {
    /// Makes it, which at first looks after nothing. To be called by a process with one thread.
    ///
    /// # Errors
    /// [`NetError::System`] if there can be no other process.
    pub fn begin() -> Result<Self, NetError> {
        let doing = || NetError::system("starting what ends programs in stations");
        let (reader, writer) = pipe().map_err(doing())?;
        let ring = Pid::this();
        match sys::fork().map_err(|error| doing()(error.into()))? {
            ForkResult::Parent { child } => Ok(Self { process: child, pipe: writer }),
            ForkResult::Child => {
                drop(writer);
                watch(reader, ring);
                exit(0)
            }
        }
    }

    /// From now on it looks after the stations of `stage`, but for namespaces that were there before.
    ///
    /// # Errors
    /// [`NetError::System`] if it is not there any more.
    pub fn look_after(&mut self, stage: &Stage) -> Result<(), NetError> {
        let doing = || NetError::system("telling what ends programs in stations");
        for station in stage.stations.iter().filter(|station| !station.is_guest()) {
            let network = station.network().map_err(doing())?;
            let told = network.map(u64::to_ne_bytes).concat();
            self.pipe.write_all(&told).map_err(doing())?;
        }
        Ok(())
    }

    /// Ends what is at work in the stations, and itself.
    pub fn end(self) {
        drop(self.pipe);
        let _ = waitpid(self.process, None);
    }
}

/// Waits until the process `ring` ends or says so, and ends the programs in the networks that it told.
fn watch(mut pipe: PipeReader, ring: Pid) {
    // Ctrl-C is for the ring.
    let _ = setsid();
    let mut told = Vec::new();
    let _ = pipe.read_to_end(&mut told);
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
    let networks: BTreeSet<Network> =
        told.chunks_exact(16).map(|bytes| [number(&bytes[..8]), number(&bytes[8..])]).collect();
    if networks.is_empty() {
        return;
    }
    let (begun, mut asked) = (Instant::now(), BTreeSet::new());
    while begun.elapsed() < PATIENCE {
        let left = programs(&networks, ring);
        if left.is_empty() {
            return;
        }
        for program in left {
            if begun.elapsed() > GRACE {
                let _ = kill(program, Signal::SIGKILL);
            } else if asked.insert(program) {
                let _ = kill(program, Signal::SIGTERM);
            }
        }
        sleep(LOOK);
    }
}

/// The processes in these networks, but for the ring's own.
fn programs(networks: &BTreeSet<Network>, ring: Pid) -> Vec<Pid> {
    let is_in = |process: &Pid| {
        let network = fs::metadata(format!("/proc/{process}/ns/net"));
        network.is_ok_and(|found| networks.contains(&[found.dev(), found.ino()]))
    };
    let names = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.file_name());
    let all = names.filter_map(|name| Some(Pid::from_raw(name.to_str()?.parse().ok()?)));
    all.filter(|process| *process != ring && is_in(process)).collect()
}
