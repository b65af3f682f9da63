//! Linear expressions and constraints over a few non-negative variables.

/// A constant plus a weighted sum of variables.
#[derive(Debug, Clone)]
pub(crate) struct Linear {
    /// Factor of each variable.
    pub factors: Vec<f64>,
    /// The constant part.
    pub constant: f64,
}

impl Linear {
    /// Zero over `variables` variables.
    pub fn zero(variables: usize) -> Self {
        Self { factors: vec![0.0; variables], constant: 0.0 }
    }

    /// Adds `factor` times `other`.
    pub fn add(&mut self, factor: f64, other: &Self) {
        for (own, theirs) in self.factors.iter_mut().zip(&other.factors) {
            *own += factor * theirs;
        }
        self.constant += factor * other.constant;
    }

    /// This expression minus `other`.
    pub fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        difference.add(-1.0, other);
        difference
    }
}

/// A condition on variables that are zero or more.
#[derive(Debug, Clone)]
pub(crate) enum Constraint {
    /// The expression is zero or more.
    NotNegative(Linear),
    /// The expression is zero.
    Zero(Linear),
}
