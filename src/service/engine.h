// The thread that builds and evaluates every graph of the process. MLX's lazy arrays belong to the
// thread that built them, and all parallel work must start on one thread (docs/map.md), so every
// model of the process shares this one and takes turns.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace whinchat::service {

class Engine {
 public:
  // The process's engine; it ends with its last owner.
  static std::shared_ptr<Engine> shared();

  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs `work` on the engine thread after what was asked for before, and returns its result or
  // throws what it threw. Any thread but the engine's own.
  template <typename Work>
  std::invoke_result_t<Work> run(Work work) {
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto result = task.get_future();
    post([&task] { task(); });
    return result.get();
  }

 private:
  void post(std::function<void()> work);
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace whinchat::service
