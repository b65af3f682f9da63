//! Long series with as few points as the eye can tell apart.

use std::ops::Range;

/// Reduces points in order of x to at most two for each of `columns` columns
/// of `range`: the lowest and the highest, in the order in which they came.
/// A spike of one sample stays visible; points outside of `range` are left out.
pub(in crate::report) fn min_max(points: &[(f64, f64)], range: &Range<f64>, columns: usize) -> Vec<(f64, f64)> {
    decimate(points, range, columns, 2, |column, kept| {
        let (first, second) = if column.lowest.0 <= column.highest.0 {
            (column.lowest, column.highest)
        } else {
            (column.highest, column.lowest)
        };
        kept.push(first);
        if second != first {
            kept.push(second);
        }
    })
}

/// As [`min_max`], keeping only the highest of each column.
pub(super) fn peaks(points: &[(f64, f64)], range: &Range<f64>, columns: usize) -> Vec<(f64, f64)> {
    decimate(points, range, columns, 1, |column, kept| kept.push(column.highest))
}

fn decimate(
    points: &[(f64, f64)],
    range: &Range<f64>,
    columns: usize,
    a_column: usize,
    keep: impl Fn(Extremes, &mut Vec<(f64, f64)>),
) -> Vec<(f64, f64)> {
    let inside = |&&(x, _): &&(f64, f64)| x >= range.start && x <= range.end;
    if points.iter().filter(inside).count() <= a_column * columns {
        return points.iter().filter(inside).copied().collect();
    }
    let width = (range.end - range.start) / columns as f64;
    let column_of = |x: f64| (((x - range.start) / width) as usize).min(columns - 1);
    let mut kept = Vec::with_capacity(a_column * columns);
    let mut open: Option<(usize, Extremes)> = None;
    for &point in points.iter().filter(inside) {
        match &mut open {
            Some((column, extremes)) if *column == column_of(point.0) => extremes.take(point),
            _ => {
                if let Some((_, extremes)) = open.replace((column_of(point.0), Extremes::of(point))) {
                    keep(extremes, &mut kept);
                }
            }
        }
    }
    if let Some((_, extremes)) = open {
        keep(extremes, &mut kept);
    }
    kept
}

struct Extremes {
    lowest: (f64, f64),
    highest: (f64, f64),
}

impl Extremes {
    fn of(point: (f64, f64)) -> Self {
        Self { lowest: point, highest: point }
    }

    fn take(&mut self, point: (f64, f64)) {
        if point.1 < self.lowest.1 {
            self.lowest = point;
        }
        if point.1 > self.highest.1 {
            self.highest = point;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_series_stay_as_they_are() {
        let points = [(0.0, 1.0), (0.5, 2.0), (2.0, 3.0)];
        assert_eq!(min_max(&points, &(0.0..1.0), 2), [(0.0, 1.0), (0.5, 2.0)]);
    }

    #[test]
    fn a_single_spike_survives_and_the_size_is_bounded() {
        let mut points: Vec<_> = (0..10_000).map(|k| (f64::from(k) / 10_000.0, 1.0)).collect();
        points[5_432].1 = 9.0;
        points[5_440].1 = -3.0;
        let kept = min_max(&points, &(0.0..1.0), 100);
        assert!(kept.len() <= 200);
        assert!(kept.contains(&points[5_432]) && kept.contains(&points[5_440]));
        let kept_peaks = peaks(&points, &(0.0..1.0), 100);
        assert_eq!(kept_peaks.len(), 100);
        assert!(kept_peaks.contains(&points[5_432]) && !kept_peaks.contains(&points[5_440]));
        assert!(kept.is_sorted_by(|a, b| a.0 <= b.0));
    }
}
