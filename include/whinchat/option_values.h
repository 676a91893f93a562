// The names of options' values, as the command line and the C face take them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "whinchat/formats.h"
#include "whinchat/models.h"
#include "whinchat/transcription.h"

namespace whinchat {

template <typename Value>
struct Named {
  std::string_view name;  // in lower case
  Value value;
};

inline constexpr auto kTasks =
    std::to_array<Named<Task>>({{"transcribe", Task::Transcribe}, {"translate", Task::Translate}});
inline constexpr auto kComputes = std::to_array<Named<Compute>>({{"auto", Compute::Auto},
                                                                 {"f32", Compute::F32},
                                                                 {"bf16", Compute::BF16},
                                                                 {"f16", Compute::F16},
                                                                 {"int8", Compute::Int8}});
inline constexpr auto kDevices = std::to_array<Named<Device>>(
    {{"auto", Device::Auto}, {"cpu", Device::Cpu}, {"gpu", Device::Gpu}});
inline constexpr auto kFormats = std::to_array<Named<Format>>({{"txt", Format::Txt},
                                                               {"srt", Format::Srt},
                                                               {"vtt", Format::Vtt},
                                                               {"tsv", Format::Tsv},
                                                               {"json", Format::Json},
                                                               {"json-full", Format::JsonFull},
                                                               {"lrc", Format::Lrc},
                                                               {"csv", Format::Csv}});
inline constexpr auto kSplits =
    std::to_array<Named<SplitAt>>({{"nothing", SplitAt::Nothing},
                                   {"punctuation", SplitAt::Punctuation},
                                   {"sentence", SplitAt::Sentence}});
inline constexpr auto kModelFormats = std::to_array<Named<ModelFormat>>(
    {{"mlx", ModelFormat::Mlx}, {"ctranslate2", ModelFormat::CTranslate2}});
inline constexpr auto kWeightTypes =
    std::to_array<Named<WeightType>>({{"f16", WeightType::F16},
                                      {"bf16", WeightType::BF16},
                                      {"f32", WeightType::F32},
                                      {"8bit", WeightType::Bits8},
                                      {"4bit", WeightType::Bits4}});

// In any case of ASCII letters; unset for a name that is none.
template <typename Value, size_t N>
std::optional<Value> find_value(const std::array<Named<Value>, N>& values, std::string_view name) {
  const auto is_same = [](char letter, char other) {
    return letter == (other >= 'A' && other <= 'Z' ? other - 'A' + 'a' : other);
  };
  const auto found = std::ranges::find_if(values, [&](const Named<Value>& each) {
    return std::ranges::equal(each.name, name, is_same);
  });
  return found == values.end() ? std::nullopt : std::optional(found->value);
}

// "auto, cpu or gpu"
template <typename Value, size_t N>
std::string list_names(const std::array<Named<Value>, N>& values) {
  std::string list;
  for (size_t index = 0; index < N; ++index) {
    if (index > 0) list += index + 1 == N ? " or " : ", ";
    list += values[index].name;
  }
  return list;
}

}  // namespace whinchat
