//! One run: the engine beside the clock, and those who send beside the engine.

use super::conversion::cautions;
use super::links::{SocketPath, check_links, ways};
use super::post::{Counts, Post};
use super::stage::Stage;
use super::sys;
use super::traffic::{Done, Traffic};
use crate::clock::Clock;
use crate::closing::Closing;
use crate::error::NetError;
use crate::fidelity::{Fidelity, LinkCheck};
use crate::options::{Carried, Options, Outcome, Written};
use crate::pauses::Pauses;
use fairwire_core::{Instant, Span};
use fairwire_sim::{Steps, network_makers, ring_makers, walk_beside};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// On rings.
const RING_TICK: Span = Span::from_micros(100);
/// Gateways are slower.
const NETWORK_TICK: Span = Span::from_micros(200);

/// A run as it came out, but for what the simulation recorded.
struct Walk {
    written: Written,
    counts: Counts,
    pauses: Pauses,
    stood_still: Span,
    stopped: bool,
}

impl Stage {
    /// Carries real packets through `carried` until its end, or until `stop` says so, which is told the present time. What
    /// is asked for is `written` down. The links are checked first, without control, if that is wanted.
    ///
    /// # Errors
    /// [`NetError`] with what the system lacks.
    pub fn run(
        &self,
        carried: &mut Carried,
        options: &Options,
        written: Written,
        stop: &dyn Fn(Instant) -> bool,
    ) -> Result<Outcome, NetError> {
        let _ = nix::sys::prctl::set_timerslack(1);
        let tick = self.tick(carried, options);
        let links = options.check_links.then(|| self.check(carried, tick, options, stop)).transpose()?;
        let makers = match &*carried {
            Carried::Ring(ring) => ring_makers(ring.plan()),
            Carried::Network(network) => network_makers(network.plan()),
        };
        let end = carried.end();
        let traffic = Traffic::open(self, makers, options.tcp, end)?;
        let (before, cpu_before) = (self.counted()?, sys::processor_time());
        let (walk, done) =
            self.walk(carried, tick, options, written, stop, |clock, finished| traffic.work(clock, finished))?;
        let cpu_s = sys::processor_time() - cpu_before;
        let counted = self.counted()?;
        let Walk { written, counts, pauses, stood_still, stopped } = walk;
        if let Some(error) = counts.write_error {
            return Err(error);
        }
        let Done { due, not_sent, tcp } = done;
        let lasted = carried.now().since(Instant::ZERO);
        let fidelity = Fidelity {
            stood_still_ns: stood_still.as_nanos(),
            duration_ns: lasted.as_nanos(),
            has_connections: self.layout.flows.iter().any(|flow| flow.tcp.is_some()),
            due,
            not_sent,
            came: counts.came,
            tap_lost: counted.lost - before.lost + counts.refused_down,
            checksum_errors: counted.checksum_errors - before.checksum_errors,
            line_refused: counts.line_refused,
            foreign: counts.foreign,
            cpu: cpu_s / lasted.as_secs_f64().max(1e-9),
            links,
            ..Fidelity::default()
        };
        let fidelity = fidelity.with_lateness(&counts.lateness).judged(tick);
        let names: Vec<String> = self.layout.flows.iter().map(|flow| flow.name.clone()).collect();
        let pauses = pauses.end(carried.now(), &names);
        let outcome =
            Outcome { fidelity, pauses, tcp, cautions: cautions(carried, &self.layout, options.tcp), stopped };
        if let Some(capture) = written.capture {
            capture.end().map_err(NetError::Capture)?;
        }
        if let Some(journal) = written.journal {
            let closing = Closing::of(carried.now(), &outcome).to_note();
            journal.end(&closing).map_err(NetError::Journal)?;
        }
        Ok(outcome)
    }

    /// How often the engine looks for packets.
    pub(super) fn tick(&self, carried: &Carried, options: &Options) -> Span {
        options.tick.unwrap_or(if carried.ring_plan().is_some() { RING_TICK } else { NETWORK_TICK })
    }

    /// Sends packets one by one over idle links.
    fn check(
        &self,
        carried: &Carried,
        tick: Span,
        options: &Options,
        stop: &dyn Fn(Instant) -> bool,
    ) -> Result<LinkCheck, NetError> {
        let mut carried = carried.without_control()?;
        let ways = ways(&carried, self)?;
        let until = SocketPath::all_done(&ways).min(carried.end());
        let done = AtomicBool::new(false);
        let stop = |now: Instant| now >= until || done.load(Ordering::Acquire) || stop(now);
        let check = |_: &crate::clock::Follower, finished: &AtomicBool| {
            let check = check_links(&ways, finished);
            done.store(true, Ordering::Release);
            check
        };
        Ok(self.walk(&mut carried, tick, options, Written::default(), &stop, check)?.1)
    }

    /// Walks `carried` beside a clock that starts now, while `others` do their part on another thread.
    fn walk<T: Send>(
        &self,
        carried: &mut Carried,
        tick: Span,
        options: &Options,
        written: Written,
        stop: &dyn Fn(Instant) -> bool,
        others: impl FnOnce(&crate::clock::Follower, &AtomicBool) -> T + Send,
    ) -> Result<(Walk, T), NetError> {
        let finished = AtomicBool::new(false);
        let clock = Clock::start();
        let follower = clock.follower();
        let mut post = Post::new(self, clock.clone(), tick, carried.end(), written, stop);
        post.pauses = Pauses::of(carried);
        thread::scope(|scope| {
            let others = scope.spawn(|| others(&follower, &finished));
            // Those who send go with all others; only the engine goes first.
            let walked = if options.priority { sys::go_first().map_err(NetError::Priority) } else { Ok(()) };
            let walked = walked.and_then(|()| Ok(walk_beside(carried, &mut post)?));
            finished.store(true, Ordering::Release);
            let others = others.join().map_err(|_| {
                NetError::System("sending", std::io::Error::other("the thread of those who send has come to a bad end"))
            });
            walked?;
            let Post { written, counts, pauses, stopped, .. } = post;
            Ok((Walk { written, counts, pauses, stood_still: clock.stood_still(), stopped }, others?))
        })
    }
}
