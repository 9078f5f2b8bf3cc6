//! Zip archives without compression, as numpy writes and reads them. Source: PKWARE APPNOTE 6.3.10, §4.3 and §4.4.
//!
//! Entries carry the first date the format can hold: the same content gives the same bytes.

use super::bytes::Bytes;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_SIZE: usize = 22;
/// 1 January 1980 as year, month and day of MS-DOS.
const FIRST_DATE: u16 = (1 << 5) | 1;

/// An archive being written into memory.
#[derive(Default)]
pub(super) struct Writer {
    out: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// The archive would need the 64-bit extension of the format.
#[derive(Debug)]
pub(super) struct TooLarge;

impl Writer {
    /// Adds an entry; `content` is written in place.
    pub(super) fn add(&mut self, name: &str, content: impl FnOnce(&mut Vec<u8>)) -> Result<(), TooLarge> {
        let offset = u32::try_from(self.out.len()).map_err(|_| TooLarge)?;
        let name_length = u16::try_from(name.len()).map_err(|_| TooLarge)?;
        self.out.extend(LOCAL.to_le_bytes());
        let fields_at = self.out.len();
        self.out.extend([0; 22]);
        self.out.extend(name_length.to_le_bytes());
        self.out.extend([0; 2]);
        self.out.extend(name.as_bytes());
        let begin = self.out.len();
        content(&mut self.out);
        let size = u32::try_from(self.out.len() - begin).map_err(|_| TooLarge)?;
        let fields = common_fields(crc32(&self.out[begin..]), size);
        self.out[fields_at..fields_at + 22].copy_from_slice(&fields);

        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend(20u16.to_le_bytes());
        self.directory.extend(fields);
        self.directory.extend(name_length.to_le_bytes());
        self.directory.extend([0; 12]); // extra, comment, disk, attributes
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count = self.count.checked_add(1).ok_or(TooLarge)?;
        Ok(())
    }

    /// The finished archive.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, TooLarge> {
        let offset = u32::try_from(self.out.len()).map_err(|_| TooLarge)?;
        let size = u32::try_from(self.directory.len()).map_err(|_| TooLarge)?;
        self.out.append(&mut self.directory);
        self.out.extend(END.to_le_bytes());
        self.out.extend([0; 4]);
        self.out.extend(self.count.to_le_bytes());
        self.out.extend(self.count.to_le_bytes());
        self.out.extend(size.to_le_bytes());
        self.out.extend(offset.to_le_bytes());
        self.out.extend([0; 2]);
        Ok(self.out)
    }
}

/// The 22 bytes that the header of an entry and the directory share.
fn common_fields(crc: u32, size: u32) -> [u8; 22] {
    let mut fields = [0; 22];
    fields[0..2].copy_from_slice(&20u16.to_le_bytes()); // version 2.0
    fields[2..4].copy_from_slice(&0x0800u16.to_le_bytes()); // names are UTF-8
    fields[8..10].copy_from_slice(&FIRST_DATE.to_le_bytes());
    fields[10..14].copy_from_slice(&crc.to_le_bytes());
    fields[14..18].copy_from_slice(&size.to_le_bytes());
    fields[18..22].copy_from_slice(&size.to_le_bytes());
    fields
}

/// An entry of an archive: its name and its place in the directory.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    flags: u16,
    method: u16,
    crc: u32,
    size: u32,
    offset: u32,
}

/// The directory of an archive.
pub(super) fn directory(archive: &[u8]) -> Result<Vec<Entry>, String> {
    // The end record is the last thing but for a comment of at most 64 KiB.
    let last = archive.len().checked_sub(END_SIZE).ok_or("it is too short for a zip archive")?;
    let begin = last.saturating_sub(usize::from(u16::MAX));
    let end = (begin..=last).rev().find(|&i| archive[i..i + 4] == END.to_le_bytes());
    let end = end.ok_or("it has no zip directory: it is no archive, or its end is missing")?;
    let mut record = Bytes::little(&archive[end + 10..]);
    let (count, _size, offset) = (record.u16()?, record.u32()?, record.u32()?);
    let mut reader = Bytes::little(archive.get(offset as usize..end).ok_or("its directory lies outside the file")?);
    let mut entries = Vec::new();
    for _ in 0..count {
        if reader.u32()? != CENTRAL {
            return Err("its directory is damaged".into());
        }
        reader.take(4)?;
        let (flags, method) = (reader.u16()?, reader.u16()?);
        reader.take(4)?;
        let (crc, stored, size) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let (name, extra, comment) = (reader.u16()?, reader.u16()?, reader.u16()?);
        reader.take(8)?;
        let offset = reader.u32()?;
        let name = String::from_utf8_lossy(reader.take(name.into())?).into_owned();
        reader.take(usize::from(extra) + usize::from(comment))?;
        if size == u32::MAX || offset == u32::MAX {
            return Err(format!("`{name}` uses the 64-bit extension of the zip format, which is not read"));
        }
        if method == 0 && stored != size {
            return Err(format!("`{name}` is stored in {stored} bytes but has {size}"));
        }
        entries.push(Entry { name, flags, method, crc, size, offset });
    }
    Ok(entries)
}

/// The content of an entry, checked against its CRC-32.
pub(super) fn content<'a>(archive: &'a [u8], entry: &Entry) -> Result<&'a [u8], String> {
    let name = &entry.name;
    if entry.flags & 1 != 0 {
        return Err(format!("`{name}` is encrypted"));
    }
    if entry.method != 0 {
        return Err(format!("`{name}` is compressed: write it with numpy.savez, not numpy.savez_compressed"));
    }
    let start = archive.get(entry.offset as usize..).ok_or_else(|| format!("`{name}` lies outside the file"))?;
    let mut reader = Bytes::little(start);
    if reader.u32()? != LOCAL {
        return Err(format!("`{name}` has no header where the directory says"));
    }
    reader.take(22)?;
    let (name_length, extra) = (reader.u16()?, reader.u16()?);
    reader.take(usize::from(name_length) + usize::from(extra))?;
    let content = reader.take(entry.size as usize)?;
    let crc = crc32(content);
    if crc != entry.crc {
        return Err(format!("`{name}` is damaged: its CRC-32 is {crc:08x}, the archive says {:08x}", entry.crc));
    }
    Ok(content)
}

/// CRC-32 of ISO 3309 (reflected, polynomial 04C11DB7), eight bytes at a time.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    static TABLES: [[u32; 256]; 8] = tables();
    let mut crc = !0u32;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mixed = crc ^ u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        crc = 0;
        for (i, byte) in mixed.to_le_bytes().into_iter().chain(chunk[4..].iter().copied()).enumerate() {
            crc ^= TABLES[7 - i][usize::from(byte)];
        }
    }
    for &byte in chunks.remainder() {
        crc = TABLES[0][usize::from(crc as u8 ^ byte)] ^ (crc >> 8);
    }
    !crc
}

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        tables[0][i] = value;
        i += 1;
    }
    let mut t = 1;
    while t < 8 {
        let mut i = 0;
        while i < 256 {
            let before = tables[t - 1][i];
            tables[t][i] = tables[0][(before & 0xff) as usize] ^ (before >> 8);
            i += 1;
        }
        t += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of the CRC catalogue, and every remainder of the eight-byte loop against bit by bit.
    #[test]
    fn crc_has_its_check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
        for end in 0..bytes.len() {
            let mut crc = !0u32;
            for &byte in &bytes[..end] {
                crc ^= u32::from(byte);
                for _ in 0..8 {
                    crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
                }
            }
            assert_eq!(crc32(&bytes[..end]), !crc);
        }
    }
}
