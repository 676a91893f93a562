//! The tables of a tokenizer.json, compared with the embedded ones while they are read.

use crate::byte_level;
use crate::vocabulary::{Vocabulary, ENGLISH, MULTILINGUAL};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::mem::discriminant;

pub static EMBEDDED: [&Vocabulary; 2] = [&MULTILINGUAL, &ENGLISH];
pub const END_OF_TEXT: &str = "<|endoftext|>";

/// A string that owns its content only where the file escapes a character of it.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Which of `EMBEDDED` agree with what has been read.
type Candidates = [bool; EMBEDDED.len()];
const ALL: Candidates = [true; EMBEDDED.len()];

/// Gives an error when no candidate is left, which ends the reading.
fn keep<E: Error>(
    candidates: &mut Candidates,
    agrees: impl Fn(&Vocabulary) -> bool,
) -> Result<(), E> {
    for (kept, vocabulary) in candidates.iter_mut().zip(EMBEDDED) {
        *kept = *kept && agrees(vocabulary);
    }
    if candidates.contains(&true) {
        Ok(())
    } else {
        Err(E::custom("no embedded vocabulary"))
    }
}

/// Those with the file's tokens, which must stand in order; GPT-2 counts the end of text as one.
pub struct SameTokens(pub Candidates);

impl<'de> Deserialize<'de> for SameTokens {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TokensVisitor).map(SameTokens)
    }
}

struct TokensVisitor;

impl<'de> Visitor<'de> for TokensVisitor {
    type Value = Candidates;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("tokens with their ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Candidates, A::Error> {
        let mut same = ALL;
        let mut count = 0;
        while let Some((token, id)) = map.next_entry::<Text, usize>()? {
            keep(&mut same, |vocabulary| {
                id == count
                    && match vocabulary.token(id) {
                        Some(bytes) => byte_level::spells(&token.0, bytes),
                        None => id == vocabulary.count() && token.0 == END_OF_TEXT,
                    }
            })?;
            count += 1;
        }
        keep(&mut same, |vocabulary| count >= vocabulary.count())?;
        Ok(same)
    }
}

/// Those whose tokens were merged as the file says, in the order of their ranks.
pub struct SameMerges(pub Candidates);

impl<'de> Deserialize<'de> for SameMerges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(MergesVisitor).map(SameMerges)
    }
}

struct MergesVisitor;

impl<'de> Visitor<'de> for MergesVisitor {
    type Value = Candidates;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("merges")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Candidates, A::Error> {
        let mut same = ALL;
        let mut first_form = None;
        let mut rank = 256;
        while let Some(merge) = seq.next_element::<Merge>()? {
            let form = discriminant(&merge);
            let same_form = *first_form.get_or_insert(form) == form;
            keep(&mut same, |vocabulary| {
                same_form
                    && vocabulary
                        .parts(rank)
                        .is_some_and(|parts| merge.spells(parts))
            })?;
            rank += 1;
        }
        keep(&mut same, |vocabulary| vocabulary.parts(rank).is_none())?;
        Ok(same)
    }
}

/// Newer files write pairs.
enum Merge<'a> {
    Joined(Cow<'a, str>),
    Pair(Text<'a>, Text<'a>),
}

impl Merge<'_> {
    fn spells(&self, parts: (&[u8], &[u8])) -> bool {
        let texts = match self {
            Merge::Joined(text) => text.split_once(' '),
            Merge::Pair(left, right) => Some((left.0.as_ref(), right.0.as_ref())),
        };
        texts.is_some_and(|(left, right)| {
            byte_level::spells(left, parts.0) && byte_level::spells(right, parts.1)
        })
    }
}

impl<'de> Deserialize<'de> for Merge<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MergeVisitor)
    }
}

struct MergeVisitor;

impl<'de> Visitor<'de> for MergeVisitor {
    type Value = Merge<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("two tokens")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Merge<'de>, E> {
        Ok(Merge::Joined(text.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Merge<'de>, E> {
        Ok(Merge::Joined(text.to_owned().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Merge<'de>, A::Error> {
        let (left, right) = Deserialize::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(Merge::Pair(left, right))
    }
}
