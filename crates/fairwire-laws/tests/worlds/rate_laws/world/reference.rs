//! The fair rates that a network should come to: plain water-filling, written for these tests alone.

use fairwire_laws::rate::Terms;

/// Every flow gets its minimum; then all rise together, by weight, until their own limit or a full link stops them.
pub fn fair_rates(capacities: &[f64], flows: &[(&[usize], Terms)]) -> Vec<f64> {
    let mut rates: Vec<f64> = flows.iter().map(|(_, terms)| terms.minimum_bps).collect();
    let mut rising = vec![true; flows.len()];
    while rising.contains(&true) {
        let mut links: Vec<(f64, f64)> = capacities.iter().map(|&capacity| (capacity, 0.0)).collect();
        for (at, (route, terms)) in flows.iter().enumerate() {
            for &link in *route {
                links[link].0 -= rates[at];
                links[link].1 += if rising[at] { terms.weight } else { 0.0 };
            }
        }
        // How far the common level may rise from where it is for each flow: the least of its own limit and its links'.
        let room = |at: usize| {
            let (route, terms) = &flows[at];
            let own = (terms.most_bps() - rates[at]) / terms.weight;
            route.iter().map(|&link| links[link].0 / links[link].1).fold(own, f64::min).max(0.0)
        };
        let rooms: Vec<f64> = (0..flows.len()).map(|at| if rising[at] { room(at) } else { f64::INFINITY }).collect();
        let step = rooms.iter().copied().fold(f64::INFINITY, f64::min);
        for (at, room) in rooms.iter().enumerate() {
            if rising[at] {
                rates[at] += step * flows[at].1.weight;
                rising[at] = *room > step * (1.0 + 1e-12);
            }
        }
    }
    rates
}

#[test]
fn worked_by_hand() {
    let terms = |minimum_bps, peak_bps, weight| Terms { minimum_bps, peak_bps, supported_bps: 1e9, weight };
    // Link 0 of 10: minimum 2 and weights 1, 3 → 2 + 2 and 6; on link 1 of 20 with the second, a peak of 5 and one more.
    let flows: [(&[usize], Terms); 4] = [
        (&[0], terms(2.0, 1e9, 1.0)),
        (&[0, 1], terms(0.0, 1e9, 3.0)),
        (&[1], terms(0.0, 5.0, 3.0)),
        (&[1], terms(1.0, 1e9, 1.0)),
    ];
    let rates = fair_rates(&[10.0, 20.0], &flows);
    for (rate, by_hand) in rates.iter().zip([4.0, 6.0, 5.0, 9.0]) {
        assert!((rate - by_hand).abs() < 1e-9, "{rates:?}");
    }
}
