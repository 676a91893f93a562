// JSON documents, and a model's config.json of both families, up to the model's dimensions.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/json.h"
#include "models/whisper/dimensions.h"
#include "weights/json_file.h"
#include "weights/names/whisper_config.h"
#include "whinchat/error.h"

using namespace whinchat;

namespace {

void read_as(base::Json (*read_config)(const base::Json&, const std::string&),
             const base::Json& json) {
  try {
    base::Json config = read_config(json, "config.json");
    weights::add_alignment_heads(config, json, "config.json");
    models::whisper::read_alignment_heads(config, models::whisper::read_dimensions(config));
  } catch (const Error&) {
    return;  // a refusal is an answer
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const base::Bytes bytes = std::as_bytes(std::span(data, size));
    const base::Json json = weights::read_json(base::as_text(bytes), "config.json");
    read_as(weights::read_mlx_config, json);
    read_as(weights::read_hf_config, json);
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
