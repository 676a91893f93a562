#include "weights/formats/ctranslate2.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr uint32_t kFirstVersion = 2;
constexpr uint32_t kFirstVersionWithAliases = 3;
constexpr uint32_t kFirstVersionWithTypes = 4;
constexpr uint32_t kLastVersion = 6;
constexpr int kMaxRank = 8;

// A length that counts a closing NUL, then the characters.
std::string read_text(base::ByteReader& reader, const std::string& source) {
  const auto length = reader.read<uint16_t>();
  const std::string_view text = base::as_text(reader.read_bytes(length));
  if (text.empty() || text.find('\0') != text.size() - 1) {
    base::fail(ErrorKind::Corrupt, "{}: expected a text that ends in NUL before position {}",
               source, reader.position());
  }
  return std::string(text.substr(0, text.size() - 1));
}

DType type_of_code(uint8_t code, const std::string& name, const std::string& source) {
  constexpr DType kTypes[] = {DType::F32, DType::I8,  DType::I16,
                              DType::I32, DType::F16, DType::BF16};
  if (code >= std::size(kTypes)) {
    base::fail(ErrorKind::Unsupported, "{}: expected a type from 0 to {} for {}, got {}", source,
               std::size(kTypes) - 1, name, code);
  }
  return kTypes[code];
}

DType type_of_item_size(uint8_t size, const std::string& name, const std::string& source) {
  if (size == 4) return DType::F32;
  if (size == 2) return DType::I16;
  if (size == 1) return DType::I8;
  base::fail(ErrorKind::Corrupt, "{}: expected an item size of 1, 2 or 4 for {}, got {}", source,
             name, size);
}

Tensor read_tensor(base::ByteReader& reader, uint32_t version, const std::string& name,
                   const std::string& source) {
  Tensor tensor;
  const auto rank = reader.read<uint8_t>();
  if (rank > kMaxRank) {
    base::fail(ErrorKind::Corrupt, "{}: expected at most {} axes for {}, got {}", source, kMaxRank,
               name, rank);
  }
  for (int axis = 0; axis < rank; ++axis) tensor.shape.push_back(reader.read<uint32_t>());
  const auto type = reader.read<uint8_t>();
  uint64_t size = 0;
  if (version >= kFirstVersionWithTypes) {
    tensor.dtype = type_of_code(type, name, source);
    size = reader.read<uint32_t>();
  } else {
    tensor.dtype = type_of_item_size(type, name, source);
    size = uint64_t{reader.read<uint32_t>()} * type;
  }
  const std::optional<uint64_t> expected = byte_count(tensor.dtype, tensor.shape);
  if (expected != size) {
    base::fail(ErrorKind::Corrupt, "{}: {} has shape {} of {}, which does not take {} bytes",
               source, name, shape_text(tensor.shape), name_of(tensor.dtype), size);
  }
  tensor.bytes = reader.read_bytes(size);
  return tensor;
}

void read_aliases(base::ByteReader& reader, WeightMap& variables) {
  const auto count = reader.read<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    std::string alias = read_text(reader, variables.source());
    const std::string target = read_text(reader, variables.source());
    const Tensor* tensor = variables.find(target);
    if (tensor == nullptr) {
      base::fail(ErrorKind::Corrupt, "{}: {} is another name of {}, which is missing",
                 variables.source(), alias, target);
    }
    // A quantised variable's scale goes with it.
    const Tensor* scale = variables.find(target + "_scale");
    if (scale != nullptr && variables.find(alias + "_scale") == nullptr) {
      variables.insert(alias + "_scale", *scale);
    }
    variables.insert(std::move(alias), *tensor);
  }
}

}  // namespace

WeightMap read_ctranslate2(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                           const std::string& source) {
  base::ByteReader reader(bytes, source);
  const auto version = reader.read<uint32_t>();
  if (version < kFirstVersion || version > kLastVersion) {
    base::fail(ErrorKind::Unsupported,
               "{}: expected a CTranslate2 model of version {} to {}, got version {}", source,
               kFirstVersion, kLastVersion, version);
  }
  const std::string spec = read_text(reader, source);
  if (spec != "WhisperSpec") {
    base::fail(ErrorKind::Unsupported, "{}: expected a Whisper model (WhisperSpec), got {:?}",
               source, spec);
  }
  reader.read<uint32_t>();  // the revision of the spec: it only moved flags
  WeightMap variables(source);
  const auto count = reader.read<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    std::string name = read_text(reader, source);
    if (name.empty()) {
      base::fail(ErrorKind::Corrupt, "{}: expected the name of variable {} of {} at position {}",
                 source, i + 1, count, reader.position() - 1);
    }
    Tensor tensor = read_tensor(reader, version, name, source);
    tensor.owner = owner;
    variables.insert(std::move(name), std::move(tensor));
  }
  if (version >= kFirstVersionWithAliases) read_aliases(reader, variables);
  if (reader.remaining() != 0) {
    base::fail(ErrorKind::Corrupt, "{}: expected the end of the file at position {}, got {} bytes",
               source, reader.position(), reader.remaining());
  }
  return variables;
}

WeightMap load_ctranslate2(const std::filesystem::path& file) {
  const auto map = base::FileMap::open(file);
  return read_ctranslate2(map->bytes(), map, file.string());
}

}  // namespace whinchat::weights
