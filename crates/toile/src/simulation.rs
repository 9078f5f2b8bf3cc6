//! From a scene to something that moves: the system of a scene, its state, and what can be seen of it.

use toile_contact::geometric::Push;
use toile_contact::obstacle::Movement;
use toile_core::bending::Rest;
use toile_core::system::{BuildError, Builder, Motion, State, System};
use toile_io::run::{Frame, Wardrobe};
use toile_io::scene::{Cloth, Response, Scene};
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
    if let Some(Response::Geometric { .. }) = scene.contact.as_ref().map(|c| &c.response) {
        let count = scene.cloths.iter().map(|c| c.mesh.vertex_count()).sum();
        builder = builder.force(Box::new(Push::new(count)));
    }
    let mut system = builder.build()?;
    for (number, motion) in motions(scene).into_iter().enumerate() {
        system.set_motion(number, motion);
    }
    Ok(system)
}

/// The same scene with grips and obstacles where they are at the start, for good.
pub fn held(scene: &Scene) -> Scene {
    // Key frames have no times before zero: the first one holds at the start.
    let still = |motion: &mut Motion| {
        if let Motion::Keys(keys) = motion {
            keys.truncate(1);
        }
    };
    let mut held = scene.clone();
    for grip in &mut held.grips {
        still(&mut grip.motion);
        still(&mut grip.turning);
    }
    for obstacle in held.obstacles.iter_mut().map(|o| &mut o.body) {
        let mut first = obstacle.vertices().to_vec();
        obstacle.place(0.0, &mut first);
        match &mut obstacle.movement {
            Movement::Still => {}
            Movement::Rigid(motion) => still(motion),
            Movement::Frames { times, frames } => (*times, *frames) = (vec![0.0], vec![first]),
        }
    }
    held
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

#[cfg(test)]
mod tests {
    use super::*;
    use toile_contact::obstacle::{Form, Obstacle};
    use toile_core::system::Key;

    /// What is held is where it was at the start, at all times.
    #[test]
    fn held_scenes_stand_still() {
        let folder = std::env::temp_dir().join(format!("toile-held-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "format = \"toile-scene/1\"\n[[cloth]]\nname = \"sheet\"\nfabric = \"denim\"\nshape = { kind = \"disc\", radius_m = 0.1, edge_mm = 40 }\n[[handle]]\nedges = [\"rim\"]\nclamp = true\nkeys = [{ time_s = 0, shift_m = [0, 1, 0] }, { time_s = 1, turn_deg = [90, 0, 0] }]\n";
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        let mut scene = toile_io::scene::read(&folder.join("scene.toml")).unwrap().0;
        std::fs::remove_dir_all(folder).unwrap();
        let keys = [0.0, 1.0].map(|t| Key::shift(t, glam::DVec3::new(3.0, t, 0.0)));
        let frames = [-1.0, 1.0].map(|x| vec![glam::DVec3::splat(x)]);
        let movements = [
            Movement::Rigid(Motion::Keys(keys.to_vec())),
            Movement::Frames { times: vec![-1.0, 1.0], frames: frames.to_vec() },
        ];
        for movement in movements {
            let form = Form::Round { vertices: vec![glam::DVec3::ZERO], edges: Vec::new(), radius: 0.1 };
            let body = Obstacle { name: "ball".into(), form, movement };
            scene.obstacles.push(toile_io::scene::Obstacle { body, colour: [0.5; 3] });
        }
        let held = held(&scene);
        for (before, after) in scene.obstacles.iter().zip(&held.obstacles) {
            let place = |o: &Obstacle, time: f64| {
                let mut out = vec![glam::DVec3::ZERO];
                o.place(time, &mut out);
                out
            };
            let start = place(&before.body, 0.0);
            assert_ne!(place(&before.body, 0.7), start);
            assert_eq!(place(&after.body, 0.7), start);
        }
        let (moving, at_rest) = (&scene.grips[0].motion, &held.grips[0].motion);
        let corner = scene.cloths[0].mesh.positions[0];
        assert_eq!(at_rest.place(0.5, corner), moving.place(0.0, corner));
    }
}
