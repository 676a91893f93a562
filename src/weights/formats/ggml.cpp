#include "weights/formats/ggml.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "weights/formats/ggml_blocks.h"
#include "weights/names/whisper_config.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr uint32_t kMagic = 0x67676D6C;
constexpr const char* kFields[] = {"n_vocab",       "n_audio_ctx", "n_audio_state", "n_audio_head",
                                   "n_audio_layer", "n_text_ctx",  "n_text_state",  "n_text_head",
                                   "n_text_layer",  "n_mels"};
constexpr int32_t kVersionFactor = 1000;  // of the quantised types' version in ftype
constexpr int32_t kVersion = 2;
constexpr uint32_t kMaxRank = 4;
constexpr uint32_t kMaxNameBytes = 256;

class Reader {
 public:
  Reader(base::Bytes bytes, const std::shared_ptr<const void>& owner, const std::string& source)
      : reader_(bytes, source), owner_(owner), source_(source) {}

  GgmlFile run() {
    if (reader_.read<uint32_t>() != kMagic) {
      base::fail(ErrorKind::Corrupt, "{}: expected a ggml file, got another mark", source_);
    }
    base::Json fields = base::Json::object();
    for (const char* field : kFields) fields[field] = reader_.read<int32_t>();
    const base::Json config = read_whisper_config(fields, source_);
    version_ = reader_.read<int32_t>() / kVersionFactor;
    skip_filters(config["n_mels"].get<uint32_t>());
    skip_vocabulary(config["n_vocab"].get<uint32_t>());
    WeightMap tensors(source_);
    while (reader_.remaining() != 0) read_tensor(tensors);
    return {config, std::move(tensors)};
  }

 private:
  void skip_filters(uint32_t n_mels) {
    const auto rows = reader_.read<uint32_t>();
    const auto columns = reader_.read<uint32_t>();
    if (rows != n_mels) {
      base::fail(ErrorKind::Corrupt, "{}: expected mel filters of {} bands, got {}", source_,
                 n_mels, rows);
    }
    reader_.read_bytes(uint64_t{rows} * columns * sizeof(float));
  }

  void skip_vocabulary(uint32_t n_vocab) {
    const auto words = reader_.read<uint32_t>();
    if (words > n_vocab) {
      base::fail(ErrorKind::Corrupt, "{}: expected a vocabulary of at most {} words, got {}",
                 source_, n_vocab, words);
    }
    for (uint32_t i = 0; i < words; ++i) reader_.read_bytes(reader_.read<uint32_t>());
  }

  void read_tensor(WeightMap& tensors) {
    const auto rank = reader_.read<uint32_t>();
    const auto name_bytes = reader_.read<uint32_t>();
    const auto type = reader_.read<uint32_t>();
    if (rank > kMaxRank || name_bytes > kMaxNameBytes) {
      base::fail(ErrorKind::Corrupt,
                 "{}: expected a tensor of at most {} axes and a name of at most {} bytes before "
                 "position {}, got {} and {}",
                 source_, kMaxRank, kMaxNameBytes, reader_.position(), rank, name_bytes);
    }
    std::vector<int64_t> shape(rank);
    for (int64_t& dimension : shape) dimension = reader_.read<int32_t>();
    std::ranges::reverse(shape);  // ggml counts the fastest axis first
    std::string name(base::as_text(reader_.read_bytes(name_bytes)));
    Tensor tensor = read_elements(std::move(shape), type, name);
    tensors.insert(std::move(name), std::move(tensor));
  }

  Tensor read_elements(std::vector<int64_t> shape, uint32_t type, std::string_view name) {
    switch (type) {
      case 0:
        return read_plain(DType::F32, std::move(shape), name);
      case 1:
        return read_plain(DType::F16, std::move(shape), name);
      case 30:
        return read_plain(DType::BF16, std::move(shape), name);
      default:
        break;
    }
    const BlockFormat* format = find_block_format(type);
    if (format == nullptr) {
      base::fail(ErrorKind::Unsupported,
                 "{}: expected f32, f16, bf16, {} for the tensor {:?}, got ggml's type {}", source_,
                 block_format_names(), name, type);
    }
    if (version_ != kVersion) {
      base::fail(ErrorKind::Unsupported,
                 "{}: expected quantised tensors of version {}, got version {}: quantise the model "
                 "with a newer whisper.cpp",
                 source_, kVersion, version_);
    }
    return read_blocks(*format, std::move(shape), name);
  }

  [[noreturn]] void fail_shape(Shape shape, std::string_view type, std::string_view name) const {
    base::fail(ErrorKind::Corrupt, "{}: the tensor {:?} of {} cannot have the shape {}", source_,
               name, type, shape_text(shape));
  }

  Tensor read_plain(DType dtype, std::vector<int64_t> shape, std::string_view name) {
    const std::optional<uint64_t> size = byte_count(dtype, shape);
    if (!size) fail_shape(shape, name_of(dtype), name);
    return {dtype, std::move(shape), reader_.read_bytes(*size), owner_};
  }

  Tensor read_blocks(const BlockFormat& format, std::vector<int64_t> shape, std::string_view name) {
    const bool is_matrix =
        shape.size() == 2 && shape[0] > 0 && shape[1] > 0 && shape[1] % format.block_elements == 0;
    if (!is_matrix) fail_shape(shape, format.name, name);
    const auto row_blocks = static_cast<size_t>(shape[1] / format.block_elements);
    const size_t row_bytes = row_blocks * format.block_bytes;
    if (static_cast<uint64_t>(shape[0]) > reader_.remaining() / row_bytes) {
      base::fail(ErrorKind::Corrupt,
                 "{}: the tensor {:?} of {} and shape {} is longer than the rest of the file",
                 source_, name, format.name, shape_text(shape));
    }
    const base::Bytes blocks = reader_.read_bytes(static_cast<uint64_t>(shape[0]) * row_bytes);
    const auto decode = [blocks, row_bytes, &format, owner = owner_](int64_t begin, int64_t end,
                                                                     std::span<float> elements) {
      const std::byte* block = blocks.data() + static_cast<size_t>(begin) * row_bytes;
      const std::byte* last = blocks.data() + static_cast<size_t>(end) * row_bytes;
      for (float* out = elements.data(); block != last; out += format.block_elements) {
        format.decode(block, out);
        block += format.block_bytes;
      }
    };
    return computed_tensor(std::move(shape), decode);
  }

  base::ByteReader reader_;
  const std::shared_ptr<const void>& owner_;
  const std::string& source_;
  int32_t version_ = 0;  // of the quantised types
};

}  // namespace

bool is_ggml(base::Bytes bytes) {
  return bytes.size() >= sizeof(kMagic) && base::load_unaligned<uint32_t>(bytes.data()) == kMagic;
}

GgmlFile read_ggml(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                   const std::string& source) {
  return Reader(bytes, owner, source).run();
}

}  // namespace whinchat::weights
