//! Which flow has which colour, everywhere on the page.

use super::law_runs::LawRuns;

/// Colours of the palette, `s0` to `s7` in the style sheet.
pub(super) const COLOURS: usize = 8;
/// Beyond this many flows a colour each helps nobody.
pub(super) const MOST_WITH_OWN_TINT: usize = 2 * COLOURS;
/// How many flows stand out where there are more.
const HIGHLIGHTED: usize = 6;

/// What stands out is at least this part of the way from the least to the most important.
const NOTABLE: f64 = 0.02;

/// How a line is drawn: its colour, and whether it is dashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tint {
    /// A colour of the palette; the second round of colours is dashed.
    Own { colour: usize, dashed: bool },
    /// One of many, in grey.
    Muted,
}

impl Tint {
    /// The tint of the `index`th of a few things.
    pub fn nth(index: usize) -> Self {
        Self::Own { colour: index % COLOURS, dashed: index >= COLOURS }
    }

    /// Classes of the style sheet.
    pub fn class(self) -> String {
        match self {
            Self::Own { colour, dashed: false } => format!("s{colour}"),
            Self::Own { colour, dashed: true } => format!("s{colour} dash"),
            Self::Muted => "mute".to_owned(),
        }
    }

    /// Another line about the same thing.
    pub fn contrasting(self) -> Self {
        match self {
            Self::Own { colour, .. } => Self::Own { colour: (colour + 1) % COLOURS, dashed: true },
            Self::Muted => Self::Muted,
        }
    }

    pub fn is_muted(self) -> bool {
        self == Self::Muted
    }
}

/// A tint for every flow: its own where there are few; with many flows only the
/// ones furthest from fair, under any law, stand out.
pub(super) fn flow_tints(flows: usize, laws: &[LawRuns<'_>]) -> Vec<Tint> {
    if flows <= MOST_WITH_OWN_TINT {
        return (0..flows).map(Tint::nth).collect();
    }
    let worst = |flow: usize| laws.iter().map(|law| law.error(flow)).fold(0.0, f64::max);
    highlight((0..flows).map(worst).collect())
}

/// Tints for things of which only the first few by `importance` stand out, and
/// of those only the ones that differ from the least important.
pub(super) fn highlight(importance: Vec<f64>) -> Vec<Tint> {
    let mut order: Vec<_> = (0..importance.len()).collect();
    order.sort_by(|&a, &b| importance[b].total_cmp(&importance[a]));
    order.truncate(HIGHLIGHTED);
    let (most, least) =
        importance.iter().fold((f64::MIN, f64::MAX), |(most, least), &value| (most.max(value), least.min(value)));
    order.retain(|&thing| most == least || importance[thing] > least + NOTABLE * (most - least));
    // Colours follow the order of declaration, not of rank: neighbours differ.
    order.sort_unstable();
    let mut tints = vec![Tint::Muted; importance.len()];
    for (colour, thing) in order.into_iter().enumerate() {
        tints[thing] = Tint::nth(colour);
    }
    tints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_things_highlight_the_most_important() {
        let importance = (0..20).map(|thing| if thing % 3 == 0 { 1.0 } else { 0.0 }).collect();
        let tints = highlight(importance);
        let own: Vec<_> = (0..20).filter(|&thing| !tints[thing].is_muted()).collect();
        assert_eq!(own, [0, 3, 6, 9, 12, 15]);
        assert_eq!(tints[9], Tint::Own { colour: 3, dashed: false });
        let tints = highlight(vec![0.0, 5.0, 0.01, 0.0]);
        assert_eq!(tints.iter().filter(|tint| !tint.is_muted()).count(), 1);
        assert!(highlight(vec![1.0; 4]).iter().all(|tint| !tint.is_muted()));
        assert_eq!(Tint::nth(9).class(), "s1 dash");
    }
}
