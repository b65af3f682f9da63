//! Laws that tell what an interval came to: another capacity changes all of it in proportion, until the next one is over.

use crate::rate_laws::one_port::{OnePort, PLAIN, assert_near};
use fairwire_core::Span;

const LAWS: [&str; 2] = ["name = 'erica'\ninterval = '1 ms'", "name = 'erica-early'\ninterval = '1 ms'"];

/// Two flows that tell 80 and 20 Mb/s, while 150 come.
fn overloaded(law: &str) -> OnePort {
    let mut port = OnePort::new(law, &[PLAIN; 2]);
    port.tell(0, 80e6);
    port.tell(1, 20e6);
    port.arrived(150_000);
    port.wait(Span::from_millis(1));
    port
}

#[test]
fn shares_and_loads_follow_the_capacity() {
    for law in LAWS {
        for flow in [0, 1] {
            let before = overloaded(law).answer(flow);
            let mut port = overloaded(law);
            port.capacity(25);
            assert_near(port.answer(flow), before / 4.0);
        }
    }
}

/// Before the first interval is over all there is may be had.
#[test]
fn so_does_the_most_that_a_flow_may_have() {
    for law in LAWS {
        let most = |mbps: u64| {
            let mut port = OnePort::new(law, &[PLAIN]);
            port.tell(0, 500e6);
            port.capacity(mbps);
            port.answer(0)
        };
        assert_near(most(25), most(100) / 4.0);
    }
}
