// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages on their way to one rank. The end of a message that comes second
// copies it, from the sender's memory to the receiver's. Only a message that
// put() sends before the receiver is there is kept in a buffer.

#ifndef ZCC_RUNTIME_COMM_MAILBOX_H
#define ZCC_RUNTIME_COMM_MAILBOX_H

#include "runtime/core/Wait.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace zcc::rt {

class Mailbox {
public:
  Mailbox() = default;
  ~Mailbox();
  Mailbox(const Mailbox &) = delete;

  /// One end of a message. It and its memory stay in place until it is over.
  struct End {
    int from = 0; // rank
    uint64_t tag = 0;
    bool sends = false;
    void *data = nullptr;      // only read if it sends
    size_t bytes = 0;          // the same on both ends
    Signal *changed = nullptr; // signalled when it is over; outlives the end
    std::atomic<bool> over{true};
    End *next = nullptr; // for the mailbox
  };

  /// Allocates what begin() needs for a message with this sender and tag.
  void prepare(int from, uint64_t tag);
  /// Begins an end. Ends of one sender and tag meet in the order in which they
  /// begin.
  void begin(End &end);
  static void wait(End &end, const Cancellation &cancellation,
                   const SpinPolicy &policy);
  /// Forgets an end; returns when nobody uses its memory.
  void cancel(End &end);

  void put(int from, uint64_t tag, const void *data, size_t bytes);
  void take(int from, uint64_t tag, void *data, size_t bytes,
            const Cancellation &cancellation, const SpinPolicy &policy);

  /// Changes when an end that belongs to this rank is over.
  Signal changed;

private:
  using Key = std::pair<int, uint64_t>;
  struct Line { // ends of one kind that wait for the other end
    End *first = nullptr, *last = nullptr;
    void push(End &end);
    End *pop();
    bool remove(End &end);
  };
  struct Lines {
    Line sends, receives;
  };
  struct Kept : End { // a message that put() has copied
    std::vector<char> buffer;
  };

  /// Returns the other end, or null if this end has to wait for it. The lock is
  /// held.
  End *meet(End &end, Lines &lines);
  void deliver(End &one, End &other);
  std::unique_ptr<Kept> takeUnused(size_t bytes);

  std::mutex mutex;
  std::map<Key, Lines> waiting;
  std::vector<std::unique_ptr<Kept>> unused; // to be reused with their memory
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_MAILBOX_H
