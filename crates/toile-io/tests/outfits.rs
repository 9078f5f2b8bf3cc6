//! Outfit files: what they mean, and what is said about broken ones.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::Path;
use toile_garment::draft::DRAFTS;
use toile_io::outfit::{Outfit, Pattern, Wearer, from_text};

fn read(text: &str) -> Result<Outfit, String> {
    let found = from_text(text, Path::new("look/outfit.toml"));
    found.map(|f| f.0).map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

const HEAD: &str = "format = \"toile-outfit/1\"\n";

/// Lengths come in metres, garments in the order of their layers, what is left out as the draft usually has it.
#[test]
fn an_outfit_is_read_in_si_units_innermost_first() {
    let outfit = read(&format!(
        "{HEAD}name = \"two\"\nedge_mm = 20\nfriction = 0.2\n\
         [body.measurements]\nform = 0.0\nheight_cm = 170\nbust_cm = 92\nwaist_cm = 74\nhip_cm = 99\nupper_arm_cm = 28.5\n\
         [[garment]]\ndraft = \"sheath-dress\"\nlayer = 1\nfabric = \"denim\"\ncolour = \"#ff0080\"\n\
         [garment.ease]\nbust_cm = 9\n\
         [[garment]]\nname = \"inner\"\ndraft = \"trousers\"\n"
    ))
    .unwrap();
    assert_eq!((outfit.name.as_str(), outfit.edge, outfit.friction), ("two", Some(0.02), Some(0.2)));
    let Wearer::Measured(m) = &outfit.wearer else { panic!("{:?}", outfit.wearer) };
    assert!((m.height - 1.7).abs() < 1e-12 && (m.upper_arm.unwrap() - 0.285).abs() < 1e-12 && m.thigh.is_none());
    let [inner, outer] = &outfit.pieces[..] else { panic!("{:?}", outfit.pieces) };
    assert_eq!((inner.name.as_deref(), inner.layer, &inner.fabric, inner.colour), (Some("inner"), 0, &None, None));
    assert_eq!((outer.fabric.as_deref(), outer.layer), (Some("denim"), 1));
    assert_eq!(outer.colour, Some([1.0, 0.0, 128.0 / 255.0]));
    let Pattern::Draft { name, ease } = &outer.pattern else { panic!() };
    let usual = DRAFTS.iter().find(|d| d.name == "sheath-dress").unwrap().ease;
    assert_eq!(*name, "sheath-dress");
    assert!((ease.bust - 0.09).abs() < 1e-12 && ease.waist == usual.waist && ease.hip == usual.hip);
    // A body that is not told is the usual mannequin.
    let plain = read(&format!("{HEAD}[[garment]]\ndraft = \"t-shirt\"\n")).unwrap();
    assert_eq!(plain.wearer, Wearer::default());
}

/// Every mistake has its line and says what was expected.
#[test]
fn mistakes_are_located() {
    let shirt = "[[garment]]\ndraft = \"t-shirt\"\n";
    let cases: &[(&str, &[&str])] = &[
        ("[[garment]]\ndraft = \"t-shrt\"\n", &["outfit.toml:3:", "no draft", "did you mean \"t-shirt\"?"]),
        ("[[garment]]\ndraft = \"shirt\"\nfabrik = \"denim\"\n", &["outfit.toml:4:", "unknown key", "`fabric`"]),
        ("[[garment]]\ndraft = \"shirt\"\nfabric = \"denin\"\n", &["outfit.toml:4:", "did you mean \"denim\"?"]),
        ("[[garment]]\ndraft = \"shirt\"\ncolour = \"red\"\n", &["outfit.toml:4:", "#rrggbb"]),
        ("[[garment]]\ndraft = \"shirt\"\nease = { bust_cm = 80 }\n", &["outfit.toml:4:", "at most 60 cm"]),
        ("[[garment]]\nfabric = \"denim\"\n", &["outfit.toml:2:", "neither `draft` nor `file`"]),
        ("[[garment]]\ndraft = \"shirt\"\nfile = \"a.json\"\n", &["outfit.toml:2:", "both `draft` and `file`"]),
        ("[[garment]]\nfile = \"none.json\"\n", &["look/none.json", "cannot be read"]),
        ("garment = []\n", &["no [[garment]]"]),
        ("edge_mm = 100\n[[garment]]\ndraft = \"shirt\"\n", &["outfit.toml:2:", "at most 60 mm"]),
        ("[body]\nsize = \"F39\"\n", &["outfit.toml:3:", "no such size", "F34 to F52"]),
        ("[body]\nsize = \"F38\"\nunit = \"cm\"\n", &["outfit.toml:4:", "belongs to a body from a file"]),
        ("[body]\nsize = \"F38\"\ntime_s = 1.5\n", &["outfit.toml:4:", "belongs to a body from a file"]),
        ("[body]\nfile = \"a.glb\"\ntime_s = -1\n", &["outfit.toml:4:", "at least 0"]),
        ("[body]\nsize = \"F38\"\nfile = \"a.obj\"\n", &["several of `size`, `file` and `measurements`"]),
        ("[body]\nfile = \"none.obj\"\n", &["look/none.obj"]),
        ("[body]\nheight_cm = 170\n", &["outfit.toml:3:", "unknown key"]),
        ("[body.measurements]\nform = 0\nheight_cm = 170\nbust_cm = 92\nwaist_cm = 74\n", &["hip_cm", "missing"]),
        (
            "[body.measurements]\nform = 0\nheight_cm = 170\nbust_cm = 92\nwaist_cm = 30\nhip_cm = 99\n",
            &["body.measurements", "waist"],
        ),
    ];
    for (text, words) in cases {
        let more = if text.contains("garment") { "" } else { shirt };
        let said = read(&format!("{HEAD}{text}{more}")).expect_err(text);
        for word in *words {
            assert!(said.contains(word), "{text}\n{word}:\n{said}");
        }
    }
    assert!(read("format = \"toile-outfit/2\"\n").unwrap_err().contains("toile-outfit/1"));
}
