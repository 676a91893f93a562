/* The C face of the text core. A tokenizer may be read from any number of threads. Text is UTF-8,
 * not closed by NUL. A call that fails returns a status that is not TEXTCORE_OK and, where `error`
 * is not null, writes a sentence there, to be freed with textcore_free_text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct textcore_tokenizer textcore_tokenizer;

typedef enum textcore_status {
  TEXTCORE_OK = 0,
  TEXTCORE_BAD_INPUT = 1,
  TEXTCORE_UNSUPPORTED = 2,
  TEXTCORE_CORRUPT = 3,
  TEXTCORE_INTERNAL = 4
} textcore_status;

/* Whisper's vocabularies, carried inside the library. */
typedef enum textcore_vocabulary {
  TEXTCORE_MULTILINGUAL = 0,
  TEXTCORE_ENGLISH = 1
} textcore_vocabulary;

typedef struct textcore_text {
  char* data;
  size_t size;
} textcore_text;

typedef struct textcore_ids {
  int32_t* data;
  size_t size;
} textcore_ids;

/* Costs nothing: the vocabulary is read in place. */
textcore_status textcore_open_whisper(textcore_vocabulary vocabulary,
                                      textcore_tokenizer** tokenizer, textcore_text* error);

/* The content of a tokenizer.json: byte-level BPE; its added tokens are ignored. One that says what
 * a vocabulary of the library says opens that. */
textcore_status textcore_open_json(const uint8_t* json, size_t size, textcore_tokenizer** tokenizer,
                                   textcore_text* error);

void textcore_close(textcore_tokenizer* tokenizer);

/* Whether it is one of the vocabularies carried inside the library. */
bool textcore_is_embedded(const textcore_tokenizer* tokenizer);

/* One more than the highest id. */
size_t textcore_token_count(const textcore_tokenizer* tokenizer);

/* The bytes live as long as the tokenizer. TEXTCORE_BAD_INPUT for an id out of range. */
textcore_status textcore_token_bytes(const textcore_tokenizer* tokenizer, size_t id,
                                     const uint8_t** data, size_t* size);

/* Special tokens in the text are plain text. Free the ids with textcore_free_ids. */
textcore_status textcore_encode(const textcore_tokenizer* tokenizer, const uint8_t* text,
                                size_t size, textcore_ids* ids, textcore_text* error);

/* Ascending ids of the tokens that a regular expression (of Rust's regex crate: no back-references,
 * linear time) matches from end to end. */
textcore_status textcore_matching_tokens(const textcore_tokenizer* tokenizer,
                                         const uint8_t* pattern, size_t size, textcore_ids* ids,
                                         textcore_text* error);

void textcore_free_ids(textcore_ids ids);
void textcore_free_text(textcore_text text);

#ifdef __cplusplus
}
#endif
