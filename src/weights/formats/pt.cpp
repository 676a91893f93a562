#include "weights/formats/pt.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/json.h"
#include "base/zip.h"
#include "weights/formats/pickle.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kPickle = "/data.pkl";
constexpr uint64_t kMaxPickleBytes = 2'000'000;  // large-v3's takes a tenth of it
constexpr size_t kMaxRank = 8;
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kGlobals[] = {kTensor, "torch.FloatStorage", "torch.HalfStorage",
                                         "torch.BFloat16Storage"};

std::optional<DType> type_of_storage(std::string_view name) {
  if (name == "torch.FloatStorage") return DType::F32;
  if (name == "torch.HalfStorage") return DType::F16;
  if (name == "torch.BFloat16Storage") return DType::BF16;
  return std::nullopt;
}

bool is_kind(const std::vector<const PickleValue*>& items, size_t index, Kind kind) {
  return index < items.size() && items[index]->kind == kind;
}

// Sizes or strides: a tuple of integers from 0.
std::optional<std::vector<int64_t>> naturals(const PickleValue& tuple) {
  if (tuple.kind != Kind::Tuple || tuple.items.size() > kMaxRank) return std::nullopt;
  std::vector<int64_t> values;
  values.reserve(tuple.items.size());
  for (const PickleValue* item : tuple.items) {
    if (item->kind != Kind::Integer || item->integer < 0) return std::nullopt;
    values.push_back(item->integer);
  }
  return values;
}

// The last axis is the fastest; the stride of an axis of one element says nothing.
bool is_row_by_row(Shape shape, Shape strides) {
  uint64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && static_cast<uint64_t>(strides[axis]) != expected) return false;
    expected *= static_cast<uint64_t>(shape[axis]);
  }
  return true;
}

class Archive {
 public:
  Archive(base::Bytes bytes, const std::shared_ptr<const void>& owner, const std::string& source)
      : bytes_(bytes), owner_(owner), source_(source) {
    for (base::ZipMember& member : base::read_zip_members(bytes, source)) {
      if (member.name.ends_with(kPickle)) {
        if (!folder_.empty()) fail("{}: expected one data.pkl, got several");
        folder_ = member.name.substr(0, member.name.size() - kPickle.size() + 1);
      }
      std::string name = member.name;
      members_.insert_or_assign(std::move(name), std::move(member));
    }
    if (folder_.empty()) fail("{}: expected data.pkl in what torch.save wrote, got none");
    if (members_.contains(folder_ + "byteorder") &&
        base::as_text(member("byteorder")) != "little") {
      fail("{}: expected a checkpoint that a little-endian machine wrote");
    }
  }

  base::Bytes pickle() const {
    const base::Bytes pickle = member("data.pkl");
    if (pickle.size() > kMaxPickleBytes) {
      base::fail(ErrorKind::Unsupported, "{}: expected a data.pkl of at most {} bytes, got {}",
                 source_, kMaxPickleBytes, pickle.size());
    }
    return pickle;
  }

  Tensor tensor(const PickleValue& value, std::string_view name) const {
    const std::string what = fmt::format("{}: the tensor {:?}", source_, name);
    if (value.kind != Kind::Call || value.items[0]->text != kTensor) {
      base::fail(ErrorKind::Unsupported, "{}: expected a tensor, got another value", what);
    }
    const std::vector<const PickleValue*>& arguments = value.items[1]->items;
    const bool is_whole = arguments.size() >= 4 && is_kind(arguments, 0, Kind::Persistent) &&
                          is_kind(arguments, 1, Kind::Integer) && arguments[1]->integer >= 0;
    const auto shape = is_whole ? naturals(*arguments[2]) : std::nullopt;
    const auto strides = is_whole ? naturals(*arguments[3]) : std::nullopt;
    if (!shape || !strides || shape->size() != strides->size()) {
      base::fail(ErrorKind::Corrupt, "{}: expected a storage, an offset, sizes and strides", what);
    }
    if (!is_row_by_row(*shape, *strides)) {
      base::fail(ErrorKind::Unsupported,
                 "{}: expected elements row by row, got shape {} with strides {}: save its "
                 "contiguous()",
                 what, shape_text(*shape), shape_text(*strides));
    }
    Tensor tensor = storage(*arguments[0], what);
    const auto size = byte_count(tensor.dtype, *shape);
    const auto offset = byte_count(tensor.dtype, std::vector{arguments[1]->integer});
    if (!size || !offset || *offset > tensor.bytes.size() ||
        *size > tensor.bytes.size() - *offset) {
      base::fail(ErrorKind::Corrupt, "{}: shape {} from element {} is beyond its storage of {}",
                 what, shape_text(*shape), arguments[1]->integer, shape_text(tensor.shape));
    }
    tensor.bytes = tensor.bytes.subspan(*offset, *size);
    tensor.shape = *shape;
    return tensor;
  }

 private:
  [[noreturn]] void fail(fmt::format_string<const std::string&> message) const {
    base::fail(ErrorKind::Unsupported, message, source_);
  }

  base::Bytes member(const std::string& name) const {
    const auto member = members_.find(folder_ + name);
    if (member == members_.end()) {
      base::fail(ErrorKind::Corrupt, "{}: expected the member {:?}, got none", source_,
                 folder_ + name);
    }
    return base::stored_zip_member(bytes_, member->second, source_);
  }

  // ("storage", its type, the member's name, the device it was on, its elements)
  Tensor storage(const PickleValue& value, const std::string& what) const {
    const std::vector<const PickleValue*>& fields = value.items[0]->items;
    const auto type =
        is_kind(fields, 1, Kind::Global) ? type_of_storage(fields[1]->text) : std::nullopt;
    if (!type || !is_kind(fields, 2, Kind::Text) || !is_kind(fields, 4, Kind::Integer)) {
      base::fail(ErrorKind::Corrupt, "{}: expected a storage with a type, a name and a size", what);
    }
    Tensor tensor{
        *type, {fields[4]->integer}, member("data/" + std::string(fields[2]->text)), owner_};
    if (byte_count(*type, tensor.shape) != tensor.bytes.size()) {
      base::fail(ErrorKind::Corrupt, "{}: {} elements of {} do not take {} bytes", what,
                 fields[4]->integer, name_of(*type), tensor.bytes.size());
    }
    return tensor;
  }

  base::Bytes bytes_;
  const std::shared_ptr<const void>& owner_;
  const std::string& source_;
  std::map<std::string, base::ZipMember> members_;
  std::string folder_;  // "archive/"
};

base::Json read_dims(const PickleValue& dims, const std::string& source) {
  base::Json numbers = base::Json::object();
  const bool is_dict = dims.kind == Kind::Dict;
  for (size_t i = 0; is_dict && i < dims.items.size(); i += 2) {
    if (!is_kind(dims.items, i, Kind::Text) || !is_kind(dims.items, i + 1, Kind::Integer)) {
      base::fail(ErrorKind::Corrupt, "{}: expected whole numbers by name in dims", source);
    }
    numbers[std::string(dims.items[i]->text)] = dims.items[i + 1]->integer;
  }
  if (!is_dict) base::fail(ErrorKind::Corrupt, "{}: expected a dictionary dims", source);
  return numbers;
}

WeightMap read_tensors(const Archive& archive, const PickleValue& dict, const std::string& source) {
  if (dict.kind != Kind::Dict) {
    base::fail(ErrorKind::Unsupported, "{}: expected a dictionary of tensors, got another value",
               source);
  }
  WeightMap tensors(source);
  for (size_t i = 0; i < dict.items.size(); i += 2) {
    if (!is_kind(dict.items, i, Kind::Text)) {
      base::fail(ErrorKind::Corrupt, "{}: expected tensors by name", source);
    }
    const std::string name(dict.items[i]->text);
    tensors.insert(name, archive.tensor(*dict.items[i + 1], name));
  }
  return tensors;
}

}  // namespace

TorchFile read_pt(base::Bytes bytes, const std::shared_ptr<const void>& owner,
                  const std::string& source) {
  const Archive archive(bytes, owner, source);
  const Pickle pickle = read_pickle(archive.pickle(), kGlobals, source);
  const PickleValue* dims = find_item(*pickle.root, "dims");
  const PickleValue* tensors = find_item(*pickle.root, "model_state_dict");
  if (dims == nullptr && tensors == nullptr) {
    return {nullptr, read_tensors(archive, *pickle.root, source)};
  }
  if (dims == nullptr || tensors == nullptr) {
    base::fail(ErrorKind::Corrupt, "{}: expected both dims and model_state_dict, got one of them",
               source);
  }
  return {read_dims(*dims, source), read_tensors(archive, *tensors, source)};
}

}  // namespace whinchat::weights
