// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages on their way to one rank.

#include "runtime/comm/Mailbox.h"

#include "runtime/core/Bytes.h"
#include "runtime/core/Error.h"

namespace zcc::rt {

void Mailbox::put(int from, uint64_t tag, const void *data, size_t bytes) {
  Key key(from, tag);
  Buffer buffer;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (waiting && waiting->key == key) {
      if (waiting->bytes != bytes)
        fail("message ", tag, " from rank ", from, " has ", bytes,
             " bytes, expected ", waiting->bytes);
      copyBytes(waiting->data, data, bytes);
      waiting->delivered.store(true, std::memory_order_release);
      waiting = nullptr;
      arrived.add(1);
      return;
    }
    // The smallest that is large enough, else any.
    size_t best = unused.size();
    for (size_t i = 0; i < unused.size(); ++i)
      if (unused[i].capacity() >= bytes &&
          (best == unused.size() ||
           unused[i].capacity() < unused[best].capacity()))
        best = i;
    if (best < unused.size()) {
      std::swap(unused[best], unused.back());
      buffer = std::move(unused.back());
      unused.pop_back();
    }
  }
  const char *begin = static_cast<const char *>(data);
  buffer.assign(begin, begin + bytes);
  std::lock_guard<std::mutex> lock(mutex);
  messages[key].push_back(std::move(buffer));
  // The receiver may have come while the lock was open.
  if (waiting && waiting->key == key) {
    auto &queue = messages[key];
    if (queue.front().size() != waiting->bytes)
      fail("message ", tag, " from rank ", from, " has ", queue.front().size(),
           " bytes, expected ", waiting->bytes);
    copyBytes(waiting->data, queue.front().data(), waiting->bytes);
    unused.push_back(std::move(queue.front()));
    queue.pop_front();
    waiting->delivered.store(true, std::memory_order_release);
    waiting = nullptr;
    arrived.add(1);
  }
}

void Mailbox::take(int from, uint64_t tag, void *data, size_t bytes,
                   const Cancellation &cancellation, const SpinPolicy &policy) {
  Waiting self{{from, tag}, data, bytes};
  {
    std::unique_lock<std::mutex> lock(mutex);
    auto at = messages.find(self.key);
    if (at != messages.end() && !at->second.empty()) {
      Buffer buffer = std::move(at->second.front());
      at->second.pop_front();
      lock.unlock();
      if (buffer.size() != bytes)
        fail("message ", tag, " from rank ", from, " has ", buffer.size(),
             " bytes, expected ", bytes);
      copyBytes(data, buffer.data(), bytes);
      lock.lock();
      unused.push_back(std::move(buffer));
      return;
    }
    waiting = &self;
  }
  try {
    waitUntil(arrived, cancellation, policy, [&](uint32_t) {
      return self.delivered.load(std::memory_order_acquire);
    });
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex);
    waiting = nullptr;
    throw;
  }
}

} // namespace zcc::rt
