#include "service/engine.h"

#include <functional>
#include <mutex>
#include <utility>

#include "ops/engine_thread.h"

namespace whinchat::service {

Engine& Engine::shared() {
  static Engine& engine = *new Engine;
  return engine;
}

void Engine::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void Engine::loop() {
  ops::begin_engine_thread();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return !queue_.empty(); });
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace whinchat::service
