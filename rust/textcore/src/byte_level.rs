//! GPT-2's byte-level alphabet: printable Latin-1 characters stand for themselves, the other bytes
//! for the characters from U+0100 on, in order.

/// The bytes that a token of a byte-level vocabulary stands for; a token with a character outside
/// the alphabet stands for its own UTF-8, as in the decoder of the crate `tokenizers`.
pub fn token_bytes(token: &str) -> Vec<u8> {
    token
        .chars()
        .map(byte_of)
        .collect::<Option<Vec<u8>>>()
        .unwrap_or_else(|| token.as_bytes().to_vec())
}

/// Whether a token of a byte-level vocabulary stands for these bytes, character for byte.
pub fn spells(token: &str, bytes: &[u8]) -> bool {
    token
        .chars()
        .map(byte_of)
        .eq(bytes.iter().copied().map(Some))
}

fn byte_of(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => u8::try_from(code).ok(),
        code @ 0x100..=0x120 => u8::try_from(code - 0x100).ok(),
        code @ 0x121..=0x142 => u8::try_from(code - 0x121 + 0x7f).ok(),
        0x143 => Some(0xad),
        _ => None,
    }
}

pub fn character_of(byte: u8) -> char {
    let code = match byte {
        0x00..=0x20 => 0x100 + u32::from(byte),
        0x7f..=0xa0 => 0x121 + u32::from(byte) - 0x7f,
        0xad => 0x143,
        _ => u32::from(byte),
    };
    char::from_u32(code).expect("the alphabet ends at U+0143")
}
