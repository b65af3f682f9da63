//! Governs a station until it is told to stop.

use super::counters::Counters;
use super::link::{Link, Tools, index};
use super::shaper::{Shaper, set};
use super::socket::listen;
use super::warden::Warden;
use crate::envelope::Stray;
use crate::error::EnforceError;
use crate::plan::StationPlan;
use crate::status::Status;
use fairwire_core::{Instant, Span};
use fairwire_exchange::GovernedQueue;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::time;

/// How long it takes at most to notice that it is to stop.
const LOOK: Span = Span::from_millis(100);
/// The largest message: a ledger of 65,535 stations is larger than a datagram, and no ring has so many.
const LARGEST_DATAGRAM: usize = 64 << 10;

/// So many datagrams are taken in at a time: whoever sends them faster than they are read does not keep the law from its turn.
const MOST_AT_A_TIME: usize = 1_000;

/// Governs a station until `stop` says so, and tells from time to time what it looks like; when `tell` answers `false` it stops,
/// too. Then all queues are taken away. Should the process be killed, all egresses have their safe rates.
///
/// # Errors
/// [`EnforceError`]. Queues that were made are taken away.
pub fn enforce(
    plan: &StationPlan,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&Status) -> bool,
) -> Result<(), EnforceError> {
    match set_up_and_govern(plan, stop, tell) {
        // Who ends a service may end its `tc` at the same moment.
        Err(EnforceError::Refused(_)) if stop() => Ok(()),
        done => done,
    }
}

fn set_up_and_govern(
    plan: &StationPlan,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&Status) -> bool,
) -> Result<(), EnforceError> {
    plan.queues().try_for_each(|queue| index(&queue.device).map(drop))?;
    let socket = listen(plan.options.listen)?;
    if plan.options.replace {
        // Where there is none yet there is nothing to take away.
        plan.queues().for_each(|queue| drop(set(&queue.removal())));
    }
    let mut queues = Queues::make(plan)?;
    let warden = Warden::begin(&plan.safe_lines())?;
    let governed = govern(plan, &socket, stop, tell);
    if let Err(EnforceError::Changed(device)) = &governed {
        // What is there now is not this one's to take away.
        queues.0.retain(|queue| queue.device != *device);
    }
    drop(queues);
    warden.end();
    governed
}

/// Queues that are taken away in the end.
struct Queues<'a>(Vec<&'a GovernedQueue>);

impl<'a> Queues<'a> {
    fn make(plan: &'a StationPlan) -> Result<Self, EnforceError> {
        let mut made = Self(Vec::new());
        for queue in plan.queues() {
            // What is not added is not taken away in the end: it is somebody else's.
            set(&queue.root).map_err(|error| taken(&queue.device, error))?;
            made.0.push(queue);
            set(&queue.lines)?;
        }
        set(&plan.safe_lines())?;
        Ok(made)
    }
}

/// What the kernel says where a queue is there already depends on the handle of that one.
fn taken(device: &str, error: EnforceError) -> EnforceError {
    let words = ["Exclusivity flag on", "NLM_F_REPLACE needed", "File exists"];
    match error {
        EnforceError::Refused(said) if words.iter().any(|word| said.contains(word)) => {
            EnforceError::Taken { device: device.to_owned(), said }
        }
        other => other,
    }
}

impl Drop for Queues<'_> {
    fn drop(&mut self) {
        // A device that has gone took its queue with it.
        self.0.iter().for_each(|queue| drop(set(&queue.removal())));
    }
}

fn govern(
    plan: &StationPlan,
    socket: &UdpSocket,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&Status) -> bool,
) -> Result<(), EnforceError> {
    let begun = time::Instant::now();
    let now = || Instant::from_nanos(begun.elapsed().as_nanos() as u64);
    let mut counters = Counters::open().map_err(|error| EnforceError::System("opening a socket of netlink", error))?;
    let mut shaper = Shaper::start()?;
    let mut tools = Tools { counters: &mut counters, shaper: &mut shaper, socket };
    let mut links = plan.ringlets.iter().map(|ringlet| Link::new(plan, ringlet)).collect::<Result<Vec<_>, _>>()?;
    for link in &mut links {
        link.start(now(), &mut tools)?;
    }
    let mut post = Post { plan, datagram: vec![0; LARGEST_DATAGRAM], strays: 0, other_ring: 0 };
    let every = plan.options.every;
    let mut status_at = now() + every;
    while !stop() {
        let due = links.iter().filter_map(Link::due_at).chain([status_at, now() + LOOK]).min();
        wait(socket, due.unwrap_or(status_at).since(now()))?;
        post.take_in(socket, &mut links);
        for link in &mut links {
            link.advance(now(), &mut tools)?;
        }
        if status_at <= now() {
            status_at = (status_at + every).max(now());
            let ringlets = links.iter_mut().map(|link| link.status(now(), &mut tools)).collect::<Result<_, _>>()?;
            let (time_s, law) = (begun.elapsed().as_secs_f64(), plan.law.about().name);
            let (station, strays, other_ring) = (plan.options.station, post.strays, post.other_ring);
            if !tell(&Status { time_s, station, law, ringlets, strays, other_ring }) {
                break;
            }
        }
    }
    Ok(())
}

/// Waits for a datagram, but no longer than this.
fn wait(socket: &UdpSocket, span: Span) -> Result<(), EnforceError> {
    let mut watched = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    match ppoll(&mut watched, Some(TimeSpec::from_duration(time::Duration::from_nanos(span.as_nanos()))), None) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(EnforceError::System("waiting for messages", error.into())),
    }
}

/// Takes datagrams in.
struct Post<'a> {
    plan: &'a StationPlan,
    datagram: Vec<u8>,
    strays: u64,
    other_ring: u64,
}

impl Post<'_> {
    /// What has come. Only a neighbour's messages count.
    fn take_in(&mut self, socket: &UdpSocket, links: &mut [Link<'_>]) {
        for _ in 0..MOST_AT_A_TIME {
            let Ok((length, from)) = socket.recv_from(&mut self.datagram) else { return };
            let letter = match self.plan.envelope.open(&self.datagram[..length]) {
                Ok(letter) if self.plan.is_neighbour(letter.from, from.ip()) => letter,
                other => {
                    self.strays += 1;
                    self.other_ring += u64::from(other == Err(Stray::OtherRing));
                    continue;
                }
            };
            if let Some(link) = links.iter_mut().find(|link| link.plan.site.ringlet == letter.ringlet) {
                link.take(letter.message);
            }
        }
    }
}
