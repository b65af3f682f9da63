//! A ring or network that is held open for programs of others.

use super::home::go_to;
use super::post::Post;
use super::stage::Stage;
use super::sys;
use super::traffic::Traffic;
use crate::clock::Clock;
use crate::error::NetError;
use crate::layout::address;
use crate::options::{Carried, Entrance, Frames, Options, Own, Written};
use fairwire_core::{Instant, Span};
use fairwire_sim::{Steps, network_makers, ring_makers, walk_beside};
use nix::sched::{CloneFlags, setns};
use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// How often people can see what it looks like.
const ROW: Span = Span::from_millis(250);

impl Stage {
    /// Where programs get into each station.
    pub fn entrances(&self) -> Vec<Entrance> {
        let entrance = |(number, station): (u16, &super::station::Station)| Entrance {
            station: self.layout.stations[usize::from(number)],
            address: Ipv4Addr::from_bits(address(number)).to_string(),
            descriptor: station.descriptor(),
        };
        (0..).zip(&self.stations).map(entrance).collect()
    }

    /// Carries what programs in the stations send, and with `own` the scenario's traffic too, until `stop` says so or the run
    /// ends. `look` is shown the simulation some times a second.
    ///
    /// # Errors
    /// [`NetError`] with what the system lacks.
    pub fn hold(
        &self,
        carried: &mut Carried,
        options: &Options,
        own: Own,
        stop: &dyn Fn() -> bool,
        look: &mut dyn FnMut(&mut Carried, &Frames),
    ) -> Result<(), NetError> {
        let _ = nix::sys::prctl::set_timerslack(1);
        let makers = match (own, &*carried) {
            (Own::None, _) => Vec::new(),
            (Own::Scenario, Carried::Ring(ring)) => ring_makers(ring.plan()),
            (Own::Scenario, Carried::Network(network)) => network_makers(network.plan()),
        };
        let traffic = Traffic::open(self, makers, options.tcp, carried.end())?;
        let (clock, finished) = (Clock::start(), AtomicBool::new(false));
        let follower = clock.follower();
        let next = std::cell::Cell::new(Instant::ZERO + ROW);
        let pause = |now: Instant| now >= next.get() || stop();
        let mut post = Post::new(self, clock, self.tick(carried, options), carried.end(), Written::default(), &pause);
        thread::scope(|scope| {
            scope.spawn(|| traffic.work(&follower, &finished));
            let first = if options.priority { sys::go_first().map_err(NetError::Priority) } else { Ok(()) };
            let held = first.and_then(|()| {
                while !stop() && carried.now() < carried.end() {
                    walk_beside(carried, &mut post)?;
                    look(carried, &post.counts.frames());
                    next.set(carried.now() + ROW);
                }
                Ok(())
            });
            finished.store(true, Ordering::Release);
            held
        })
    }
}

/// Becomes `command` inside the station whose namespace process `pid` has open as `descriptor`. Comes back only with an error.
///
/// To be called by a process with one thread.
pub fn become_program_in(pid: u32, descriptor: i32, command: &mut Command) -> NetError {
    let enter = || -> io::Result<()> {
        let network = File::open(format!("/proc/{pid}/fd/{descriptor}"))?;
        let user = format!("/proc/{pid}/ns/user");
        // Root's rings may have no user namespace of their own.
        if fs::read_link(&user)? != fs::read_link("/proc/self/ns/user")? {
            setns(File::open(&user)?.as_fd(), CloneFlags::CLONE_NEWUSER)?;
        }
        go_to(&network)
    };
    match enter() {
        Err(error) => NetError::System("entering the station", error),
        Ok(()) => {
            let error = command.exec();
            NetError::Program(command.get_program().to_string_lossy().into_owned(), error)
        }
    }
}
