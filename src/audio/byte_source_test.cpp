#include "audio/byte_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "audio/test_files.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

std::string read_text(ByteSource& bytes, size_t count) {
  std::string text(count, '\0');
  text.resize(bytes.read(std::as_writable_bytes(std::span(text))));
  return text;
}

std::string peek_text(ByteSource& bytes, size_t count) {
  std::string text(count, '\0');
  text.resize(bytes.peek(std::as_writable_bytes(std::span(text))));
  return text;
}

void expect_moves(ByteSource bytes) {
  EXPECT_EQ(peek_text(bytes, 4), "0123");
  EXPECT_EQ(peek_text(bytes, 2), "01");
  EXPECT_EQ(read_text(bytes, 3), "012");
  EXPECT_EQ(peek_text(bytes, 3), "345");
  EXPECT_EQ(bytes.skip(2), 2U);
  EXPECT_EQ(bytes.position(), 5U);
  EXPECT_EQ(peek_text(bytes, 99), "56789");
  EXPECT_TRUE(bytes.rewind());
  EXPECT_EQ(read_text(bytes, 6), "012345");
  bytes.forget_start();
  EXPECT_EQ(read_text(bytes, 2), "67");
  EXPECT_EQ(peek_text(bytes, 1), "8");
  EXPECT_EQ(read_text(bytes, 9), "89");
  EXPECT_EQ(bytes.skip(1), 0U);
  EXPECT_EQ(read_text(bytes, 1), "");
  EXPECT_EQ(bytes.position(), 10U);
}

TEST(ByteSource, MovesInAFileAsInAPipe) {
  const TempFile file("digits", "0123456789");
  expect_moves(ByteSource::open(file.path()));
  TempPipe pipe("0123456789");
  expect_moves(pipe.source());
}

TEST(ByteSource, KnowsTheSizeOfAFileOnly) {
  const TempFile file("digits", "0123456789");
  ByteSource bytes = ByteSource::open(file.path());
  EXPECT_EQ(bytes.size_bytes(), 10U);
  bytes.seek(8);
  EXPECT_EQ(read_text(bytes, 9), "89");
  bytes.seek(1000);
  EXPECT_EQ(read_text(bytes, 9), "");
  TempPipe pipe("0123456789");
  EXPECT_EQ(pipe.source().size_bytes(), std::nullopt);
}

TEST(ByteSource, KeepsAMegabyteOfAPipeAndNoMore) {
  TempPipe short_pipe(std::string(1000000, 'a'));
  ByteSource kept = short_pipe.source();
  EXPECT_EQ(read_text(kept, 1000000).size(), 1000000U);
  EXPECT_TRUE(kept.rewind());
  EXPECT_EQ(read_text(kept, 2000000).size(), 1000000U);
  TempPipe long_pipe(std::string(3000000, 'a'));
  ByteSource passed = long_pipe.source();
  EXPECT_EQ(passed.skip(2000000), 2000000U);
  EXPECT_FALSE(passed.rewind());
  EXPECT_EQ(passed.skip(2000000), 1000000U);
}

TEST(ByteSource, RefusesWhatIsMissingOrAFolder) {
  const auto kind_of = [](const std::filesystem::path& path) {
    return error_of([&] { ByteSource::open(path); }).kind();
  };
  EXPECT_EQ(kind_of("/nonexistent/speech.wav"), ErrorKind::NotFound);
  EXPECT_EQ(kind_of("/dev/null/speech.wav"), ErrorKind::NotFound);
  EXPECT_EQ(kind_of(testing::TempDir()), ErrorKind::BadInput);
  EXPECT_EQ(kind_of(""), ErrorKind::NotFound);
}

TEST(ByteSource, EndsAPipeThatIsWaitedForWhenAskedToStop) {
  const std::string name = testing::TempDir() + "waited_for";
  ::unlink(name.c_str());
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  std::stop_source stop;
  ByteSource bytes = ByteSource::open(name, stop.get_token());
  std::thread writer([&] {
    const int pipe = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::write(pipe, "01234", 5), 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::close(pipe);
  });
  EXPECT_EQ(read_text(bytes, 5), "01234");
  EXPECT_EQ(read_text(bytes, 5), "");
  EXPECT_TRUE(stop.stop_requested());
  writer.join();
  ::unlink(name.c_str());
}

}  // namespace
}  // namespace whinchat::audio
