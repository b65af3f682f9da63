//! Numbers of control packets: which are new.

use crate::rate::Refusal;

/// The numbers of one flow's control packets that a port has seen. A source numbers from 1 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    forward: u32,
    backward: u32,
}

impl Numbers {
    /// The number of the last one that passed forward, 0 for none.
    pub fn last_forward(self) -> u32 {
        self.forward
    }

    /// Whether one that passed forward may still come back.
    pub fn is_under_way(self) -> bool {
        self.backward < self.forward
    }

    /// A control packet passes forward.
    ///
    /// # Errors
    /// [`Refusal::Stale`] if it, or a later one, has passed.
    pub fn forward(&mut self, number: u32) -> Result<(), Refusal> {
        if number <= self.forward {
            return Err(Refusal::Stale);
        }
        self.forward = number;
        Ok(())
    }

    /// A control packet comes back.
    ///
    /// # Errors
    /// [`Refusal::Stale`] if it, or a later one, has come back, or it never passed forward.
    pub fn backward(&mut self, number: u32) -> Result<(), Refusal> {
        if number <= self.backward || number > self.forward {
            return Err(Refusal::Stale);
        }
        self.backward = number;
        Ok(())
    }
}
