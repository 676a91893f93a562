//! Turns Whisper's two vocabularies (lines of `base64(token) rank`) into tables that need no
//! parsing at run time: the tokens' bytes in rank order, their offsets, the ranks sorted by bytes,
//! and where each token was merged. WHINCHAT_VOCABULARIES names the folder with
//! multilingual.tiktoken and gpt2.tiktoken.

use std::collections::{HashMap, HashSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER_VARIABLE: &str = "WHINCHAT_VOCABULARIES";

fn main() {
    println!("cargo:rerun-if-env-changed={FOLDER_VARIABLE}");
    println!("cargo:rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os(FOLDER_VARIABLE).unwrap_or_else(|| {
        panic!(
            "{FOLDER_VARIABLE} must name the folder with multilingual.tiktoken and gpt2.tiktoken"
        )
    }));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for (name, count) in [("multilingual", 50257), ("gpt2", 50256)] {
        let source = folder.join(format!("{name}.tiktoken"));
        println!("cargo:rerun-if-changed={}", source.display());
        write_tables(&read_tokens(&source, count), &out, name);
    }
}

fn read_tokens(source: &Path, count: usize) -> Vec<Vec<u8>> {
    let shown = source.display();
    let text = fs::read_to_string(source)
        .unwrap_or_else(|error| panic!("expected a vocabulary at {shown}, got: {error}"));
    let tokens: Vec<Vec<u8>> = text
        .lines()
        .enumerate()
        .map(|(i, line)| read_token(line, i))
        .collect();
    assert_eq!(tokens.len(), count, "{shown}: the number of tokens");
    let distinct: HashSet<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    assert_eq!(
        distinct.len(),
        count,
        "{shown}: the number of different tokens"
    );
    for byte in 0..=u8::MAX {
        assert!(
            distinct.contains([byte].as_slice()),
            "{shown}: no token for byte {byte}"
        );
    }
    tokens
}

fn read_token(line: &str, expected_rank: usize) -> Vec<u8> {
    let (token, rank) = line.split_once(' ').expect("a line is `base64 rank`");
    assert_eq!(rank.parse(), Ok(expected_rank), "ranks ascend by one");
    // The empty token is written as a lone padding sign, which strict readers refuse.
    base64::decode_config(token.trim_end_matches('='), base64::STANDARD_NO_PAD)
        .unwrap_or_else(|error| panic!("token {expected_rank} is not base64: {error}"))
}

/// For each rank the size of the left one of the two parts that training merged into the token: what
/// joining by the lower ranks alone comes to. 0 where nothing was merged: bytes and the empty token.
fn splits(tokens: &[Vec<u8>]) -> Vec<u8> {
    let mut ranks: HashMap<&[u8], usize> = HashMap::new();
    tokens
        .iter()
        .enumerate()
        .map(|(rank, token)| {
            let split = if token.len() < 2 {
                0
            } else {
                split(token, &ranks)
            };
            ranks.insert(token, rank);
            assert!(split > 0 || token.is_empty() || rank < 256, "rank {rank}");
            u8::try_from(split).expect("tokens are under 256 bytes")
        })
        .collect()
}

fn split(token: &[u8], ranks: &HashMap<&[u8], usize>) -> usize {
    let mut ends: Vec<usize> = (0..=token.len()).collect();
    let union_rank = |ends: &[usize]| ranks.get(&token[ends[0]..ends[2]]).copied();
    while let Some((_, left)) = (0..ends.len() - 2)
        .filter_map(|left| union_rank(&ends[left..]).map(|rank| (rank, left)))
        .min()
    {
        ends.remove(left + 1);
    }
    assert_eq!(ends.len(), 3, "a token is the union of two others");
    ends[1]
}

fn write_tables(tokens: &[Vec<u8>], out: &Path, name: &str) {
    let mut offsets = vec![0u32];
    let mut bytes = Vec::new();
    for token in tokens {
        bytes.extend_from_slice(token);
        offsets.push(u32::try_from(bytes.len()).expect("a vocabulary is under 4 GiB"));
    }
    let mut by_bytes: Vec<u16> = (0..tokens.len())
        .map(|rank| u16::try_from(rank).expect("ranks fit 16 bits"))
        .collect();
    by_bytes.sort_unstable_by_key(|&rank| &tokens[usize::from(rank)]);

    let little_endian_offsets: Vec<u8> = offsets
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let little_endian_ranks: Vec<u8> = by_bytes
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let write = |kind: &str, content: &[u8]| {
        fs::write(out.join(format!("{name}.{kind}")), content).expect("OUT_DIR is writable");
    };
    write("offsets", &little_endian_offsets);
    write("bytes", &bytes);
    write("by_bytes", &little_endian_ranks);
    write("splits", &splits(tokens));
}
