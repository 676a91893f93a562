//! The text core of whinchat: tokenizers behind the C header `include/textcore.h`.

mod byte_level;
mod c_face;
mod embedded_match;
mod embedded_tables;
mod failure;
mod json_tokenizer;
mod pattern;
mod ranked_bpe;
mod vocabulary;

use failure::Failure;
use json_tokenizer::JsonTokenizer;
use vocabulary::Vocabulary;

pub enum Tokenizer {
    Embedded(&'static Vocabulary),
    Json(Box<JsonTokenizer>),
}

impl Tokenizer {
    /// A tokenizer.json: one that says what an embedded vocabulary says costs its reading alone.
    fn from_json(json: &[u8]) -> Result<Self, Failure> {
        match embedded_match::find(json) {
            Some(vocabulary) => Ok(Tokenizer::Embedded(vocabulary)),
            None => Ok(Tokenizer::Json(Box::new(JsonTokenizer::read(json)?))),
        }
    }

    fn count(&self) -> usize {
        match self {
            Tokenizer::Embedded(vocabulary) => vocabulary.count(),
            Tokenizer::Json(tokenizer) => tokenizer.count(),
        }
    }

    fn token(&self, id: usize) -> Option<&[u8]> {
        match self {
            Tokenizer::Embedded(vocabulary) => vocabulary.token(id),
            Tokenizer::Json(tokenizer) => tokenizer.token(id),
        }
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, Failure> {
        match self {
            Tokenizer::Embedded(vocabulary) => Ok(ranked_bpe::encode(vocabulary, text)),
            Tokenizer::Json(tokenizer) => tokenizer.encode(text),
        }
    }
}
