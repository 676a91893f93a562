// A Whisper checkpoint whose choices follow a script: a whole model, run through the real loop, of
// which every logit is known. Blocks are zero; what a position of the decoder prefers stands in its
// positional embedding. For tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

namespace whinchat::parity {

struct Wish {
  int32_t token;
  double strength;  // about 1 for the likeliest
};

struct CheckpointScript {
  // After the token at this position of the decoder's input.
  std::function<std::vector<Wish>(int position)> wishes;
  // Wishes that a token adds wherever it stands. They are all that it is: nothing can wish for it.
  std::map<int32_t, std::vector<Wish>> wishes_of_token;
  Wish loud;  // added in so far as the window is sound, not silence
};

inline constexpr int kScriptedVocabulary = 51865;

// config.json and model.safetensors.
void write_scripted_checkpoint(const std::filesystem::path& folder, const CheckpointScript& script);

}  // namespace whinchat::parity
