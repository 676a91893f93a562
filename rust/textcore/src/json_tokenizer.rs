//! A checkpoint's tokenizer.json: byte-level BPE, text tokens only. Added tokens are counted, so
//! that gaps in the ids are known, and are otherwise ignored: special text is plain text.

use crate::byte_level;
use crate::failure::Failure;
use serde::de::IgnoredAny;
use serde::Deserialize;
use tokenizers::models::bpe::BPE;
use tokenizers::{
    DecoderWrapper, Model, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerImpl,
};

type Encoder = TokenizerImpl<
    BPE,
    NormalizerWrapper,
    PreTokenizerWrapper,
    PostProcessorWrapper,
    DecoderWrapper,
>;

#[derive(Deserialize)]
struct File {
    model: BPE,
    normalizer: Option<NormalizerWrapper>,
    pre_tokenizer: Option<PreTokenizerWrapper>,
    decoder: Option<DecoderWrapper>,
    added_tokens: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Outline {
    model: ModelOutline,
}

#[derive(Deserialize)]
struct ModelOutline {
    r#type: Option<String>,
}

pub struct JsonTokenizer {
    encoder: Encoder,
    /// Where each token starts in `bytes`, one more than there are tokens; a gap is empty.
    offsets: Vec<usize>,
    bytes: Vec<u8>,
}

impl JsonTokenizer {
    pub fn read(json: &[u8]) -> Result<Self, Failure> {
        let mut file: File = serde_json::from_slice(json).map_err(|error| refuse(json, &error))?;
        if !matches!(file.decoder, Some(DecoderWrapper::ByteLevel(_))) {
            return Err(Failure::unsupported(
                "expected a byte-level tokenizer, got another decoder".to_string(),
            ));
        }
        file.model.dropout = None;
        let (offsets, bytes) = byte_table(
            &file.model,
            file.added_tokens.map_or(0, |tokens| tokens.len()),
        )?;
        let mut encoder = Encoder::new(file.model);
        encoder.with_normalizer(file.normalizer);
        encoder.with_pre_tokenizer(file.pre_tokenizer);
        Ok(JsonTokenizer {
            encoder,
            offsets,
            bytes,
        })
    }

    pub fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn token(&self, id: usize) -> Option<&[u8]> {
        (id < self.count()).then(|| &self.bytes[self.offsets[id]..self.offsets[id + 1]])
    }

    pub fn encode(&self, text: &str) -> Result<Vec<u32>, Failure> {
        self.encoder
            .encode_fast(text, false)
            .map(|encoding| encoding.get_ids().to_vec())
            .map_err(|error| Failure::bad_input(format!("the tokenizer refused a text: {error}")))
    }
}

fn refuse(json: &[u8], error: &serde_json::Error) -> Failure {
    match serde_json::from_slice::<Outline>(json) {
        Ok(Outline {
            model: ModelOutline { r#type: Some(kind) },
        }) if kind != "BPE" => {
            let kind: String = kind.chars().take(40).collect();
            Failure::unsupported(format!("expected a BPE tokenizer, got {kind:?}"))
        }
        _ => Failure::corrupt(format!("expected a tokenizer in JSON, got: {error}")),
    }
}

/// Offsets and bytes of all tokens in the order of their ids.
fn byte_table(model: &BPE, added_count: usize) -> Result<(Vec<usize>, Vec<u8>), Failure> {
    let mut tokens: Vec<(u32, Vec<u8>)> = model
        .get_vocab()
        .iter()
        .map(|(token, &id)| (id, byte_level::token_bytes(token)))
        .collect();
    tokens.sort_unstable();
    if tokens.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(Failure::corrupt(
            "expected one token for an id, got two".to_string(),
        ));
    }
    for byte in 0..=u8::MAX {
        if model
            .token_to_id(byte_level::character_of(byte).encode_utf8(&mut [0; 4]))
            .is_none()
        {
            return Err(Failure::corrupt(format!(
                "expected a token for byte {byte}, got none"
            )));
        }
    }
    let limit = tokens.len() + added_count;
    let mut offsets = vec![0];
    let mut bytes = Vec::new();
    for (id, token) in &tokens {
        let id = *id as usize;
        if id >= limit {
            return Err(Failure::corrupt(format!(
                "expected ids below {limit}, got {id}"
            )));
        }
        offsets.resize(id + 1, bytes.len());
        bytes.extend_from_slice(token);
        offsets.push(bytes.len());
    }
    Ok((offsets, bytes))
}
