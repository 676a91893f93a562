// The thread that builds and evaluates every graph of the process. MLX's lazy arrays belong to the
// thread that built them, and parallel regions are cheap only while they all start on one thread,
// so every model of the process shares this one and takes turns.
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
  // The process's engine, which lives as long as the process.
  static Engine& shared();

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs `work` on the engine thread after what was asked for before, and returns its result or
  // throws what it threw. Any thread but the engine's own.
  template <typename Work>
  std::invoke_result_t<Work> run(Work work) {
    using Task = std::packaged_task<std::invoke_result_t<Work>()>;
    // Shared: the engine may still be leaving the task when the result wakes its caller.
    const auto task = std::make_shared<Task>(std::move(work));
    auto result = task->get_future();
    post([task] { (*task)(); });
    return result.get();
  }

 private:
  Engine() : thread_([this] { loop(); }) {}
  ~Engine() = delete;  // waits for work until the process ends

  void post(std::function<void()> work);
  [[noreturn]] void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::thread thread_;
};

}  // namespace whinchat::service
