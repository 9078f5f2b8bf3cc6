//! temporary
use crate::detect::Kind;
use crate::distance;
use glam::DVec3;
/// q
pub struct Query {
    /// k
    pub kind: Kind,
    /// x
    pub x: [DVec3; 4],
    /// d
    pub d: [DVec3; 4],
    /// o
    pub offset: f64,
}
/// t
pub fn time_of_impact(q: &Query, keep: f64, max_time: f64) -> Option<f64> {
    let n = if q.kind == Kind::VertexEdge { 3 } else { 4 };
    let mean = q.d[..n].iter().sum::<DVec3>() / n as f64;
    let d = q.d.map(|d| d - mean);
    let split = if q.kind == Kind::EdgeEdge { 2 } else { 1 };
    let l = d[..split].iter().map(|d| d.length()).fold(0.0, f64::max)
        + d[split..n].iter().map(|d| d.length()).fold(0.0, f64::max);
    if l == 0.0 {
        return None;
    }
    let dist = |t: f64| {
        let x: [DVec3; 4] = std::array::from_fn(|i| q.x[i] + t * d[i]);
        match q.kind {
            Kind::VertexFace => distance::vertex_face(x[0], [x[1], x[2], x[3]]).distance,
            Kind::EdgeEdge => distance::edge_edge([x[0], x[1]], [x[2], x[3]]).distance,
            Kind::VertexEdge => distance::vertex_edge(x[0], [x[1], x[2]]).distance,
        }
    };
    let g0 = dist(0.0) - q.offset;
    let floor = keep * g0;
    let mut t = 0.0;
    for _ in 0..200 {
        let g = dist(t) - q.offset;
        let step = 0.95 * (g - floor) / l;
        if t > 0.0 && g - floor < 0.02 * (g0 - floor) {
            return Some(t);
        }
        t += step;
        if t >= max_time {
            return None;
        }
    }
    Some(t)
}
