/* The C face: speech to text from C, and from every language that calls C.
 *
 * A function that can fail returns a status; whinchat_last_error() then gives the sentence. Handles
 * come from _new and functions with an `out` parameter, and go back through _free, which takes
 * NULL. Strings are UTF-8, end with a NUL and live as long as what they came from. Every function
 * may be called from any thread; requests of all threads run one after another. */
#ifndef WHINCHAT_WHINCHAT_H
#define WHINCHAT_WHINCHAT_H

#include <stddef.h>
#include <stdint.h>

#include "whinchat/api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum whinchat_status {
  WHINCHAT_OK = 0,
  WHINCHAT_BAD_INPUT = 1,   /* an option, file or argument is wrong */
  WHINCHAT_NOT_FOUND = 2,   /* a file or model is missing */
  WHINCHAT_UNSUPPORTED = 3, /* well formed, but nothing here can serve it */
  WHINCHAT_CORRUPT = 4,     /* a file contradicts itself or ends early */
  WHINCHAT_BUSY = 5,        /* try again later */
  WHINCHAT_INTERNAL = 6     /* our own bug, or the machine failed */
} whinchat_status;

typedef struct whinchat_options whinchat_options;
typedef struct whinchat_transcriber whinchat_transcriber;
typedef struct whinchat_transcription whinchat_transcription;
typedef struct whinchat_stream whinchat_stream;

/* Of the library, such as "0.1.0". */
WHINCHAT_API const char* whinchat_version(void);

/* Of the last call on this thread that failed; "" before any. Valid until the next failure. */
WHINCHAT_API const char* whinchat_last_error(void);

/* Options have the command line's names and values: ("language", "German"), ("threads", "4"). */
WHINCHAT_API whinchat_status whinchat_options_new(whinchat_options** out);
WHINCHAT_API whinchat_status whinchat_options_set(whinchat_options* options, const char* name,
                                                  const char* value);
WHINCHAT_API void whinchat_options_free(whinchat_options* options);

/* Loads a model. Of `options` (NULL: the defaults) it reads model, faithful, compute, device,
 * threads and offline. */
WHINCHAT_API whinchat_status whinchat_transcriber_new(const whinchat_options* options,
                                                      whinchat_transcriber** out);
WHINCHAT_API void whinchat_transcriber_free(whinchat_transcriber* transcriber);

typedef struct whinchat_segment {
  double start_s, end_s; /* on the file's own clock */
  const char* text;      /* as decoded, usually with a leading space */
  const int32_t* tokens;
  size_t token_count;
  double avg_logprob, compression_ratio, no_speech_prob;
  size_t word_count; /* 0 unless word-timestamps asked for them, or a text was aligned */
  int channel;       /* that it was heard in, from 1, where they were split; else 0 */
} whinchat_segment;

typedef struct whinchat_word {
  double start_s, end_s; /* on the file's own clock */
  const char* text;      /* with the space before it and the punctuation around it */
  double probability;
} whinchat_word;

/* Called while a transcription runs, on a thread of the library; they must not call it. A result
 * other than 0 ends the transcription after the window in hand. */
typedef struct whinchat_callbacks {
  int (*on_segment)(const whinchat_segment* segment, void* context); /* or NULL */
  int (*on_progress)(double done_s, double total_s, void* context);  /* or NULL */
  void* context;
} whinchat_callbacks;

/* Any audio or video file; "-" is standard input. `options` and `callbacks` may be NULL. */
WHINCHAT_API whinchat_status whinchat_transcribe_file(whinchat_transcriber* transcriber,
                                                      const char* path,
                                                      const whinchat_options* options,
                                                      const whinchat_callbacks* callbacks,
                                                      whinchat_transcription** out);

/* `count` mono samples at 16 kHz in -1 ... 1. */
WHINCHAT_API whinchat_status whinchat_transcribe_samples(whinchat_transcriber* transcriber,
                                                         const float* samples, size_t count,
                                                         const whinchat_options* options,
                                                         const whinchat_callbacks* callbacks,
                                                         whinchat_transcription** out);

/* When the words of `text`, which is what the file says, are said: a segment a line of it. */
WHINCHAT_API whinchat_status whinchat_align_file(whinchat_transcriber* transcriber,
                                                 const char* path, const char* text,
                                                 const whinchat_options* options,
                                                 const whinchat_callbacks* callbacks,
                                                 whinchat_transcription** out);

/* A recording that is transcribed while it is heard: pieces of any size give the same. A window is
 * decoded once 30 s past its beginning are there, or its speech has ended (and, where option
 * share-windows is true, nothing more may share it); on_segment is called for its segments before
 * whinchat_stream_feed returns. A stream is for one thread at a time, but for cancelling: then the
 * window in hand is the last. It may outlive its transcriber. */
WHINCHAT_API whinchat_status whinchat_stream_new(whinchat_transcriber* transcriber,
                                                 const whinchat_options* options,
                                                 const whinchat_callbacks* callbacks,
                                                 whinchat_stream** out);
WHINCHAT_API whinchat_status whinchat_stream_feed(whinchat_stream* stream, const float* samples,
                                                  size_t count);
/* The rest, and all of it; nothing may be fed behind it. */
WHINCHAT_API whinchat_status whinchat_stream_finish(whinchat_stream* stream,
                                                    whinchat_transcription** out);
WHINCHAT_API void whinchat_stream_cancel(whinchat_stream* stream);
WHINCHAT_API void whinchat_stream_free(whinchat_stream* stream);

WHINCHAT_API const char* whinchat_transcription_text(const whinchat_transcription* transcription);
/* A code such as "en"; "" when nothing was decoded. */
WHINCHAT_API const char* whinchat_transcription_language(
    const whinchat_transcription* transcription);
WHINCHAT_API double whinchat_transcription_duration_s(const whinchat_transcription* transcription);
/* 1 when a callback ended it: it then holds what was decoded until there. */
WHINCHAT_API int whinchat_transcription_is_cancelled(const whinchat_transcription* transcription);
WHINCHAT_API size_t
whinchat_transcription_segment_count(const whinchat_transcription* transcription);
WHINCHAT_API whinchat_status whinchat_transcription_segment(
    const whinchat_transcription* transcription, size_t index, whinchat_segment* out);
WHINCHAT_API whinchat_status whinchat_transcription_word(
    const whinchat_transcription* transcription, size_t segment, size_t index, whinchat_word* out);
/* What was odd about the input, a sentence each. */
WHINCHAT_API size_t
whinchat_transcription_warning_count(const whinchat_transcription* transcription);
WHINCHAT_API const char* whinchat_transcription_warning(const whinchat_transcription* transcription,
                                                        size_t index);
/* The document in a format of the command line: "txt", "srt", "json". Of `options` (NULL: the
 * defaults) it reads those of subtitles, such as "max-line-width"; they need a transcription with
 * "word-timestamps". The string lives until the next call with the same transcription. */
WHINCHAT_API whinchat_status whinchat_transcription_format(whinchat_transcription* transcription,
                                                           const char* format,
                                                           const whinchat_options* options,
                                                           const char** out);
WHINCHAT_API void whinchat_transcription_free(whinchat_transcription* transcription);

#ifdef __cplusplus
}
#endif

#endif /* WHINCHAT_WHINCHAT_H */
