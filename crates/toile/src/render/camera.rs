//! Where the picture is taken from.

use super::RenderError;
use super::raster::Corner;
use glam::DVec3;

/// Height of the picture as an angle when the framing is automatic (°): about a portrait lens.
const FIELD_OF_VIEW: f64 = 30.0;
/// Part of the picture that automatic framing leaves free on each side.
const MARGIN: f64 = 0.08;
/// Nothing closer to the eye is seen (m).
const NEAR: f64 = 1e-3;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// Looks at the middle of what is drawn.
    Orbit {
        /// Turned from the z axis to the right (°).
        azimuth_deg: f64,
        /// Height over the horizon (°).
        elevation_deg: f64,
        /// Distance from the middle (m); as close as everything fits if None.
        distance: Option<f64>,
    },
    /// Looks from a place to a place.
    LookAt {
        /// From (m).
        eye: DVec3,
        /// To (m).
        target: DVec3,
        /// This direction is upright in the picture.
        up: DVec3,
        /// Height of the picture as an angle (°).
        fov_deg: f64,
    },
}

impl Default for Camera {
    fn default() -> Self {
        Self::Orbit { azimuth_deg: 25.0, elevation_deg: 15.0, distance: None }
    }
}

/// Lowest and highest corner of the box around points; those that are not finite are left out.
pub fn bounds<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> Option<[DVec3; 2]> {
    let finite = points.into_iter().filter(|p| p.is_finite());
    finite.fold(None, |found, p| match found {
        None => Some([*p; 2]),
        Some([low, high]) => Some([low.min(*p), high.max(*p)]),
    })
}

/// A camera in its place. Pixels count from the top left corner of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eye {
    pub(super) origin: DVec3,
    pub(super) right: DVec3,
    pub(super) up: DVec3,
    pub(super) forward: DVec3,
    /// Pixels per unit of slope.
    focal: f64,
    /// Pixel straight ahead.
    centre: [f64; 2],
}

impl Eye {
    /// A camera for a picture of a size. Automatic framing leaves `margin` pixels on the right to a legend.
    pub(super) fn new(camera: &Camera, size: [usize; 2], margin: usize, framed: &[DVec3]) -> Result<Self, RenderError> {
        let [w, h] = size.map(|s| s as f64);
        let centre = [0.5 * w, 0.5 * h];
        let eye = match *camera {
            Camera::LookAt { eye, target, up, fov_deg } => {
                let fov = fov_deg.clamp(0.1, 170.0).to_radians();
                Self::facing(target - eye, up, 0.5 * h / (0.5 * fov).tan(), centre).at(eye)
            }
            Camera::Orbit { azimuth_deg, elevation_deg, distance } => {
                let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
                let toward =
                    DVec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos());
                let upright =
                    DVec3::new(-azimuth.sin() * elevation.sin(), elevation.cos(), -azimuth.cos() * elevation.sin());
                // A tall picture has this angle across, so that what is wide still fits from the same distance.
                let focal = 0.5 * h.min(w) / (0.5 * FIELD_OF_VIEW.to_radians()).tan();
                let centre = [0.5 * (w - margin as f64), centre[1]];
                Self::facing(-toward, upright, focal, centre).framing(framed, distance)
            }
        };
        let is_finite =
            eye.origin.is_finite() && eye.forward.is_finite() && eye.up.is_finite() && eye.focal.is_finite();
        if is_finite { Ok(eye) } else { Err(RenderError::NotFinite("camera")) }
    }

    fn facing(direction: DVec3, up: DVec3, focal: f64, centre: [f64; 2]) -> Self {
        let forward = if direction == DVec3::ZERO { DVec3::NEG_Z } else { direction.normalize() };
        let right = forward.cross(up);
        // Looking along `up` leaves the turn open: any will do.
        let right =
            if right.length() > 1e-9 * up.length() { right.normalize() } else { forward.any_orthonormal_vector() };
        Self { origin: DVec3::ZERO, right, up: right.cross(forward), forward, focal, centre }
    }

    fn at(self, origin: DVec3) -> Self {
        Self { origin, ..self }
    }

    /// Moves sideways and back until all points are in the picture. A point at (r, u, f) from the middle is inside if
    /// |r − x| ≤ t (d + f), t the slope of the edge: the largest r − t f and −r − t f give x and d at once.
    fn framing(self, points: &[DVec3], distance: Option<f64>) -> Self {
        let Some([low, high]) = bounds(points) else { return self.at(-distance.unwrap_or(1.0) * self.forward) };
        let middle = 0.5 * (low + high);
        let fit = |axis: DVec3, half: f64| {
            let slope = (1.0 - 2.0 * MARGIN) * half / self.focal;
            let reach = |sign: f64| {
                let reaches = points
                    .iter()
                    .filter(|p| p.is_finite())
                    .map(|&p| (sign * axis - slope * self.forward).dot(p - middle));
                reaches.fold(f64::NEG_INFINITY, f64::max)
            };
            let (plus, minus) = (reach(1.0), reach(-1.0));
            (0.5 * (plus - minus), 0.5 * (plus + minus) / slope)
        };
        let ((x, back), (y, back_too)) = (fit(self.right, self.centre[0]), fit(self.up, self.centre[1]));
        // One point alone has no size: a metre away then.
        let nearest = back.max(back_too).max(10.0 * NEAR);
        let fitted = if (high - low).length() > 0.0 { nearest } else { 1.0 };
        self.at(middle + x * self.right + y * self.up - distance.unwrap_or(fitted) * self.forward)
    }

    /// The same camera with finer pixels.
    pub(super) fn refined(self, samples: usize) -> Self {
        let s = samples as f64;
        Self { focal: s * self.focal, centre: self.centre.map(|c| s * c), ..self }
    }

    /// A place in the picture: pixels times distance along the view, and that distance.
    pub(super) fn project(&self, point: DVec3) -> Corner {
        let p = point - self.origin;
        let (x, y, z) = (self.right.dot(p), self.up.dot(p), self.forward.dot(p));
        let place = DVec3::new(self.focal * x + self.centre[0] * z, self.centre[1] * z - self.focal * y, z);
        // Nearness is 1/z, which is linear in the picture: one over the weights' sum.
        Corner { place, near: 1.0 }
    }

    /// The direction seen at a point of the picture; its part along the view is 1.
    pub(super) fn ray(&self, x: f64, y: f64) -> DVec3 {
        self.forward + (x - self.centre[0]) / self.focal * self.right - (y - self.centre[1]) / self.focal * self.up
    }

    /// Distance along the view below which nothing is drawn (m).
    pub(super) fn near(&self) -> f64 {
        NEAR
    }
}
