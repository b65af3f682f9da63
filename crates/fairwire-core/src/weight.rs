//! Weights: how large a share somebody is owed beside others.

use std::fmt;

/// A finite weight above zero; 1 unless somebody is owed more or less.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Weight(f64);

/// The number offered as a weight is not finite and above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotAWeight(pub f64);

impl Weight {
    /// The weight of everybody who was given none.
    pub const ONE: Self = Self(1.0);

    /// A weight, if `value` is finite and above zero.
    ///
    /// # Errors
    /// [`NotAWeight`] otherwise.
    pub fn new(value: f64) -> Result<Self, NotAWeight> {
        if value.is_finite() && value > 0.0 { Ok(Self(value)) } else { Err(NotAWeight(value)) }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::ONE
    }
}

impl fmt::Display for NotAWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a weight is a finite number above zero, not {}", self.0)
    }
}

impl std::error::Error for NotAWeight {}
