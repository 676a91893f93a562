#include "service/engine.h"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "ops/engine_thread.h"

namespace whinchat::service {

std::shared_ptr<Engine> Engine::shared() {
  static std::mutex mutex;
  static std::weak_ptr<Engine> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Engine> engine = current.lock();
  if (!engine) {
    engine = std::make_shared<Engine>();
    current = engine;
  }
  return engine;
}

Engine::Engine() : thread_([this] { loop(); }) {}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
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
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace whinchat::service
