//! `design = { method = "sobol", points = 256 }`: how points are laid out in the ranges of a sweep.

use super::range::Range;
use crate::reading::diagnostic::Reported;
use crate::reading::document::Node;
use crate::reading::table::{Field, Table};
use fairwire_core::Streams;
use rand::RngExt;
use std::ops::Range as TextRange;

pub(crate) const KEYS: &[&str] = &["method", "points", "seed"];
const METHODS: &[(&str, Method)] = &[("grid", Method::Grid), ("random", Method::Random), ("sobol", Method::Sobol)];
/// As long as the sequence of the `sobol_burley` crate is.
const MOST_SOBOL: u64 = 1 << 16;
/// As many dimensions as it has.
const MOST_DIMENSIONS: usize = 256;

/// How points are laid out in ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each step of each range with all steps of the others.
    Grid,
    /// Independent and uniform, on the scale of each range.
    Random,
    /// The sequence of Sobol, Owen-scrambled: points that leave no large gaps, in whatever projection.
    Sobol,
}

/// A design as the file says it.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    pub method: Method,
    pub points: usize,
    seed: u64,
    pub place: TextRange<usize>,
}

impl Design {
    /// Reads `design`; a grid without one. Points that are more than `most` are too many.
    pub fn read(sweep: &Table<'_>, most: usize) -> Result<Self, Reported> {
        let grid = Self { method: Method::Grid, points: 0, seed: 1, place: sweep.span.clone() };
        let Some(field) = sweep.field(super::DESIGN) else { return Ok(grid) };
        let table = field.table("`design`", KEYS, "{ method = \"sobol\", points = 256 }")?;
        let method = table.need("method", "\"sobol\"")?.word(METHODS)?;
        let seed = table.field("seed").map_or(Ok(1), |field| field.integer(0..=u64::from(u32::MAX), "1"))?;
        let place = field.span();
        if method == Method::Grid {
            let own = ["points", "seed"].into_iter().find_map(|key| table.field(key));
            return match own {
                None => Ok(Self { place, ..grid }),
                Some(own) => {
                    let message = format!("a grid has no `{}`: it is made of the `steps` of each range", own.name);
                    Err(own.error(message, "not of a grid", "remove it, or write `method = \"sobol\"`"))
                }
            };
        }
        let most = if method == Method::Sobol { MOST_SOBOL } else { most as u64 };
        let points = table.need("points", "256")?.integer(1..=most, "256")? as usize;
        Ok(Self { method, points, seed, place })
    }

    /// The values of each range at all points.
    pub fn lay_out(&self, ranges: &[&Range], field: &Field<'_>) -> Result<Vec<Vec<Node>>, Reported> {
        if ranges.is_empty() {
            let message = "the design has no range to lay points out in";
            let help = "write a range such as `\"ring.span-delay\" = { from = \"0.05 ms\", to = \"2 ms\" }`, or remove `design`";
            return Err(field.report.error(self.place.clone(), message, "no range", help));
        }
        if self.method == Method::Sobol && ranges.len() > MOST_DIMENSIONS {
            let message = format!("the sequence of Sobol has {MOST_DIMENSIONS} dimensions, not {}", ranges.len());
            return Err(field.report.error(
                self.place.clone(),
                message,
                "too many ranges",
                "write `method = \"random\"`",
            ));
        }
        let along = |(dimension, range): (usize, &&Range)| -> Vec<Node> {
            self.parts(dimension).into_iter().map(|part| range.sample(part)).collect()
        };
        Ok(ranges.iter().enumerate().map(along).collect())
    }

    /// Where the points lie along one dimension, from 0 to 1.
    fn parts(&self, dimension: usize) -> Vec<f64> {
        match self.method {
            Method::Sobol => {
                let part = |point| sobol_burley::sample(point as u32, dimension as u32, self.seed as u32).into();
                (0..self.points).map(part).collect()
            }
            Method::Grid | Method::Random => {
                let mut draw = Streams::new(self.seed, 0).component(&format!("design/{dimension}"));
                (0..self.points).map(|_| draw.random::<f64>()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(method: Method, seed: u64, dimension: usize) -> Vec<f64> {
        Design { method, points: 256, seed, place: 0..0 }.parts(dimension)
    }

    #[test]
    fn sobol_points_fill_every_part_of_each_dimension_and_of_each_plane() {
        let (x, y) = (parts(Method::Sobol, 7, 0), parts(Method::Sobol, 7, 1));
        let mut lines = [[0; 256]; 2];
        let mut cells = [[0; 16]; 16];
        for (&x, &y) in x.iter().zip(&y) {
            lines[0][(x * 256.0) as usize] += 1;
            lines[1][(y * 256.0) as usize] += 1;
            cells[(x * 16.0) as usize][(y * 16.0) as usize] += 1;
        }
        assert!(lines.iter().flatten().all(|count| *count == 1), "one in each 256th of each dimension");
        assert!(cells.iter().flatten().all(|count| *count == 1), "one in each cell: a (0, 8, 2)-net in base 2");
    }

    #[test]
    fn designs_repeat_and_differ_by_seed_and_dimension() {
        for method in [Method::Random, Method::Sobol] {
            assert_eq!(parts(method, 1, 0), parts(method, 1, 0));
            assert_ne!(parts(method, 1, 0), parts(method, 2, 0));
            assert_ne!(parts(method, 1, 0), parts(method, 1, 1));
            assert!(parts(method, 1, 0).iter().all(|part| (0.0..1.0).contains(part)));
        }
    }
}
