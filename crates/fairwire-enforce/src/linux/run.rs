//! Governs a router until it is told to stop.

use super::counters::Counters;
use super::device::index;
use super::shaper::{Shaper, set};
use super::socket::listen;
use super::warden::Warden;
use crate::envelope::Stray;
use crate::error::EnforceError;
use crate::plan::RouterPlan;
use fairwire_core::{Instant, Span};
use fairwire_exchange::GovernedQueue;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::net::{IpAddr, UdpSocket};
use std::os::fd::AsFd;
use std::time;

/// A plan that can be put to work.
pub trait AtWork: RouterPlan + Sized {
    /// The router at work.
    type Router<'a>: Router<'a, Plan = Self>
    where
        Self: 'a;
    /// What it looks like.
    type Status;
}

/// A router at work. Times count from its beginning.
pub trait Router<'a>: Sized {
    /// What it was made of.
    type Plan: AtWork;

    /// At rest.
    fn new(plan: &'a Self::Plan) -> Result<Self, EnforceError>;

    /// Its laws begin.
    fn start(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError>;

    /// A datagram has come; an error if it is no message for it.
    fn take(&mut self, datagram: &[u8], from: IpAddr) -> Result<(), Stray>;

    /// When there is something to do.
    fn due_at(&self) -> Option<Instant>;

    /// Does what is due.
    fn advance(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<(), EnforceError>;

    /// What it looks like since it was asked last.
    fn status(&mut self, now: Instant, tools: &mut Tools<'_>) -> Result<<Self::Plan as AtWork>::Status, EnforceError>;
}

/// What all parts of a router share.
pub struct Tools<'a> {
    pub counters: &'a mut Counters,
    pub shaper: &'a mut Shaper,
    pub socket: &'a UdpSocket,
    pub strays: Strays,
}

/// Datagrams that were no messages of a neighbour.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strays {
    /// All of them.
    pub all: u64,
    /// Of these, those of whoever has another ring, network, law or lease.
    pub others: u64,
}

/// How long it takes at most to notice that it is to stop.
const LOOK: Span = Span::from_millis(100);
/// The largest message: a ledger of 65,535 stations is larger than a datagram, and no ring has so many.
const LARGEST_DATAGRAM: usize = 64 << 10;

/// So many datagrams are taken in at a time: whoever sends them faster than they are read does not keep the law from its turn.
const MOST_AT_A_TIME: usize = 1_000;

/// Governs a router until `stop` says so, or `tell` answers `false`, and takes its queues away.
pub fn enforce<P: AtWork>(
    plan: &P,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&P::Status) -> bool,
) -> Result<(), EnforceError> {
    match set_up_and_govern(plan, stop, tell) {
        // Who ends a service may end its `tc` at the same moment.
        Err(EnforceError::Refused(_)) if stop() => Ok(()),
        done => done,
    }
}

fn set_up_and_govern<P: AtWork>(
    plan: &P,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&P::Status) -> bool,
) -> Result<(), EnforceError> {
    let all = plan.queues();
    all.iter().try_for_each(|queue| index(&queue.device).map(drop))?;
    let socket = listen(plan.options().listen)?;
    if plan.options().replace {
        // Where there is none yet there is nothing to take away.
        all.iter().for_each(|queue| drop(set(&queue.removal())));
    }
    let mut queues = Queues::make(all, &plan.safe_lines())?;
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
    fn make(queues: Vec<&'a GovernedQueue>, safe_lines: &str) -> Result<Self, EnforceError> {
        let mut made = Self(Vec::new());
        for queue in queues {
            // What is not added is not taken away in the end: it is somebody else's.
            set(&queue.root).map_err(|error| taken(&queue.device, error))?;
            made.0.push(queue);
            set(&queue.lines)?;
        }
        set(safe_lines)?;
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

fn govern<P: AtWork>(
    plan: &P,
    socket: &UdpSocket,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&P::Status) -> bool,
) -> Result<(), EnforceError> {
    let begun = time::Instant::now();
    let now = || Instant::from_nanos(begun.elapsed().as_nanos() as u64);
    let mut counters = Counters::open().map_err(|error| EnforceError::System("opening a socket of netlink", error))?;
    let mut shaper = Shaper::start()?;
    let strays = Strays::default();
    let mut tools = Tools { counters: &mut counters, shaper: &mut shaper, socket, strays };
    let mut router = P::Router::new(plan)?;
    router.start(now(), &mut tools)?;
    let mut datagram = vec![0; LARGEST_DATAGRAM];
    let every = plan.options().every;
    let mut status_at = now() + every;
    while !stop() {
        let due = router.due_at().into_iter().chain([status_at, now() + LOOK]).min();
        wait(socket, due.unwrap_or(status_at).since(now()))?;
        take_in(&mut router, &mut datagram, &mut tools);
        router.advance(now(), &mut tools)?;
        if status_at <= now() {
            status_at = (status_at + every).max(now());
            if !tell(&router.status(now(), &mut tools)?) {
                break;
            }
        }
    }
    Ok(())
}

/// Takes in what has come. Only a neighbour's messages count.
fn take_in<'a>(router: &mut impl Router<'a>, datagram: &mut [u8], tools: &mut Tools<'_>) {
    for _ in 0..MOST_AT_A_TIME {
        let Ok((length, from)) = tools.socket.recv_from(datagram) else { return };
        if let Err(stray) = router.take(&datagram[..length], from.ip()) {
            tools.strays.all += 1;
            tools.strays.others += u64::from(stray == Stray::Other);
        }
    }
}

/// Waits for a datagram, but no longer than this.
fn wait(socket: &UdpSocket, span: Span) -> Result<(), EnforceError> {
    let mut watched = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    match ppoll(&mut watched, Some(TimeSpec::from_duration(time::Duration::from_nanos(span.as_nanos()))), None) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(EnforceError::System("waiting for messages", error.into())),
    }
}
