//! When the bytes that were delivered had left the narrowest link of their way.
//!
//! Bytes count as delivered once they are in order, so what waited behind a lost packet counts at once, when the
//! packet has been sent again: more than any link can carry. The bytes had come one after the other before. So they
//! are put back here, as late as the links' capacities allow for all flows together.

use crate::plan::{FlowKind, Outline, Plan};
use crate::record::Counts;
use fairwire_core::Span;

/// For each flow the bytes of each row as they left, as late as no link on the way of any flow carries more than its
/// capacity. Every flow keeps its sum. None without connections, whose bytes
/// count as they come; where they do not fit, as may be with real packets; and where packets leave their planned ways,
/// as on a ring that protects itself.
pub fn bytes_left(plan: &Plan, outline: &Outline, counts: &Counts<'_>) -> Option<Vec<Vec<u32>>> {
    let is_steered = plan.ring().is_some_and(|ring| ring.protection.is_some());
    if is_steered || outline.flows.iter().all(|flow| flow.kind == FlowKind::Datagrams) {
        return None;
    }
    let links = Links::of(plan, outline, counts.window);
    let routes: Vec<&[usize]> = outline.flows.iter().map(|flow| &flow.route[..]).collect();
    let mut rows: Vec<Vec<u32>> = counts.flows.iter().map(|flow| flow.delivered_bytes.to_vec()).collect();
    // What has to have left in a row or before, and the flows with the least of it first.
    let mut wanted = vec![0_u64; rows.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let (mut room, mut sharers) = (vec![0_u64; outline.links.len()], vec![0_u64; outline.links.len()]);
    for row in (0..rows.iter().map(Vec::len).max().unwrap_or(0)).rev() {
        for (wanted, rows) in wanted.iter_mut().zip(&rows) {
            *wanted += rows.get(row).copied().map_or(0, u64::from);
        }
        links.room(row, &mut room);
        if place_all(&mut rows, row, &mut wanted, &routes, &room, &mut sharers) {
            continue;
        }
        sharers.fill(0);
        for (_, route) in wanted.iter().zip(&routes).filter(|(wanted, _)| **wanted > 0) {
            route.iter().for_each(|&link| sharers[link] += 1);
        }
        // The room that those leave who want little goes to whoever was held up.
        order.sort_by_key(|&flow| wanted[flow]);
        for &flow in &order {
            let Some(bytes) = rows[flow].get_mut(row).filter(|_| wanted[flow] > 0) else { continue };
            let share = routes[flow].iter().map(|&link| room[link] / sharers[link].max(1)).min();
            let placed = wanted[flow].min(share.unwrap_or(u64::MAX));
            for &link in routes[flow] {
                room[link] = room[link].saturating_sub(placed);
                sharers[link] -= 1;
            }
            wanted[flow] -= placed;
            *bytes = u32::try_from(placed).unwrap_or(u32::MAX);
        }
    }
    wanted.iter().all(|&wanted| wanted == 0).then_some(rows)
}

/// Places all that is wanted in a row, if there is room for it on every link; `load` is where it adds up.
fn place_all(
    rows: &mut [Vec<u32>],
    row: usize,
    wanted: &mut [u64],
    routes: &[&[usize]],
    room: &[u64],
    load: &mut [u64],
) -> bool {
    load.fill(0);
    for (&wanted, route) in wanted.iter().zip(routes) {
        route.iter().for_each(|&link| load[link] += wanted);
    }
    if load.iter().zip(room).any(|(load, room)| load > room) || rows.iter().any(|row_of| row_of.len() <= row) {
        return false;
    }
    for (rows, wanted) in rows.iter_mut().zip(wanted) {
        rows[row] = u32::try_from(std::mem::take(wanted)).unwrap_or(u32::MAX);
    }
    true
}

/// Capacities over time.
struct Links {
    row: Span,
    /// Of each link, in order of time: from when on, in nanoseconds, how many bit/s.
    capacities: Vec<Vec<(u64, f64)>>,
}

impl Links {
    fn of(plan: &Plan, outline: &Outline, row: Span) -> Self {
        let mut capacities: Vec<Vec<(u64, f64)>> =
            outline.links.iter().map(|link| vec![(0, link.capacity_bps)]).collect();
        for (capacities, changes) in capacities.iter_mut().zip(plan.capacity_changes()) {
            capacities.extend(changes.iter().map(|change| (change.at.as_nanos(), change.capacity.as_bps_f64())));
        }
        Self { row, capacities }
    }

    /// The bytes that each link can carry in a row; what is left of a byte goes to the next.
    fn room(&self, row: usize, room: &mut [u64]) {
        let [start, end] = [row, row + 1].map(|row| self.row.as_nanos().saturating_mul(row as u64));
        for (room, capacities) in room.iter_mut().zip(&self.capacities) {
            let until = |ns: u64| bytes_until(capacities, ns).floor();
            *room = (until(end) - until(start)) as u64;
        }
    }
}

/// The bytes that a link can have carried at a time.
fn bytes_until(capacities: &[(u64, f64)], ns: u64) -> f64 {
    let ends = capacities.iter().skip(1).map(|(from, _)| *from).chain([u64::MAX]);
    let stretch = |(&(from, bps), end): (&(u64, f64), u64)| bps / 8e9 * ns.min(end).saturating_sub(from) as f64;
    capacities.iter().zip(ends).map(stretch).sum()
}

#[cfg(test)]
mod tests {
    use super::bytes_until;

    #[test]
    fn capacities_add_up_over_their_changes() {
        // 8 Mb/s carry a byte each microsecond, then 16 Mb/s two.
        let capacities = [(0, 8e6), (10_000, 16e6)];
        assert_eq!(bytes_until(&capacities, 5_000), 5.0);
        assert_eq!(bytes_until(&capacities, 20_000), 30.0);
    }
}
