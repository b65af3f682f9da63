//! What a station asks for one of its spans, and why.

use std::cmp::Reverse;

/// Why a span should not be used, in rising priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// Nothing is wrong.
    #[default]
    Idle = 0,
    /// It has recovered and waits to be used again.
    WaitToRestore = 1,
    /// An operator asks, unless something else is wrong.
    ManualSwitch = 2,
    /// It loses too much.
    SignalDegrade = 3,
    /// It is dead.
    SignalFail = 4,
    /// An operator insists.
    ForcedSwitch = 5,
}

impl Request {
    const ALL: [Self; 6] = [
        Self::Idle,
        Self::WaitToRestore,
        Self::ManualSwitch,
        Self::SignalDegrade,
        Self::SignalFail,
        Self::ForcedSwitch,
    ];

    /// Whether it takes effect whatever else is asked for on the ring.
    pub fn stands_beside_others(self) -> bool {
        self >= Self::SignalFail
    }

    /// Where nothing stands beside others, one span is out of use: that of the highest request, at equal height the one
    /// whose key, the address that it goes by, is lowest. None without spans.
    pub fn foremost<K: Ord + Copy>(spans: impl IntoIterator<Item = (K, Self)>) -> Option<(K, Self)> {
        spans.into_iter().max_by_key(|&(key, request)| (request, Reverse(key)))
    }

    /// The request with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// What the layer below says of what it receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalQuality {
    /// Nothing to complain of.
    #[default]
    Good,
    /// Too many errors.
    Degraded,
    /// No signal.
    Failed,
}

/// What an operator wants of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take it out of use unless a failure elsewhere needs it.
    ManualSwitch,
    /// Take it out of use.
    ForcedSwitch,
    /// Take back the last command, and end a wait to restore.
    Clear,
}
