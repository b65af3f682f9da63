//! How other calls of the command reach one that holds a ring or network open: a socket with a name but without a file, which
//! is gone with the process.

use fairwire_net::{Entrance, Frames};
use fairwire_runs::View;
use fairwire_terminal::CliError;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What one that holds a ring or network tells.
#[derive(Debug, Serialize)]
pub struct Status<'a> {
    /// The scenario's title.
    pub scenario: &'a str,
    /// The law.
    pub law: &'a str,
    /// The process.
    pub pid: u32,
    /// Where programs get in.
    pub stations: &'a [Entrance],
    /// What came up from stations, and what became of it.
    pub frames: &'a Frames,
    /// What it looks like; none in the first moments.
    pub view: Option<View>,
}

/// The part of it that `exec` needs.
#[derive(Debug, Deserialize)]
pub struct Held {
    /// The process.
    pub pid: u32,
    /// Where programs get in.
    pub stations: Vec<Entrance>,
}

/// So long may it take until something is down.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is asked on the socket, a line.
pub const STATUS: &str = "status";
pub const DOWN: &str = "down";

#[cfg(target_os = "linux")]
mod socket {
    use super::*;
    use std::io;
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

    fn address(name: &str) -> io::Result<SocketAddr> {
        // A name of each user's own.
        let user = std::fs::read_link("/proc/self/ns/user")?;
        SocketAddr::from_abstract_name(format!("fairwire/{}/{name}", user.display()))
    }

    /// Listens under `name`: before the process enters networks of its own.
    pub fn listen(name: &str) -> io::Result<UnixListener> {
        UnixListener::bind_addr(&address(name)?)
    }

    /// Asks whoever listens under `name`.
    pub fn ask(name: &str, question: &str) -> io::Result<String> {
        let mut stream = UnixStream::connect_addr(&address(name)?)?;
        writeln!(stream, "{question}")?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer)?;
        Ok(answer)
    }

    /// Answers all who ask, for ever: with what `status` is now, or by raising `down`.
    pub fn answer(listener: &UnixListener, status: &Mutex<String>, down: &AtomicBool) {
        for stream in listener.incoming().flatten() {
            let mut question = String::new();
            let read = BufReader::new(&stream).read_line(&mut question);
            let said = match (read, question.trim()) {
                (Ok(_), DOWN) => {
                    down.store(true, Ordering::Release);
                    String::from("{}")
                }
                _ => status.lock().map(|status| status.clone()).unwrap_or_default(),
            };
            // Whoever does not wait for the answer needs none.
            let _ = writeln!(&stream, "{said}");
        }
    }
}

#[cfg(target_os = "linux")]
pub use socket::{answer, listen};

/// Takes down what is up under `name`, and waits until it is gone: process, namespaces, name.
///
/// # Errors
/// If there is none, or it does not go.
pub fn take_down(name: &str) -> Result<(), CliError> {
    let told = ask(name, STATUS)?;
    let pid = serde_json::from_str(&told).ok().map(|held: Held| held.pid);
    // It may be gone before it answers.
    let _ = ask(name, DOWN);
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if ask(name, STATUS).is_err() && pid.is_none_or(is_gone) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = pid.map_or_else(|| "its process".to_owned(), |pid| format!("process {pid}"));
    Err(CliError::Missing {
        message: format!("what is up under the name {name} is not down after {} s", PATIENCE.as_secs()),
        help: format!("end {pid}"),
    })
}

/// Whether a process has ended; one that nobody has asked for its exit code yet has, too.
fn is_gone(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    // The state stands behind the name, which is in brackets.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']))
}

/// Asks the call that holds a ring or network under `name`.
///
/// # Errors
/// If there is none.
pub fn ask(name: &str, question: &str) -> Result<String, CliError> {
    let nobody = || {
        CliError::bad_input(
            format!("nothing is up under the name {name}"),
            "`fairwire up FILE` holds a ring or network",
        )
    };
    #[cfg(target_os = "linux")]
    return socket::ask(name, question).map_err(|_| nobody());
    #[cfg(not(target_os = "linux"))]
    {
        let _ = question;
        Err(nobody())
    }
}
