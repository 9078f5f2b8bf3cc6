//! What pressure people bear, by part of the body. The numbers and their sources are in `data/fit/comfort.csv`; which parts are bony is ours.

/// Text of the table.
const TABLE: &str = include_str!("../../../../data/fit/comfort.csv");

/// Pressures of a part of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comfort {
    /// Name of the part, without a side.
    pub part: &'static str,
    /// Pressure (Pa) of a comfortable garment, where a source tells one.
    pub comfortable: Option<f64>,
    /// Pressure (Pa) above which the part is flagged.
    pub limit: f64,
    /// What that limit is.
    pub meaning: &'static str,
    /// Where it is from, by the letter of the table.
    pub source: &'static str,
}

/// All parts. They ship with Toile: a fault in them is a fault of the build, found by the tests.
pub fn comforts() -> Vec<Comfort> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.filter_map(row).collect()
}

fn row(line: &'static str) -> Option<Comfort> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[part, comfortable, limit, meaning, source] = &cells[..] else { return None };
    let comfortable = comfortable.parse::<f64>().ok().map(|kpa| 1e3 * kpa);
    Some(Comfort { part, comfortable, limit: 1e3 * limit.parse::<f64>().ok()?, meaning, source })
}

/// Pressures of a region of a body: `thigh_l` has those of the thigh. None of a name that is not in the table.
pub fn comfort(region: &str) -> Option<Comfort> {
    let part = region.strip_suffix("_l").or(region.strip_suffix("_r")).unwrap_or(region);
    comforts().into_iter().find(|c| c.part == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Measurements, mannequin};

    /// Every line of the table is read, and every region of the mannequin has a limit.
    #[test]
    fn every_region_has_a_limit() {
        let lines = TABLE.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).count() - 1;
        assert_eq!(comforts().len(), lines);
        let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
        for region in &body.regions {
            let found = comfort(region).unwrap_or_else(|| panic!("{region}"));
            assert!((1e3..1e4).contains(&found.limit) && !found.meaning.is_empty(), "{found:?}");
            assert!(TABLE.contains(&format!("# {}: ", found.source)), "{found:?}");
        }
        assert_eq!(comfort("somewhere"), None);
    }

    /// 35 mmHg, and 17.5 + 2.1 mmHg, of the waistband.
    #[test]
    fn millimetres_of_mercury_became_kilopascals() {
        let waist = comfort("waist").unwrap();
        assert!(
            (waist.limit - 35.0 * 133.322).abs() < 10.0 && (waist.comfortable.unwrap() - 19.6 * 133.322).abs() < 10.0
        );
    }
}
