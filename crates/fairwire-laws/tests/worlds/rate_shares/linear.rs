//! The printed way to the fair share, in O(N), and water filling, which knows no critical flow.

/// Limit and weight of a flow.
pub type Flow = (f64, f64);

/// `find_nfs` as printed, [wmfqc] §3.1: along the list in order of limit/weight. θ, its flow, and the flow before it.
pub fn find_nfs(flows: &[(u32, Flow)], excess: f64) -> Option<(f64, u32, Option<u32>)> {
    let mut list = flows.to_vec();
    list.sort_by(|(a, (la, wa)), (b, (lb, wb))| (la / wa).total_cmp(&(lb / wb)).then(a.cmp(b)));
    let mut weights_from = vec![0.0; list.len() + 1];
    for (at, (_, (_, weight))) in list.iter().enumerate().rev() {
        weights_from[at] = weights_from[at + 1] + weight;
    }
    let mut limits = 0.0;
    for (at, &(flow, (limit, weight))) in list.iter().enumerate() {
        let theta = (excess - limits) / weights_from[at];
        if limit / weight >= theta {
            return Some((theta, flow, at.checked_sub(1).map(|before| list[before].0)));
        }
        limits += limit;
    }
    None
}

/// The level at which all flows together get the excess, each no more than its limit. None if all limits fit.
pub fn water_level(flows: &[Flow], excess: f64) -> Option<f64> {
    let taken = |level: f64| flows.iter().map(|(limit, weight)| limit.min(level * weight)).sum::<f64>();
    if flows.iter().map(|(limit, _)| limit).sum::<f64>() < excess || flows.is_empty() {
        return None;
    }
    let (mut low, mut high) = (0.0, flows.iter().map(|(limit, weight)| limit / weight).fold(0.0, f64::max));
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *(if taken(middle) < excess { &mut low } else { &mut high }) = middle;
    }
    Some(high)
}
