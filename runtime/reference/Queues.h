// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues of work and the threads that do it. A queue's work is done in order.
// Between queues the order is drawn at random among those that waits allow, so
// that a forgotten wait shows.

#ifndef ZCC_RUNTIME_REFERENCE_QUEUES_H
#define ZCC_RUNTIME_REFERENCE_QUEUES_H

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace zcc::rt::reference {

class Queues {
public:
  /// True once all work before the mark is done.
  struct Point {
    bool isReached = false;
  };

  explicit Queues(uint64_t seed, int threads = 2);
  /// Waits for all queues; forgets errors.
  ~Queues();
  Queues(const Queues &) = delete;

  /// Safe from any thread.
  void enqueue(uint32_t queue, std::function<void()> work);
  /// Marks a point that is reached when all work in the queue so far is done.
  std::shared_ptr<const Point> mark(uint32_t queue);
  void enqueueWait(uint32_t queue, std::shared_ptr<const Point> point);
  /// Returns when the queue is empty. The first exception of any queue's work
  /// is thrown here, by this call and all later ones; no work after it was
  /// done.
  void wait(uint32_t queue);

private:
  struct Item {
    std::function<void()> work;          // null: a wait or a mark
    std::shared_ptr<const Point> waits;  // may be null
    std::shared_ptr<Point> reaches;      // may be null
  };
  struct Queue {
    std::deque<Item> items; // the first one stays while it is done
    bool isBusy = false;
  };

  void add(uint32_t queue, Item item);
  void stop();
  void work();
  Queue *choose();

  std::mutex mutex;
  std::condition_variable changed;
  std::map<uint32_t, Queue> queues;
  std::mt19937_64 random;
  std::exception_ptr failure;
  bool isEnding = false;
  std::vector<std::thread> threads;
};

} // namespace zcc::rt::reference

#endif // ZCC_RUNTIME_REFERENCE_QUEUES_H
