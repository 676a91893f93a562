//! The text core of whinchat: tokenizers behind the C header `include/textcore.h`.

mod byte_level;
mod c_face;
mod failure;
mod json_tokenizer;
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
