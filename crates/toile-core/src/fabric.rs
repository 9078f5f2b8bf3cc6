//! A fabric: everything the mechanics needs to know about a sheet, in SI units.

use crate::law::{AnyLaw, Linear, LinearError};

/// A sheet of fabric. Files, names and sources live in `toile-io`; this is what they come down to.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// Name for messages.
    pub name: String,
    /// Mass per area (kg/m²).
    pub density: f64,
    /// Thickness (m): distance kept in contact. Stiffness is not derived from it.
    pub thickness: f64,
    /// Membrane stress (N/m) of membrane strain (–).
    pub membrane: Material,
    /// Moment per width (N) of curvature (1/m).
    pub bending: Material,
    /// Resistance of the air.
    pub drag: Drag,
}

/// An elastic law, an optional viscous law of the strain rate, and hysteresis.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Stress of strain.
    pub elastic: AnyLaw,
    /// Stress of strain rate, any of the same laws.
    pub viscous: Option<AnyLaw>,
    /// Springs in parallel whose rest strain follows the strain.
    pub memory: Vec<Branch>,
}

/// A spring in parallel with the elastic law whose rest strain q follows the strain: σ = k (ε − q), per mode.
/// Source of the idea: Volino09 §2.1 (rest strain moved by friction, after Breen94; Prony series).
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// k of the three modes; 0 switches a mode off.
    pub stiffness: [f64; 3],
    /// How q follows.
    pub rule: Rule,
}

/// How the rest strain of a branch follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Friction slider: q stays until |σ| reaches the yield stress of the mode, then is dragged along. Rate independent;
    /// a cycle of amplitude a > s/k dissipates 4 s (a − s/k) per area.
    Slider {
        /// Largest stress s of the three modes, in the unit of the stress.
        yield_stress: [f64; 3],
    },
    /// One term of a Prony series: q̇ = (ε − q)/τ.
    Relaxation {
        /// τ (s).
        time: f64,
    },
}

/// Resistance of the air, by direction of the relative wind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Coefficient for wind across the sheet; a flat plate has about 1.3 to 2.
    pub normal: f64,
    /// Coefficient for wind along the weft.
    pub weft: f64,
    /// Coefficient for wind along the warp.
    pub warp: f64,
}

impl Default for Drag {
    /// A smooth plate: 1.5 across, skin friction of 0.02 along.
    fn default() -> Self {
        Self { normal: 1.5, weft: 0.02, warp: 0.02 }
    }
}

impl Material {
    /// An elastic material without viscosity or hysteresis.
    pub fn elastic(law: impl Into<AnyLaw>) -> Self {
        Self { elastic: law.into(), viscous: None, memory: Vec::new() }
    }
}

impl From<Linear> for AnyLaw {
    fn from(law: Linear) -> Self {
        Self::Linear(law)
    }
}

impl From<crate::law::Curves> for AnyLaw {
    fn from(law: crate::law::Curves) -> Self {
        Self::Curves(law)
    }
}

impl Fabric {
    /// A linear isotropic sheet: membrane modulus (N/m), Poisson ratio, bending rigidity (N·m), density (kg/m²).
    /// Bending uses the same Poisson ratio; rigidity is the plate rigidity B of a wide strip.
    pub fn isotropic(modulus: f64, poisson: f64, rigidity: f64, density: f64) -> Result<Self, LinearError> {
        Ok(Self {
            name: "isotropic".into(),
            density,
            thickness: 0.5e-3,
            membrane: Material::elastic(Linear::isotropic(modulus, poisson)?),
            bending: Material::elastic(plate(rigidity, rigidity, poisson, None)?),
            drag: Drag::default(),
        })
    }
}

/// Bending law from weft and warp rigidity (N·m), Poisson ratio and twist rigidity.
///
/// D = [[B_u, B_12, 0], [B_12, B_v, 0], [0, 0, B_t]] over (κ_uu, κ_vv, 2κ_uv) with B_12 = ν√(B_u B_v) and, unless measured,
/// B_t = ½(1 − ν)√(B_u B_v): exact for an isotropic plate.
pub fn plate(weft: f64, warp: f64, poisson: f64, twist: Option<f64>) -> Result<Linear, LinearError> {
    let mean = (weft * warp).sqrt();
    Linear::orthotropic(weft, warp, twist.unwrap_or(0.5 * (1.0 - poisson) * mean), poisson * mean)
}
