//! Writes the cutting sheet of a garment: `cutting_sheet t-shirt F38 sheet.svg` for one drawn to measure,
//! `cutting_sheet garment.toml sheet.svg` for one from a file.

use std::error::Error;
use std::path::Path;
use toile_garment::draft::{Measurements, draft};
use toile_io::atomic::write_atomically;
use toile_io::garment::{self, sheet};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (garment, file) = match &words[..] {
        [name, size, file] => {
            let body = Measurements::of_size(size).ok_or("there is no such size, see `toile_garment::draft::SIZES`")?;
            (draft(name, &body, None)?, file)
        }
        [source, file] => {
            let told = |problems: Vec<toile_io::Problem>| problems.iter().map(|p| format!("{p}\n")).collect::<String>();
            (garment::read(Path::new(source)).map_err(told)?.garment, file)
        }
        _ => return Err("expected `t-shirt F38 sheet.svg` or `garment.toml sheet.svg`".into()),
    };
    let fabric = sheet::Sheet { fabric_width: 1.8, ..sheet::Sheet::default() };
    write_atomically(file, sheet::svg(&garment, &fabric)?)?;
    Ok(())
}
