//! Numbers out of bytes that may end too early.

/// A place in a run of bytes, with their order.
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
    big: bool,
}

/// The bytes ended before the number did.
#[derive(Debug)]
pub(super) struct Ended;

impl From<Ended> for String {
    fn from(_: Ended) -> Self {
        "the file ends too early".into()
    }
}

macro_rules! numbers {
    ($($name:ident)*) => {$(
        #[doc = concat!("The next number, a ", stringify!($name), ".")]
        pub(super) fn $name(&mut self) -> Result<$name, Ended> {
            const SIZE: usize = size_of::<$name>();
            let (head, rest) = self.rest.split_first_chunk::<SIZE>().ok_or(Ended)?;
            self.rest = rest;
            Ok(if self.big { $name::from_be_bytes(*head) } else { $name::from_le_bytes(*head) })
        }
    )*};
}

impl<'a> Bytes<'a> {
    /// Least significant byte first.
    pub(super) fn little(rest: &'a [u8]) -> Self {
        Self { rest, big: false }
    }

    /// In the order said.
    pub(super) fn ordered(rest: &'a [u8], big: bool) -> Self {
        Self { rest, big }
    }

    numbers! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }

    /// The next bytes as they are.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Ended> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(Ended)?;
        self.rest = rest;
        Ok(head)
    }

    /// How many are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }
}
