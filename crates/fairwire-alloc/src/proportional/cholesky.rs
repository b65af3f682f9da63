//! Symmetric equations with a positive matrix, of any scale.

use crate::interrupt::look;

/// The triangular factor of a matrix, each unknown scaled to a diagonal of one.
pub(super) struct Cholesky {
    factor: Vec<f64>,
    scales: Vec<f64>,
    size: usize,
}

/// A pivot below this is rounding: its unknown depends on the others and stays as it is.
const LEAST_PIVOT: f64 = 1e-15;

impl Cholesky {
    /// Takes `matrix` apart, row after row of `size` numbers each, with a positive diagonal.
    pub fn new(mut matrix: Vec<f64>, size: usize) -> Self {
        let scales: Vec<f64> = (0..size).map(|at| matrix[at * size + at].sqrt().recip()).collect();
        for row in 0..size {
            for column in 0..size {
                matrix[row * size + column] *= scales[row] * scales[column];
            }
        }
        for row in 0..size {
            look();
            for column in 0..=row {
                let (own, other) = (row * size, column * size);
                let dot: f64 = (0..column).map(|at| matrix[own + at] * matrix[other + at]).sum();
                let left = matrix[own + column] - dot;
                matrix[own + column] = if row != column {
                    left / matrix[other + column]
                } else if left > LEAST_PIVOT {
                    left.sqrt()
                } else {
                    f64::INFINITY
                };
            }
        }
        Self { factor: matrix, scales, size }
    }

    /// The unknowns that give `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.size;
        let mut values: Vec<f64> = right.iter().zip(&self.scales).map(|(value, scale)| value * scale).collect();
        for row in 0..size {
            let dot: f64 = (0..row).map(|at| self.factor[row * size + at] * values[at]).sum();
            values[row] = (values[row] - dot) / self.factor[row * size + row];
        }
        for row in (0..size).rev() {
            let dot: f64 = (row + 1..size).map(|at| self.factor[at * size + row] * values[at]).sum();
            values[row] = (values[row] - dot) / self.factor[row * size + row];
        }
        values.iter().zip(&self.scales).map(|(value, scale)| value * scale).collect()
    }
}
