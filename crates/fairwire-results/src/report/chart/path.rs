//! Points as the shortest SVG path.

/// A polyline through `points` in user units, rounded to a tenth, in relative
/// steps without needless characters.
pub(in crate::report) fn polyline(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    let mut last: Option<(i64, i64)> = None;
    for (x, y) in points {
        let at = ((x * 10.0).round() as i64, (y * 10.0).round() as i64);
        match last {
            None => {
                path.push('M');
                push_tenths(&mut path, at.0, false);
                push_tenths(&mut path, at.1, true);
                path.push('l');
            }
            Some(before) if before == at => continue,
            Some(before) => {
                let follows = !path.ends_with('l');
                push_tenths(&mut path, at.0 - before.0, follows);
                push_tenths(&mut path, at.1 - before.1, true);
            }
        }
        last = Some(at);
    }
    if path.ends_with('l') {
        path.push_str("0 0");
    }
    path
}

fn push_tenths(path: &mut String, tenths: i64, follows: bool) {
    use std::fmt::Write;
    if follows && tenths >= 0 {
        path.push(' ');
    }
    let (whole, part) = (tenths.abs() / 10, tenths.abs() % 10);
    let sign = if tenths < 0 { "-" } else { "" };
    // Writing to a string cannot fail.
    let _ = match (whole, part) {
        (whole, 0) => write!(path, "{sign}{whole}"),
        (0, part) => write!(path, "{sign}.{part}"),
        (whole, part) => write!(path, "{sign}{whole}.{part}"),
    };
}

#[cfg(test)]
mod tests {
    use super::polyline;

    #[test]
    fn steps_are_relative_and_short() {
        assert_eq!(polyline([(10.0, 20.0), (10.5, 19.96), (12.0, 18.0), (12.0, 18.01)]), "M10 20l.5 0 1.5-2");
        assert_eq!(polyline([(1.0, 1.0)]), "M1 1l0 0");
        assert_eq!(polyline([]), "");
    }
}
