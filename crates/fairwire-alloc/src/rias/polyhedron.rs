//! The points that satisfy a few linear constraints, and how far they reach.
//!
//! A small dense simplex method in dictionary form: every basic variable is
//! written as a constant plus a combination of the non-basic ones. Equations
//! are eliminated first, so the dictionary has one column a degree of
//! freedom. A general solver would bring in more code than all of this crate;
//! here there are tens of variables, of magnitude one.

use super::linear::{Constraint, Linear};
use crate::interrupt::look;

/// How far constraints may be missed: they carry constants that are known
/// only this well.
const FEASIBLE: f64 = 1e-9;
/// Smallest number worth pivoting on.
const PIVOT: f64 = 1e-9;
/// Improvements per unit below this are rounding.
const IMPROVES: f64 = 1e-10;
/// Pivots by steepest gain before Bland's rule takes over, which cannot cycle.
const GREEDY_PIVOTS: usize = 200;

/// A non-empty set of points with coordinates of zero or more.
#[derive(Debug, Clone)]
pub(crate) struct Polyhedron {
    variables: usize,
    /// Name of the variable each row stands for; names from `variables` on
    /// are slacks.
    basic: Vec<usize>,
    /// Name of the variable of each column.
    nonbasic: Vec<usize>,
    constants: Vec<f64>,
    /// Row after row, one factor a column.
    factors: Vec<f64>,
    work: u64,
}

impl Polyhedron {
    /// The points that satisfy all constraints, `None` when there are none.
    pub fn new(variables: usize, constraints: &[Constraint]) -> Option<Self> {
        let mut this = Self {
            variables,
            basic: Vec::new(),
            nonbasic: (0..variables).collect(),
            constants: Vec::new(),
            factors: Vec::new(),
            work: 0,
        };
        for constraint in constraints {
            if let Constraint::Zero(linear) = constraint {
                this.eliminate(linear)?;
            }
        }
        for (number, constraint) in constraints.iter().enumerate() {
            if let Constraint::NotNegative(linear) = constraint {
                let (constant, factors) = this.substitute(linear);
                this.basic.push(variables + number);
                this.constants.push(constant);
                this.factors.extend(factors);
            }
        }
        this.find_vertex().then_some(this)
    }

    /// The point of the set at which [`Self::maximise`] or [`Self::minimise`] ended.
    pub fn vertex(&self) -> Vec<f64> {
        let mut at = vec![0.0; self.variables];
        for (&name, &constant) in self.basic.iter().zip(&self.constants) {
            if name < self.variables {
                at[name] = constant;
            }
        }
        at
    }

    /// The largest value of `objective` over the set, `f64::INFINITY` when
    /// there is none.
    pub fn maximise(&mut self, objective: &Linear) -> f64 {
        let (mut value, mut gains) = self.substitute(objective);
        for pivots in 0.. {
            look();
            let Some(column) = self.entering(&gains, pivots >= GREEDY_PIVOTS) else { break };
            let Some(row) = self.leaving(column) else { return f64::INFINITY };
            self.pivot(row, column);
            let gain = gains[column];
            value += gain * self.constants[row];
            let width = self.nonbasic.len();
            for (at, factor) in self.factors[row * width..(row + 1) * width].iter().enumerate() {
                if at == column {
                    gains[at] = gain * factor;
                } else {
                    gains[at] += gain * factor;
                }
            }
            if pivots > 50 * GREEDY_PIVOTS {
                break;
            }
        }
        value
    }

    /// How many numbers all pivots so far have touched.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The smallest value of `objective` over the set.
    pub fn minimise(&mut self, objective: &Linear) -> f64 {
        -self.maximise(&Linear::zero(self.variables).minus(objective))
    }

    /// Writes an expression in the non-basic variables.
    fn substitute(&self, linear: &Linear) -> (f64, Vec<f64>) {
        let width = self.nonbasic.len();
        let mut constant = linear.constant;
        let mut factors = vec![0.0; width];
        for (column, &name) in self.nonbasic.iter().enumerate() {
            if name < self.variables {
                factors[column] = linear.factors[name];
            }
        }
        for (row, &name) in self.basic.iter().enumerate() {
            if name < self.variables && linear.factors[name] != 0.0 {
                let factor = linear.factors[name];
                constant += factor * self.constants[row];
                for (own, theirs) in factors.iter_mut().zip(&self.factors[row * width..(row + 1) * width]) {
                    *own += factor * theirs;
                }
            }
        }
        (constant, factors)
    }

    /// Uses an equation to drop one degree of freedom.
    fn eliminate(&mut self, linear: &Linear) -> Option<()> {
        let (constant, factors) = self.substitute(linear);
        let widest = (0..factors.len()).max_by(|&a, &b| factors[a].abs().total_cmp(&factors[b].abs()));
        match widest.filter(|&column| factors[column].abs() > PIVOT) {
            None => (constant.abs() <= FEASIBLE).then_some(()),
            Some(column) => {
                self.basic.push(usize::MAX);
                self.constants.push(constant);
                self.factors.extend(factors);
                self.pivot(self.basic.len() - 1, column);
                self.drop_column(column);
                Some(())
            }
        }
    }

    /// Phase one: one auxiliary variable added to every row makes the
    /// dictionary feasible and is then driven to zero.
    fn find_vertex(&mut self) -> bool {
        let rows = self.basic.len();
        let Some(worst) = (0..rows).min_by(|&a, &b| self.constants[a].total_cmp(&self.constants[b])) else {
            return true;
        };
        if self.constants[worst] >= 0.0 {
            return true;
        }
        if self.constants[worst] >= -1e-13 {
            self.clamp();
            return true;
        }
        let width = self.nonbasic.len();
        let mut widened = Vec::with_capacity(rows * (width + 1));
        for row in 0..rows {
            widened.extend_from_slice(&self.factors[row * width..(row + 1) * width]);
            widened.push(1.0);
        }
        self.factors = widened;
        self.nonbasic.push(AUXILIARY);
        self.pivot(worst, width);

        // The auxiliary variable is basic: its own row is what to minimise.
        for pivots in 0..50 * GREEDY_PIVOTS {
            look();
            let Some(row) = self.basic.iter().position(|&name| name == AUXILIARY) else { break };
            let width = self.nonbasic.len();
            let gains: Vec<f64> = self.factors[row * width..(row + 1) * width].iter().map(|f| -f).collect();
            let Some(column) = self.entering(&gains, pivots >= GREEDY_PIVOTS) else { break };
            // Let the auxiliary variable leave as soon as it may.
            let Some(leaving) = self.leaving(column) else { break };
            let own = self.factors[row * width + column];
            let own_ratio = self.constants[row].max(0.0) / -own;
            let best = self.factors[leaving * width + column];
            let best_ratio = self.constants[leaving].max(0.0) / -best;
            self.pivot(if own_ratio <= best_ratio { row } else { leaving }, column);
        }
        if let Some(row) = self.basic.iter().position(|&name| name == AUXILIARY) {
            if self.constants[row] > FEASIBLE {
                return false;
            }
            let width = self.nonbasic.len();
            let factors = &self.factors[row * width..(row + 1) * width];
            let widest = (0..width)
                .max_by(|&a, &b| factors[a].abs().total_cmp(&factors[b].abs()))
                .filter(|&column| factors[column].abs() > 1e-13);
            match widest {
                Some(column) => {
                    self.constants[row] = 0.0;
                    self.pivot(row, column);
                }
                None => {
                    self.basic.swap_remove(row);
                    self.constants.swap_remove(row);
                    let last = self.basic.len();
                    for at in 0..width {
                        self.factors[row * width + at] = self.factors[last * width + at];
                    }
                    self.factors.truncate(last * width);
                }
            }
        }
        if let Some(column) = self.nonbasic.iter().position(|&name| name == AUXILIARY) {
            self.drop_column(column);
        }
        self.clamp();
        true
    }

    fn clamp(&mut self) {
        for constant in &mut self.constants {
            *constant = constant.max(0.0);
        }
    }

    fn entering(&self, gains: &[f64], by_name: bool) -> Option<usize> {
        let improving = (0..gains.len()).filter(|&column| gains[column] > IMPROVES);
        if by_name {
            improving.min_by_key(|&column| self.nonbasic[column])
        } else {
            improving.max_by(|&a, &b| gains[a].total_cmp(&gains[b]).then(self.nonbasic[b].cmp(&self.nonbasic[a])))
        }
    }

    /// The row that reaches zero first when the column grows.
    fn leaving(&self, column: usize) -> Option<usize> {
        let width = self.nonbasic.len();
        let mut best: Option<(f64, usize)> = None;
        for row in 0..self.basic.len() {
            let factor = self.factors[row * width + column];
            if factor >= -PIVOT {
                continue;
            }
            let ratio = self.constants[row].max(0.0) / -factor;
            let better = best
                .is_none_or(|(least, other)| ratio < least || (ratio == least && self.basic[row] < self.basic[other]));
            if better {
                best = Some((ratio, row));
            }
        }
        best.map(|(_, row)| row)
    }

    /// Exchanges the variable of a row with the variable of a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let width = self.nonbasic.len();
        let (start, end) = (row * width, (row + 1) * width);
        self.work += self.factors.len() as u64;
        let factor = self.factors[start + column];
        for value in &mut self.factors[start..end] {
            *value /= -factor;
        }
        self.factors[start + column] = 1.0 / factor;
        self.constants[row] /= -factor;
        let pivot_row = self.factors[start..end].to_vec();
        let pivot_constant = self.constants[row];
        for other in (0..self.basic.len()).filter(|&other| other != row) {
            let target = &mut self.factors[other * width..(other + 1) * width];
            let multiple = target[column];
            if multiple != 0.0 {
                target[column] = 0.0;
                for (value, pivot) in target.iter_mut().zip(&pivot_row) {
                    *value += multiple * pivot;
                }
                self.constants[other] += multiple * pivot_constant;
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
    }

    fn drop_column(&mut self, column: usize) {
        let width = self.nonbasic.len();
        let mut at = 0;
        self.factors.retain(|_| {
            at += 1;
            (at - 1) % width != column
        });
        self.nonbasic.remove(column);
    }
}

/// Name of the variable that measures infeasibility; larger than any other.
const AUXILIARY: usize = usize::MAX - 1;

#[cfg(test)]
mod tests {
    use super::Polyhedron;
    use crate::rias::linear::{Constraint, Linear};

    fn linear(factors: &[f64], constant: f64) -> Linear {
        Linear { factors: factors.to_vec(), constant }
    }

    #[test]
    fn finds_the_corners_of_a_pentagon() {
        // x <= 4, y <= 3, x + y <= 5, x + y >= 1
        let mut pentagon = Polyhedron::new(
            2,
            &[
                Constraint::NotNegative(linear(&[-1.0, 0.0], 4.0)),
                Constraint::NotNegative(linear(&[0.0, -1.0], 3.0)),
                Constraint::NotNegative(linear(&[-1.0, -1.0], 5.0)),
                Constraint::NotNegative(linear(&[1.0, 1.0], -1.0)),
            ],
        )
        .expect("not empty");
        assert!((pentagon.maximise(&linear(&[1.0, 2.0], 0.5)) - 8.5).abs() < 1e-12);
        assert!((pentagon.maximise(&linear(&[2.0, 1.0], 0.0)) - 9.0).abs() < 1e-12);
        assert!((pentagon.minimise(&linear(&[3.0, 1.0], 0.0)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn equations_reduce_the_set_and_contradictions_empty_it() {
        let sum = Constraint::Zero(linear(&[1.0, 1.0, 1.0], -1.0));
        let tie = Constraint::Zero(linear(&[1.0, -1.0, 0.0], 0.0));
        let twice = Constraint::Zero(linear(&[2.0, 2.0, 2.0], -2.0));
        let mut line = Polyhedron::new(3, &[sum.clone(), tie.clone(), twice]).expect("a line");
        assert!((line.maximise(&linear(&[1.0, 0.0, 0.0], 0.0)) - 0.5).abs() < 1e-12);
        assert!((line.maximise(&linear(&[0.0, 0.0, 1.0], 0.0)) - 1.0).abs() < 1e-12);
        let other = Constraint::Zero(linear(&[1.0, 1.0, 1.0], -2.0));
        assert!(Polyhedron::new(3, &[sum.clone(), other]).is_none());
        let beyond = Constraint::NotNegative(linear(&[1.0, 0.0, 0.0], -0.6));
        assert!(Polyhedron::new(3, &[sum, tie, beyond]).is_none());
    }

    #[test]
    fn an_open_side_is_infinite() {
        let mut half = Polyhedron::new(1, &[Constraint::NotNegative(linear(&[1.0], -2.0))]).expect("not empty");
        assert_eq!(half.maximise(&linear(&[1.0], 0.0)), f64::INFINITY);
        assert_eq!(half.minimise(&linear(&[1.0], 0.0)), 2.0);
    }
}
