//! Which sockets have something to say.

use crate::error::NetError;
use fairwire_core::Span;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use std::os::fd::AsFd;
use std::time::Duration;

/// So many events are taken at a time.
const EVENTS: usize = 256;

/// What a socket has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// As it was told of.
    pub token: u64,
    pub readable: bool,
    pub writable: bool,
}

/// Waits for sockets.
pub struct Poller {
    epoll: Epoll,
    events: Vec<EpollEvent>,
}

impl Poller {
    pub fn new() -> Result<Self, NetError> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC);
        let epoll = epoll.map_err(|error| NetError::System("waiting for sockets", error.into()))?;
        Ok(Self { epoll, events: vec![EpollEvent::empty(); EVENTS] })
    }

    /// Looks after a socket from now on: what it says bears this token.
    pub fn add(&mut self, socket: &impl AsFd, token: u64, writable: bool) -> Result<(), NetError> {
        let added = self.epoll.add(socket, EpollEvent::new(interest(writable), token));
        added.map_err(|error| NetError::System("waiting for a socket", error.into()))
    }

    /// From now on only what it has to read matters.
    pub fn only_read(&mut self, socket: &impl AsFd, token: u64) {
        // A socket that is gone says nothing.
        let _ = self.epoll.modify(socket, &mut EpollEvent::new(interest(false), token));
    }

    /// Waits for so long at most.
    pub fn wait(&mut self, most: Span) -> Vec<Event> {
        let mut descriptor = [PollFd::new(self.epoll.0.as_fd(), PollFlags::POLLIN)];
        let most = TimeSpec::from_duration(Duration::from_nanos(most.as_nanos()));
        if !matches!(ppoll(&mut descriptor, Some(most), None), Ok(1..)) {
            return Vec::new();
        }
        let count = self.epoll.wait(&mut self.events, EpollTimeout::ZERO).unwrap_or(0);
        let event = |event: &EpollEvent| Event {
            token: event.data(),
            readable: event.events().intersects(EpollFlags::EPOLLIN | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR),
            writable: event.events().intersects(EpollFlags::EPOLLOUT | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR),
        };
        self.events[..count].iter().map(event).collect()
    }
}

fn interest(writable: bool) -> EpollFlags {
    if writable { EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT } else { EpollFlags::EPOLLIN }
}
