//! Which of many is the longest, in constant time while lengths change by little.
//!
//! Members of one length hang in one list, in the order in which they got there; a
//! pointer follows the longest list that is not empty. It goes up by what a member
//! grows and comes down by as much, so a change costs as many steps as the length
//! changes by, over time.

const NONE: u32 = u32::MAX;

/// The longest of members that are numbered densely from 0.
#[derive(Clone, Debug, Default)]
pub struct Longest {
    members: Vec<Member>,
    lists: Vec<Ends>,
    top: usize,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    length: u32,
    before: u32,
    after: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

impl Longest {
    /// Who is longest; among equals, who has been so long for longest.
    #[inline]
    pub fn longest(&self) -> Option<u32> {
        let first = self.lists.get(self.top)?.first;
        (first != NONE).then_some(first)
    }

    /// Tells the length of a member; one of length 0 is none.
    #[inline]
    pub fn set(&mut self, member: u32, length: u32) {
        if self.members.len() <= member as usize {
            self.members.resize(member as usize + 1, Member { length: 0, before: NONE, after: NONE });
        }
        let was = self.members[member as usize].length;
        if was == length {
            return;
        }
        if was > 0 {
            self.unlink(member);
        }
        self.members[member as usize].length = length;
        if length > 0 {
            self.link(member);
        }
        self.top = self.top.max(length as usize);
        while self.top > 0 && self.lists[self.top].first == NONE {
            self.top -= 1;
        }
    }

    fn link(&mut self, member: u32) {
        let length = self.members[member as usize].length as usize;
        if self.lists.len() <= length {
            self.lists.resize(length + 1, Ends { first: NONE, last: NONE });
        }
        let last = self.lists[length].last;
        self.lists[length].last = member;
        match last {
            NONE => self.lists[length].first = member,
            _ => self.members[last as usize].after = member,
        }
        let place = &mut self.members[member as usize];
        (place.before, place.after) = (last, NONE);
    }

    fn unlink(&mut self, member: u32) {
        let Member { length, before, after } = self.members[member as usize];
        match before {
            NONE => self.lists[length as usize].first = after,
            _ => self.members[before as usize].after = after,
        }
        match after {
            NONE => self.lists[length as usize].last = before,
            _ => self.members[after as usize].before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_a_search(changes in prop::collection::vec((0u32..8, 0u32..12), 1..200)) {
            let mut longest = Longest::default();
            let (mut lengths, mut since) = ([0u32; 8], [0usize; 8]);
            for (step, (member, length)) in changes.into_iter().enumerate() {
                longest.set(member, length);
                if lengths[member as usize] != length {
                    (lengths[member as usize], since[member as usize]) = (length, step);
                }
                let most = *lengths.iter().max().unwrap();
                let first = (0..8).filter(|&i| most > 0 && lengths[i] == most).min_by_key(|&i| since[i]);
                prop_assert_eq!(longest.longest(), first.map(|i| i as u32));
            }
        }
    }
}
