//! Which rate laws counters and limits of routers serve, and for how long their limits can hold.

use crate::error::EnforceError;
use fairwire_core::Span;
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::RatePlan;

/// The laws that govern routers of a network.
pub(crate) const SERVED: [&str; 6] = ["wmfqc", "wmfqc-plus", "max-min-marking", "s-perc", "capc", "erica-early"];

/// However slow a flow is, its source hears of another rate within this time: see [`fairwire_laws::rate::Sender`].
const HEARD_WITHIN: Span = Span::from_millis(100);

/// An error if a law needs what counters of a router cannot give.
pub(super) fn check_served(law: &RateLawChoice) -> Result<(), EnforceError> {
    let interval = match law {
        RateLawChoice::capc(capc) => Some(capc.interval),
        RateLawChoice::erica_early(erica) => Some(erica.interval),
        _ => None,
    };
    let why = match law {
        RateLawChoice::erica(_) => {
            "aims at a queue in front of a link, and counters do not tell what waits for the link from what waits for a limit"
                .to_owned()
        }
        RateLawChoice::rcp(_) => {
            format!("moves its rate once a round trip, and sources of routers hear of it within {HEARD_WITHIN}")
        }
        _ if law.queue_thresholds().q_d.is_some() => {
            "drops data packets one by one while a queue is longer than `q-d`, which is for the kernel to do: set \
             `queue-control = false` in the scenario's `rate`"
                .to_owned()
        }
        _ => match interval.filter(|interval| *interval < HEARD_WITHIN) {
            None => return Ok(()),
            Some(interval) => format!(
                "moves its rate every {interval}, and sources of routers hear of it within {HEARD_WITHIN}: set \
                 `interval = \"{HEARD_WITHIN}\"` in the scenario's `rate`"
            ),
        },
    };
    Err(EnforceError::Unserved { law: law.about().name, why })
}

/// Answers that are lost must not be taken for silence: so many are to come in the time of a lease.
const ANSWERS_A_LEASE: u64 = 3;

/// An error if a lease ends before another answer can be expected.
pub(super) fn check_lease(lease: Span, tick: Span, rate: &RatePlan) -> Result<(), EnforceError> {
    let heard_within = rate.sending.control_within.map_or(HEARD_WITHIN, |within| within.max(HEARD_WITHIN)).max(tick);
    let least = heard_within * ANSWERS_A_LEASE;
    if lease < least { Err(EnforceError::ShortLease(lease, heard_within, least)) } else { Ok(()) }
}
