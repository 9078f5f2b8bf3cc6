//! Sparse symmetric matrices put together term by term.

use toile_factor::{Factor, FactorError};

/// Factor of a symmetric matrix from the terms of its upper half, by column.
pub(crate) fn factorised(columns: Vec<Vec<(u32, f64)>>) -> Result<Factor, FactorError> {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for mut column in columns {
        // Stable, so that equal places are added in the order they came in.
        column.sort_by_key(|(row, _)| *row);
        for (row, value) in column {
            if rows.len() > starts[starts.len() - 1] as usize && rows[rows.len() - 1] == row {
                let last = values.len() - 1;
                values[last] += value;
            } else {
                rows.push(row);
                values.push(value);
            }
        }
        starts.push(rows.len() as u32);
    }
    let mut factor = Factor::analyse(starts, rows, None)?;
    factor.factorise(&values)?;
    Ok(factor)
}
