#include "kernels/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/cores.h"

namespace whinchat::kernels {
namespace {

bool is_aligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 64 == 0; }

TEST(Arena, GivesAlignedMemoryThatDoesNotOverlap) {
  Arena arena;
  const Arena::Scope scope(arena);
  std::vector<std::byte*> taken;
  // Both within a block of 1 MiB and beyond it.
  const std::vector<size_t> sizes = {1, 63, 64, 65, 0, 3'000'000, 7, 1'048'576, 1'000'000, 5};
  for (size_t i = 0; i < sizes.size(); ++i) {
    taken.push_back(arena.take<std::byte>(sizes[i]));
    ASSERT_TRUE(is_aligned(taken.back()));
    std::fill_n(taken.back(), sizes[i], static_cast<std::byte>(i));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (size_t at = 0; at < sizes[i]; ++at) ASSERT_EQ(taken[i][at], static_cast<std::byte>(i));
  }
}

TEST(Arena, ReusesWhatAScopeGaveBack) {
  Arena arena;
  std::vector<float*> first;
  for (int round = 0; round < 3; ++round) {
    const Arena::Scope scope(arena);
    std::vector<float*> taken;
    for (const size_t count : {10UL, 400'000UL, 20UL}) taken.push_back(arena.take<float>(count));
    if (round == 0) first = taken;
    EXPECT_EQ(taken, first);
  }
}

TEST(Arena, InnerScopesLeaveOuterMemoryAlone) {
  Arena arena;
  const Arena::Scope outer(arena);
  auto* kept = arena.take<int32_t>(1000);
  std::iota(kept, kept + 1000, 0);
  int32_t* inside = nullptr;
  {
    const Arena::Scope inner(arena);
    inside = arena.take<int32_t>(500'000);
    std::fill_n(inside, 500'000, -1);
    inside = arena.take<int32_t>(1);
  }
  EXPECT_NE(arena.take<int32_t>(1), kept);
  for (int32_t i = 0; i < 1000; ++i) ASSERT_EQ(kept[i], i);
}

TEST(Team, TakesAsManyThreadsAsThereAreCoresToUse) { EXPECT_EQ(Team(0).size(), usable_cores()); }

// The thread that each number of a team stands for, found out by tasks that wait for one another.
std::vector<std::thread::id> threads_of(Team& team) {
  std::vector<std::thread::id> threads(static_cast<size_t>(team.size()));
  std::barrier together(team.size());
  team.each(team.size(), [&](int64_t, int thread) {
    threads[static_cast<size_t>(thread)] = std::this_thread::get_id();
    together.arrive_and_wait();
  });
  return threads;
}

TEST(Team, HasThreadsOfItsOwnBesideTheCallingOne) {
  Team team(3);
  const std::vector<std::thread::id> threads = threads_of(team);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(threads.begin(), threads.end()).size(), 3);
  EXPECT_EQ(threads_of(team), threads);
}

TEST(Team, DoesWithoutAThreadThatIsKeptElsewhere) {
  Team team(2);
  std::atomic<int> waiting = 0;
  std::atomic<bool> released = false;
  // One thread holds a task until the other has done all that are left.
  team.each(100, [&](int64_t, int) {
    if (waiting++ == 0) {
      while (!released) std::this_thread::yield();
    } else if (waiting == 100) {
      released = true;
    }
  });
  EXPECT_EQ(waiting, 100);
}

TEST(Team, WakesThreadsThatFellAsleep) {
  Team team(3);
  const std::vector<std::thread::id> threads = threads_of(team);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(threads_of(team), threads);
}

TEST(Team, RunsRegionAfterRegion) {
  Team team(4);
  std::array<int, 5> sums{};
  for (int region = 0; region < 20'000; ++region) {
    const int64_t count = region % 5;
    team.each(count, [&](int64_t index, int) { sums.at(static_cast<size_t>(index)) += region; });
  }
  int expected = 0;
  for (int region = 4; region < 20'000; region += 5) expected += region;
  EXPECT_EQ(sums[3], expected);
  EXPECT_EQ(sums[4], 0);
}

// Whether a task of a region threw what the region then let out.
bool throws(Team& team, const std::function<void(int64_t)>& task) {
  try {
    team.each(team.size(), [&](int64_t index, int) { task(index); });
  } catch (const std::runtime_error& error) {
    return std::string_view(error.what()) == "a task's own";
  }
  return false;
}

TEST(Team, LetsAnExceptionOutWhenEveryTaskHasEnded) {
  for (const int size : {1, 2, 3}) {
    Team team(size);
    std::atomic<int> ended = 0;
    EXPECT_TRUE(throws(team, [&](int64_t index) {
      ++ended;
      if (index == size - 1) throw std::runtime_error("a task's own");
    }));
    EXPECT_EQ(ended, size);
    // The team is as good as new.
    team.each(size, [&](int64_t, int) { --ended; });
    EXPECT_EQ(ended, 0);
  }
}

TEST(Team, LetsOneOfSeveralExceptionsOut) {
  Team team(3);
  EXPECT_TRUE(throws(team, [](int64_t) { throw std::runtime_error("a task's own"); }));
}

void expect_parts_of_whole_grains(Team& team, int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> covered(static_cast<size_t>(count));
  team.split(count, grain, [&](int64_t begin, int64_t end, int thread) {
    EXPECT_LT(thread, team.size());
    EXPECT_LT(begin, end);
    EXPECT_EQ(begin % grain, 0);
    EXPECT_TRUE(end == count || end % grain == 0);
    for (int64_t i = begin; i < end; ++i) ++covered[static_cast<size_t>(i)];
  });
  for (const auto& times : covered) ASSERT_EQ(times, 1);
}

TEST(Team, SplitsIntoContiguousPartsOfWholeGrains) {
  for (const int size : {1, 2, 3}) {
    Team team(size);
    for (const int64_t count : {0, 1, 2, 5, 16, 17, 1500}) {
      for (const int64_t grain : {1, 3, 16}) expect_parts_of_whole_grains(team, count, grain);
    }
  }
}

TEST(Team, SplitsEvenlyAndFinelyEnoughToShareOut) {
  Team team(3);
  std::mutex guard;
  std::vector<int64_t> parts;
  team.split(1000, 1, [&](int64_t begin, int64_t end, int) {
    const std::scoped_lock lock(guard);
    parts.push_back(end - begin);
  });
  EXPECT_GT(parts.size(), 3);
  const auto [least, most] = std::ranges::minmax(parts);
  EXPECT_LE(most - least, 1);
}

TEST(Team, HandsOutEveryIndexOnce) {
  for (const int size : {1, 2, 3}) {
    Team team(size);
    for (const int64_t count : {0, 1, 2, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      team.each(count, [&](int64_t index, int thread) {
        EXPECT_LT(thread, size);
        ++runs[static_cast<size_t>(index)];
      });
      for (const auto& times : runs) ASSERT_EQ(times, 1);
    }
  }
}

TEST(Team, GivesEveryThreadItsOwnScratch) {
  Team team(3);
  std::array<float*, 3> taken{};
  std::barrier together(3);
  team.each(3, [&](int64_t, int thread) {
    const Arena::Scope scope(team.arena(thread));
    auto* memory = team.arena(thread).take<float>(1000);
    std::fill_n(memory, 1000, static_cast<float>(thread));
    taken.at(static_cast<size_t>(thread)) = memory;
    together.arrive_and_wait();
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(memory[i], static_cast<float>(thread));
  });
  EXPECT_EQ(std::set<float*>(taken.begin(), taken.end()).size(), 3);
}

}  // namespace
}  // namespace whinchat::kernels
