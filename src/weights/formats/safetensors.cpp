#include "weights/formats/safetensors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"
#include "weights/json_file.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr uint64_t kMaxHeaderBytes = 32'000'000;
constexpr size_t kMaxRank = 8;
constexpr size_t kMaxFileNameBytes = 1024;

DType type_of(const std::string& name, const std::string& what) {
  static const std::map<std::string_view, DType> kTypes = {
      {"F64", DType::F64}, {"F32", DType::F32}, {"F16", DType::F16}, {"BF16", DType::BF16},
      {"I8", DType::I8},   {"U8", DType::U8},   {"I16", DType::I16}, {"U16", DType::U16},
      {"I32", DType::I32}, {"U32", DType::U32}, {"I64", DType::I64}, {"U64", DType::U64}};
  const auto type = kTypes.find(name);
  if (type == kTypes.end()) {
    base::fail(ErrorKind::Unsupported, "{}: the type {:?} is not known here", what, name);
  }
  return type->second;
}

std::vector<int64_t> require_naturals(const base::Json& json, const char* field, size_t max_count,
                                      const std::string& what) {
  const auto list = json.find(field);
  if (list == json.end() || !list->is_array() || list->size() > max_count) {
    base::fail(ErrorKind::Corrupt, "{}: expected a list {} of at most {} numbers", what, field,
               max_count);
  }
  std::vector<int64_t> values;
  for (const base::Json& value : *list) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX) {
      base::fail(ErrorKind::Corrupt, "{}: expected whole numbers from 0 in {}, got {} {}", what,
                 field, value.type_name(), value.is_number() ? value.dump() : "");
    }
    values.push_back(static_cast<int64_t>(value.get<uint64_t>()));
  }
  return values;
}

struct Placed {
  std::string name;
  Tensor tensor;
  uint64_t begin;
  uint64_t end;
};

Placed read_entry(const std::string& name, std::string_view text, uint64_t data_size,
                  const std::string& source) {
  const std::string what = fmt::format("{}: the tensor {:?}", source, name);
  const base::Json json = read_strict_object(text, what);
  if (!json.contains("dtype") || !json["dtype"].is_string()) {
    base::fail(ErrorKind::Corrupt, "{}: expected an object with a dtype", what);
  }
  Tensor tensor;
  tensor.dtype = type_of(json["dtype"].get<std::string>(), what);
  tensor.shape = require_naturals(json, "shape", kMaxRank, what);
  const std::vector<int64_t> offsets = require_naturals(json, "data_offsets", 2, what);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    base::fail(ErrorKind::Corrupt, "{}: expected two rising data_offsets, got {}", what,
               shape_text(offsets));
  }
  if (static_cast<uint64_t>(offsets[1]) > data_size) {
    base::fail(ErrorKind::Corrupt,
               "{} takes bytes {} to {} of the data, but the file ends after {} of them", what,
               offsets[0], offsets[1], data_size);
  }
  const auto size = static_cast<uint64_t>(offsets[1] - offsets[0]);
  if (byte_count(tensor.dtype, tensor.shape) != size) {
    base::fail(ErrorKind::Corrupt, "{}: shape {} of {} does not take {} bytes", what,
               shape_text(tensor.shape), name_of(tensor.dtype), size);
  }
  return {name, std::move(tensor), static_cast<uint64_t>(offsets[0]),
          static_cast<uint64_t>(offsets[1])};
}

// Every byte of the data belongs to exactly one tensor.
void check_cover(std::vector<Placed>& entries, uint64_t data_size, const std::string& source) {
  std::ranges::sort(entries, [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const Placed& entry : entries) {
    if (entry.begin != position) {
      base::fail(ErrorKind::Corrupt, "{}: expected the tensor {:?} at offset {}, got {}: {}",
                 source, entry.name, position, entry.begin,
                 entry.begin > position ? "bytes of no tensor lie before it" : "tensors overlap");
    }
    position = entry.end;
  }
  if (position != data_size) {
    base::fail(ErrorKind::Corrupt, "{}: expected {} bytes of data, got {}", source, position,
               data_size);
  }
}

std::string_view read_header(base::ByteReader& reader, const std::string& source) {
  const auto size = reader.read<uint64_t>();
  if (size > kMaxHeaderBytes) {
    base::fail(ErrorKind::Corrupt, "{}: expected a header of at most {} bytes, got {}", source,
               kMaxHeaderBytes, size);
  }
  return base::as_text(reader.read_bytes(size));
}

// A plain file name beside the index, so that an index cannot reach other folders.
std::string require_file_name(const base::Json& value, const std::string& source) {
  const std::string name = value.is_string() ? value.get<std::string>() : "";
  const bool is_plain = !name.empty() && name != "." && name != ".." &&
                        name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (!is_plain) {
    base::fail(ErrorKind::Corrupt, "{}: expected plain file names, got {}", source,
               value.dump(-1, ' ', true, base::Json::error_handler_t::replace));
  }
  return name;
}

void read_weight_map(std::string_view text, const std::string& source,
                     std::map<std::string, std::vector<std::string>>& names_of_file) {
  visit_members(text, source, [&](const std::string& name, std::string_view value) {
    const base::Json file = base::parse_json(value.substr(0, kMaxFileNameBytes), source);
    names_of_file[require_file_name(file, source)].push_back(name);
  });
}

void insert_all(WeightMap& target, const WeightMap& source) {
  for (const std::string& name : source.names()) target.insert(name, *source.find(name));
}

}  // namespace

WeightMap read_safetensors(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                           const std::string& source) {
  base::ByteReader reader(bytes, source);
  const std::string_view header = read_header(reader, source);
  const base::Bytes data = reader.read_bytes(reader.remaining());
  std::vector<Placed> entries;
  visit_members(header, source, [&](const std::string& name, std::string_view value) {
    if (name != "__metadata__") entries.push_back(read_entry(name, value, data.size(), source));
  });
  check_cover(entries, data.size(), source);
  WeightMap tensors(source);
  for (Placed& entry : entries) {
    entry.tensor.bytes = data.subspan(entry.begin, entry.end - entry.begin);
    entry.tensor.owner = owner;
    tensors.insert(std::move(entry.name), std::move(entry.tensor));
  }
  return tensors;
}

WeightMap load_safetensors(const std::filesystem::path& file) {
  const auto map = base::FileMap::open(file);
  return read_safetensors(map->bytes(), map, file.string());
}

WeightMap load_sharded_safetensors(const std::filesystem::path& index_file) {
  const std::string source = index_file.string();
  const auto index = base::FileMap::open(index_file);
  std::map<std::string, std::vector<std::string>> names_of_file;
  visit_members(base::as_text(index->bytes()), source,
                [&](const std::string& field, std::string_view value) {
                  if (field == "weight_map") {
                    read_weight_map(value, source + ": weight_map", names_of_file);
                  }
                });
  if (names_of_file.empty()) {
    base::fail(ErrorKind::Corrupt, "{}: expected an object weight_map with tensors", source);
  }
  WeightMap all(source);
  for (const auto& [file, names] : names_of_file) {
    const WeightMap shard = load_safetensors(index_file.parent_path() / file);
    for (const std::string& name : names) {
      if (shard.find(name) == nullptr) {
        base::fail(ErrorKind::NotFound, "{}: the tensor {:?} is missing in {}", source, name, file);
      }
    }
    insert_all(all, shard);
  }
  return all;
}

}  // namespace whinchat::weights
