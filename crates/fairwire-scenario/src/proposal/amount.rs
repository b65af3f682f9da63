//! A new number, or how much an old one changes.

use super::ProposalError;
use fairwire_core::BitRate;

/// What becomes of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    /// It becomes this.
    To(f64),
    /// There is none any more.
    None,
    /// It grows by this, or shrinks.
    By(f64),
    /// It grows by this part of itself, or shrinks.
    Part(f64),
}

/// What numbers of a kind look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bit/s, with a unit.
    Rate,
    /// A plain number.
    Number,
}

impl Amount {
    /// Reads `+10%`, `-5 Mb/s`, `= 1 Gb/s`, `none`.
    pub fn read(kind: Kind, text: &str, of: &str) -> Result<Self, ProposalError> {
        let example = match kind {
            Kind::Rate => "`+10%`, `-5 Mb/s` or `= 1 Gb/s`",
            Kind::Number => "`+10%`, `+1` or `= 2`",
        };
        let (is_absolute, text) = match text.strip_prefix('=') {
            Some(text) => (true, text.trim_start()),
            None => (false, text),
        };
        if text.is_empty() {
            return Err(ProposalError::new(format!("nothing is said of {of}"), format!("write {example} after it")));
        }
        if ["none", "no-limit", "unlimited"].contains(&text) {
            return Ok(Self::None);
        }
        let (sign, size) = match text.chars().next() {
            // What is equal is no change: `= -1 Mb/s` is a mistake.
            _ if is_absolute => (None, text),
            Some('+') => (Some(1.0), text[1..].trim_start()),
            Some('-' | '−') => (Some(-1.0), text.trim_start_matches(['-', '−']).trim_start()),
            _ => (None, text),
        };
        if let Some(percent) = size.strip_suffix('%') {
            let part = number(percent.trim(), of, example)? / 100.0;
            return match sign {
                Some(sign) => Ok(Self::Part(sign * part)),
                None => {
                    let message = format!("{of}: {size} more, or less?");
                    Err(ProposalError::new(message, format!("write `+{size}` or `-{size}`")))
                }
            };
        }
        let size = match kind {
            Kind::Number => number(size, of, example)?,
            Kind::Rate => size.parse::<BitRate>().map(BitRate::as_bps_f64).map_err(|error| {
                let whole = error.to_string();
                let (wrong, mend) = whole.split_once("; ").unwrap_or((&whole, example));
                ProposalError::new(format!("{of}: {wrong}"), mend)
            })?,
        };
        Ok(sign.map_or(Self::To(size), |sign| Self::By(sign * size)))
    }

    /// What becomes of `now`, where infinite stands for no limit.
    pub fn applied(self, now: f64, of: &str) -> Result<f64, ProposalError> {
        let next = match self {
            Self::To(next) => return Ok(next),
            Self::None => return Ok(f64::INFINITY),
            Self::By(_) | Self::Part(_) if now.is_infinite() => {
                let message = format!("{of} has no limit yet, so there is nothing to change");
                return Err(ProposalError::new(message, "write a rate, such as `= 10 Mb/s`"));
            }
            Self::By(more) => now + more,
            Self::Part(part) => now * (1.0 + part),
        };
        if next < 0.0 {
            return Err(ProposalError::new(format!("{of} would fall below zero"), "take less away"));
        }
        Ok(next)
    }
}

fn number(text: &str, of: &str, example: &str) -> Result<f64, ProposalError> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| {
        ProposalError::new(format!("{of}: `{text}` is not a number from zero on"), format!("write {example}"))
    })
}

#[cfg(test)]
mod tests {
    use super::{Amount, Kind};

    #[test]
    fn amounts_are_absolute_or_relative() {
        let rate = |text: &str| Amount::read(Kind::Rate, text, "a").unwrap();
        assert_eq!(rate("+10%"), Amount::Part(0.1));
        assert_eq!(rate("-2.5 %"), Amount::Part(-0.025));
        assert_eq!(rate("-5Mb/s"), Amount::By(-5e6));
        assert_eq!(rate("+ 5 Mb/s"), Amount::By(5e6));
        assert_eq!(rate("1 Gb/s"), Amount::To(1e9));
        assert_eq!(rate("= 1 Gb/s"), Amount::To(1e9));
        assert!(Amount::read(Kind::Rate, "= -1 Mb/s", "a").is_err());
        assert!(Amount::read(Kind::Number, "= -1", "a").is_err());
        assert_eq!(rate("none").applied(5.0, "a"), Ok(f64::INFINITY));
        assert_eq!(rate("+10%").applied(50.0, "a").map(f64::round), Ok(55.0));
        assert!(rate("+10%").applied(f64::INFINITY, "a").is_err());
        assert!(rate("-110%").applied(5.0, "a").is_err());
        assert_eq!(Amount::read(Kind::Number, "+1", "a"), Ok(Amount::By(1.0)));
        for (text, mend) in [("10%", "write `+10%` or `-10%`"), ("", "after it"), ("+5", "Mb/s"), ("5 MB/s", "Mb/s")] {
            let error = Amount::read(Kind::Rate, text, "a").unwrap_err();
            assert!(error.help.contains(mend), "{text}: {error}");
        }
        assert!(Amount::read(Kind::Number, "two", "a").is_err());
    }
}
