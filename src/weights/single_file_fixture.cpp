#include "weights/single_file_fixture.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "weights/fixture.h"
#include "weights/tensor.h"

namespace whinchat::weights {
namespace {

template <typename T>
void append(std::string& file, T value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::string sizes_and_name(const std::string& name, const std::string& content) {
  std::string fields;
  append(fields, uint32_t{0});  // a CRC that nobody compares
  append(fields, static_cast<uint32_t>(content.size()));
  append(fields, static_cast<uint32_t>(content.size()));
  append(fields, static_cast<uint16_t>(name.size()));
  append(fields, uint16_t{0});
  return fields;
}

std::string integers(const std::vector<int64_t>& values) {
  std::string content;
  for (const int64_t value : values) content += pickled::integer(static_cast<int32_t>(value));
  return pickled::tuple(content);
}

std::vector<int64_t> strides_of(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  return strides;
}

void append_ggml(std::string& file, const GgmlTensor& tensor) {
  const Stored& stored = tensor.stored;
  append(file, static_cast<int32_t>(stored.shape.size()));
  append(file, static_cast<int32_t>(stored.name.size()));
  append(file, tensor.type);
  for (size_t axis = stored.shape.size(); axis-- > 0;) {
    append(file, static_cast<int32_t>(stored.shape[axis]));
  }
  file += stored.name + stored.bytes;
}

}  // namespace

namespace pickled {

std::string text(std::string_view value) {
  std::string piece = "X";
  append(piece, static_cast<uint32_t>(value.size()));
  return piece + std::string(value);
}

std::string integer(int32_t value) {
  std::string piece = "J";
  append(piece, value);
  return piece;
}

std::string global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);
}

std::string tuple(const std::string& content) { return fmt::format("({}t", content); }
std::string dict(const std::string& content) { return fmt::format("}}({}u", content); }
std::string whole(const std::string& content) { return fmt::format("\x80\x02{}.", content); }

std::string tensor(const Stored& stored, const std::string& key, int32_t offset,
                   const std::string& strides, int32_t elements) {
  const std::map<DType, std::string> storages = {
      {DType::F32, "FloatStorage"}, {DType::F16, "HalfStorage"}, {DType::BF16, "BFloat16Storage"}};
  const auto count = static_cast<int32_t>(stored.bytes.size() / item_size(stored.dtype));
  const std::string storage =
      tuple(text("storage") + global("torch", storages.at(stored.dtype)) + text(key) + text("cpu") +
            integer(elements < 0 ? count : elements));
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple(storage + "Q" + integer(offset) + integers(stored.shape) +
               (strides.empty() ? integers(strides_of(stored.shape)) : strides) + "\x89" +
               global("collections", "OrderedDict") + ")R") +
         "R";
}

}  // namespace pickled

std::string write_zip(const Members& members, bool claims_deflated) {
  const uint16_t method = claims_deflated ? 8 : 0;
  std::string archive;
  std::string list;
  for (const auto& [name, content] : members) {
    const std::string fields = sizes_and_name(name, content);
    append(list, uint32_t{0x02014B50});
    append(list, uint32_t{0});
    append(list, uint16_t{0});
    append(list, method);
    append(list, uint32_t{0});
    list += fields + std::string(10, '\0');
    append(list, static_cast<uint32_t>(archive.size()));
    list += name;
    append(archive, uint32_t{0x04034B50});
    append(archive, uint32_t{0});
    append(archive, method);
    append(archive, uint32_t{0});
    archive.append(fields).append(name).append(content);
  }
  const auto position = static_cast<uint32_t>(archive.size());
  archive += list;
  append(archive, uint32_t{0x06054B50});
  append(archive, uint32_t{0});
  append(archive, static_cast<uint16_t>(members.size()));
  append(archive, static_cast<uint16_t>(members.size()));
  append(archive, static_cast<uint32_t>(list.size()));
  append(archive, position);
  append(archive, uint16_t{0});
  return archive;
}

std::vector<Stored> make_openai_model() {
  std::vector<Stored> model;
  for (const Stored& stored : make_mlx_model()) {
    const bool is_conv_weight = stored.shape.size() == 3;
    Stored theirs = is_conv_weight ? with_swapped_axes(stored) : stored;
    for (const auto& [ours, name] : {std::pair("mlp1", "mlp.0"), std::pair("mlp2", "mlp.2")}) {
      const size_t at = theirs.name.find(ours);
      if (at != std::string::npos) theirs.name.replace(at, 4, name);
    }
    model.push_back(theirs);
  }
  model.push_back(make_stored("encoder.positional_embedding", {7, 4}));
  return model;
}

std::string write_pt(const std::vector<Stored>& tensors, const base::Json& dims) {
  std::string numbers;
  for (const auto& [name, value] : dims.items()) {
    numbers += pickled::text(name) + pickled::integer(value.get<int32_t>());
  }
  std::string state;
  Members members;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string key = std::to_string(i);
    state += pickled::text(tensors[i].name) + pickled::tensor(tensors[i], key);
    members.emplace_back("archive/data/" + key, tensors[i].bytes);
  }
  // As a module's state_dict(): an OrderedDict with an attribute of its own.
  const std::string ordered = pickled::global("collections", "OrderedDict") + ")R(" + state + "u}" +
                              pickled::text("_metadata") + "}sb";
  members.emplace_back("archive/data.pkl",
                       pickled::whole(pickled::dict(pickled::text("dims") + pickled::dict(numbers) +
                                                    pickled::text("model_state_dict") + ordered)));
  members.emplace_back("archive/byteorder", "little");
  return write_zip(members);
}

std::vector<GgmlTensor> as_ggml(const std::vector<Stored>& tensors) {
  const std::map<DType, int32_t> types = {{DType::F32, 0}, {DType::F16, 1}, {DType::BF16, 30}};
  std::vector<GgmlTensor> result;
  for (const Stored& stored : tensors) {
    result.push_back({stored, types.at(stored.dtype)});
    const bool is_conv_bias =
        stored.name == "encoder.conv1.bias" || stored.name == "encoder.conv2.bias";
    if (is_conv_bias) result.back().stored.shape.push_back(1);
  }
  return result;
}

std::string write_ggml(const std::vector<GgmlTensor>& tensors, const base::Json& config,
                       int32_t ftype) {
  std::string file = "lmgg";
  for (const char* field :
       {"n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx",
        "n_text_state", "n_text_head", "n_text_layer", "n_mels"}) {
    append(file, config.at(field).get<int32_t>());
  }
  append(file, ftype);
  append(file, config.at("n_mels").get<int32_t>());
  append(file, int32_t{2});
  file += std::string(config.at("n_mels").get<size_t>() * 2 * sizeof(float), '\1');
  append(file, int32_t{2});
  for (const std::string word : {"a", "word"}) {
    append(file, static_cast<int32_t>(word.size()));
    file += word;
  }
  for (const GgmlTensor& tensor : tensors) append_ggml(file, tensor);
  return file;
}

}  // namespace whinchat::weights
