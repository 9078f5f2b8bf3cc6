use super::*;
use crate::cloth::cut;
use crate::pattern::{Attachment, Curve, Edge, Line, Panel, Placement, Seam};
use glam::{DQuat, DVec2};
use toile_core::fabric::Fabric;
use toile_core::force::Load;
use toile_core::integrate::{StaticOptions, relax};

/// A rectangle with its lower left corner at (x, 0, 0), facing +z.
fn rectangle(name: &str, size: [f64; 2], x: f64) -> Panel {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let start = |c: [f64; 2]| DVec2::new(c[0] * size[0], c[1] * size[1]);
    let outline = corners.map(|c| Edge { start: start(c), curve: Curve::Line, label: None }).to_vec();
    let placement = Placement::Flat { translation: DVec3::X * x, rotation: DQuat::IDENTITY };
    Panel { name: name.into(), outline, placement, ..Panel::default() }
}

/// Two panels side by side, sewn along their long sides.
fn pair(size: [f64; 2], seam: Seam) -> Garment {
    let sides = [vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]];
    let panels = vec![rectangle("left", size, 0.0), rectangle("right", size, size[0])];
    let garment = Garment { panels, seams: vec![Seam { name: "seam".into(), sides, ..seam }], ..Garment::default() };
    assert_eq!(garment.problems(), vec![]);
    garment
}

fn sewn(garment: &Garment, edge: f64) -> Cloth {
    let pieces = cut(garment, None, edge).unwrap();
    pieces.weld(&pieces.cloth.mesh.positions).unwrap()
}

fn notions(garment: &Garment, cloth: &Cloth) -> Notions {
    Notions::new(garment, cloth, (&Holds::new(garment, cloth, None), Grip::Loose), 0.5e-3)
}

/// A strip of two panels of rigidity B, clamped at one end and lightly loaded at the other, seam along its middle: the allowance bends side by
/// side with the rest, P L³/(3 B (W + (s − 1) · 20 mm)).
#[test]
fn a_stiff_seam_bends_as_its_stiffness_says() {
    let (length, width, rigidity, load) = (0.24f64, 0.06, 2e-5, 4e-7);
    for (s, edge) in [(1.0, 0.012), (5.0, 0.012), (5.0, 0.006)] {
        let garment = pair([0.5 * width, length], Seam { stiffness: Some(s), ..Seam::default() });
        let cloth = sewn(&garment, edge);
        let mesh = &cloth.mesh;
        let fabric = Fabric::isotropic(300.0, 0.0, rigidity, 0.15).unwrap();
        let end = mesh.vertices_where(|p| p.y > length - 1e-9);
        let corner = |v: u32| mesh.positions[v as usize].x < 1e-9 || mesh.positions[v as usize].x > width - 1e-9;
        let parts = end.len() as f64 - 1.0;
        let shares: Vec<(u32, f64)> = end.iter().map(|&v| (v, if corner(v) { 0.5 } else { 1.0 } / parts)).collect();
        let builder = Builder::new(mesh, &fabric)
            .bending("midedge-quadratic")
            .gravity(DVec3::ZERO)
            .clamp("wall", mesh.vertices_where(|p| p.y < 1e-9), DVec3::Z)
            .force(Box::new(Load::shared(DVec3::Z * load, &shares)));
        let system = notions(&garment, &cloth).add_to(builder, 0).unwrap().build().unwrap();
        let mut state = system.initial_state();
        assert!(relax(&system, &mut state, &StaticOptions::default(), None).unwrap().converged);
        let found: f64 = shares.iter().map(|&(v, w)| w * state.positions[v as usize].z).sum();
        let expected = load * length.powi(3) / (3.0 * rigidity * (width + (s - 1.0) * 2.0 * allowance::ALLOWANCE));
        assert!((found / expected - 1.0).abs() < 0.04, "stiffness {s} at {edge} m: {found}, expected {expected}");
    }
}

/// Folds are towards the right side whichever way the outline runs, and stay so where sewing turned a panel over.
#[test]
fn folds_are_towards_the_right_side() {
    let fold = |p: &mut Panel| {
        let path = [0.0, 0.1].map(|x| (DVec2::new(x, 0.1), Curve::Line)).to_vec();
        p.lines.push(Line { name: "fold".into(), path, kind: LineKind::Fold { angle: 0.7 } });
    };
    let mut garment = pair([0.1, 0.2], Seam::default());
    garment.panels.iter_mut().for_each(fold);
    let angles = |garment: &Garment| -> Vec<f64> {
        let cloth = sewn(garment, 0.05);
        let folds = folds_of(garment, &cloth);
        // Folds are divided finer than the rest: three sides each.
        assert_eq!(folds.len(), 6);
        assert_eq!(creases(&cloth.mesh, &folds).len(), 6);
        folds.iter().map(|f| f.angle).collect()
    };
    assert_eq!(angles(&garment), [0.7; 6]);
    // Right side to wrong side: the second panel is turned over, and its right side is inside.
    garment.seams[0].sides[1] = vec![Span::edge(1, 3)];
    assert_eq!(angles(&garment), [0.7, 0.7, 0.7, -0.7, -0.7, -0.7]);
}

/// A pressed seam folds along all of it, and no further than cloth can lie on itself.
#[test]
fn pressed_seams_are_creases() {
    let garment = pair([0.1, 0.2], Seam { fold: -PI, ..Seam::default() });
    let cloth = sewn(&garment, 0.05);
    let creases = notions(&garment, &cloth).creases;
    assert_eq!(creases.len(), 4);
    assert!(creases.iter().all(|c| (c.rest_angle + FLATTEST).abs() < 1e-12));
}

/// A tape over two panels and the seam between them is one chain, as long as told.
#[test]
fn tapes_go_on_across_seams() {
    let mut garment = pair([0.1, 0.2], Seam::default());
    let spans = vec![Span { from: 0.5, ..Span::edge(1, 2) }, Span::edge(0, 2)];
    garment.tapes.push(Tape { name: "tape".into(), spans, ratio: 0.8, stiffness: 30.0 });
    for cloth in [sewn(&garment, 0.05), sewn(&garment, 0.05).refine(&garment)] {
        let (stiffness, springs) = notions(&garment, &cloth).tapes.remove(0);
        assert_eq!(stiffness, 30.0);
        let length: f64 = springs.iter().map(|s| s.length).sum();
        assert!((length - 0.8 * 0.15).abs() < 1e-12, "{length}");
        // A chain has one node more than links.
        let mut nodes: Vec<u32> = springs.iter().flat_map(|s| s.ends).collect();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), springs.len() + 1);
    }
}

/// Two panels side by side whose upper edges are attached.
fn attached(to: &str) -> Garment {
    let spans = vec![Span::edge(0, 2), Span::edge(1, 2)];
    let attachment = Attachment { name: "held".into(), to: to.into(), spans };
    Garment { attachments: vec![attachment], ..pair([0.1, 0.2], Seam::default()) }
}

/// A free edge at the waist keeps the length it was cut to on every level; one that belongs elsewhere stretches as the fabric does.
#[test]
fn waists_are_stayed() {
    for cloth in [sewn(&attached("waist"), 0.05), sewn(&attached("waist"), 0.05).refine(&attached("waist"))] {
        let (stiffness, springs) = notions(&attached("waist"), &cloth).tapes.remove(0);
        assert_eq!(stiffness, stay::STIFFNESS);
        assert!((springs.iter().map(|s| s.length).sum::<f64>() - 0.2).abs() < 1e-12);
        assert!(notions(&attached("collar"), &cloth).tapes.iter().all(|t| t.1.is_empty()));
    }
}

/// Where a bodice is sewn on, it carries the waist: no stay, and nobody pulls it up.
#[test]
fn waists_that_are_sewn_on_are_left_alone() {
    let mut garment = attached("waist");
    garment.attachments[0].spans = vec![Span::edge(0, 1)];
    let cloth = sewn(&garment, 0.05);
    assert!(notions(&garment, &cloth).tapes.iter().all(|t| t.1.is_empty()));
    assert!(!Holds::new(&garment, &cloth, Some(1.0)).can_be_pulled());
}

/// A waist is pulled up to that of the body, then kept from sinking 6 cm below where it was closed.
#[test]
fn waists_are_pulled_up_and_let_go() {
    let garment = attached("waist");
    let cloth = sewn(&garment, 0.05);
    let heights = |waist: Option<f64>, grip| -> Vec<f64> {
        let catches = Holds::new(&garment, &cloth, waist).catches(&Sides::of(&cloth), grip);
        assert_eq!(catches.all.len(), 2 * 4);
        catches.all.iter().map(|c| c.height).collect()
    };
    // The edge was closed at 0.2 m.
    let is = |found: Vec<f64>, height: f64| found.iter().all(|h| (h - height).abs() < 1e-12);
    assert!(is(heights(Some(0.23), Grip::Pulled), 0.23));
    assert!(is(heights(Some(0.23), Grip::Loose), 0.14));
    assert!(is(heights(None, Grip::Pulled), 0.14));
}
