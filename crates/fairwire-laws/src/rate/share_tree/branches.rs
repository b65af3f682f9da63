//! The B+ tree: how flows are put in and taken out.
//!
//! An entry above the leaves has the first flow of its child and the sums over all flows of its child.

use super::Visits;
use super::node::{Entry, LEAST, Node, WIDTH};

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

    pub(super) fn insert(&mut self, new: Entry) {
        let below = self.root;
        self.insert_below(below, self.height, new);
        if self.nodes[below as usize].len() == WIDTH {
            let right = self.split(below);
            let left = self.nodes[below as usize].summary(below);
            self.root = self.keep(Node::of(&[left, right]));
            self.height += 1;
        }
    }

    /// Takes out a flow that is there.
    pub(super) fn remove(&mut self, old: Entry) {
        let root = self.root;
        self.remove_below(root, self.height, old);
        if let [only] = *self.nodes[root as usize].entries()
            && self.height > 0
        {
            self.free.push(root);
            self.root = only.child;
            self.height -= 1;
        }
    }

    fn insert_below(&mut self, node: u32, height: u32, new: Entry) {
        self.visits.visit();
        let at = self.nodes[node as usize].up_to(&new);
        if height == 0 {
            return self.nodes[node as usize].insert(at, new);
        }
        let at = at.saturating_sub(1);
        let child = self.nodes[node as usize].entries()[at].child;
        self.insert_below(child, height - 1, new);
        if self.nodes[child as usize].len() == WIDTH {
            let right = self.split(child);
            self.nodes[node as usize].insert(at + 1, right);
        }
        *self.nodes[node as usize].entry_mut(at) = self.nodes[child as usize].summary(child);
    }

    fn remove_below(&mut self, node: u32, height: u32, old: Entry) {
        self.visits.visit();
        // The flow is there, so one entry at least is before it or at its place.
        let at = self.nodes[node as usize].up_to(&old) - 1;
        if height == 0 {
            debug_assert_eq!(self.nodes[node as usize].entries()[at].flow, old.flow);
            return self.nodes[node as usize].remove(at);
        }
        let child = self.nodes[node as usize].entries()[at].child;
        self.remove_below(child, height - 1, old);
        if self.nodes[child as usize].len() < LEAST {
            self.refill(node, at);
        } else {
            *self.nodes[node as usize].entry_mut(at) = self.nodes[child as usize].summary(child);
        }
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
