#include "service/engine.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace whinchat::service {
namespace {

namespace mx = mlx::core;

TEST(Engine, RunsEverythingOnOneThread) {
  const auto engine = Engine::shared();
  const auto thread = engine->run([] { return std::this_thread::get_id(); });
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(Engine::shared()->run([] { return std::this_thread::get_id(); }), thread);
}

TEST(Engine, EvaluatesLaterWhatItBuiltBefore) {
  const auto engine = Engine::shared();
  std::optional<mx::array> sum;
  engine->run([&] { sum = mx::add(mx::array(1.0F), mx::array(2.0F)); });
  EXPECT_EQ(engine->run([&] { return sum->item<float>(); }), 3.0F);
  engine->run([&] { sum.reset(); });
}

TEST(Engine, GivesTheCallerWhatTheWorkThrew) {
  const auto engine = Engine::shared();
  EXPECT_THROW(engine->run([] { throw std::runtime_error("late"); }), std::runtime_error);
  EXPECT_EQ(engine->run([] { return 7; }), 7) << "one failed request does not end the engine";
}

TEST(Engine, ServesManyCallers) {
  const auto engine = Engine::shared();
  int sum = 0;  // only the engine's thread touches it
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) engine->run([&] { ++sum; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 800);
}

}  // namespace
}  // namespace whinchat::service
