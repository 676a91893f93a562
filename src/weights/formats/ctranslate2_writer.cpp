#include "weights/formats/ctranslate2_writer.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "weights/formats/output_file.h"
#include "weights/formats/planned_tensor.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr uint32_t kVersion = 6;
constexpr uint32_t kRevision = 3;

template <typename Number>
void write_number(OutputFile& file, Number number) {
  file.write(std::as_bytes(std::span(&number, 1)));
}

// A length that counts a closing NUL, then the characters.
void write_text(OutputFile& file, const std::string& text) {
  write_number(file, static_cast<uint16_t>(text.size() + 1));
  file.write(std::string_view(text.c_str(), text.size() + 1));
}

uint8_t code_of(DType dtype) {
  constexpr DType kTypes[] = {DType::F32, DType::I8,  DType::I16,
                              DType::I32, DType::F16, DType::BF16};
  for (size_t code = 0; code < std::size(kTypes); ++code) {
    if (kTypes[code] == dtype) return static_cast<uint8_t>(code);
  }
  base::fail(ErrorKind::Internal,
             "[weights.write_ctranslate2] expected a type of the format, got {}", name_of(dtype));
}

void write_head(OutputFile& file, const PlannedTensor& variable) {
  if (variable.bytes() > std::numeric_limits<uint32_t>::max()) {
    base::fail(ErrorKind::Unsupported, "expected variables of less than 4 GiB, got {} bytes for {}",
               variable.bytes(), variable.name);
  }
  write_text(file, variable.name);
  write_number(file, static_cast<uint8_t>(variable.shape.size()));
  for (const int64_t dimension : variable.shape) {
    write_number(file, static_cast<uint32_t>(dimension));
  }
  write_number(file, code_of(variable.dtype));
  write_number(file, static_cast<uint32_t>(variable.bytes()));
}

}  // namespace

bool write_ctranslate2(const std::filesystem::path& path, std::span<const PlannedTensor> variables,
                       const NamedAliases& aliases, const OnWritten& on_written) {
  OutputFile file(path);
  write_number(file, kVersion);
  write_text(file, "WhisperSpec");
  write_number(file, kRevision);
  write_number(file, static_cast<uint32_t>(variables.size()));
  for (const PlannedTensor& variable : variables) {
    write_head(file, variable);
    file.write(variable.make().bytes);
    if (!on_written(variable.bytes())) return false;
  }
  write_number(file, static_cast<uint32_t>(aliases.size()));
  for (const auto& [alias, target] : aliases) {
    write_text(file, alias);
    write_text(file, target);
  }
  file.close();
  return true;
}

}  // namespace whinchat::weights
