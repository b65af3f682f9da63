//! Which nodes links lead to.

use crate::draft::Draft;
use std::collections::BTreeMap;

/// Answers whether links lead from one node to another, without keeping an answer for each pair.
pub(crate) struct Reach {
    index: BTreeMap<String, usize>,
    ways: Vec<Vec<usize>>,
    /// Which nodes the first one leads to, and which lead to it.
    first: [Vec<bool>; 2],
    /// The node that was asked about last, and which it leads to.
    last: Option<(usize, Vec<bool>)>,
}

impl Reach {
    /// Of all links of a draft.
    pub fn of(draft: &Draft) -> Self {
        let index: BTreeMap<String, usize> =
            draft.nodes.iter().enumerate().map(|(number, name)| (name.clone(), number)).collect();
        let mut ways = [vec![Vec::new(); draft.nodes.len()], vec![Vec::new(); draft.nodes.len()]];
        for link in &draft.links {
            let (from, to) = (index[&link.from], index[&link.to]);
            for (from, to) in [(from, to), (to, from)].into_iter().take(1 + usize::from(link.is_duplex)) {
                ways[0][from].push(to);
                ways[1][to].push(from);
            }
        }
        let first = [reached(&ways[0], 0), reached(&ways[1], 0)];
        let [ways, _] = ways;
        Self { index, ways, first, last: None }
    }

    /// Whether there is a way. Where one over the first node is, as mostly, nothing is looked for.
    pub fn leads(&mut self, from: &str, to: &str) -> bool {
        let (Some(&from), Some(&to)) = (self.index.get(from), self.index.get(to)) else { return false };
        if self.first[1][from] && self.first[0][to] {
            return true;
        }
        if self.last.as_ref().is_none_or(|(node, _)| *node != from) {
            self.last = Some((from, reached(&self.ways, from)));
        }
        self.last.as_ref().is_some_and(|(_, reached)| reached[to])
    }
}

fn reached(ways: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; ways.len()];
    let mut next = Vec::new();
    if let Some(begin) = reached.get_mut(start) {
        *begin = true;
        next.push(start);
    }
    while let Some(node) = next.pop() {
        for &there in &ways[node] {
            if !std::mem::replace(&mut reached[there], true) {
                next.push(there);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Link;

    #[test]
    fn ways_are_found_over_the_first_node_and_beside_it() {
        let link = |from: &str, to: &str, is_duplex| Link {
            name: String::new(),
            from: from.to_owned(),
            to: to.to_owned(),
            capacity: Default::default(),
            delay: None,
            is_duplex,
            span: 0..0,
        };
        let mut draft = Draft::default();
        ["a", "b", "c", "d", "e"].iter().for_each(|node| draft.add_node(node, 0..0));
        draft.links = vec![link("a", "b", true), link("b", "c", false), link("d", "c", false), link("e", "d", true)];
        let mut reach = Reach::of(&draft);
        let mut found = String::new();
        for from in ["a", "b", "c", "d", "e"] {
            let to: Vec<&str> = ["a", "b", "c", "d", "e"].into_iter().filter(|to| reach.leads(from, to)).collect();
            found += &format!("{from}: {}\n", to.concat());
        }
        assert_eq!(found, "a: abc\nb: abc\nc: c\nd: cde\ne: cde\n");
        assert!(!reach.leads("a", "x"));
    }
}
