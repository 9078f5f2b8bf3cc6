//! Fabrics that come with the program.

use crate::problem::nearest;

/// A fabric of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryFabric {
    /// Name in scenes: that of its file.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
    /// The fabric file.
    pub text: &'static str,
}

macro_rules! fabrics {
    ($($name:literal: $summary:literal,)*) => {
        &[$(LibraryFabric {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../../data/fabrics/", $name, ".toml")),
        }),*]
    };
}

const LIBRARY: &[LibraryFabric] = fabrics! {
    "cotton-canvas": "Heavy plain cotton for bags and workwear, linear law",
    "cotton-interlock": "Smooth double knit; weft is the course, warp the wale",
    "cotton-jersey": "T-shirt single jersey; weft is the course, warp the wale",
    "cotton-lawn": "Light plain cotton, linear law",
    "cotton-poplin": "Crisp shirting with more warp than weft",
    "cotton-sheeting": "Plain medium-weight cotton",
    "cotton-terry": "Towelling with loops on both faces",
    "denim": "Black jeans denim, a little elastane in the weft",
    "linen": "Stiff, little extension, creases readily",
    "polyester-chiffon": "Sheer, open and limp",
    "polyester-faille": "Ribbed dress fabric with a fluid drape",
    "polyester-fleece": "Thick brushed knit; weft is the course, warp the wale",
    "polyester-plain": "Plain polyester of medium weight",
    "polyester-satin": "Glossy warp face, slides easily",
    "ponte-roma": "Firm double knit for jackets; weft is the course, warp the wale",
    "silk-crepe": "Fluid blouse silk, twisted weft",
    "silk-habotai": "Light lining silk, smooth and limp",
    "silk-organza": "Sheer and stiff, gummed silk",
    "silk-polyester": "Poncho cloth of a published experiment, linear law",
    "stretch-twill": "Elastane weft, firm warp",
    "wool-coating": "Thick milled wool for coats",
    "wool-gabardine": "Suiting twill, soft in shear",
    "wool-tropical": "Light summer suiting",
};

/// No fabric of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no fabric \"{name}\" in the library{}", nearest.map_or(String::new(), |n| format!(", did you mean \"{n}\"?")))]
pub struct UnknownFabric {
    /// The name asked for.
    pub name: String,
    /// The nearest known one.
    pub nearest: Option<&'static str>,
}

/// Every fabric that comes with the program, by name.
pub fn library() -> &'static [LibraryFabric] {
    LIBRARY
}

/// The fabric of that name.
pub fn by_name(name: &str) -> Result<&'static LibraryFabric, UnknownFabric> {
    let unknown = || UnknownFabric { name: name.to_string(), nearest: nearest(name, LIBRARY.iter().map(|f| f.name)) };
    LIBRARY.iter().find(|f| f.name == name).ok_or_else(unknown)
}

impl LibraryFabric {
    /// The fabric, read.
    pub fn read(&self) -> super::FabricFile {
        let path = std::path::PathBuf::from(format!("library/{}.toml", self.name));
        super::read_str(self.text, &path).expect("the library is valid: a test reads every file")
    }
}
