// make_media SAMPLE.wav FOLDER: the sample in the containers that the tests hear, and a film
// without sound. FFmpeg's libraries write them, so that no test needs its command.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "audio/audio_source.h"
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

void make_media(const fs::path& sample, const fs::path& folder) {
  const std::unique_ptr<whinchat::audio::AudioSource> source =
      whinchat::audio::open_audio(sample, {});
  const std::vector<float> samples = whinchat::audio::read_all(*source);
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
  if (args.size() != 3) {
    std::cerr << "usage: make_media SAMPLE.wav FOLDER\n";
    return 2;
  }
  try {
    make_media(args[1], args[2]);
  } catch (const std::exception& error) {
    std::cerr << "make_media: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
