//! The known name closest to a mistyped one, for messages.

/// The candidate with the smallest edit distance, if it is close enough to be a slip of the hand: up to a third of the letters,
/// at least two. Case does not count.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(2);
    candidates
        .map(|c| (distance(&name.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, c)| c)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = || ["S0-1", "S0-9", "S1-5", "gamma"].into_iter();
        assert_eq!(nearest("s0-1", known()), Some("S0-1"));
        assert_eq!(nearest("gama", known()), Some("gamma"));
        assert_eq!(nearest("tensile", known()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
