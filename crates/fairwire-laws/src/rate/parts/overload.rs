//! Overload: how the input of a port compares with what it is to be.

/// The overload factor z: input rate over target rate. Zero without input; infinite if there is input, but a target of zero.
pub fn overload(input_bps: f64, target_bps: f64) -> f64 {
    if input_bps <= 0.0 { 0.0 } else { input_bps / target_bps.max(0.0) }
}

/// VCShare: the rate at which a flow of `current_bps` would have its part in a load of one, if all others changed theirs
/// alike. Infinite in a port without input.
pub fn load_share(current_bps: f64, overload: f64) -> f64 {
    if current_bps <= 0.0 { 0.0 } else { current_bps / overload }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_ever_no_number() {
        assert_eq!(overload(0.0, 0.0), 0.0);
        assert_eq!(overload(-1.0, 1e6), 0.0);
        assert_eq!(overload(1e6, 0.0), f64::INFINITY);
        assert_eq!(overload(3e6, 2e6), 1.5);
        assert_eq!(load_share(0.0, 0.0), 0.0);
        assert_eq!(load_share(3e6, 0.0), f64::INFINITY);
        assert_eq!(load_share(3e6, f64::INFINITY), 0.0);
        assert_eq!(load_share(3e6, 1.5), 2e6);
    }
}
