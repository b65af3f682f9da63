//! The B+ tree: how flows are put in and taken out.
//!
//! An entry above the leaves has the first flow of its child and the sums over all flows of its child.

use super::Visits;
use super::node::{Entry, LEAST, Node, WIDTH};

/// Levels of nodes at most: of nodes with four entries each, for as many flows as there are numbers.
const MOST_LEVELS: usize = 17;

/// Nodes from the root down to a leaf.
#[derive(Clone, Copy, Default)]
struct Way([Step; MOST_LEVELS]);

/// A node on a way, and the entry in it on which the way goes on.
#[derive(Clone, Copy, Default)]
struct Step {
    node: u32,
    place: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Branches<V> {
    pub(super) nodes: Vec<Node>,
    /// Nodes that are used again.
    free: Vec<u32>,
    pub(super) root: u32,
    /// Levels of nodes above the leaves.
    pub(super) height: u32,
    pub(super) visits: V,
}

impl<V: Default> Default for Branches<V> {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], free: Vec::new(), root: 0, height: 0, visits: V::default() }
    }
}

impl<V: Visits> Branches<V> {
    /// All flows, in one entry.
    pub(super) fn total(&self) -> Entry {
        self.nodes[self.root as usize].summary(self.root)
    }

    /// Puts in a flow that is not there.
    pub(super) fn insert(&mut self, new: Entry) {
        let [way] = self.ways([&new]);
        self.insert_along(&way, new);
    }

    /// Takes out a flow that is there.
    pub(super) fn remove(&mut self, old: Entry) {
        let [way] = self.ways([&old]);
        self.remove_along(&way);
    }

    /// Takes out a flow that is there, and puts it in at another place.
    pub(super) fn replace(&mut self, old: Entry, new: Entry) {
        let [from, to] = self.ways([&old, &new]);
        let shaped = self.remove_along(&from);
        if shaped {
            self.insert(new);
        } else {
            self.insert_along(&to, new);
        }
    }

    /// The ways from the root down to where these flows are or belong. They are gone side by side: most of the time goes
    /// into waiting for nodes, and so it is waited for several at once.
    fn ways<const N: usize>(&mut self, flows: [&Entry; N]) -> [Way; N] {
        let mut ways = [Way::default(); N];
        let mut here = [self.root; N];
        for level in 0..=self.height as usize {
            for (number, flow) in flows.into_iter().enumerate() {
                self.visits.visit();
                let node = &self.nodes[here[number] as usize];
                let place = node.up_to(flow).saturating_sub(1);
                ways[number].0[level] = Step { node: here[number], place: place as u32 };
                here[number] = node.child(place);
            }
        }
        ways
    }

    fn insert_along(&mut self, way: &Way, new: Entry) {
        let leaf = way.0[self.height as usize].node;
        // Searched again, as another flow may have gone from the same node.
        let at = self.nodes[leaf as usize].up_to(&new);
        self.nodes[leaf as usize].insert(at, new);
        let mut child = leaf;
        for Step { node, place } in way.0[..self.height as usize].iter().rev().copied() {
            if self.nodes[child as usize].len() == WIDTH {
                let right = self.split(child);
                self.nodes[node as usize].insert(place as usize + 1, right);
            }
            *self.nodes[node as usize].entry_mut(place as usize) = self.nodes[child as usize].summary(child);
            child = node;
        }
        if self.nodes[self.root as usize].len() == WIDTH {
            let right = self.split(self.root);
            let left = self.nodes[self.root as usize].summary(self.root);
            self.root = self.keep(Node::of(&[left, right]));
            self.height += 1;
        }
    }

    /// Says whether nodes have another shape: then ways that were found before lead astray.
    fn remove_along(&mut self, way: &Way) -> bool {
        let Step { node: leaf, place } = way.0[self.height as usize];
        self.nodes[leaf as usize].remove(place as usize);
        let (mut child, mut shaped) = (leaf, false);
        for Step { node, place } in way.0[..self.height as usize].iter().rev().copied() {
            if self.nodes[child as usize].len() < LEAST {
                self.refill(node, place as usize);
                shaped = true;
            } else {
                *self.nodes[node as usize].entry_mut(place as usize) = self.nodes[child as usize].summary(child);
            }
            child = node;
        }
        let root = self.root;
        if let [only] = *self.nodes[root as usize].entries()
            && self.height > 0
        {
            self.free.push(root);
            self.root = only.child;
            self.height -= 1;
            shaped = true;
        }
        shaped
    }

    /// The upper half of a node moves to a new one, whose entry this is.
    fn split(&mut self, node: u32) -> Entry {
        self.visits.visit();
        let all = self.nodes[node as usize];
        let (left, right) = all.entries().split_at(all.len() / 2);
        self.nodes[node as usize] = Node::of(left);
        let right = self.keep(Node::of(right));
        self.nodes[right as usize].summary(right)
    }

    /// A child with few entries shares those of its neighbour evenly, or both become one.
    fn refill(&mut self, node: u32, at: usize) {
        self.visits.visit();
        let at = at.min(self.nodes[node as usize].len() - 2);
        let [left, right] = [at, at + 1].map(|at| self.nodes[node as usize].entries()[at].child);
        let all = [left, right].map(|child| self.nodes[child as usize]);
        let all: Vec<Entry> = all.iter().flat_map(Node::entries).copied().collect();
        // Room is left, so that the next flow does not part them again.
        let halves = if all.len() <= WIDTH * 3 / 4 {
            (&all[..], None)
        } else {
            let (l, r) = all.split_at(all.len() / 2);
            (l, Some(r))
        };
        self.nodes[left as usize] = Node::of(halves.0);
        *self.nodes[node as usize].entry_mut(at) = self.nodes[left as usize].summary(left);
        match halves.1 {
            Some(half) => {
                self.nodes[right as usize] = Node::of(half);
                *self.nodes[node as usize].entry_mut(at + 1) = self.nodes[right as usize].summary(right);
            }
            None => {
                self.free.push(right);
                self.nodes[node as usize].remove(at + 1);
            }
        }
    }

    fn keep(&mut self, node: Node) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.nodes[place as usize] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.free.capacity() * size_of::<u32>()
    }
}
