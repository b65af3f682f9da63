//! A match of two components, and who wins it where their keys are equal.

/// Who goes first of two components whose keys are equal.
pub trait Ties {
    /// Whether it is `right`, the one with the higher number.
    fn right_is_first(&self, key: u64, left: u32, right: u32) -> bool;
}

/// The lower number goes first.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Ties for InOrder {
    #[inline(always)]
    fn right_is_first(&self, _: u64, _: u32, _: u32) -> bool {
        false
    }
}

/// A component and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub key: u64,
    pub index: u32,
}

/// The winner of two. Those that wait for nothing need no turns.
#[inline(always)]
pub fn earlier<T: Ties>(ties: &T, left: Node, right: Node) -> Node {
    let tied = right.key == left.key && right.key != u64::MAX;
    let right_is_first = right.key < left.key || tied && ties.right_is_first(right.key, left.index, right.index);
    if right_is_first { right } else { left }
}
