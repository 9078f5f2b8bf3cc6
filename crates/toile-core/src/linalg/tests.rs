//! What every solver of the registry must do.

use super::testing::{Problem, Random, masked_sheet, relative_error, sheet};
use super::*;
use crate::lane::Level;

fn solver<T: Real>(name: &str, problem: &Problem<T>) -> Box<dyn LinearSolver<T>> {
    let mut solver = build(name, &problem.layout).unwrap();
    solver.update(&problem.operator()).unwrap();
    solver
}

/// Relative error against elimination. The goal is far below what the type can reach, so rounding alone is left: it is
/// amplified by the condition of these sheets, about 10³.
fn error_against_dense<T: Real>(name: &str, problem: &Problem<T>, iterations: usize) -> f64 {
    let mut random = Random(7);
    let b = random.vector(&problem.layout.free);
    // A start value of the size of the answer: a larger one would leave its own rounding behind.
    let mut x: Vec<[T; 3]> = random.vector(&problem.layout.free);
    x.as_flattened_mut().iter_mut().for_each(|v| *v = *v * T::from_f64(1e-3));
    let report = solver(name, problem).solve(&problem.operator(), &b, &mut x, Stop::at(1e-7, iterations)).unwrap();
    assert!(report.converged, "{name}: {report:?}");
    relative_error(&x, &problem.dense_solve(&b))
}

#[test]
fn every_solver_finds_the_dense_answer() {
    for entry in SOLVERS {
        for (cells, seed) in [(3, 1), (7, 2), (11, 3)] {
            for problem in [sheet::<f64>(cells, 0.2, seed), masked_sheet(cells, seed)] {
                let error = error_against_dense(entry.name, &problem, 1000);
                assert!(error < 1e-6, "{} {cells}: {error:e}", entry.name);
            }
            for problem in [sheet::<f32>(cells, 0.2, seed), masked_sheet(cells, seed)] {
                let error = error_against_dense(entry.name, &problem, 1000);
                assert!(error < 1e-4, "{} {cells}: {error:e}", entry.name);
            }
        }
    }
}

#[test]
fn matrix_free_products_find_the_dense_answer() {
    let problem = masked_sheet::<f64>(9, 5);
    let b = Random(3).vector(&problem.layout.free);
    let mut x = vec![[0.0; 3]; b.len()];
    let report = matrix_free_cg(&problem.operator(), &problem.layout.free, &b, &mut x, 1e-9, 1000).unwrap();
    assert!(report.converged && relative_error(&x, &problem.dense_solve(&b)) < 1e-7, "{report:?}");
}

/// xᵀM⁻¹y = yᵀM⁻¹x and xᵀM⁻¹x > 0, or conjugate gradients have no ground to stand on.
#[test]
fn every_preconditioner_is_symmetric_and_positive() {
    for entry in SOLVERS {
        for problem in [sheet::<f64>(20, 0.2, 4), masked_sheet(20, 4), sheet(50, 0.2, 4)] {
            let mut solver = solver(entry.name, &problem);
            let mut random = Random(11);
            let (x, y) = (random.vector(&problem.layout.free), random.vector(&problem.layout.free));
            let (mut mx, mut my) = (x.clone(), y.clone());
            let xx = solver.precondition(&problem.operator(), &x, &mut mx);
            let yy = solver.precondition(&problem.operator(), &y, &mut my);
            let (xy, yx) = (small::dot(&x, &my), small::dot(&y, &mx));
            assert!(xx > 0.0 && yy > 0.0, "{}: {xx} {yy}", entry.name);
            assert!((xy - yx).abs() < 1e-12 * xx.max(yy), "{}: {xy} {yx}", entry.name);
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let problem = sheet::<f32>(72, 0.2, 6); // 5329 vertices: above the size where chunks run at the same time
    let b = Random(5).vector(&problem.layout.free);
    for entry in SOLVERS {
        let run = |threads: usize| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let mut x = Random(8).vector(&problem.layout.free);
                let mut solver = solver(entry.name, &problem);
                let report = solver.solve(&problem.operator(), &b, &mut x, Stop::at(1e-3, 400)).unwrap();
                let mut z = x.clone();
                let rz = solver.precondition(&problem.operator(), &b, &mut z);
                (report, rz.to_bits(), x.as_flattened().iter().chain(z.as_flattened()).map(|v| v.to_bits()).collect())
            })
        };
        let (one, two): ((_, _, Vec<u32>), _) = (run(1), run(2));
        assert!(one.0.converged, "{}: {:?}", entry.name, one.0);
        assert!(one == two, "{}: {:?} {:?}", entry.name, one.0, two.0);
    }
}

#[test]
fn numbers_that_are_not_finite_are_reported() {
    for entry in SOLVERS {
        let mut problem = sheet::<f32>(24, 0.0, 2); // beyond the size where `auto` factors
        let mut b: Vec<[f32; 3]> = Random(5).vector(&problem.layout.free);
        b[101][1] = f32::NAN;
        let mut x = vec![[0.0; 3]; b.len()];
        let outcome = solver(entry.name, &problem).solve(&problem.operator(), &b, &mut x, Stop::at(1e-4, 50));
        assert_eq!(outcome, Err(SolveError::NotFinite { what: "right side", vertex: 101 }), "{}", entry.name);

        b[101][1] = 0.0;
        x.fill([0.0; 3]);
        problem.blocks.lower[200][4] = f32::INFINITY;
        let mut solver = build(entry.name, &problem.layout).unwrap();
        let outcome = solver
            .update(&problem.operator())
            .and_then(|()| solver.solve(&problem.operator(), &b, &mut x, Stop::at(1e-4, 50)).map(|_| ()));
        assert!(matches!(outcome, Err(SolveError::NotFinite { .. })), "{}: {outcome:?}", entry.name);
    }
}

#[test]
fn indefinite_matrices_are_reported() {
    for entry in SOLVERS {
        let mut problem = sheet::<f64>(24, 0.0, 2);
        for c in 0..3 {
            problem.blocks.diagonal[301][4 * c] = -1e5;
        }
        let mut solver = build(entry.name, &problem.layout).unwrap();
        let outcome = solver.update(&problem.operator());
        assert_eq!(outcome, Err(SolveError::NotPositive { vertex: 301 }), "{}", entry.name);
    }
}

/// Every diagonal block is fine and still the matrix is indefinite: found by elimination or by the curvature.
#[test]
fn hidden_indefiniteness_is_found() {
    for entry in SOLVERS {
        let mut problem = sheet::<f64>(24, 0.0, 2);
        for block in &mut problem.blocks.lower {
            *block = block.map(|v| 1.5 * v);
        }
        let b = Random(5).vector(&problem.layout.free);
        let mut x = vec![[0.0; 3]; b.len()];
        let mut solver = build(entry.name, &problem.layout).unwrap();
        let outcome = solver
            .update(&problem.operator())
            .and_then(|()| solver.solve(&problem.operator(), &b, &mut x, Stop::at(1e-12, 1000)).map(|_| ()));
        let found = matches!(outcome, Err(SolveError::NotPositive { .. } | SolveError::Indefinite { .. }));
        assert!(found, "{}: {outcome:?}", entry.name);
    }
}

#[test]
fn unknown_names_list_the_known_ones() {
    let problem = sheet::<f32>(3, 0.0, 1);
    let Err(error) = build("gauss", &problem.layout) else { panic!("there is no such solver") };
    assert!(SOLVERS.iter().all(|entry| error.to_string().contains(entry.name)), "{error}");
}

#[test]
fn parts_of_different_length_are_refused() {
    let mut problem = sheet::<f32>(5, 0.0, 1);
    problem.layout.places.pop();
    assert!(matches!(build("auto", &problem.layout), Err(SolveError::Length { .. })));
    let problem = sheet::<f32>(5, 0.0, 1);
    for entry in SOLVERS {
        let (mut solver, b) = (solver(entry.name, &problem), vec![[0.0; 3]; 3]);
        let outcome = solver.solve(&problem.operator(), &b, &mut b.clone(), Stop::at(1.0, 5));
        assert!(matches!(outcome, Err(SolveError::Length { .. })), "{}", entry.name);
    }
}

/// Kershaw's ring of four: positive definite, yet its factor without fill has the last pivot −5 (3 − 4/3 − 20/3).
#[test]
fn an_incomplete_factor_that_fails_is_shifted() {
    let pattern = std::sync::Arc::new(Pattern::from_stencils(4, |visit| {
        [[0, 1], [1, 2], [2, 3], [0, 3]].iter().for_each(|pair| visit(pair));
    }));
    let mut blocks = BlockMatrix::<f64>::zero(pattern.clone());
    for (a, b, v) in [(1, 0, -2.0), (2, 1, -2.0), (3, 2, -2.0), (3, 0, 2.0)] {
        let slot = pattern.slot(a, b).unwrap() as usize;
        (0..3).for_each(|c| blocks.lower[slot][4 * c] = v);
    }
    let layout = Layout {
        blocks: pattern,
        scalars: None,
        free: vec![[1.0; 3]; 4],
        places: vec![None; 4],
        simd: Level::detect(),
    };
    let problem = Problem { layout, blocks, lumped: vec![3.0; 4], pairs: Vec::new() };
    let mut ic = Incomplete::new(&problem.layout);
    ic.update(&problem.operator()).unwrap();
    assert!(ic.shift() > 0.0, "{}", ic.shift());
    let (b, mut x) = (Random(3).vector(&problem.layout.free), vec![[0.0; 3]; 4]);
    assert!(ic.solve(&problem.operator(), &b, &mut x, Stop::at(1e-12, 50)).unwrap().converged);
    assert!(relative_error(&x, &problem.dense_solve(&b)) < 1e-10);
}

/// Iterations to five digits on structured and unstructured sheets of 441 to 25 921 vertices: measured 8 to 13.
#[test]
fn multigrid_iterations_do_not_grow_with_the_mesh() {
    for jitter in [0.0, 0.3] {
        let counts = [20, 40, 80, 160].map(|cells| {
            let problem = sheet::<f32>(cells, jitter, 6);
            let (mut solver, a) = (solver("multigrid", &problem), problem.operator());
            let b: Vec<_> =
                problem.layout.free.iter().zip(&problem.lumped).map(|(f, m)| [0.0, m * f[1], 0.0]).collect();
            let mut x = vec![[0.0; 3]; b.len()];
            let goal = 1e-5 * solver.precondition(&a, &b, &mut x).sqrt();
            x.fill([0.0; 3]);
            solver.solve(&a, &b, &mut x, Stop::at(goal, 50)).unwrap().iterations
        });
        assert!(counts.iter().all(|&c| c <= 14), "{jitter}: {counts:?}");
        assert!(counts[3] <= counts[0] + 1, "{jitter}: {counts:?}");
    }
}

/// A solve without its last look saves one cycle, and the residual it did not look at is near what it says.
#[test]
fn unchecked_solves_keep_their_word() {
    let problem = sheet::<f64>(40, 0.2, 6);
    let (mut solver, a) = (solver("multigrid", &problem), problem.operator());
    let b = Random(7).vector(&problem.layout.free);
    let mut x = vec![[0.0; 3]; b.len()];
    let start = solver.precondition(&a, &b, &mut x).sqrt();
    for digits in [1, 2, 4] {
        let goal = start * 0.1f64.powi(digits);
        x.fill([0.0; 3]);
        let checked = solver.solve(&a, &b, &mut x, Stop::at(goal, 50)).unwrap();
        x.fill([0.0; 3]);
        let report = solver.solve(&a, &b, &mut x, Stop { unchecked: true, ..Stop::at(goal, 50) }).unwrap();
        let (mut r, mut z) = (vec![[0.0; 3]; b.len()], vec![[0.0; 3]; b.len()]);
        a.multiply(&x, &mut r);
        r.iter_mut().zip(&b).for_each(|(r, b)| *r = std::array::from_fn(|c| b[c] - r[c]));
        let truth = solver.precondition(&a, &r, &mut z).sqrt();
        assert!(report.converged && report.iterations < checked.iterations, "{report:?} {checked:?}");
        assert!(report.residual <= goal && truth < 3.0 * goal, "{digits}: {truth} {report:?} {goal}");
    }
}

/// Two panels side by side, sewn by the springs between them, numbered at random, with auxiliary nodes that have no place.
#[test]
fn multigrid_takes_panels_random_numbers_and_auxiliary_nodes() {
    let mut problem = sheet::<f64>(48, 0.2, 9);
    for place in problem.layout.places.iter_mut().flatten().filter(|p| p.uv[0] > 0.5) {
        (place.panel, place.uv) = (3, [place.uv[1], 2.0 - place.uv[0]]);
    }
    let shuffled = problem.renumbered(4);
    let mut sparse = problem.renumbered(4);
    // Ordinary vertices without a place are the worst case: the coarse grids cannot move them, the smoother has to.
    (0..sparse.layout.len()).filter(|i| i % 97 == 5).for_each(|i| sparse.layout.places[i] = None);
    for (problem, limit) in [(&problem, 16), (&shuffled, 16), (&sparse, 32)] {
        let (mut solver, a) = (solver("multigrid", problem), problem.operator());
        let b = Random(2).vector(&problem.layout.free);
        let mut x = vec![[0.0; 3]; b.len()];
        let goal = 1e-5 * solver.precondition(&a, &b, &mut x).sqrt();
        x.fill([0.0; 3]);
        let report = solver.solve(&a, &b, &mut x, Stop::at(goal, 50)).unwrap();
        assert!(report.converged && report.iterations <= limit, "{report:?}");
        let (mut exact, mut cholesky) = (vec![[0.0; 3]; b.len()], build("cholesky", &problem.layout).unwrap());
        cholesky.update(&a).unwrap();
        cholesky.solve(&a, &b, &mut exact, Stop::at(1e-10, 5)).unwrap();
        assert!(relative_error(&x, &exact) < 1e-4);
    }
}

/// The mask may change between updates: the solver follows the operator.
#[test]
fn solvers_follow_a_changed_mask() {
    let (before, mut problem) = (sheet::<f64>(12, 0.0, 2), sheet::<f64>(12, 0.0, 2));
    problem.layout.free = masked_sheet::<f64>(12, 3).layout.free;
    let b = Random(3).vector(&problem.layout.free);
    let exact = problem.dense_solve(&b);
    for entry in SOLVERS {
        let (mut solver, mut x) = (solver(entry.name, &before), vec![[0.0; 3]; b.len()]);
        solver.update(&problem.operator()).unwrap();
        solver.solve(&problem.operator(), &b, &mut x, Stop::at(1e-9, 1000)).unwrap();
        assert!(relative_error(&x, &exact) < 1e-7, "{}", entry.name);
    }
}

#[test]
fn auto_reports_who_took_over() {
    // Vertex order and places tell nothing about the matrix: random couplings defeat the cycle.
    let problem = sheet::<f64>(24, 0.0, 2);
    let mut random = Random(77);
    let mut scrambled = problem.layout.clone();
    scrambled.places.iter_mut().flatten().for_each(|p| p.uv = [random.next(), random.next()]);
    let (mut auto, a) = (build("auto", &scrambled).unwrap(), problem.operator());
    auto.update(&a).unwrap();
    let b = Random(3).vector(&problem.layout.free);
    let mut x = vec![[0.0; 3]; b.len()];
    let report = auto.solve(&a, &b, &mut x, Stop::at(1e-13, 1000)).unwrap();
    assert!(report.converged && report.fallback.is_some(), "{report:?}");
    let mut exact = vec![[0.0; 3]; b.len()];
    let mut cholesky = solver("cholesky", &problem);
    cholesky.solve(&a, &b, &mut exact, Stop::at(1e-10, 5)).unwrap();
    assert!(relative_error(&x, &exact) < 1e-8);
}

/// Contacts between far vertices: every solver finds the dense answer with them, and its preconditioner stays symmetric and positive.
#[test]
fn pairs_outside_the_pattern_are_solved_for() {
    for entry in SOLVERS {
        for (cells, seed) in [(7, 2), (11, 3), (20, 5)] {
            for mut problem in [sheet::<f64>(cells, 0.2, seed), masked_sheet(cells, seed)] {
                problem.pairs = testing::pairs(problem.layout.len(), 30, seed);
                let mut random = Random(7);
                let b = random.vector(&problem.layout.free);
                let mut x = vec![[0.0; 3]; b.len()];
                let mut solver = solver(entry.name, &problem);
                let report = solver.solve(&problem.operator(), &b, &mut x, Stop::at(1e-9, 3000)).unwrap();
                assert!(report.converged, "{}: {report:?}", entry.name);
                if cells < 20 {
                    let error = relative_error(&x, &problem.dense_solve(&b));
                    assert!(error < 1e-6, "{} {cells}: {error:e}", entry.name);
                }
                let (x, y) = (random.vector(&problem.layout.free), random.vector(&problem.layout.free));
                let (mut mx, mut my) = (x.clone(), y.clone());
                let xx = solver.precondition(&problem.operator(), &x, &mut mx);
                let yy = solver.precondition(&problem.operator(), &y, &mut my);
                let (xy, yx) = (small::dot(&x, &my), small::dot(&y, &mx));
                assert!(xx > 0.0 && yy > 0.0, "{}: {xx} {yy}", entry.name);
                assert!((xy - yx).abs() < 1e-11 * xx.max(yy), "{}: {xy} {yx}", entry.name);
            }
        }
    }
}
