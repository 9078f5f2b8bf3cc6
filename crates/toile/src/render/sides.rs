//! Several sides of the same in one picture, lit once and painted as often as wanted.

use super::animate::{cylinder, turned};
use super::camera::Eye;
use super::image::Image;
use super::legend::{Legend, caption};
use super::occlusion::Sky;
use super::paint::{Coat, Paint};
use super::scene::Scene;
use super::shade::Look;
use super::{Drawn, RenderError, View, check_size};

/// Surfaces seen from several sides: what hides what and where light falls is found once, for any number of pictures in other paints.
pub struct Sides<'a> {
    drawn: Vec<Drawn<'a>>,
    scene: Scene<'a>,
    looks: Vec<(Look, String)>,
    /// Of one side (pixels).
    size: [usize; 2],
}

impl<'a> Sides<'a> {
    /// Looks from several sides, each turned from the view's camera by an angle (°) and with its name below, at one scale. The size of
    /// the view is that of one of them.
    pub fn new(drawn: &[Drawn<'a>], view: &View, turns: &[(f64, &str)]) -> Result<Self, RenderError> {
        check_size(view)?;
        if turns.is_empty() {
            return Err(RenderError::Frames("there are none".into()));
        }
        let scene = Scene::new(drawn)?;
        let sky = Sky::new(&scene);
        let framed = cylinder(&scene, view);
        let look = |(turn, name): &(f64, &str)| {
            let view = View { camera: turned(&view.camera, *turn), ..view.clone() };
            let eye = Eye::new(&view.camera, view.size, 0, &framed)?;
            Ok((Look::new(&scene, &view, &eye, sky.as_ref())?, (*name).to_owned()))
        };
        let looks = turns.iter().map(look).collect::<Result<Vec<_>, RenderError>>()?;
        Ok(Self { drawn: drawn.to_vec(), looks, size: view.size, scene })
    }

    /// All sides in a row, the surfaces in their own paint; one legend for all.
    pub fn picture(&self) -> Result<Image, RenderError> {
        let paints: Vec<Paint> = self.drawn.iter().map(|d| d.paint).collect();
        self.painted(&paints)
    }

    /// The same with another paint on each surface.
    pub fn painted(&self, paints: &[Paint]) -> Result<Image, RenderError> {
        if paints.len() != self.drawn.len() {
            return Err(RenderError::Paints { paints: paints.len(), surfaces: self.drawn.len() });
        }
        let mut coats = Vec::new();
        for (drawn, paint) in self.drawn.iter().zip(paints) {
            coats.push(Coat::new(&Drawn { paint: *paint, ..*drawn })?);
        }
        let [width, height] = self.size;
        let (band, row) = ((height / 18).max(9), self.looks.len() * width);
        let margin = Legend::of(&coats, [row, height]).map_or(0, |legend| legend.room());
        let mut all = Image::filled(row + margin, height + band, [0; 3]);
        for (k, (look, name)) in self.looks.iter().enumerate() {
            let image = look.painted(&self.scene, &coats);
            if k == 0 {
                all.pixels.fill(image.pixel(0, height - 1));
            }
            all.paste(&image, [k * width, 0]);
            caption(&mut all, name, [k * width, height], [width, band]);
        }
        if let Some(legend) = Legend::of(&coats, [row + margin, height]) {
            legend.draw(&mut all);
        }
        Ok(all)
    }
}

/// Several sides in one picture: see [`Sides::new`].
pub fn sides(drawn: &[Drawn], view: &View, turns: &[(f64, &str)]) -> Result<Image, RenderError> {
    Sides::new(drawn, view, turns)?.picture()
}
