//! What a station itself has to say of one of its spans.
//!
//! Silence and what the layer below reports make a condition; it counts after the
//! hold-off time, and what follows a condition that ended is a wait to restore.

use super::{Command, Params, Request, SignalQuality};
use fairwire_core::{Instant, Span};

#[derive(Clone, Debug)]
pub struct SideWatch {
    params: Params,
    heard: Instant,
    silent: bool,
    reported: SignalQuality,
    /// What counts.
    condition: SignalQuality,
    /// When a worse condition begins to count.
    worse_at: Option<Instant>,
    /// When a wait to restore ends.
    restore_at: Option<Instant>,
    command: Option<Request>,
}

impl SideWatch {
    pub fn new(params: &Params, now: Instant) -> Self {
        Self {
            params: params.clone(),
            heard: now,
            silent: false,
            reported: SignalQuality::Good,
            condition: SignalQuality::Good,
            worse_at: None,
            restore_at: None,
            command: None,
        }
    }

    /// What the station asks for this span.
    pub fn request(&self) -> Request {
        let own = match self.condition {
            SignalQuality::Failed => Request::SignalFail,
            SignalQuality::Degraded => Request::SignalDegrade,
            SignalQuality::Good if self.restore_at.is_some() => Request::WaitToRestore,
            SignalQuality::Good => Request::Idle,
        };
        own.max(self.command.unwrap_or_default())
    }

    /// Something came in that shows that the neighbour lives.
    pub fn hear(&mut self, now: Instant) {
        self.heard = now;
        if self.silent {
            self.silent = false;
            self.judge(now);
        }
    }

    /// The layer below reports.
    pub fn report(&mut self, now: Instant, quality: SignalQuality) {
        self.reported = quality;
        self.judge(now);
    }

    /// An operator commands.
    pub fn command(&mut self, command: Command) {
        self.command = match command {
            Command::ManualSwitch => Some(Request::ManualSwitch),
            Command::ForcedSwitch => Some(Request::ForcedSwitch),
            Command::Clear => {
                self.restore_at = None;
                None
            }
        };
    }

    /// Something worse than `highest` stands on the ring: a manual switch is off.
    pub fn give_way_to(&mut self, highest: Request) {
        if highest > Request::ManualSwitch {
            self.command = self.command.filter(|command| *command != Request::ManualSwitch);
        }
    }

    pub fn poll_timeout(&self) -> Option<Instant> {
        let silence_at = (!self.silent).then(|| self.heard + self.params.keepalive_timeout);
        [silence_at, self.worse_at, self.restore_at].into_iter().flatten().min()
    }

    pub fn handle_timeout(&mut self, now: Instant) {
        if !self.silent && now >= self.heard + self.params.keepalive_timeout {
            self.silent = true;
            self.judge(now);
        }
        if self.worse_at.is_some_and(|at| now >= at) {
            self.worse_at = None;
            self.condition = self.observed();
            self.restore_at = None;
        }
        if self.restore_at.is_some_and(|at| now >= at) {
            self.restore_at = None;
        }
    }

    fn observed(&self) -> SignalQuality {
        if self.silent { SignalQuality::Failed } else { self.reported }
    }

    fn judge(&mut self, now: Instant) {
        let observed = self.observed();
        if observed > self.condition {
            if self.params.hold_off == Span::ZERO {
                (self.condition, self.restore_at) = (observed, None);
            } else {
                self.worse_at = self.worse_at.or(Some(now + self.params.hold_off));
            }
            return;
        }
        self.worse_at = None;
        if observed < self.condition && observed == SignalQuality::Good {
            self.restore_at = Some(self.params.restored_at(now).unwrap_or(Instant::NEVER));
        }
        self.condition = observed;
    }
}

impl Params {
    /// Whether a station takes a span for failed of which it last hears at `heard`, and then nothing up to and including `until`.
    pub fn notices_silence(&self, heard: Instant, until: Instant) -> bool {
        let mut watch = SideWatch::new(self, heard);
        while let Some(at) = watch.poll_timeout().filter(|at| *at <= until) {
            watch.handle_timeout(at);
        }
        watch.request() == Request::SignalFail
    }

    /// When a span that has recovered at `well` is used again, if it is by itself.
    pub fn restored_at(&self, well: Instant) -> Option<Instant> {
        self.revertive.then(|| well + self.wait_to_restore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_noticed_after_timeout_and_hold_off_and_not_before() {
        let [heard, nanosecond] = [Instant::from_nanos(7), Instant::from_nanos(1)];
        for hold_off in [Span::ZERO, Span::from_millis(20)] {
            let params = Params { hold_off, ..Params::default() };
            let at = heard + params.keepalive_timeout + hold_off;
            assert!(params.notices_silence(heard, at));
            assert!(!params.notices_silence(heard, Instant::ZERO + at.since(nanosecond)));
        }
    }

    #[test]
    fn what_has_recovered_is_used_again_after_the_wait_or_never() {
        let well = Instant::from_nanos(3);
        let params = Params { revertive: true, ..Params::default() };
        assert_eq!(params.restored_at(well), Some(well + params.wait_to_restore));
        assert_eq!(Params { revertive: false, ..params }.restored_at(well), None);
    }
}
