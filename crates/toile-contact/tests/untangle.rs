//! The battery of starts that cross: parted where that can be, then taken over by barriers; refused by name otherwise.

mod battery;

/// Every start that can be parted is, its edges keep near their lengths, and barriers go on from it; every other one is
/// refused, its triangles named.
#[test]
fn starts_that_cross_are_parted_or_refused_by_name() {
    let cases = battery::cases();
    assert!(cases.len() >= 30);
    let mut faults = Vec::new();
    for case in &cases {
        let outcome = case.run();
        match (&outcome.result, case.has_solution) {
            (Ok(u), true) => {
                if let Some(fault) = outcome.fault {
                    faults.push(format!("{}: parted, but then {fault}", case.name));
                }
                assert!(u.smallest_gap > 0.0, "{}", case.name);
                assert_ne!(outcome.start, outcome.positions, "{}", case.name);
                assert_eq!(u.crossings_before, outcome.crossings_before, "{}", case.name);
                assert!(u.crossings_before + u.inside_before > 0 || case.name.contains("same place"), "{}", case.name);
            }
            (Err(tangle), false) => {
                assert!(tangle.crossings + tangle.inside > 0, "{}: {tangle}", case.name);
                assert!(tangle.places.iter().any(|p| p.panel.is_some() && !p.triangles.is_empty()), "{tangle}");
                assert_eq!(outcome.start, outcome.positions, "{}: left as it was", case.name);
            }
            (Err(tangle), true) => faults.push(format!("{}: {tangle}", case.name)),
            (Ok(_), false) => faults.push(format!("{}: cannot be parted, but was", case.name)),
        }
    }
    assert!(faults.is_empty(), "{} of {} failed:\n{}", faults.len(), cases.len(), faults.join("\n"));
}
