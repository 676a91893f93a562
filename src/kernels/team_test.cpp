#include "kernels/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/cores.h"

// OpenMP's own, which clang-tidy finds no header for.
extern "C" void omp_set_dynamic(int on);

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

TEST(Team, RunsEveryIndexOnce) {
  for (const int size : {1, 2, 3, 7}) {
    Team team(size);
    ASSERT_EQ(team.size(), size);
    std::vector<std::atomic<int>> runs(static_cast<size_t>(size));
    team.run([&](int thread) { ++runs[static_cast<size_t>(thread)]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(Team, TakesAsManyThreadsAsThereAreCoresToUse) { EXPECT_EQ(Team(0).size(), usable_cores()); }

TEST(Team, GivesEachIndexItsOwnThread) {
  Team team(3);
  std::array<std::thread::id, 3> first;
  team.run([&](int thread) { first[static_cast<size_t>(thread)] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3);
  team.run([&](int thread) {
    EXPECT_EQ(first[static_cast<size_t>(thread)], std::this_thread::get_id());
  });
}

TEST(Team, RunsEveryIndexWhereOpenMPGrantsFewerThreads) {
  omp_set_dynamic(1);
  const int many = usable_cores() + 8;
  Team team(many);
  std::vector<std::atomic<int>> runs(static_cast<size_t>(many));
  std::vector<std::thread::id> threads(static_cast<size_t>(many));
  team.run([&](int thread) {
    ++runs[static_cast<size_t>(thread)];
    threads[static_cast<size_t>(thread)] = std::this_thread::get_id();
  });
  omp_set_dynamic(0);
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  EXPECT_LT(std::set<std::thread::id>(threads.begin(), threads.end()).size(),
            static_cast<size_t>(many));
}

// Whether task(thread) of a team's run threw what the run then let out.
bool throws(Team& team, const std::function<void(int)>& task) {
  try {
    team.run(task);
  } catch (const std::runtime_error& error) {
    return std::string_view(error.what()) == "a task's own";
  }
  return false;
}

TEST(Team, LetsAnExceptionOutWhenEveryTaskHasEnded) {
  for (const int size : {1, 2, 3}) {
    Team team(size);
    std::atomic<int> ended = 0;
    EXPECT_TRUE(throws(team, [&](int thread) {
      ++ended;
      if (thread == size - 1) throw std::runtime_error("a task's own");
    }));
    EXPECT_EQ(ended, size);
    // The team is as good as new.
    team.run([&](int) { --ended; });
    EXPECT_EQ(ended, 0);
  }
}

TEST(Team, LetsOneOfSeveralExceptionsOut) {
  Team team(3);
  EXPECT_TRUE(throws(team, [](int) { throw std::runtime_error("a task's own"); }));
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

TEST(Team, SplitsEvenly) {
  Team team(3);
  std::array<int64_t, 3> parts{};
  team.split(100, 1, [&](int64_t begin, int64_t end, int thread) {
    parts.at(static_cast<size_t>(thread)) = end - begin;
  });
  EXPECT_EQ(parts, (std::array<int64_t, 3>{33, 33, 34}));
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
  team.run([&](int thread) {
    const Arena::Scope scope(team.arena(thread));
    auto* memory = team.arena(thread).take<float>(1000);
    std::fill_n(memory, 1000, static_cast<float>(thread));
    taken.at(static_cast<size_t>(thread)) = memory;
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(memory[i], static_cast<float>(thread));
  });
  EXPECT_EQ(std::set<float*>(taken.begin(), taken.end()).size(), 3);
}

}  // namespace
}  // namespace whinchat::kernels
