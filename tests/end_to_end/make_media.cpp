// make_media SAMPLE.wav FOLDER [zoo]: the sample in the containers that the tests hear, and a film
// without sound; with `zoo` in rarer containers and at other rates too. FFmpeg's libraries write
// them, so that no test needs its command.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/resample.h"
#include "audio/test_recording.h"

namespace {

namespace fs = std::filesystem;
using whinchat::audio::EncodeOptions;

constexpr double kSampleRate = 16000;

void write(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw std::runtime_error(path.string() + " cannot be written");
}

void write_recording(const fs::path& path, const EncodeOptions& options,
                     const std::vector<float>& samples) {
  const auto content = whinchat::audio::encode(options, samples);
  if (!content) throw std::runtime_error("this machine's FFmpeg cannot write " + options.codec);
  write(path, *content);
}

std::vector<float> at_rate(int rate_hz, const std::vector<float>& samples) {
  whinchat::audio::Resampler resampler(whinchat::audio::kSampleRate, rate_hz);
  std::vector<float> result;
  resampler.push(samples, result);
  resampler.finish(result);
  return result;
}

void make_zoo(const fs::path& folder, const std::vector<float>& samples) {
  write_recording(folder / "talk.mkv", {.container = "matroska", .codec = "flac"}, samples);
  write_recording(folder / "talk.aac", {.container = "adts", .codec = "aac"}, samples);
  write_recording(folder / "talk.ts", {.container = "mpegts", .codec = "aac"}, samples);
  write_recording(folder / "talk.caf", {.container = "caf", .codec = "alac"}, samples);
  write_recording(folder / "talk.wma", {.container = "asf", .codec = "wmav2"}, samples);
  write_recording(folder / "talk.aiff", {.container = "aiff", .codec = "pcm_s16be"}, samples);
  write_recording(folder / "talk.au", {.container = "au", .codec = "pcm_s16be"}, samples);
  write_recording(folder / "adpcm.wav", {.container = "wav", .codec = "adpcm_ms"}, samples);
  const std::vector<float> fine = at_rate(48000, samples);
  write_recording(folder / "talk.webm", {.container = "webm", .codec = "libopus", .rate_hz = 48000},
                  fine);
  write_recording(folder / "talk.opus", {.container = "ogg", .codec = "libopus", .rate_hz = 48000},
                  fine);
  for (const int rate_hz : {8000, 11025, 22050, 44100, 48000, 96000, 192000}) {
    write_recording(folder / ("rate_" + std::to_string(rate_hz) + ".wav"),
                    {.container = "wav", .codec = "pcm_s16le", .rate_hz = rate_hz},
                    at_rate(rate_hz, samples));
  }
}

void make_media(const fs::path& folder, const std::vector<float>& samples) {
  write_recording(folder / "talk.mp3", {.container = "mp3", .codec = "libmp3lame"}, samples);
  write_recording(folder / "talk.flac", {.container = "flac", .codec = "flac"}, samples);
  write_recording(folder / "talk.ogg", {.container = "ogg", .codec = "libvorbis"}, samples);
  write_recording(folder / "talk.m4a", {.container = "mp4", .codec = "aac"}, samples);
  const double seconds = static_cast<double>(samples.size()) / kSampleRate;
  write(folder / "film.mp4",
        whinchat::audio::encode_video(seconds, samples, {.container = "mp4", .codec = "aac"}));
  write(folder / "silent.mkv", whinchat::audio::encode_video(2, {}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv, argv + argc);
  const bool is_zoo = args.size() == 4 && args[3] == "zoo";
  if (args.size() != 3 && !is_zoo) {
    std::cerr << "usage: make_media SAMPLE.wav FOLDER [zoo]\n";
    return 2;
  }
  try {
    const std::vector<float> samples =
        whinchat::audio::read_all(*whinchat::audio::open_audio(args[1], {}));
    make_media(args[2], samples);
    if (is_zoo) make_zoo(args[2], samples);
  } catch (const std::exception& error) {
    std::cerr << "make_media: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
