//! Do all promised rates fit, and if not, who shows it?

use crate::Problem;

/// Sums of promises may exceed a capacity by this much through rounding.
const ROUNDING: f64 = 1e-12;

/// A rate promised to a flow or an ingress on a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Promise {
    /// Index of the flow or node.
    pub of: usize,
    /// What is promised, bit/s.
    pub rate_bps: f64,
}

/// A link that cannot keep the promises made on it, and who shows it.
pub(crate) struct Overbooked {
    pub link: usize,
    /// What is promised to `of` together, bit/s: more than the capacity.
    pub promised_bps: f64,
    /// Without any one of these the rest would fit.
    pub of: Vec<usize>,
}

/// The smallest set of promises that do not fit together, over all links.
///
/// Links bind apart from each other, so a smallest set lies on one link, and
/// there it is the largest promises up to the first that is too much: no
/// smaller set adds up to more, and without any one of them the rest fits.
pub(crate) fn first_overbooked(problem: &Problem, promises: impl Fn(usize) -> Vec<Promise>) -> Option<Overbooked> {
    let mut smallest: Option<Overbooked> = None;
    for (link, of_link) in problem.links.iter().enumerate() {
        let most = of_link.capacity_bps * (1.0 + ROUNDING);
        let mut here = promises(link);
        if here.iter().map(|promise| promise.rate_bps).sum::<f64>() <= most {
            continue;
        }
        here.sort_by(|a, b| b.rate_bps.total_cmp(&a.rate_bps).then(a.of.cmp(&b.of)));
        let mut promised_bps = 0.0;
        let mut of = Vec::new();
        for promise in here {
            promised_bps += promise.rate_bps;
            of.push(promise.of);
            if promised_bps > most {
                break;
            }
        }
        of.sort_unstable();
        if smallest.as_ref().is_none_or(|least| of.len() < least.of.len()) {
            smallest = Some(Overbooked { link, promised_bps, of });
        }
    }
    smallest
}
