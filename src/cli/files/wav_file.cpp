#include "cli/files/wav_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <ios>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"

namespace whinchat::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "as WAV files are");

constexpr size_t kHeaderBytes = 44;
constexpr uint64_t kMostDataBytes = UINT32_MAX - kHeaderBytes;
constexpr uint16_t kSampleBytes = 2;

template <typename T>
void put(std::byte*& to, T value) {
  std::memcpy(to, &value, sizeof value);
  to += sizeof value;
}

void put_name(std::byte*& to, const char* name) {
  std::memcpy(to, name, 4);
  to += 4;
}

int16_t to_s16(float sample) {
  constexpr float kScale = 32768.0F;
  return static_cast<int16_t>(std::clamp(std::round(sample * kScale), -kScale, kScale - 1));
}

}  // namespace

WavFile::WavFile(std::filesystem::path path, int rate_hz)
    : path_(std::move(path)),
      part_(path_.string() + ".part"),
      rate_hz_(rate_hz),
      file_(part_, std::ios::binary | std::ios::trunc) {
  write_header();
}

WavFile::~WavFile() {
  if (is_finished_) return;
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void WavFile::write_header() {
  std::array<std::byte, kHeaderBytes> header{};
  std::byte* to = header.data();
  put_name(to, "RIFF");
  put(to, static_cast<uint32_t>(kHeaderBytes - 8 + data_bytes_));
  put_name(to, "WAVE");
  put_name(to, "fmt ");
  put(to, uint32_t{16});  // bytes of what follows
  put(to, uint16_t{1});   // whole numbers
  put(to, uint16_t{1});   // channel
  put(to, static_cast<uint32_t>(rate_hz_));
  put(to, static_cast<uint32_t>(rate_hz_ * kSampleBytes));
  put(to, kSampleBytes);
  put(to, uint16_t{8 * kSampleBytes});
  put_name(to, "data");
  put(to, static_cast<uint32_t>(data_bytes_));
  file_.write(reinterpret_cast<const char*>(header.data()), kHeaderBytes);
  require_written();
}

void WavFile::write(std::span<const float> samples) {
  std::vector<int16_t> values(samples.size());
  std::ranges::transform(samples, values.begin(), to_s16);
  data_bytes_ += values.size() * kSampleBytes;
  if (data_bytes_ > kMostDataBytes) {
    base::fail(ErrorKind::BadInput, "{} would be larger than a WAV file can be, 4 GiB",
               path_.string());
  }
  file_.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * kSampleBytes));
  require_written();
}

void WavFile::finish() {
  file_.seekp(0);
  write_header();
  file_.close();
  require_written();
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) {
    base::fail(ErrorKind::BadInput, "{} cannot be written: {}", path_.string(), error.message());
  }
  is_finished_ = true;
}

void WavFile::require_written() {
  if (file_) return;
  const std::error_code error(errno, std::generic_category());
  base::fail(ErrorKind::BadInput, "{} cannot be written: {}", path_.string(), error.message());
}

}  // namespace whinchat::cli
