// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the stand-in, worked by threads. Each stream keeps the order of
// enqueueing, and events order streams. Otherwise the order is drawn from a
// seed, which for a while prefers some streams and lets others wait as long as
// possible.

#ifndef ZCC_TEST_CUDASTANDIN_QUEUES_H
#define ZCC_TEST_CUDASTANDIN_QUEUES_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace zcc::standin {

class Queues {
public:
  /// A place in a queue.
  struct Point {
    std::chrono::steady_clock::time_point when; // once it is reached
    std::atomic<bool> isReached{false};
  };

  explicit Queues(uint64_t seed, int threads = 3);
  /// Finishes all enqueued work.
  ~Queues();

  /// Puts a new queue's items, in the order of all enqueueing, into one that it
  /// shares with others: the `number`-th of `gpu`. An item there begins when
  /// all before it have begun.
  void share(const void *queue, const void *gpu, int number);
  void enqueue(const void *queue, std::function<void()> work);
  std::shared_ptr<Point> mark(const void *queue);
  void enqueueWait(const void *queue, std::shared_ptr<Point> point);
  bool isDone(const void *queue);
  void wait(const void *queue);

private:
  struct Item {
    std::function<void()> work;
    std::shared_ptr<Point> waits, reaches;
  };
  using Shared = std::deque<const void *>; // the queues of items, in order
  struct Queue {
    std::deque<Item> items;
    Shared *shared = nullptr; // null: none
    bool isBusy = false;
    uint64_t rank = 0; // the lowest is preferred
  };
  void add(const void *queue, Item item);
  Queue *choose();
  void loop();

  std::mutex mutex;
  std::condition_variable changed;
  std::map<const void *, Queue> queues;
  std::map<std::pair<const void *, int>, Shared> sharedQueues;
  std::mt19937_64 random;
  int untilDraw = 0; // items until ranks are drawn anew
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_QUEUES_H
