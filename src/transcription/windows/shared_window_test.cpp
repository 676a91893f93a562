#include "transcription/windows/shared_window.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "transcription/windows/clip_queue.h"

namespace whinchat::transcription {
namespace {

constexpr int64_t kNoMore = std::numeric_limits<int64_t>::max();

KnownClip closed(int64_t begin, int64_t end) { return {{begin, end}, true, {begin, end}}; }
KnownClip open(int64_t begin, int64_t end) { return {{begin, end}, false, {begin, end}}; }

std::optional<size_t> count(const std::vector<KnownClip>& known, int64_t settled = kNoMore) {
  return clips_of_window(known, 3000, settled);
}

TEST(ClipsOfWindow, AreAsManyAsFit) {
  EXPECT_EQ(count({closed(0, 1000), closed(2000, 3000), closed(4000, 5000), closed(6000, 7000)}),
            3u);
  EXPECT_EQ(count({closed(0, 1000), closed(2000, 4001)}), 1u);
  EXPECT_EQ(count({closed(0, 4000), closed(5000, 5100)}), 1u) << "of a clip of several windows";
  EXPECT_EQ(count({closed(100, 1000)}), 1u);
}

TEST(ClipsOfWindow, LieWithinFiveMinutes) {
  EXPECT_EQ(count({closed(100, 1000), closed(29900, 30100)}), 2u);
  EXPECT_EQ(count({closed(100, 1000), closed(29900, 30101)}), 1u);
}

TEST(ClipsOfWindow, WaitForWhatMayBelongToThem) {
  EXPECT_EQ(count({closed(100, 1000)}, 2000), std::nullopt);
  EXPECT_EQ(count({closed(100, 1000)}, 30099), std::nullopt);
  EXPECT_EQ(count({closed(100, 1000)}, 30100), 1u) << "nothing follows within five minutes";
  EXPECT_EQ(count({closed(100, 3100)}, 3200), 1u) << "nothing else fits";
  EXPECT_EQ(count({closed(100, 1000), open(2000, 4000)}, 2000), std::nullopt);
  EXPECT_EQ(count({closed(100, 1000), open(2000, 4101)}, 2000), 1u) << "that does not fit";
  EXPECT_EQ(count({closed(100, 1000), open(29000, 30101)}, 29000), 1u) << "that ends too late";
  EXPECT_EQ(count({open(100, 1000)}, 100), std::nullopt);
  EXPECT_EQ(count({open(100, 3101)}, 100), 1u);
}

}  // namespace
}  // namespace whinchat::transcription
