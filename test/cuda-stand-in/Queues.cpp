// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-stand-in/Queues.h"

namespace zcc::standin {

Queues::Queues(uint64_t seed, int count) : random(seed) {
  for (int i = 0; i < count; ++i)
    threads.emplace_back([this] { loop(); });
}

Queues::~Queues() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Queues::add(const void *queue, Item item) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Queue &own = queues[queue];
    own.items.push_back(std::move(item));
    if (own.shared)
      own.shared->push_back(queue);
  }
  changed.notify_all();
}

void Queues::share(const void *queue, const void *gpu, int number) {
  std::lock_guard<std::mutex> lock(mutex);
  queues[queue].shared = &sharedQueues[{gpu, number}];
}

void Queues::enqueue(const void *queue, std::function<void()> work) {
  add(queue, {std::move(work), nullptr, nullptr});
}

std::shared_ptr<Queues::Point> Queues::mark(const void *queue) {
  auto point = std::make_shared<Point>();
  add(queue, {nullptr, nullptr, point});
  return point;
}

void Queues::enqueueWait(const void *queue, std::shared_ptr<Point> point) {
  add(queue, {nullptr, std::move(point), nullptr});
}

bool Queues::isDone(const void *queue) {
  std::lock_guard<std::mutex> lock(mutex);
  return queues[queue].items.empty();
}

void Queues::wait(const void *queue) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return queues[queue].items.empty(); });
}

Queues::Queue *Queues::choose() {
  if (untilDraw-- <= 0) {
    untilDraw = int(random() % 64);
    for (auto &[key, queue] : queues)
      queue.rank = random();
  }
  Queue *best = nullptr;
  for (auto &[key, queue] : queues)
    if (!queue.isBusy && !queue.items.empty() &&
        (!queue.shared || queue.shared->front() == key) &&
        (!queue.items.front().waits || queue.items.front().waits->isReached) &&
        (!best || queue.rank < best->rank))
      best = &queue;
  return best;
}

void Queues::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    Queue *queue = choose();
    if (!queue) {
      bool isEmpty = true;
      for (auto &[key, other] : queues)
        isEmpty &= other.items.empty();
      if (isEnding && isEmpty)
        return;
      changed.wait(lock);
      continue;
    }
    Item &item = queue->items.front(); // stays where it is
    queue->isBusy = true;
    if (queue->shared) {
      queue->shared->pop_front();
      changed.notify_all(); // the next one may begin beside it
    }
    if (item.work) {
      lock.unlock();
      item.work();
      lock.lock();
    }
    if (item.reaches) {
      item.reaches->when = std::chrono::steady_clock::now();
      item.reaches->isReached = true;
    }
    queue->isBusy = false;
    queue->items.pop_front();
    changed.notify_all();
  }
}

} // namespace zcc::standin
