//! The network of [wmfqc] §5 with minimums and weights, as its printed response times have it.

use super::network::{Deed, Flow, Link, Network};
use fairwire_core::{BitRate, Span};
use fairwire_laws::rate::Terms;

/// The two settings: a local network and a wide one, by the delay of a link.
pub const DELAYS: [(&str, Span); 2] = [("paper-lan", Span::from_micros(10)), ("paper-wan", Span::from_micros(250))];
/// Every 10 ms a flow comes on; afterwards every 10 ms one stops, in the same order.
pub const STEP: Span = Span::from_millis(10);

const CELL_BYTES: u16 = 53;
const CELL_BITS: u64 = 424;
/// Trunks in cells a second: 50, 150, 150, 100 and 150 Mb/s.
const TRUNKS: [u64; 5] = [117_924, 353_773, 353_773, 235_849, 353_773];
const ACCESS: u64 = 353_773;
/// Where flows enter the chain of switches, and how many trunks they take.
const PATHS: [(usize, usize); 6] = [(0, 1), (0, 5), (0, 5), (0, 5), (1, 1), (3, 2)];
/// The flows whose destination has a link of its own, and the switch that it leaves.
const EXITS: [(usize, u32); 2] = [(0, 1), (4, 2)];
/// In cells a millisecond. The minimums are the weights, too.
const PEAKS: [f64; 6] = [60.0, 120.0, 120.0, 120.0, 360.0, 250.0];
const SUPPORTED: [f64; 6] = [150.0, 60.0, 120.0, 60.0, 500.0, 300.0];
const MINIMUMS: [f64; 6] = [10.0, 20.0, 30.0, 40.0, 90.0, 60.0];

/// The network with links of this delay.
pub fn network(delay: Span) -> Network {
    let cells = |per_s: u64| BitRate::from_bps(per_s * CELL_BITS);
    let trunk = |(at, rate): (usize, &u64)| Link { from: at as u32, to: at as u32 + 1, capacity: cells(*rate), delay };
    let mut links: Vec<Link> = TRUNKS.iter().enumerate().map(trunk).collect();
    let exit = |(at, (_, from)): (usize, &(usize, u32))| Link {
        from: *from,
        to: 6 + at as u32,
        capacity: cells(ACCESS),
        delay,
    };
    links.extend(EXITS.iter().enumerate().map(exit));
    let flow = |number: usize| {
        let (first, trunks) = PATHS[number];
        let exit = EXITS.iter().position(|(flow, _)| *flow == number).map(|exit| TRUNKS.len() + exit);
        let bps = |cells_per_ms: f64| cells_per_ms * 1e3 * CELL_BITS as f64;
        Flow {
            route: (first..first + trunks).chain(exit).collect(),
            access: delay,
            terms: Terms {
                minimum_bps: bps(MINIMUMS[number]),
                peak_bps: bps(PEAKS[number]),
                supported_bps: bps(SUPPORTED[number]),
                weight: MINIMUMS[number],
            },
            is_on: number == 0,
        }
    };
    let starts = (1..PATHS.len()).map(|flow| vec![Deed::Start(flow)]);
    // Once the last flow has stopped there is nothing to share.
    let stops = (0..PATHS.len() - 1).map(|flow| vec![Deed::Stop(flow)]);
    Network {
        nodes: 6 + EXITS.len(),
        links,
        flows: (0..PATHS.len()).map(flow).collect(),
        packet_bytes: CELL_BYTES,
        loss: 0.0,
        steps: starts.chain(stops).collect(),
    }
}
