/* A program in C that links libwhinchat: prints the words of a file.
 * usage: c_program FILE [OPTION VALUE]... */
#include <stdio.h>
#include <whinchat/whinchat.h>

static int fail(const char* step) {
  fprintf(stderr, "%s: %s\n", step, whinchat_last_error());
  return 1;
}

static int print_segment(const whinchat_segment* segment, void* context) {
  ++*(int*)context;
  printf("%.2f %.2f%s\n", segment->start_s, segment->end_s, segment->text);
  return 0;
}

int main(int count, char** words) {
  if (count < 2) return fail("expected a file");
  whinchat_options* options = NULL;
  whinchat_transcriber* transcriber = NULL;
  whinchat_transcription* transcription = NULL;
  if (whinchat_options_new(&options) != WHINCHAT_OK) return fail("options");
  for (int i = 2; i + 1 < count; i += 2) {
    if (whinchat_options_set(options, words[i], words[i + 1]) != WHINCHAT_OK) return fail("option");
  }
  if (whinchat_transcriber_new(options, &transcriber) != WHINCHAT_OK) return fail("model");
  int printed = 0;
  const whinchat_callbacks callbacks = {print_segment, NULL, &printed};
  if (whinchat_transcribe_file(transcriber, words[1], options, &callbacks, &transcription) !=
      WHINCHAT_OK) {
    return fail("transcription");
  }
  const size_t segments = whinchat_transcription_segment_count(transcription);
  whinchat_transcription_free(transcription);
  whinchat_transcriber_free(transcriber);
  whinchat_options_free(options);
  return segments == (size_t)printed ? 0 : 1;
}
