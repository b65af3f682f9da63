//! Which rows hold which columns, stored flat.

/// Lists of small integers, one list a row, in one allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incidence {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    /// Stores the given rows in order.
    pub fn from_rows<Row>(rows: impl IntoIterator<Item = Row>) -> Self
    where
        Row: IntoIterator<Item = usize>,
    {
        let mut incidence = Self { starts: vec![0], items: Vec::new() };
        for row in rows {
            incidence.items.extend(row.into_iter().map(narrow));
            incidence.starts.push(narrow(incidence.items.len()));
        }
        incidence
    }

    /// The row numbers of every column, ascending.
    pub fn transposed(&self, columns: usize) -> Self {
        let mut starts = vec![0u32; columns + 1];
        for &column in &self.items {
            starts[column as usize + 1] += 1;
        }
        for column in 0..columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut items = vec![0u32; self.items.len()];
        for row in 0..self.len() {
            for &column in self.row(row) {
                let slot = &mut next[column as usize];
                items[*slot as usize] = narrow(row);
                *slot += 1;
            }
        }
        Self { starts, items }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The items of one row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The items of one row as indices.
    pub fn indices(&self, row: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.row(row).iter().map(|&item| item as usize)
    }
}

/// Four billion (flow, link) pairs would not fit into memory anyway.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).expect("fewer than 2^32 flows, links and crossings")
}
