//! Tokens whose bytes a regular expression matches from end to end.

use crate::failure::Failure;
use crate::Tokenizer;
use regex::bytes::Regex;

/// Ascending.
pub fn matching_tokens(tokenizer: &Tokenizer, pattern: &str) -> Result<Vec<usize>, Failure> {
    compiled(pattern)?; // alone, so that "a)(b" is not completed by the brackets that follow
    let whole = compiled(&format!(r"\A(?:{pattern})\z"))?;
    Ok((0..tokenizer.count())
        .filter(|&id| {
            tokenizer
                .token(id)
                .is_some_and(|token| whole.is_match(token))
        })
        .collect())
}

/// The crate's message draws the place over several lines; the last one says what is wrong.
fn compiled(pattern: &str) -> Result<Regex, Failure> {
    Regex::new(pattern).map_err(|fault| {
        let message = fault.to_string();
        let reason = message.lines().last().unwrap_or_default();
        Failure::bad_input(reason.trim_start_matches("error: ").to_string())
    })
}
