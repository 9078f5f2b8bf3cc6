//! From a scene to something that moves: the system of a scene, its state, and what can be seen of it.

use toile_core::bending::Rest;
use toile_core::system::{BuildError, Builder, Motion, State, System};
use toile_io::run::{Frame, Wardrobe};
use toile_io::scene::{Cloth, Scene};
use toile_io::surface::Surface;

/// The system of a scene.
pub fn system(scene: &Scene) -> Result<System, BuildError> {
    let mut builder: Option<Builder> = None;
    for (k, cloth) in scene.cloths.iter().enumerate() {
        let mut next = match builder {
            None => Builder::new(&cloth.mesh, &cloth.fabric),
            Some(before) => before.sheet(&cloth.mesh, &cloth.fabric),
        };
        next = next.membrane(&cloth.membrane).bending(&cloth.bending).rest(rest(cloth));
        for grip in scene.grips.iter().filter(|g| g.cloth == k) {
            next = next.grip(&grip.name, grip.vertices.clone(), grip.axes);
            if let Some(normal) = grip.clamp {
                next = next.director(&grip.name, grip.vertices.clone(), normal);
            }
        }
        for (_, line) in scene.lines.iter().filter(|l| l.0 == k) {
            next = next.line(line.clone());
        }
        builder = Some(next);
    }
    let builder = builder.expect("a scene has a cloth");
    let mut builder = builder.gravity(scene.simulation.gravity).level(scene.simulation.level);
    if let Some(wind) = &scene.wind {
        builder = builder.wind(wind.clone());
    }
    let mut system = builder.build()?;
    for (number, motion) in motions(scene).into_iter().enumerate() {
        system.set_motion(number, motion);
    }
    Ok(system)
}

/// Motions of the grips in the order in which they were added.
fn motions(scene: &Scene) -> Vec<Motion> {
    let mut motions = Vec::new();
    for k in 0..scene.cloths.len() {
        for grip in scene.grips.iter().filter(|g| g.cloth == k) {
            motions.push(grip.motion.clone());
            if grip.clamp.is_some() {
                motions.push(grip.turning.clone());
            }
        }
    }
    motions
}

fn rest(cloth: &Cloth) -> Rest {
    let curvature = cloth.rest_curvature.map(|[weft, warp, twist]| [weft, warp, 2.0 * twist]);
    Rest { curvature: curvature.map_or(Vec::new(), |k| vec![k; cloth.mesh.triangles.len()]), ..Rest::default() }
}

/// The cloths of a scene as files and pictures have them.
pub fn wardrobe(scene: &Scene) -> Wardrobe {
    let surface =
        |c: &Cloth| Surface { name: c.name.clone(), mesh: c.mesh.clone(), parts: Vec::new(), colour: c.colour };
    Wardrobe { surfaces: scene.cloths.iter().map(surface).collect() }
}

/// What can be seen of a state.
pub fn frame(system: &System, state: &State) -> Frame {
    let count = system.vertex_count();
    let states = system.triangle_states(state);
    let single = |v: [f64; 3]| v.map(|c| c as f32);
    Frame {
        time: state.time,
        positions: state.positions[..count].to_vec(),
        velocities: state.velocities[..count].iter().map(|v| single(v.to_array())).collect(),
        strain: states.iter().map(|s| single(s.strain)).collect(),
        stress: states.iter().map(|s| single(s.stress)).collect(),
        ..Frame::default()
    }
}
