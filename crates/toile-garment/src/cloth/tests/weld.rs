//! Sewing by merging (S1-16).

use super::*;
use toile_core::mesh::Topology;

fn welded(garment: &Garment, edge: f64) -> (Cut, Cloth) {
    let cut = cut(garment, None, edge).unwrap();
    let cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
    (cut, cloth)
}

fn euler(cloth: &Cloth) -> i64 {
    let topology = Topology::new(&cloth.mesh).unwrap();
    cloth.mesh.vertex_count() as i64 - topology.edges.len() as i64 + cloth.mesh.triangles.len() as i64
}

/// Two panels and n pairs: n vertices less, each in the middle of what it was; rest shapes to the bit.
#[test]
fn pairs_merge_in_the_middle() {
    let mut garment = pair();
    garment.panels[1] = at(garment.panels[1].clone(), 0.37, 0.11, 0.23);
    let (cut, cloth) = welded(&garment, 0.03);
    let pairs = fractions(&cut.cloth)[&(0, Of::Edge(1))].len();
    assert_eq!(cut.joins.len(), pairs);
    assert_eq!(cloth.mesh.vertex_count(), cut.cloth.mesh.vertex_count() - pairs);
    let groups = cut.groups();
    for join in &cut.joins {
        let [a, b] = join.ends.map(|v| cut.cloth.mesh.positions[v as usize]);
        assert_eq!(groups[join.ends[0] as usize], groups[join.ends[1] as usize]);
        assert_eq!(cloth.mesh.positions[groups[join.ends[0] as usize] as usize], 0.5 * (a + b));
    }
    let sewn: std::collections::BTreeSet<u32> = cut.joins.iter().flat_map(|j| j.ends).collect();
    for v in (0..groups.len()).filter(|v| !sewn.contains(&(*v as u32))) {
        assert_eq!(cloth.mesh.positions[groups[v] as usize], cut.cloth.mesh.positions[v]);
    }
    assert_eq!(cloth.mesh.material, cut.cloth.mesh.material);
    assert_eq!((&cloth.flat, &cloth.sides, &cloth.panels), (&cut.cloth.flat, &cut.cloth.sides, &cut.cloth.panels));
    assert_eq!(cut.widest(&cut.cloth.mesh.positions).map(|w| w.1), Some(0));
    assert!((cut.widest(&cut.cloth.mesh.positions).unwrap().0 - DVec3::new(0.07, 0.11, 0.23).length()).abs() < 1e-15);
}

/// Green strain of a flat pair that fits.
#[test]
fn a_seam_of_equal_lengths_leaves_no_strain() {
    let (_, cloth) = welded(&pair(), 0.03);
    for t in 0..cloth.panels.len() {
        let [a, b, c] = cloth.mesh.material[t];
        let [x, y, z] = cloth.mesh.triangles[t].map(|v| cloth.mesh.positions[v as usize]);
        let rest = glam::DMat2::from_cols(b - a, c - a).inverse();
        let [u, v] = [rest.x_axis, rest.y_axis].map(|w| (y - x) * w.x + (z - x) * w.y);
        let strain = [0.5 * (u.dot(u) - 1.0), 0.5 * (v.dot(v) - 1.0), u.dot(v)];
        assert!(strain.iter().all(|e| e.abs() < 1e-13), "triangle {t}: {strain:?}");
    }
}

/// A sheet has 1, a tube 0, each further opening takes 1.
#[test]
fn sewn_garments_have_the_right_openings() {
    assert_eq!(euler(&welded(&pair(), 0.05).1), 1);
    assert_eq!(euler(&welded(&tube(), 0.05).1), 0);
    // Waist and two legs; neck, hem and two arms; waist or neck, and hem.
    for (name, openings) in
        [("trousers", 3), ("t-shirt", 4), ("sheath-dress", 4), ("circle-skirt", 2), ("poncho-round", 2)]
    {
        let (_, cloth) = welded(&flat_draft(name), 0.04);
        assert_eq!(euler(&cloth), 2 - openings, "{name}");
    }
}

/// Sewn right side to wrong side the later panel is turned over, with its weave, places and trails.
#[test]
fn a_seam_right_to_wrong_turns_a_panel() {
    let mut garment = pair();
    garment.seams[0].sides[1][0] = Span::edge(1, 3);
    let (cut, cloth) = welded(&garment, 0.05);
    cloth.mesh.check().unwrap();
    sides_lie_where_they_say(&cloth, &garment);
    for t in 0..cloth.panels.len() {
        let facing = area(&cloth.flat[t]).signum();
        assert_eq!(facing, if cloth.panels[t] == 0 { 1.0 } else { -1.0 });
        assert_eq!(cloth.mesh.rest_area(t), cut.cloth.mesh.rest_area(t));
        if cloth.panels[t] == 0 {
            assert_eq!(cloth.mesh.material[t], cut.cloth.mesh.material[t]);
        }
    }
    // What is split later is mirrored as well.
    let fine = cloth.refine(&garment);
    fine.mesh.check().unwrap();
    assert!((fine.mesh.total_rest_area() / cloth.mesh.total_rest_area() - 1.0).abs() < 1e-13);
}

/// A strip sewn to itself with a half turn, of one panel and of two.
#[test]
fn a_moebius_strip_is_refused() {
    let strip =
        garment(vec![rectangle("strip", 1.0, 0.2)], vec![seam("s", vec![Span::edge(0, 1)], vec![Span::edge(0, 3)])]);
    let cut_strip = cut(&strip, None, 0.05).unwrap();
    assert_eq!(cut_strip.weld(&cut_strip.cloth.mesh.positions), Err(WeldError::OneSided { panel: 0 }));
    for twisted in 0..2 {
        let mut two = tube();
        let span = &mut two.seams[twisted].sides[1][0];
        *span = span.reversed();
        let cut = cut(&two, None, 0.05).unwrap();
        assert_eq!(cut.weld(&cut.cloth.mesh.positions), Err(WeldError::OneSided { panel: 1 }));
    }
}

/// Three layers along a line are no surface: a pocket stays two vertices at one place, on every level of triangles.
#[test]
fn a_pocket_is_held_on_its_line() {
    let mut garment = garment(vec![rectangle("front", 0.4, 0.5), rectangle("bag", 0.12, 0.14)], vec![]);
    let pocket = crate::pattern::Pocket { panel: 1, on: 0, at: DVec2::new(0.1, 0.1), turn: 0.0, open: vec![2] };
    garment.add_pocket(&pocket, "pocket").unwrap();
    let cut = cut(&garment, None, 0.03).unwrap();
    assert!(cut.joins.is_empty());
    // Three sides of 4, 5 and 5 parts.
    assert_eq!(cut.ties.len(), 15);
    let mut cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
    let mut sewn = 14;
    for _ in 0..3 {
        assert_eq!(cloth.ties.len(), sewn + 1);
        let joined = cloth.joined();
        for [a, b] in cloth.ties.iter().map(|t| t.map(|v| v as usize)) {
            assert!(cloth.mesh.positions[a].distance(cloth.mesh.positions[b]) < 1e-12);
            assert_eq!(joined[a], joined[b]);
        }
        Topology::new(&cloth.mesh).unwrap();
        cloth = cloth.refine(&garment);
        sewn *= 2;
    }
}

/// Of two panels sewn to one edge the first is welded and the second held, though it is sewn to the other panel's edge.
#[test]
fn a_third_layer_in_a_seam_is_held() {
    let panels = ["front", "back", "bag"].map(|name| rectangle(name, 0.2, 0.3)).to_vec();
    let side =
        |a: usize, b: usize| seam(&format!("{a}-{b}"), vec![Span::edge(a, 1)], vec![Span::edge(b, 3).reversed()]);
    let three = garment(panels, vec![side(0, 1), side(0, 2)]);
    let (cut, cloth) = welded(&three, 0.05);
    assert_eq!((cut.joins.len(), cut.ties.len(), cloth.ties.len()), (7, 7, 7));
    assert!(cut.joins.iter().all(|j| j.seam == 0) && cut.ties.iter().all(|j| j.seam == 1));
}
