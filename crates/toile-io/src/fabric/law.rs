//! Mirror types of the strain–stress laws, one family per set of units: membrane, membrane viscosity, bending, bending
//! viscosity. The families differ only in their key names, which carry the unit, so one macro writes them; [`Plain`] is the
//! form they all come down to, in SI.

use super::{Quality, plain::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn default_order() -> usize {
    3
}

fn default_segments() -> usize {
    3
}

macro_rules! law_family {
    (
        $(#[$law_doc:meta])* $Law:ident,
        $(#[$curve_doc:meta])* $Curve:ident { $($extra:tt)* } $extra_plain:expr;
        stiffness $stiffness_unit:literal per $k_per:literal usual [$k_low:literal, $k_high:literal]:
            $modulus:ident $weft:ident $warp:ident $shear:ident($Shear:ty) $coupling:ident $matrix:ident;
        third $third:ident;
        strain $x_unit:literal: $knots:ident $x:ident $low:ident $high:ident;
        stress $y_unit:literal per $y_per:literal: $coefficients:ident $y:ident $table:ident $table_csv:ident;
    ) => {
        $(#[$law_doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "law", rename_all = "kebab-case", rename_all_fields = "snake_case", deny_unknown_fields)]
        pub enum $Law {
            /// Isotropic: a modulus and a Poisson ratio.
            Linear {
                /// Modulus, felt by a strip with free sides.
                #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = $stiffness_unit, "x-usual" = [$k_low, $k_high]))]
                $modulus: f64,
                /// Poisson ratio.
                #[schemars(extend("exclusiveMinimum" = -1, "exclusiveMaximum" = 1))]
                poisson: f64,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// Weft, warp and shear stiffness and the coupling of weft and warp.
            Orthotropic {
                /// Stiffness along the weft.
                #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = $stiffness_unit, "x-usual" = [$k_low, $k_high]))]
                $weft: f64,
                /// Stiffness along the warp.
                #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = $stiffness_unit, "x-usual" = [$k_low, $k_high]))]
                $warp: f64,
                /// Stiffness in shear; in twist for bending, where ½√(weft·warp) stands for a missing value.
                #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = $stiffness_unit, "x-usual" = [$k_low, $k_high]))]
                $shear: $Shear,
                /// Off-diagonal entry E_uu,vv.
                #[serde(default)]
                #[schemars(extend("x-unit" = $stiffness_unit))]
                $coupling: f64,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// Full symmetric stiffness over (weft, warp, shear).
            Anisotropic {
                /// Three rows.
                #[schemars(extend("x-unit" = $stiffness_unit))]
                $matrix: [[f64; 3]; 3],
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// Independent measured curves.
            Curves {
                /// Along the weft.
                weft: $Curve,
                /// Along the warp.
                warp: $Curve,
                /// Shear; twist for bending.
                $third: $Curve,
            },
            /// The same with a Poisson-like coupling of weft and warp.
            CoupledCurves {
                /// Along the weft.
                weft: $Curve,
                /// Along the warp.
                warp: $Curve,
                /// Shear; twist for bending.
                $third: $Curve,
                /// Coupling C in σ_weft = f(ε_weft) + C ε_warp.
                #[schemars(extend("x-unit" = $stiffness_unit))]
                $coupling: f64,
                /// Where the coupling comes from.
                source: String,
                /// How it was obtained.
                quality: Quality,
            },
            /// Stress tabulated over an even grid of all three strains: shear runs fastest, then warp, then weft.
            Surface {
                /// Lowest weft, warp and shear strain.
                #[schemars(extend("x-unit" = $x_unit))]
                $low: [f64; 3],
                /// Highest weft, warp and shear strain.
                #[schemars(extend("x-unit" = $x_unit))]
                $high: [f64; 3],
                /// Values along each.
                points: [usize; 3],
                /// Rows of (weft, warp, shear) stress.
                #[schemars(extend("x-unit" = $y_unit))]
                $table: Option<Vec<[f64; 3]>>,
                /// The same rows in a file beside this one, with columns `weft`, `warp` and `shear`.
                $table_csv: Option<String>,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
        }

        $(#[$curve_doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "form", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum $Curve {
            /// A polynomial spline, written out.
            Spline {
                /// Ends of the segments, from 0; leave out for one polynomial that holds everywhere.
                #[schemars(extend("x-unit" = $x_unit))]
                $knots: Option<Vec<f64>>,
                /// One row per segment: ascending powers of the distance from its first knot.
                #[schemars(extend("x-unit" = $y_unit))]
                $coefficients: Vec<Vec<f64>>,
                /// Curve of compression to pressure; antisymmetric when left out.
                compression: Option<Box<$Curve>>,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// Measured points, fitted by a monotone spline when the file is read.
            Points {
                /// Strains, positive, in any order.
                #[schemars(extend("x-unit" = $x_unit))]
                $x: Vec<f64>,
                /// Stress at each.
                #[schemars(extend("x-unit" = $y_unit))]
                $y: Vec<f64>,
                /// Degree of the spline.
                #[serde(default = "default_order")]
                #[schemars(range(min = 1, max = 7))]
                order: usize,
                /// Number of segments.
                #[serde(default = "default_segments")]
                #[schemars(range(min = 1, max = 32))]
                segments: usize,
                /// Curve of compression to pressure; antisymmetric when left out.
                compression: Option<Box<$Curve>>,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            $($extra)*
        }

        impl $Law {
            /// The law in SI units.
            pub(super) fn plain(&self) -> Plain<'_> {
                let k = |x: f64| x / $k_per;
                match self {
                    Self::Linear { $modulus, poisson, .. } => Plain::Linear { modulus: k(*$modulus), poisson: *poisson },
                    Self::Orthotropic { $weft, $warp, $shear, $coupling, .. } => Plain::Orthotropic {
                        weft: k(*$weft),
                        warp: k(*$warp),
                        shear: Option::<f64>::from(*$shear).map(k),
                        coupling: k(*$coupling),
                    },
                    Self::Anisotropic { $matrix, .. } => Plain::Anisotropic($matrix.map(|row| row.map(k))),
                    Self::Curves { weft, warp, $third } => Plain::Curves {
                        modes: [weft.plain(), warp.plain(), $third.plain()],
                        third: stringify!($third),
                        coupling: None,
                    },
                    Self::CoupledCurves { weft, warp, $third, $coupling, .. } => Plain::Curves {
                        modes: [weft.plain(), warp.plain(), $third.plain()],
                        third: stringify!($third),
                        coupling: Some(k(*$coupling)),
                    },
                    Self::Surface { $low, $high, points, $table, $table_csv, .. } => Plain::Surface {
                        low: *$low,
                        high: *$high,
                        points: *points,
                        table: $table.as_ref().map(|t| t.iter().map(|s| s.map(|y| y / $y_per)).collect()),
                        csv: $table_csv.as_deref(),
                        table_key: stringify!($table),
                        csv_key: stringify!($table_csv),
                        per: $y_per,
                    },
                }
            }

            /// The law in the units of the file. A surface keeps no table, hence none.
            pub(super) fn from_core(law: &toile_core::law::AnyLaw, source: &str, quality: Quality) -> Option<Self> {
                use toile_core::law::AnyLaw;
                let k = |x: f64| in_file(x, $k_per);
                let source = || source.to_string();
                Some(match law {
                    AnyLaw::Linear(linear) => {
                        let [uu, vv, ss, uv, us, vs] = linear.stiffness().map(k);
                        if us == 0.0 && vs == 0.0 {
                            Self::Orthotropic {
                                $weft: uu, $warp: vv, $shear: ss.into(), $coupling: uv, source: source(), quality,
                            }
                        } else {
                            let $matrix = [[uu, uv, us], [uv, vv, vs], [us, vs, ss]];
                            Self::Anisotropic { $matrix, source: source(), quality }
                        }
                    }
                    AnyLaw::Curves(curves) => {
                        let [weft, warp, $third] = std::array::from_fn(|m| {
                            $Curve::from_core(&curves.modes()[m], &source(), quality)
                        });
                        if curves.coupling() == 0.0 {
                            Self::Curves { weft, warp, $third }
                        } else {
                            let $coupling = k(curves.coupling());
                            Self::CoupledCurves { weft, warp, $third, $coupling, source: source(), quality }
                        }
                    }
                    AnyLaw::Surface(_) => return None,
                })
            }
        }

        impl $Curve {
            fn plain(&self) -> PlainCurve<'_> {
                match self {
                    Self::Spline { $knots, $coefficients, compression, .. } => PlainCurve::Spline {
                        knots: $knots.clone(),
                        rows: $coefficients.iter().map(|r| r.iter().map(|c| c / $y_per).collect()).collect(),
                        compression: compression.as_ref().map(|c| Box::new(c.plain())),
                        keys: [stringify!($knots), stringify!($coefficients)],
                    },
                    Self::Points { $x, $y, order, segments, compression, .. } => PlainCurve::Points {
                        x: $x,
                        y: $y.iter().map(|y| y / $y_per).collect(),
                        order: *order,
                        segments: *segments,
                        compression: compression.as_ref().map(|c| Box::new(c.plain())),
                        keys: [stringify!($x), stringify!($y)],
                    },
                    #[allow(unreachable_patterns)]
                    other => ($extra_plain)(other),
                }
            }

            /// A spline of the core, written out.
            pub(super) fn from_core(curve: &toile_core::law::Curve, source: &str, quality: Quality) -> Self {
                let side = |knots: &[f64], rows: &[Vec<f64>], compression: Option<Box<Self>>| Self::Spline {
                    $knots: knots.last().is_some_and(|k| k.is_finite()).then(|| knots.to_vec()),
                    $coefficients: rows.iter().map(|r| r.iter().map(|c| in_file(*c, $y_per)).collect()).collect(),
                    compression,
                    source: source.to_string(),
                    quality,
                };
                let compression = curve.compression().map(|(knots, rows)| Box::new(side(knots, rows, None)));
                side(curve.knots(), curve.coefficients(), compression)
            }
        }
    };
}

law_family! {
    /// Membrane stress of membrane strain.
    MembraneLaw,
    /// Membrane stress of one strain.
    MembraneCurve {
        /// Tensile readings of KES-FB1: the curve that has them all.
        KesTensile {
            /// EMT: extension at the largest load.
            #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 200, "x-unit" = "%", "x-usual" = [0.5, 80]))]
            emt_percent: f64,
            /// LT: tensile energy over the energy of a straight line to the same point.
            #[schemars(range(min = 0.4, max = 1.0))]
            lt: f64,
            /// Largest load: 490.33 N/m (500 gf/cm) for wovens, 49.033 N/m for knits.
            #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "N/m", "x-usual" = [4, 2000]))]
            load_n_per_m: f64,
            /// Where the numbers come from.
            source: String,
            /// How they were obtained.
            quality: Quality,
        },
        /// Shear readings of KES-FB1: stiffness and the angle at which the threads begin to lock.
        KesShear {
            /// G: stiffness between the hysteresis branches, per radian.
            #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "N/m", "x-usual" = [3, 3000]))]
            g_n_per_m: f64,
            /// Shear angle at which the stiffness has doubled.
            #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 60, "x-unit" = "°", "x-usual" = [2, 60]))]
            doubles_at_degrees: f64,
            /// Where the numbers come from.
            source: String,
            /// How they were obtained.
            quality: Quality,
        },
    } kes_plain;
    stiffness "N/m" per 1.0 usual [3.0, 200000.0]:
        modulus_n_per_m weft_n_per_m warp_n_per_m shear_n_per_m(f64) coupling_n_per_m stiffness_n_per_m;
    third shear;
    strain "–": knots_strain strain low_strain high_strain;
    stress "N/m" per 1.0: coefficients_n_per_m stress_n_per_m table_n_per_m table_n_per_m_csv;
}

fn kes_plain(curve: &MembraneCurve) -> PlainCurve<'_> {
    match curve {
        MembraneCurve::KesShear { g_n_per_m, doubles_at_degrees, .. } => {
            PlainCurve::KesShear { stiffness: *g_n_per_m, doubles_at: doubles_at_degrees.to_radians().tan() }
        }
        MembraneCurve::KesTensile { emt_percent, lt, load_n_per_m, .. } => {
            PlainCurve::KesTensile { extension: 0.01 * emt_percent, linearity: *lt, load: *load_n_per_m }
        }
        // `plain` hands on only the two above.
        _ => PlainCurve::NONE,
    }
}

law_family! {
    /// Membrane stress of strain rate.
    MembraneViscosity,
    /// Membrane stress of one strain rate.
    MembraneViscosityCurve {} none_plain;
    stiffness "N·s/m" per 1.0 usual [0.0001, 1000.0]:
        modulus_n_s_per_m weft_n_s_per_m warp_n_s_per_m shear_n_s_per_m(f64) coupling_n_s_per_m viscosity_n_s_per_m;
    third shear;
    strain "1/s": knots_per_s rate_per_s low_per_s high_per_s;
    stress "N/m" per 1.0: coefficients_n_per_m stress_n_per_m table_n_per_m table_n_per_m_csv;
}

law_family! {
    /// Bending moment per width of curvature.
    BendingLaw,
    /// Bending moment per width of one curvature.
    BendingCurve {} none_plain;
    stiffness "µN·m" per 1e6 usual [0.2, 2000.0]:
        modulus_un_m weft_un_m warp_un_m twist_un_m(Option<f64>) coupling_un_m stiffness_un_m;
    third twist;
    strain "1/m": knots_per_m curvature_per_m low_per_m high_per_m;
    stress "mN·m/m" per 1e3: coefficients_mn_m_per_m moment_mn_m_per_m table_mn_m_per_m table_mn_m_per_m_csv;
}

law_family! {
    /// Bending moment per width of the rate of curvature.
    BendingViscosity,
    /// Bending moment per width of one rate of curvature.
    BendingViscosityCurve {} none_plain;
    stiffness "µN·m·s" per 1e6 usual [0.00001, 100.0]:
        modulus_un_m_s weft_un_m_s warp_un_m_s twist_un_m_s(Option<f64>) coupling_un_m_s viscosity_un_m_s;
    third twist;
    strain "1/(m·s)": knots_per_m_s rate_per_m_s low_per_m_s high_per_m_s;
    stress "mN·m/m" per 1e3: coefficients_mn_m_per_m moment_mn_m_per_m table_mn_m_per_m table_mn_m_per_m_csv;
}

/// For families whose curves have no other forms.
fn none_plain<T>(_: &T) -> PlainCurve<'static> {
    PlainCurve::NONE
}

macro_rules! memory_family {
    (
        $(#[$doc:meta])* $Memory:ident;
        stiffness $stiffness_unit:literal per $k_per:literal: $stiffness:ident;
        stress $y_unit:literal per $y_per:literal: $yield_stress:ident $width:ident;
        strain $x_unit:literal: $yield_strain:ident;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
        pub enum $Memory {
            /// Friction slider by the width of the loop it makes: the readings 2HG and 2HB.
            Loop {
                /// Loading minus unloading branch, of weft, warp and shear (twist); 0 switches a mode off.
                #[schemars(extend("x-unit" = $y_unit), inner(range(min = 0)))]
                $width: [f64; 3],
                /// Strain at which each slips.
                #[schemars(extend("x-unit" = $x_unit), inner(range(min = 1e-9)))]
                $yield_strain: [f64; 3],
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// Friction slider by its own numbers.
            Slider {
                /// Stiffness of weft, warp and shear (twist) before it slips; 0 switches a mode off.
                #[schemars(extend("x-unit" = $stiffness_unit), inner(range(min = 0)))]
                $stiffness: [f64; 3],
                /// Largest stress.
                #[schemars(extend("x-unit" = $y_unit), inner(range(min = 0)))]
                $yield_stress: [f64; 3],
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
            /// One term of a Prony series: stress that fades with time.
            Relaxation {
                /// Stiffness of weft, warp and shear (twist); 0 switches a mode off.
                #[schemars(extend("x-unit" = $stiffness_unit), inner(range(min = 0)))]
                $stiffness: [f64; 3],
                /// Time constant.
                #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "s"))]
                time_s: f64,
                /// Where the numbers come from.
                source: String,
                /// How they were obtained.
                quality: Quality,
            },
        }

        impl $Memory {
            /// The branch in SI units.
            pub(super) fn branch(&self) -> Branch {
                match self {
                    Self::Loop { $width, $yield_strain, .. } => {
                        let sliders: [(f64, f64); 3] = std::array::from_fn(|m| {
                            toile_core::tensile::slider($width[m] / $y_per, $yield_strain[m])
                        });
                        Branch {
                            stiffness: sliders.map(|s| s.0),
                            rule: Rule::Slider { yield_stress: sliders.map(|s| s.1) },
                        }
                    }
                    Self::Slider { $stiffness, $yield_stress, .. } => Branch {
                        stiffness: $stiffness.map(|k| k / $k_per),
                        rule: Rule::Slider { yield_stress: $yield_stress.map(|y| y / $y_per) },
                    },
                    Self::Relaxation { $stiffness, time_s, .. } => Branch {
                        stiffness: $stiffness.map(|k| k / $k_per),
                        rule: Rule::Relaxation { time: *time_s },
                    },
                }
            }

            /// The branch in the units of the file.
            pub(super) fn from_core(branch: &Branch, source: &str, quality: Quality) -> Self {
                let $stiffness = branch.stiffness.map(|k| in_file(k, $k_per));
                let source = source.to_string();
                match branch.rule {
                    Rule::Slider { yield_stress } => {
                        let $yield_stress = yield_stress.map(|y| in_file(y, $y_per));
                        Self::Slider { $stiffness, $yield_stress, source, quality }
                    }
                    Rule::Relaxation { time } => Self::Relaxation { $stiffness, time_s: time, source, quality },
                }
            }
        }
    };
}

memory_family! {
    /// Hysteresis of the membrane: a spring in parallel whose rest strain follows.
    MembraneMemory;
    stiffness "N/m" per 1.0: stiffness_n_per_m;
    stress "N/m" per 1.0: yield_n_per_m width_n_per_m;
    strain "–": yield_strain;
}

memory_family! {
    /// Hysteresis of bending: a spring in parallel whose rest curvature follows.
    BendingMemory;
    stiffness "µN·m" per 1e6: stiffness_un_m;
    stress "mN·m/m" per 1e3: yield_mn_m_per_m width_mn_m_per_m;
    strain "1/m": yield_curvature_per_m;
}
