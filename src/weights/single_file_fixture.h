// Models in one file, and pickles, that the tests of this room write for themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "weights/fixture.h"

namespace whinchat::weights {

// The pieces of a pickle of protocol 2; `content` is pieces, one after another.
namespace pickled {
std::string text(std::string_view value);
std::string integer(int32_t value);
std::string global(std::string_view module, std::string_view name);
std::string tuple(const std::string& content);
std::string dict(const std::string& content);  // key, value, key, value, …
std::string whole(const std::string& content);
// A call of _rebuild_tensor_v2 with a storage of `elements`.
std::string tensor(const Stored& stored, const std::string& key, int32_t offset = 0,
                   const std::string& strides = "", int32_t elements = -1);
}  // namespace pickled

using Members = std::vector<std::pair<std::string, std::string>>;  // name, content
std::string write_zip(const Members& members, bool claims_deflated = false);

// The same model as make_mlx_model() under openai-whisper's names and in its layout.
std::vector<Stored> make_openai_model();

// As torch.save writes {"dims": …, "model_state_dict": …}.
std::string write_pt(const std::vector<Stored>& tensors, const base::Json& dims);

// A tensor's type in ggml's numbers: its own for a plain one.
struct GgmlTensor {
  Stored stored;
  int32_t type;
};
std::vector<GgmlTensor> as_ggml(const std::vector<Stored>& tensors);
std::string write_ggml(const std::vector<GgmlTensor>& tensors, const base::Json& config,
                       int32_t ftype = 1);

}  // namespace whinchat::weights
