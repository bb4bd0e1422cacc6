// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages on their way to one rank. A sender copies into the receiver's
// memory if the receiver waits already, else into a buffer that is kept here.

#ifndef ZCC_RUNTIME_COMM_MAILBOX_H
#define ZCC_RUNTIME_COMM_MAILBOX_H

#include "runtime/core/Wait.h"

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace zcc::rt {

class Mailbox {
public:
  void put(int from, uint64_t tag, const void *data, size_t bytes);
  void take(int from, uint64_t tag, void *data, size_t bytes,
            const Cancellation &cancellation, const SpinPolicy &policy);

private:
  using Key = std::pair<int, uint64_t>;
  using Buffer = std::vector<char>;
  struct Waiting {
    Key key;
    void *data;
    size_t bytes;
    std::atomic<bool> delivered{false};
  };

  std::mutex mutex;
  std::map<Key, std::deque<Buffer>> messages;
  std::vector<Buffer> unused; // their memory serves later messages
  Waiting *waiting = nullptr; // the receiver is one thread
  Signal arrived;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_MAILBOX_H
