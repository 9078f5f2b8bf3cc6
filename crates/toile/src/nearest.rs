//! The known name closest to a mistyped one, for messages.

pub use toile_io::nearest;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = || ["S0-1", "S0-9", "S1-5", "gamma"].into_iter();
        assert_eq!(nearest("s0-1", known()), Some("S0-1"));
        assert_eq!(nearest("gama", known()), Some("gamma"));
        assert_eq!(nearest("tensile", known()), None);
    }
}
