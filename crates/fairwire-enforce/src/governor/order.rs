//! Control packets of a flow pass a router in order: those that are late or come twice are dropped, as if they were lost.

/// The last control packets of a flow that have passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The life of the source; none before any packet has come.
    life: Option<u64>,
    forward: u32,
    backward: u32,
}

/// A control packet that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It is the first one of another life of its source: what is known of the flow belongs to one that is over.
    Reborn,
    /// It follows those before.
    Next,
}

impl Order {
    /// A control packet goes to the destination; none if it is late.
    pub fn forward(&mut self, life: u64, number: u32) -> Option<Passage> {
        let before = self.life.replace(life);
        if before != Some(life) {
            (self.forward, self.backward) = (number, 0);
            return Some(if before.is_some() { Passage::Reborn } else { Passage::Next });
        }
        let is_next = number > self.forward;
        self.forward = self.forward.max(number);
        is_next.then_some(Passage::Next)
    }

    /// A control packet comes back; none if it is late, or answers nothing that has passed. What a port tells by itself has no
    /// number.
    pub fn backward(&mut self, life: u64, number: u32) -> Option<Passage> {
        let is_next = number == 0 || (self.backward < number && number <= self.forward);
        if self.life != Some(life) || !is_next {
            return None;
        }
        self.backward = self.backward.max(number);
        Some(Passage::Next)
    }

    /// The life of the source, if it is known.
    pub const fn life(&self) -> Option<u64> {
        self.life
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_comes_twice_or_answers_nothing_does_not_pass() {
        let (mut order, next) = (Order::default(), Some(Passage::Next));
        assert_eq!([1, 3, 2, 3].map(|number| order.forward(7, number)), [next, next, None, None]);
        assert_eq!([2, 2, 1, 4, 3, 0].map(|number| order.backward(7, number)), [next, None, None, None, next, next]);
        assert_eq!((order.backward(8, 3), order.backward(8, 0)), (None, None), "of another life");
    }

    #[test]
    fn a_source_that_is_reborn_counts_from_the_beginning() {
        let mut order = Order::default();
        order.forward(7, 900);
        assert_eq!((order.forward(8, 1), order.life()), (Some(Passage::Reborn), Some(8)));
        assert_eq!((order.backward(7, 900), order.backward(8, 1)), (None, Some(Passage::Next)));
    }
}
