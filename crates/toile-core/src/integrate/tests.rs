//! The battery of the integrators: test equations with known solutions, measured orders, conservation, grips, equilibrium.

use super::*;
use crate::fabric::{Fabric, Material};
use crate::force::Tether;
use crate::law::Linear;
use crate::mesh::{Diagonal, Grid, Mesh};
use crate::system::{Builder, Key, Motion};
use glam::DVec3;

/// y″ = −k y − d y′ with unit mass, y(0) = y0, y′(0) = v0.
fn oscillator(k: f64, d: f64, y0: f64, v0: f64) -> (System, State) {
    let tether = Tether { nodes: vec![0], anchors: vec![DVec3::ZERO], stiffness: k, damping: d };
    let system = System::of_particles(vec![DVec3::ZERO], vec![1.0], DVec3::ZERO, vec![Box::new(tether)]);
    let mut state = system.initial_state();
    state.positions[0].x = y0;
    state.velocities[0].x = v0;
    (system, state)
}

fn run(system: &System, mut state: State, options: &Options, end: f64, steps: usize) -> State {
    let mut integrator = Integrator::new(system, options.clone()).unwrap();
    for _ in 0..steps {
        integrator.step(system, &mut state, end / steps as f64).unwrap();
    }
    state
}

fn order(options: &Options, k: f64, d: f64) -> f64 {
    let omega = (k - 0.25 * d * d).sqrt();
    let end: f64 = 2.0;
    let exact = (-0.5 * d * end).exp() / omega * (omega * end).sin();
    let error = |steps| {
        let (system, state) = oscillator(k, d, 0.0, 1.0);
        (run(&system, state, options, end, steps).positions[0].x - exact).abs()
    };
    (error(128) / error(256)).log2()
}

/// Every scheme of the registry shows the order it states on an oscillator, with and without damping.
#[test]
fn measured_order_is_the_stated_order() {
    for entry in SCHEMES {
        if matches!(entry.scheme, Scheme::Auto | Scheme::RungeKutta5) {
            continue; // they choose their own steps: see below
        }
        let options = Options::scheme(entry.scheme).exact();
        let measured = order(&options, 5.0, 0.0);
        assert!((measured - f64::from(entry.order)).abs() < 0.1, "{}: order {measured}", entry.name);
        // Störmer–Verlet drops to first order with damping (VALIDATION trap 3).
        let damped = if entry.name == "verlet" { 1 } else { entry.order };
        let measured = order(&options, 5.0, 0.8);
        assert!((measured - f64::from(damped)).abs() < 0.1, "{} damped: order {measured}", entry.name);
    }
}

/// RK5 stays within a small multiple of its tolerance and needs fewer evaluations where it may be coarser.
#[test]
fn error_control_holds_the_error() {
    let mut cost = Vec::new();
    for tolerance in [1e-5, 1e-8] {
        let options = Options { explicit_tolerance: tolerance, ..Options::scheme(Scheme::RungeKutta5) };
        let (system, mut state) = oscillator(50.0, 0.0, 0.0, 1.0);
        let mut integrator = Integrator::new(&system, options).unwrap();
        let mut evaluations = 0;
        for _ in 0..20 {
            evaluations += integrator.step(&system, &mut state, 0.1).unwrap().evaluations;
        }
        let omega = 50.0f64.sqrt();
        let error = (state.positions[0].x - (2.0 * omega).sin() / omega).abs();
        assert!(error < 100.0 * tolerance, "{error} at {tolerance}");
        cost.push(evaluations);
    }
    assert!(cost[1] > 2 * cost[0], "{cost:?}");
}

/// α = ½ of generalised BDF-2 is the implicit midpoint rule and α = 0 leapfrog, to rounding.
#[test]
fn members_of_the_generalised_rules_coincide() {
    let bdf = |alpha| Options::scheme(Scheme::Implicit { rule: Rule::Bdf2 { alpha }, solve: Solve::Once }).exact();
    let euler = |alpha| Options::scheme(Scheme::Implicit { rule: Rule::Euler { alpha }, solve: Solve::Once }).exact();
    let end = |options: &Options, start: &Options| {
        let (system, mut state) = oscillator(5.0, 0.3, 0.2, 1.0);
        Integrator::new(&system, start.clone()).unwrap().step(&system, &mut state, 0.05).unwrap();
        run(&system, state, options, 1.0, 20).positions[0].x
    };
    let midpoint = end(&euler(0.5), &euler(0.5));
    assert!((end(&bdf(0.5), &euler(0.5)) - midpoint).abs() < 1e-13);
    // Leapfrog on y″ = −ky: y_{n+1} = y_{n−1} + 2h v_n, v alike.
    let (system, mut state) = oscillator(5.0, 0.0, 0.2, 1.0);
    let mut integrator = Integrator::new(&system, bdf(0.0)).unwrap();
    let h = 0.01;
    integrator.step(&system, &mut state, h).unwrap();
    let (mut before, mut now) = ((0.2, 1.0), (state.positions[0].x, state.velocities[0].x));
    for _ in 0..50 {
        integrator.step(&system, &mut state, h).unwrap();
        (before, now) = (now, (before.0 + 2.0 * h * now.1, before.1 - 2.0 * h * 5.0 * now.0));
    }
    assert!((state.positions[0].x - now.0).abs() < 1e-14);
}

/// Amplification per step of an undamped oscillator at ωh = 1: backward Euler 0.7071, midpoint 1, BDF-2 0.9333
/// (VALIDATION `ode_amplification`).
#[test]
fn amplification_is_that_of_the_rule() {
    let cases = [
        (Rule::Euler { alpha: 1.0 }, 0.707_106_781_186_547_5),
        (Rule::Euler { alpha: 0.5 }, 1.0),
        (Rule::Bdf2 { alpha: 1.0 }, 0.933_321_058_435_786_6),
    ];
    for (rule, exact) in cases {
        let options = Options::scheme(Scheme::Implicit { rule, solve: Solve::Newton }).exact();
        let (system, mut state) = oscillator(1.0, 0.0, 1.0, 0.0);
        let mut integrator = Integrator::new(&system, options).unwrap();
        let size = |s: &State| (s.positions[0].x.powi(2) + s.velocities[0].x.powi(2)).sqrt();
        for _ in 0..60 {
            integrator.step(&system, &mut state, 1.0).unwrap();
        }
        // Averaged over whole turns: a two-step rule wobbles within one.
        let start = size(&state);
        for _ in 0..60 {
            integrator.step(&system, &mut state, 1.0).unwrap();
        }
        let factor = (size(&state) / start).powf(1.0 / 60.0);
        assert!((factor - exact).abs() < 2e-3, "{rule:?}: {factor}");
    }
}

fn sheet(cells: usize) -> (Mesh, Fabric) {
    let mesh = Grid { cells: [cells, cells], size: [0.5, 0.5], diagonal: Diagonal::Alternating }.mesh();
    (mesh, Fabric::isotropic(200.0, 0.2, 1e-5, 0.15).unwrap())
}

/// A free sheet thrown with a twist keeps momentum and angular momentum.
#[test]
fn free_flight_keeps_momentum() {
    let (mesh, fabric) = sheet(5);
    for bending in ["none", "midedge", "midedge-quadratic"] {
        let system = Builder::new(&mesh, &fabric).bending(bending).gravity(DVec3::ZERO).build().unwrap();
        let mut state = system.initial_state();
        for (v, x) in state.velocities.iter_mut().zip(&mesh.positions) {
            *v = DVec3::new(0.3, 1.0, -0.2) + DVec3::new(0.5, 2.0, 1.0).cross(*x) + 0.4 * x.x * x.z * DVec3::Y;
        }
        let before = system.momentum(&state);
        let implicit = |alpha| Scheme::Implicit { rule: Rule::Euler { alpha }, solve: Solve::Newton };
        let state = run(&system, state, &Options::scheme(implicit(0.5)).exact(), 0.5, 50);
        let after = system.momentum(&state);
        assert!((after.0 - before.0).length() < 1e-9 * before.0.length(), "{bending}");
        // The midpoint rule keeps angular momentum of central forces exactly.
        assert!((after.1 - before.1).length() < 1e-8 * before.1.length(), "{bending}: {} {}", after.1, before.1);
    }
}

/// Single and double precision, every solver, stored and on-the-fly products end at the same place.
#[test]
fn solvers_agree_on_a_swinging_sheet() {
    let (mesh, fabric) = sheet(8);
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let base = Options::scheme(Scheme::Implicit { rule: Rule::Euler { alpha: 1.0 }, solve: Solve::Newton });
    let tight = Options { tolerance: 1e-6, linear_tolerance: 1e-4, max_newton: 40, max_linear: 2000, ..base };
    let end = |options: &Options, bending: &str| {
        let system = Builder::new(&mesh, &fabric).bending(bending).pin("edge", edge.clone()).build().unwrap();
        run(&system, system.initial_state(), options, 0.2, 20).positions
    };
    for bending in ["midedge", "midedge-quadratic"] {
        let reference =
            end(&Options { precision: Precision::Double, solver: "cholesky".into(), ..tight.clone() }, bending);
        for solver in ["jacobi", "ic0", "auto", "cholesky"] {
            let positions = end(&Options { solver: solver.into(), ..tight.clone() }, bending);
            let worst = positions.iter().zip(&reference).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(worst < 1e-6, "{bending} {solver}: {worst}");
        }
        let free = end(&Options { matrix_free: true, ..tight.clone() }, bending);
        let worst = free.iter().zip(&reference).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{bending} matrix-free: {worst}");
    }
}

/// Grips hold exactly the weight at equilibrium, and a moving handle takes the sheet along.
#[test]
fn grips_hold_the_weight_and_lead() {
    let (mesh, fabric) = sheet(8);
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let system = Builder::new(&mesh, &fabric).pin("edge", edge.clone()).build().unwrap();
    let mut state = system.initial_state();
    let found = relax(&system, &mut state, &StaticOptions::default(), None).unwrap();
    assert!(found.converged, "{found:?}");
    let weight = 9.81 * system.total_mass();
    assert!((system.reaction(&state, 0) - DVec3::new(0.0, weight, 0.0)).length() < 1e-6 * weight);

    let mut system = Builder::new(&mesh, &fabric).pin("edge", edge).build().unwrap();
    let lift = DVec3::new(0.1, 0.3, 0.0);
    system.set_motion(0, Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), Key::shift(1.0, lift)]));
    let options = Options::named("auto").unwrap();
    let moved = run(&system, state.clone(), &options, 2.0, 100);
    let corner = 0;
    assert!((moved.positions[corner] - (mesh.positions[corner] + lift)).length() < 1e-12);
    assert!(moved.velocities[corner].length() < 1e-12);
}

/// Energy balance: what backward Euler takes from a viscous sheet is at least what viscosity dissipates, and both are positive.
#[test]
fn viscosity_dissipates() {
    let (mesh, mut fabric) = sheet(6);
    fabric.membrane = Material { viscous: Some(Linear::isotropic(2.0, 0.2).unwrap().into()), ..fabric.membrane };
    let system = Builder::new(&mesh, &fabric).gravity(DVec3::ZERO).build().unwrap();
    let mut state = system.initial_state();
    for x in &mut state.positions {
        x.x *= 1.1;
    }
    let start = system.energies(&state).total();
    let implicit = Scheme::Implicit { rule: Rule::Euler { alpha: 1.0 }, solve: Solve::Newton };
    let state = run(&system, state, &Options::scheme(implicit).exact(), 0.3, 300);
    let energies = system.energies(&state);
    assert!(energies.dissipated > 0.2 * start, "{energies:?}");
    assert!(energies.total() + energies.dissipated <= start * (1.0 + 1e-9), "{energies:?} {start}");
}

/// What an oscillator loses to its damper is booked, whatever the rule: energy and losses together stay at the start.
#[test]
fn losses_balance_the_energy_under_every_rule() {
    let rules = [
        Rule::Euler { alpha: 1.0 },
        Rule::Euler { alpha: 0.5 },
        Rule::Bdf2 { alpha: 1.0 },
        Rule::Bdf2 { alpha: 1.0 / 3f64.sqrt() },
    ];
    for rule in rules {
        let options = Options::scheme(Scheme::Implicit { rule, solve: Solve::Newton }).exact();
        let (system, state) = oscillator(5.0, 0.4, 0.0, 1.0);
        let energies = system.energies(&run(&system, state, &options, 2.0, 1000));
        // Backward Euler takes ω²h = 1 % of the energy per second besides; a rate over the wrong time would be off by 50 % and more.
        let off = (energies.total() + energies.dissipated) / 0.5 - 1.0;
        assert!(energies.dissipated > 0.25 && off.abs() < 0.02, "{rule:?}: {off} {energies:?}");
    }
}

/// A step that cannot work is refused with a reason and leaves the state alone.
#[test]
fn failing_steps_leave_the_state_alone() {
    let (mesh, fabric) = sheet(4);
    let system = Builder::new(&mesh, &fabric).bending("morley").build().unwrap();
    let mut state = system.initial_state();
    let before = state.clone();
    let mut integrator = Integrator::new(&system, Options::scheme(Scheme::RungeKutta4)).unwrap();
    assert!(matches!(integrator.step(&system, &mut state, 0.01), Err(StepError::Massless { .. })));
    assert_eq!(state, before);
    assert!(matches!(integrator.step(&system, &mut state, f64::NAN), Err(StepError::Step(_))));
    let mut integrator = Integrator::new(&system, Options::default()).unwrap();
    state.positions[3].x = f64::NAN;
    assert!(integrator.step(&system, &mut state, 0.01).is_err());
}

/// A scattered sheet, whose exact Jacobian is refused on the way, has one residual per iteration and the last one in its history.
#[test]
fn history_counts_iterations_not_attempts() {
    let mesh = Grid { cells: [6, 6], size: [0.2, 0.2], diagonal: Diagonal::One }.mesh();
    let fabric = Fabric::isotropic(1000.0, 0.3, 1e-2, 0.1).unwrap();
    let builder = Builder::new(&mesh, &fabric).bending("hinge-quadratic").gravity(DVec3::ZERO);
    let system = builder.pin("edge", mesh.vertices_where(|p| p.x == 0.0)).build().unwrap();
    let mut state = system.initial_state();
    for (i, x) in state.positions.iter_mut().enumerate().filter(|(_, x)| x.x > 0.0) {
        let a = i as f64;
        *x += 0.15 * DVec3::new((12.9 * a).sin(), (78.2 * a).cos(), (37.7 * a).sin());
    }
    let found = relax(&system, &mut state, &StaticOptions::default(), None).unwrap();
    assert!(found.converged && found.history.len() == found.iterations + 1, "{found:?}");
    assert!(found.history.windows(2).all(|w| w[0] != w[1]));
}

fn worst_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// A force taken from the start of the step moves the answer by O(h): halving the step halves the difference. The part is
/// really left out of the matrix: with bending explicit, the pattern is that of the membrane alone.
#[test]
fn explicit_bending_differs_by_first_order() {
    let (mesh, fabric) = sheet(6);
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let build = |explicit: bool, bending: &str| {
        let builder = Builder::new(&mesh, &fabric).bending(bending).pin("edge", edge.clone());
        if explicit { builder.explicit("bending") } else { builder }.build().unwrap()
    };
    let (imex, implicit) = (build(true, "midedge"), build(false, "midedge"));
    assert_eq!(imex.pattern.columns.len(), build(false, "none").pattern.columns.len());
    assert!(implicit.pattern.columns.len() > imex.pattern.columns.len());
    let options = Options::named("backward-euler").unwrap().exact();
    let difference = |steps: usize| {
        let end = |system: &System| run(system, system.initial_state(), &options, 0.1, steps).positions;
        worst_distance(&end(&imex), &end(&implicit))
    };
    let (coarse, fine) = (difference(100), difference(200));
    assert!(fine > 0.0 && (1.7..2.3).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// Simplified Newton and a Jacobian blended with that of the rest shape find the same step as full Newton, only more slowly; and
/// the simplified one assembles once a step.
#[test]
fn approximate_jacobians_converge_to_the_same_step() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (mesh, fabric) = sheet(6);
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let system = Builder::new(&mesh, &fabric).pin("edge", edge).build().unwrap();
    let base = Options { max_newton: 200, ..Options::named("backward-euler").unwrap().exact() };
    let base = Options { tolerance: 1e-8, linear_tolerance: 1e-9, ..base };
    let steps = 20;
    let end = |options: Options| {
        let mut integrator = Integrator::new(&system, options).unwrap();
        let assemblies = Arc::new(AtomicUsize::new(0));
        let seen = assemblies.clone();
        integrator.set_probe(Box::new(move |phase| {
            if phase == Phase::Assembly {
                seen.fetch_add(1, Ordering::Relaxed);
            }
        }));
        let (mut state, mut newton) = (system.initial_state(), 0);
        for _ in 0..steps {
            newton += integrator.step(&system, &mut state, 0.002).unwrap().newton;
        }
        (state.positions, newton, assemblies.load(Ordering::Relaxed))
    };
    let (reference, full, assembled) = end(base.clone());
    assert_eq!(assembled, full);
    let (positions, newton, assembled) = end(Options { simplified: true, ..base.clone() });
    assert_eq!(assembled, steps);
    assert!(newton > full && worst_distance(&positions, &reference) < 1e-9, "simplified: {newton} {full}");
    let (positions, newton, _) = end(Options { current_jacobian: 0.5, ..base });
    assert!(newton > full && worst_distance(&positions, &reference) < 1e-9, "blended: {newton} {full}");
}

/// `auto` is RK5 where steps are short for the stiffness, BDF-2 where motion is smooth, and backward Euler for the step in which
/// a grip jumps.
#[test]
fn auto_chooses_by_context() {
    let (mesh, fabric) = sheet(5);
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let auto = Options::named("auto").unwrap();
    let still = Builder::new(&mesh, &fabric).pin("edge", edge.clone()).build().unwrap();
    let mut state = still.initial_state();
    let report = Integrator::new(&still, auto.clone()).unwrap().step(&still, &mut state, 1e-5).unwrap();
    assert!(report.evaluations > 0 && report.newton == 0, "short step: {report:?}");

    let bdf2 =
        Options { scheme: Scheme::Implicit { rule: Rule::Bdf2 { alpha: 1.0 }, solve: Solve::Newton }, ..auto.clone() };
    let end = |options: &Options| run(&still, still.initial_state(), options, 0.1, 10);
    assert_eq!(end(&auto).positions, end(&bdf2).positions, "smooth motion");

    // The handle stands for 50 ms, then moves at 2 m/s: the sixth step is backward Euler.
    let keys =
        vec![Key::shift(0.0, DVec3::ZERO), Key::shift(0.05, DVec3::ZERO), Key::shift(1.0, DVec3::new(0.0, 1.9, 0.0))];
    let mut led = Builder::new(&mesh, &fabric).pin("edge", edge).build().unwrap();
    led.set_motion(0, Motion::Keys(keys));
    let mut chosen = led.initial_state();
    let mut integrator = Integrator::new(&led, auto.clone()).unwrap();
    for _ in 0..5 {
        integrator.step(&led, &mut chosen, 0.01).unwrap();
    }
    let mut by_hand = chosen.clone();
    integrator.step(&led, &mut chosen, 0.01).unwrap();
    let euler = Options { scheme: Options::named("backward-euler").unwrap().scheme, ..auto };
    Integrator::new(&led, euler).unwrap().step(&led, &mut by_hand, 0.01).unwrap();
    assert_eq!(chosen.positions, by_hand.positions, "jump");
}

/// Two sheets of different fabrics in one system move as each does alone, and an integrator made anew in the middle goes on
/// with the same bytes.
#[test]
fn sheets_share_a_system_and_integrators_are_forgetful() {
    let (mesh, fabric) = sheet(6);
    let other = Fabric::isotropic(50.0, 0.1, 1e-4, 0.3).unwrap();
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let clamped = |builder: Builder<'_>| {
        let air = crate::force::Wind { velocity: DVec3::new(0.0, 1.0, 0.5), gusts: 0.3, ..Default::default() };
        builder.clamp("edge", edge.clone(), DVec3::Y).wind(air).build().unwrap()
    };
    let both = Builder::new(&mesh, &fabric).pin("edge", edge.clone()).sheet(&mesh, &other).bending("morley");
    let (first, second) = (Builder::new(&mesh, &fabric).pin("edge", edge.clone()), Builder::new(&mesh, &other));
    let air = crate::force::Wind { velocity: DVec3::new(0.0, 1.0, 0.5), gusts: 0.3, ..Default::default() };
    let (both, first) = (clamped(both), first.wind(air).build().unwrap());
    let second = clamped(second.bending("morley"));
    let options = Options::named("auto").unwrap().exact();
    let end = |system: &System| run(system, system.initial_state(), &options, 0.1, 10).positions;
    let (all, n) = (end(&both), mesh.vertex_count());
    assert!(worst_distance(&all[..n], &end(&first)[..n]) < 1e-9);
    assert!(worst_distance(&all[n..2 * n], &end(&second)[..n]) < 1e-9);

    for scheme in SCHEMES {
        let options = Options { explicit_tolerance: 1e-3, ..Options::scheme(scheme.scheme) };
        let step = if matches!(scheme.scheme, Scheme::Implicit { .. } | Scheme::Auto) { 0.01 } else { 2e-5 };
        let (mut whole, mut parts) = (first.initial_state(), first.initial_state());
        let mut integrator = Integrator::new(&first, options.clone()).unwrap();
        for _ in 0..6 {
            integrator.step(&first, &mut whole, step).unwrap();
            Integrator::new(&first, options.clone()).unwrap().step(&first, &mut parts, step).unwrap();
        }
        assert!(whole == parts, "{}", scheme.name);
    }
}
