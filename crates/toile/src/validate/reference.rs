//! Reference numbers: small tables that travel inside the program.
//!
//! A table is a CSV file in `validation/<id>/`: comment lines with `#` that name the source, a header, rows.

/// A damaged table or a wrong name in an experiment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError {
    /// No such file is embedded.
    #[error("no reference table {id}/{file}")]
    Missing {
        /// Experiment.
        id: String,
        /// File.
        file: String,
    },
    /// No such column.
    #[error("the table has no column \"{column}\"; it has {known}")]
    Column {
        /// What was asked for.
        column: String,
        /// What there is.
        known: String,
    },
    /// A row is damaged.
    #[error("row {row}: {what}")]
    Row {
        /// Number of the row, from 0.
        row: usize,
        /// What is wrong.
        what: String,
    },
    /// Nothing in the file.
    #[error("the table is empty")]
    Empty,
}

/// Rows under named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

macro_rules! embedded {
    ($($id:literal / $file:literal),* $(,)?) => {
        &[$(($id, $file, include_str!(concat!("../../../../validation/", $id, "/", $file)))),*]
    };
}

/// Every embedded file: experiment, file name, content.
const FILES: &[(&str, &str, &str)] = embedded![
    "S0-1" / "reference.csv",
    "S0-2" / "reference.csv",
    "S0-8" / "reference.csv",
    "S0-10" / "reference.csv",
    "S1-1" / "reference.csv",
    "S1-2" / "reference.csv",
    "S1-3" / "reference.csv",
    "S1-4" / "reference.csv",
    "S1-4" / "amplification.csv",
    "S1-6" / "reference.csv",
    "M-01" / "reference.csv",
    "M-02" / "reference.csv",
    "M-03" / "reference.csv",
    "M-04" / "reference.csv",
    "M-05" / "reference.csv",
    "B-01" / "reference.csv",
    "B-02" / "reference.csv",
    "B-02" / "shapes.csv",
    "B-02" / "discrete_chain.csv",
    "B-05" / "reference.csv",
    "B-07" / "reference.csv",
    "C-03" / "reference.csv",
    "C-04" / "reference.csv",
];

/// The main table of an experiment.
pub fn table(id: &str) -> Result<Table, ReferenceError> {
    named_table(id, "reference.csv")
}

/// A table of an experiment by its file name.
pub fn named_table(id: &str, file: &str) -> Result<Table, ReferenceError> {
    let entry = FILES.iter().find(|f| f.0 == id && f.1 == file);
    let missing = || ReferenceError::Missing { id: id.to_owned(), file: file.to_owned() };
    Table::parse(entry.ok_or_else(missing)?.2)
}

impl Table {
    /// Reads CSV text without quotes.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        let split = |line: &str| line.split(',').map(|c| c.trim().to_owned()).collect::<Vec<_>>();
        let columns = split(lines.next().ok_or(ReferenceError::Empty)?);
        let mut rows = Vec::new();
        for (row, line) in lines.enumerate() {
            let cells = split(line);
            if cells.len() != columns.len() {
                let what = format!("{} cells under {} columns", cells.len(), columns.len());
                return Err(ReferenceError::Row { row, what });
            }
            rows.push(cells);
        }
        Ok(Self { columns, rows })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// No rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A column as text.
    pub fn words(&self, column: &str) -> Result<Vec<&str>, ReferenceError> {
        let k = self.column(column)?;
        Ok(self.rows.iter().map(|r| r[k].as_str()).collect())
    }

    /// A column as numbers.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, ReferenceError> {
        let k = self.column(column)?;
        let parse = |(row, cells): (usize, &Vec<String>)| {
            let what = || format!("\"{}\" in column {column} is not a number", cells[k]);
            cells[k].parse().map_err(|_| ReferenceError::Row { row, what: what() })
        };
        self.rows.iter().enumerate().map(parse).collect()
    }

    /// Two columns as points, for plots.
    pub fn points(&self, x: &str, y: &str) -> Result<Vec<[f64; 2]>, ReferenceError> {
        Ok(self.numbers(x)?.into_iter().zip(self.numbers(y)?).map(|(x, y)| [x, y]).collect())
    }

    /// The rows where a column holds a word.
    pub fn only(&self, column: &str, word: &str) -> Result<Self, ReferenceError> {
        let k = self.column(column)?;
        let rows = self.rows.iter().filter(|r| r[k] == word).cloned().collect();
        Ok(Self { columns: self.columns.clone(), rows })
    }

    fn column(&self, name: &str) -> Result<usize, ReferenceError> {
        let found = self.columns.iter().position(|c| c == name);
        found.ok_or_else(|| ReferenceError::Column { column: name.to_owned(), known: self.columns.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every embedded table names its source, has rows, and numbers where there should be some.
    #[test]
    fn tables_are_whole() {
        for (id, file, text) in FILES {
            assert!(text.starts_with('#') && text.contains("Source") || text.contains("MacNeal85"), "{id}/{file}");
            let table = named_table(id, file).unwrap();
            assert!(!table.is_empty(), "{id}/{file}");
            let last = table.columns.last().unwrap();
            assert!(table.numbers(last).unwrap().iter().all(|v| v.is_finite()), "{id}/{file}");
        }
    }

    #[test]
    fn rows_are_picked_by_word() {
        let euler =
            table("S1-1").unwrap().only("method", "explicit_euler").unwrap().only("problem", "ex1_lam2").unwrap();
        assert_eq!(euler.len(), 13);
        assert_eq!(euler.numbers("steps").unwrap()[0], 4.0);
        let e = 2f64.exp() - 1.5f64.powi(4); // four explicit steps of y' = 2y
        assert!((euler.numbers("abs_err_first_component_at_T").unwrap()[0] - e.abs()).abs() < 1e-12);
    }

    #[test]
    fn damage_is_named() {
        assert!(matches!(Table::parse("# only\n"), Err(ReferenceError::Empty)));
        assert!(matches!(Table::parse("a,b\n1\n"), Err(ReferenceError::Row { row: 0, .. })));
        let table = Table::parse("a,b\n1,x\n").unwrap();
        assert!(matches!(table.numbers("b"), Err(ReferenceError::Row { .. })));
        assert!(matches!(table.numbers("c"), Err(ReferenceError::Column { .. })));
        assert!(matches!(super::table("X-1"), Err(ReferenceError::Missing { .. })));
    }
}
