// Runs a fuzz target without libFuzzer: replays its corpus, then changed inputs for some seconds.
// usage: TARGET CORPUS_FOLDER [--seconds N] [--seed N]     or: TARGET FILE (runs that input once)
// Each input lies in TARGET.input while it runs, so it is there after a crash of any kind. An input
// may take 10 s. Status: 0, 1 for a failure that was caught, else what the signal gives.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using whinchat::fuzz::Input;
using whinchat::fuzz::Mutator;

constexpr unsigned kMostSecondsPerInput = 10;
constexpr rlim_t kMostBytes = rlim_t{2} << 30U;

struct Options {
  std::filesystem::path input;
  double seconds = 0;
  uint64_t seed = 1;
};

Options parse(std::span<char*> words) {
  if (words.size() < 2) throw std::runtime_error("expected a corpus folder or a file");
  Options options{.input = words[1]};
  for (size_t index = 2; index + 1 < words.size(); index += 2) {
    const std::string_view word = words[index];
    if (word == "--seconds") {
      options.seconds = std::stod(words[index + 1]);
    } else if (word == "--seed") {
      options.seed = std::stoull(words[index + 1]);
    } else {
      throw std::runtime_error("unknown option " + std::string(word));
    }
  }
  return options;
}

Input read_input(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& input) {
  if (!std::filesystem::is_directory(input)) return {input};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(input)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) throw std::runtime_error(input.string() + " holds no inputs");
  std::ranges::sort(files);
  return files;
}

// Keeps the input that runs now in a file, whatever ends the process.
class Runner {
 public:
  explicit Runner(std::filesystem::path kept)
      : kept_(std::move(kept)), file_(::open(kept_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw std::runtime_error("cannot write " + kept_.string());
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner() { ::close(file_); }

  const std::filesystem::path& kept() const { return kept_; }

  void run(const Input& input) {
    const auto size = static_cast<off_t>(input.size());
    if (::pwrite(file_, input.data(), input.size(), 0) != size || ::ftruncate(file_, size) != 0) {
      throw std::runtime_error("cannot write " + kept_.string());
    }
    ::alarm(kMostSecondsPerInput);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ::alarm(0);
    ++runs_;
  }

  // All went well: nothing to keep.
  void finish() {
    ::unlink(kept_.c_str());
    std::printf("%zu inputs ran\n", runs_);
  }

 private:
  std::filesystem::path kept_;
  int file_;
  size_t runs_ = 0;
};

void stop_slow_input(int /*signal*/) {
  constexpr std::string_view kMessage = "an input takes over 10 s; it is kept in TARGET.input\n";
  static_cast<void>(::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(1);
}

// What an input makes a reader allocate must be justified by its size. The sanitizers need more
// address space and have a limit of their own.
void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{kMostBytes, kMostBytes};
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

void fuzz(const Options& options, Runner& runner) {
  std::vector<Input> corpus;
  for (const std::filesystem::path& path : files_of(options.input)) {
    corpus.push_back(read_input(path));
    runner.run(corpus.back());
  }
  std::printf("%zu inputs replayed; seed %llu, %g s of changed ones\n", corpus.size(),
              static_cast<unsigned long long>(options.seed), options.seconds);
  std::fflush(stdout);
  Mutator mutator(corpus, options.seed);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
  while (Clock::now() < end) runner.run(mutator.next());
  runner.finish();
}

}  // namespace

int main(int count, char** first_word) {
  const std::span words(first_word, static_cast<size_t>(count));
  std::filesystem::path kept;
  try {
    const Options options = parse(words);
    ::signal(SIGALRM, stop_slow_input);
    limit_memory();
    const std::filesystem::path program = words[0];
    Runner runner(program.filename().string() + ".input");
    kept = runner.kept();
    fuzz(options, runner);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s; the input is kept in %s\n", error.what(), kept.c_str());
  } catch (...) {
    std::fprintf(stderr, "something that is no std::exception; the input is kept in %s\n",
                 kept.c_str());
  }
  return 1;
}
