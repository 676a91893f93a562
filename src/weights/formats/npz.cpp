#include "weights/formats/npz.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/zip.h"
#include "weights/formats/npy_header.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kEnding = ".npy";
constexpr uint16_t kStored = 0;               // ZIP's method
constexpr uint32_t kMaxHeaderBytes = 10'000;  // as NumPy's own limit

DType type_of(const std::string& descr, const std::string& what) {
  static const std::map<std::string_view, DType> kTypes = {
      {"<f8", DType::F64},  {"<f4", DType::F32}, {"<f2", DType::F16}, {"<V2", DType::BF16},
      {"|V2", DType::BF16}, {"|i1", DType::I8},  {"|u1", DType::U8},  {"<i2", DType::I16},
      {"<u2", DType::U16},  {"<i4", DType::I32}, {"<u4", DType::U32}, {"<i8", DType::I64},
      {"<u8", DType::U64}};
  const auto type = kTypes.find(descr);
  if (type == kTypes.end()) {
    base::fail(ErrorKind::Unsupported, "{}: the type {:?} is not known here", what, descr);
  }
  return type->second;
}

NpyHeader read_header(base::ByteReader& reader, const std::string& what) {
  if (base::as_text(reader.read_bytes(kMagic.size())) != kMagic) {
    base::fail(ErrorKind::Corrupt, "{}: expected an array of NumPy, got something else", what);
  }
  const auto version = reader.read<uint8_t>();
  reader.read<uint8_t>();  // minor
  if (version < 1 || version > 3) {
    base::fail(ErrorKind::Unsupported, "{}: expected a NumPy array of version 1 to 3, got {}", what,
               version);
  }
  const uint32_t size = version == 1 ? reader.read<uint16_t>() : reader.read<uint32_t>();
  if (size > kMaxHeaderBytes) {
    base::fail(ErrorKind::Corrupt, "{}: expected a header of at most {} bytes, got {}", what,
               kMaxHeaderBytes, size);
  }
  return read_npy_header(base::as_text(reader.read_bytes(size)), what);
}

// The order of the axes tells nothing where at most one is longer than 1.
bool has_order(const std::vector<int64_t>& shape) {
  return std::ranges::count_if(shape, [](int64_t axis) { return axis > 1; }) > 1;
}

// A matrix that lies column by column, such as the alignment heads of MLX's converter.
Tensor by_rows(const Tensor& columns, const std::string& what) {
  if (columns.shape.size() != 2) {
    base::fail(
        ErrorKind::Unsupported,
        "{}: expected an array stored row by row, or a matrix, got shape {} column by column", what,
        shape_text(columns.shape));
  }
  Tensor rows = columns;
  rows.shape = {1, columns.shape[1], columns.shape[0]};
  rows = swap_last_axes(rows);
  rows.shape = columns.shape;
  return rows;
}

Tensor read_array(base::Bytes bytes, std::shared_ptr<const void> owner, const std::string& what) {
  base::ByteReader reader(bytes, what);
  NpyHeader header = read_header(reader, what);
  Tensor tensor{type_of(header.descr, what), std::move(header.shape), {}, std::move(owner)};
  if (byte_count(tensor.dtype, tensor.shape) != reader.remaining()) {
    base::fail(ErrorKind::Corrupt, "{}: shape {} of {} does not take {} bytes", what,
               shape_text(tensor.shape), name_of(tensor.dtype), reader.remaining());
  }
  tensor.bytes = reader.read_bytes(reader.remaining());
  return header.fortran_order && has_order(tensor.shape) ? by_rows(tensor, what) : tensor;
}

Tensor read_member(base::Bytes archive, const base::ZipMember& member,
                   const std::shared_ptr<const void>& owner, const std::string& source) {
  const std::string what = fmt::format("{}: {:?}", source, member.name);
  if (member.method == kStored) {
    return read_array(base::stored_zip_member(archive, member, source), owner, what);
  }
  // Grows as it comes: the size that the list states may be a lie.
  const auto buffer = std::make_shared<std::vector<std::byte>>();
  base::unpack_zip_member(archive, member, source, [&](base::Bytes piece) {
    buffer->insert(buffer->end(), piece.begin(), piece.end());
  });
  return read_array(*buffer, buffer, what);
}

}  // namespace

WeightMap read_npz(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                   const std::string& source) {
  WeightMap tensors(source);
  for (const base::ZipMember& member : base::read_zip_members(bytes, source)) {
    if (!member.name.ends_with(kEnding)) {
      base::fail(ErrorKind::Corrupt, "{}: expected members that end in {}, got {:?}", source,
                 kEnding, member.name);
    }
    tensors.insert(member.name.substr(0, member.name.size() - kEnding.size()),
                   read_member(bytes, member, owner, source));
  }
  return tensors;
}

WeightMap load_npz(const std::filesystem::path& file) {
  const auto map = base::FileMap::open(file);
  return read_npz(map->bytes(), map, file.string());
}

}  // namespace whinchat::weights
