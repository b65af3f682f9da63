//! TCP connections, and what they have to send.

use fairwire_core::{Bytes, Span};
use fairwire_laws::transport::{ControlChoice, TcpSettings};

/// TCP connections between two hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpPlan {
    /// How the sender controls its window.
    pub control: ControlChoice,
    /// Both ends' settings.
    pub settings: TcpSettings,
    /// What is to be sent.
    pub work: Work,
}

/// What connections have to send. When its flow stops, none begins any more, and an
/// unlimited one offers no new data; transfers go on to their end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Data without end, over one connection.
    Unlimited,
    /// So many transfers, each over a new connection, at the times of a Poisson process.
    Transfers {
        /// How many in all; none for no end.
        count: Option<u64>,
        /// Mean time between the starts of two.
        mean_interval: Span,
        /// Size of each.
        size: TransferSize,
    },
    /// A user who reads pages one after the other: each page's objects are fetched
    /// one after another, then the page is read.
    Web {
        /// Pages; none for no end.
        pages: Option<u64>,
        /// Mean time from a page's last object to the next page (exponential).
        mean_think_time: Span,
        /// Mean objects of a page (geometric, at least 1).
        mean_objects: f64,
        /// Mean time between the end of one object and the start of the next (exponential).
        mean_gap: Span,
        /// Size of each object.
        size: TransferSize,
    },
}

impl Work {
    /// Mean rate of what is asked for, in bit/s; none for data without end, and for pages that
    /// nothing but their transfer keeps apart.
    pub fn mean_rate_bps(&self) -> Option<f64> {
        let (bytes, time_s) = match *self {
            Self::Unlimited => return None,
            Self::Transfers { mean_interval, size, .. } => (size.mean().get() as f64, mean_interval.as_secs_f64()),
            Self::Web { mean_think_time, mean_objects, mean_gap, size, .. } => {
                let idle_s = mean_think_time.as_secs_f64() + (mean_objects - 1.0) * mean_gap.as_secs_f64();
                (mean_objects * size.mean().get() as f64, idle_s)
            }
        };
        (time_s > 0.0).then(|| bytes * 8.0 / time_s)
    }
}

/// How large a transfer is: bytes on the wire, headers included. All segments but the
/// last are full, and the last is no smaller than an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransferSize {
    /// Always the same.
    Fixed(Bytes),
    /// Exponential with this mean.
    Exponential(Bytes),
    /// Pareto with this mean.
    Pareto {
        /// The mean.
        mean: Bytes,
        /// The shape, above 1.
        shape: f64,
    },
}

impl TransferSize {
    /// The mean.
    pub fn mean(&self) -> Bytes {
        match *self {
            Self::Fixed(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. } => mean,
        }
    }
}

impl TcpPlan {
    /// What is out of range, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        let settings = &self.settings;
        let fits = |size: Bytes| (1..=u64::from(u16::MAX)).contains(&size.get());
        if !fits(settings.segment) || !fits(settings.ack) || settings.ack > settings.segment {
            return Some(
                "segments and acknowledgements have from 1 to 65535 bytes, and none is larger than a segment"
                    .to_owned(),
            );
        }
        if settings.receive_window == 0 || settings.initial_window == 0 {
            return Some("windows are at least one segment".to_owned());
        }
        if settings.granularity == Span::ZERO {
            return Some("the timer needs a granularity above zero".to_owned());
        }
        if let Some(problem) = self.control.problem() {
            return Some(problem);
        }
        match &self.work {
            Work::Unlimited => None,
            Work::Transfers { mean_interval, .. } if *mean_interval == Span::ZERO => {
                Some("transfers need a mean interval above zero".to_owned())
            }
            Work::Web { mean_objects, .. } if !(*mean_objects >= 1.0 && mean_objects.is_finite()) => {
                Some("a page has at least one object on average".to_owned())
            }
            Work::Transfers { size, .. } | Work::Web { size, .. } => size.problem(),
        }
    }
}

impl TransferSize {
    fn problem(&self) -> Option<String> {
        let (Self::Fixed(mean) | Self::Exponential(mean) | Self::Pareto { mean, .. }) = *self;
        if mean.get() == 0 {
            return Some("a transfer needs a size above zero".to_owned());
        }
        match *self {
            Self::Pareto { shape, .. } if !(shape > 1.0 && shape.is_finite()) => {
                Some("a Pareto size needs a finite shape above 1".to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between the n objects of a page there are n − 1 gaps, and after it somebody thinks.
    #[test]
    fn a_page_offers_its_objects_in_the_time_between_them() {
        let seconds = |s: u64| Span::from_millis(s * 1_000);
        let (size, mean_think_time) = (TransferSize::Exponential(Bytes::new(1_000)), seconds(6));
        let web = |mean_objects, mean_gap| Work::Web { pages: None, mean_think_time, mean_objects, mean_gap, size };
        assert_eq!(web(5.0, seconds(1)).mean_rate_bps(), Some(40_000.0 / 10.0));
        assert_eq!(web(1.0, seconds(1)).mean_rate_bps(), Some(8_000.0 / 6.0), "one object has no gap");
        let transfers = Work::Transfers { count: None, mean_interval: seconds(2), size };
        assert_eq!(transfers.mean_rate_bps(), Some(4_000.0));
        assert_eq!(Work::Unlimited.mean_rate_bps(), None);
    }
}
