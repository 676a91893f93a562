//! Finds the embedded vocabulary that a tokenizer.json repeats, without making tables: every field
//! that the encoding depends on is compared while it is read, borrowed from the file. Whatever
//! differs, is unknown or is damaged is no match, and left to `json_tokenizer`.

use crate::embedded_tables::{SameMerges, SameTokens, Text, EMBEDDED, END_OF_TEXT};
use crate::vocabulary::Vocabulary;
use serde::de::IgnoredAny;
use serde::Deserialize;

/// Whisper's special tokens end here, or with the timestamps.
const LAST_TOKENS: [&str; 2] = ["<|notimestamps|>", "<|30.00|>"];

pub fn find(json: &[u8]) -> Option<&'static Vocabulary> {
    let file: File = serde_json::from_slice(json).ok()?;
    let same_steps = file.normalizer.is_none()
        && file.pre_tokenizer.is_gpt2()
        && file.decoder.kind.0 == "ByteLevel"
        && file.model.is_plain();
    let is_same = |place: usize| {
        file.model.vocab.0[place]
            && file.model.merges.0[place]
            && are_whispers(&file.added_tokens, EMBEDDED[place].count())
    };
    (0..EMBEDDED.len())
        .find(|&place| same_steps && is_same(place))
        .map(|place| EMBEDDED[place])
}

#[derive(Deserialize)]
struct File<'a> {
    normalizer: Option<IgnoredAny>,
    #[serde(borrow)]
    pre_tokenizer: ByteLevel<'a>,
    decoder: ByteLevel<'a>,
    added_tokens: Vec<AddedToken<'a>>,
    model: Model<'a>,
}

#[derive(Deserialize)]
struct ByteLevel<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    add_prefix_space: bool,
    #[serde(rename = "trim_offsets")]
    _trim_offsets: bool,
    #[serde(default = "used")]
    use_regex: bool,
}

fn used() -> bool {
    true
}

impl ByteLevel<'_> {
    fn is_gpt2(&self) -> bool {
        self.kind.0 == "ByteLevel" && !self.add_prefix_space && self.use_regex
    }
}

#[derive(Deserialize)]
struct AddedToken<'a> {
    id: usize,
    #[serde(borrow)]
    content: Text<'a>,
}

/// Ids without a gap from the end of the text tokens on, the first and last as Whisper names them.
fn are_whispers(tokens: &[AddedToken], first_id: usize) -> bool {
    let content_of = |token: Option<&AddedToken>, names: &[&str]| {
        token.is_some_and(|token| names.contains(&token.content.0.as_ref()))
    };
    tokens
        .iter()
        .map(|token| token.id)
        .eq(first_id..first_id + tokens.len())
        && content_of(tokens.first(), &[END_OF_TEXT])
        && content_of(tokens.last(), &LAST_TOKENS)
}

/// The crate refuses a model with other fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Model<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    dropout: Option<IgnoredAny>,
    unk_token: Option<IgnoredAny>,
    continuing_subword_prefix: Option<Text<'a>>,
    end_of_word_suffix: Option<Text<'a>>,
    fuse_unk: Option<bool>,
    byte_fallback: Option<bool>,
    ignore_merges: Option<bool>,
    vocab: SameTokens,
    merges: SameMerges,
}

impl Model<'_> {
    fn is_plain(&self) -> bool {
        let is_empty = |text: &Option<Text>| text.as_ref().is_none_or(|text| text.0.is_empty());
        self.kind.0 == "BPE"
            && self.dropout.is_none()
            && self.unk_token.is_none()
            && is_empty(&self.continuing_subword_prefix)
            && is_empty(&self.end_of_word_suffix)
            && [self.fuse_unk, self.byte_fallback, self.ignore_merges]
                .iter()
                .all(|flag| *flag != Some(true))
    }
}
