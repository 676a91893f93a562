#include "service/engine.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ops/blas.h"

namespace whinchat::service {
namespace {

// What a piece of work that throws gives its caller.
std::string message_of_failing_work(Engine& engine) {
  try {
    engine.run([] { throw std::runtime_error("late"); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Engine, RunsEverythingOnOneThread) {
  Engine& engine = Engine::shared();
  const auto thread = engine.run([] { return std::this_thread::get_id(); });
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(Engine::shared().run([] { return std::this_thread::get_id(); }), thread);
}

TEST(Engine, EvaluatesOnItsOwnStream) {
  Engine& engine = Engine::shared();
  EXPECT_TRUE(engine.run([] { return ops::blas_in_use(); }).is_openblas);
  EXPECT_TRUE(engine.run([] { return ops::blas_in_use(); }).is_openblas);
}

TEST(Engine, GivesTheCallerWhatTheWorkThrew) {
  Engine& engine = Engine::shared();
  EXPECT_EQ(message_of_failing_work(engine), "late");
  EXPECT_EQ(engine.run([] { return 7; }), 7) << "one failed request does not end the engine";
}

TEST(Engine, ServesManyCallers) {
  Engine& engine = Engine::shared();
  int sum = 0;  // only the engine's thread touches it
  std::vector<std::thread> callers;
  callers.reserve(8);
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) engine.run([&] { ++sum; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 800);
}

}  // namespace
}  // namespace whinchat::service
