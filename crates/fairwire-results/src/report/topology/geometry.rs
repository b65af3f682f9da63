//! Where things are on the drawn ring.

use fairwire_core::Ringlet;
use std::f64::consts::TAU;

/// A ring of stations around the origin: station 0 on top, ringlet 0 clockwise.
pub(super) struct Ring {
    pub stations: usize,
    /// Radius of the circle on which stations sit.
    pub radius: f64,
    /// Radius of a station.
    pub station: f64,
    /// Distance of either ringlet from that circle.
    pub apart: f64,
}

/// A point, y downwards.
pub(super) type Point = (f64, f64);

impl Ring {
    pub fn new(stations: usize) -> Self {
        let radius = 150.0;
        // Two neighbours leave a gap of at least half a station between them.
        let room = TAU * radius / stations as f64;
        let station = (room * 0.3).clamp(2.2, 14.0);
        Self { stations, radius, station, apart: (station * 0.42).max(1.6) }
    }

    /// The angle of one hop.
    pub fn step(&self) -> f64 {
        TAU / self.stations as f64
    }

    /// The angle of a station, clockwise from the top.
    pub fn angle(&self, station: usize) -> f64 {
        station as f64 * self.step()
    }

    /// The point at `angle` and `radius`.
    pub fn point(&self, angle: f64, radius: f64) -> Point {
        (radius * angle.sin(), -radius * angle.cos())
    }

    pub fn ringlet_radius(&self, ringlet: Ringlet) -> f64 {
        match ringlet {
            Ringlet::Zero => self.radius + self.apart,
            Ringlet::One => self.radius - self.apart,
        }
    }

    /// An arc as a path from one angle to another; it runs clockwise if `to` is larger.
    pub fn arc(&self, from: f64, to: f64, radius: f64) -> String {
        let ((x0, y0), (x1, y1)) = (self.point(from, radius), self.point(to, radius));
        let large = u8::from((to - from).abs() > TAU / 2.0);
        let sweep = u8::from(to > from);
        format!("M{x0:.1} {y0:.1}A{radius:.1} {radius:.1} 0 {large} {sweep} {x1:.1} {y1:.1}")
    }

    /// Where a straight line from `outside` reaches the edge of a station, `gap` short of it.
    pub fn dock(&self, station: usize, outside: Point, gap: f64) -> Point {
        let (cx, cy) = self.point(self.angle(station), self.radius);
        let (dx, dy) = (outside.0 - cx, outside.1 - cy);
        let reach = (self.station + gap) / dx.hypot(dy).max(1e-9);
        (cx + dx * reach, cy + dy * reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn station_zero_is_on_top_and_ringlet_zero_turns_clockwise() {
        let ring = Ring::new(4);
        let (x, y) = ring.point(ring.angle(0), 100.0);
        assert!(x.abs() < 1e-9 && (y + 100.0).abs() < 1e-9);
        let (x, y) = ring.point(ring.angle(1), 100.0);
        assert!((x - 100.0).abs() < 1e-9 && y.abs() < 1e-9);
        assert_eq!(ring.arc(0.0, TAU / 4.0, 100.0), "M0.0 -100.0A100.0 100.0 0 0 1 100.0 -0.0");
        assert!(ring.arc(0.0, -TAU * 0.6, 100.0).contains(" 1 0 "));
    }
}
