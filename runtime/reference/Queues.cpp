// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reference/Queues.h"

#include "runtime/core/Error.h"

#include <system_error>

namespace zcc::rt::reference {

Queues::Queues(uint64_t seed, int count) : random(seed) {
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([this] { work(); });
  } catch (const std::system_error &error) {
    size_t started = threads.size();
    stop();
    fail("only ", started, " of ", count,
         " threads could be started: ", error.code().message());
  }
}

Queues::~Queues() { stop(); }

void Queues::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Queues::add(uint32_t queue, Item item) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queues[queue].items.push_back(std::move(item));
  }
  changed.notify_all();
}

void Queues::enqueue(uint32_t queue, std::function<void()> work) {
  add(queue, {std::move(work), nullptr, nullptr});
}

std::shared_ptr<const Queues::Point> Queues::mark(uint32_t queue) {
  auto point = std::make_shared<Point>();
  add(queue, {nullptr, nullptr, point});
  return point;
}

void Queues::enqueueWait(uint32_t queue, std::shared_ptr<const Point> point) {
  add(queue, {nullptr, std::move(point), nullptr});
}

void Queues::wait(uint32_t queue) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return queues[queue].items.empty(); });
  if (failure)
    std::rethrow_exception(failure);
}

// Any of the queues whose first item may be done now; null if there is none.
Queues::Queue *Queues::choose() {
  std::vector<Queue *> ready;
  for (auto &[number, queue] : queues)
    if (!queue.isBusy && !queue.items.empty() &&
        (!queue.items.front().waits || queue.items.front().waits->isReached))
      ready.push_back(&queue);
  return ready.empty() ? nullptr : ready[random() % ready.size()];
}

void Queues::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    Queue *queue = choose();
    if (!queue) {
      bool isDone = true;
      for (auto &[number, other] : queues)
        isDone &= other.items.empty();
      if (isDone && isEnding)
        return;
      changed.wait(lock);
      continue;
    }
    Item &item = queue->items.front(); // stays in place when others are added
    queue->isBusy = true;
    if (item.work && !failure) {
      lock.unlock();
      std::exception_ptr thrown;
      try {
        item.work();
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !failure)
        failure = thrown;
    }
    if (item.reaches)
      item.reaches->isReached = true;
    queue->items.pop_front();
    queue->isBusy = false;
    changed.notify_all();
  }
}

} // namespace zcc::rt::reference
