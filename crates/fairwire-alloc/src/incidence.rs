//! Which rows hold which columns, stored flat.

/// Lists of small integers, one list a row, in one allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incidence {
    pub starts: Vec<u32>,
    pub items: Vec<u32>,
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

    /// The same without owning it.
    pub fn rows(&self) -> Rows<'_> {
        Rows { starts: &self.starts, items: &self.items }
    }

    /// The row numbers of every column, ascending.
    pub fn transposed(&self, columns: usize) -> Self {
        self.rows().transposed(columns)
    }

    /// The items of one row.
    pub fn row(&self, row: usize) -> &[u32] {
        self.rows().row(row)
    }

    /// The items of one row as indices.
    pub fn indices(&self, row: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.row(row).iter().map(|&item| item as usize)
    }
}

/// Anything that has a list of small integers a row.
pub(crate) trait Lists: Copy {
    /// The items of one row.
    fn list(&self, row: usize) -> &[u32];
}

impl Lists for Rows<'_> {
    #[inline]
    fn list(&self, row: usize) -> &[u32] {
        self.row(row)
    }
}

/// Borrowed lists of small integers, one list a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// Where each row starts in `items`, and where the last one ends.
    pub starts: &'a [u32],
    pub items: &'a [u32],
}

impl<'a> Rows<'a> {
    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The items of one row.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// The row numbers of every column, ascending.
    pub fn transposed(&self, columns: usize) -> Incidence {
        let mut starts = vec![0u32; columns + 2];
        for &column in self.items {
            starts[column as usize + 2] += 1;
        }
        let mut columns = Incidence { starts, items: Vec::new() };
        self.transpose_counted(&mut columns);
        columns
    }

    /// Fills `columns`, whose `starts` hold, from the third entry on, how
    /// often each column occurs. Afterwards they are one entry shorter.
    pub fn transpose_counted(&self, columns: &mut Incidence) {
        let starts = &mut columns.starts;
        for column in 2..starts.len() {
            starts[column] += starts[column - 1];
        }
        columns.items.clear();
        columns.items.resize(self.items.len(), 0);
        // Each start moves on to the start of the next column as its own
        // fills up, and so ends where it should be.
        let mut from = 0;
        for (row, &to) in self.starts.iter().skip(1).enumerate() {
            for &column in &self.items[from as usize..to as usize] {
                let next = &mut starts[column as usize + 1];
                columns.items[*next as usize] = row as u32;
                *next += 1;
            }
            from = to;
        }
        starts.pop();
    }
}

/// Four billion (flow, link) pairs would not fit into memory anyway.
fn narrow(value: usize) -> u32 {
    u32::try_from(value).expect("fewer than 2^32 flows, links and crossings")
}
