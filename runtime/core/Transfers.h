// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the ranks of different stages, as the executor sees them.

#ifndef ZCC_RUNTIME_CORE_TRANSFERS_H
#define ZCC_RUNTIME_CORE_TRANSFERS_H

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zcc::rt {

/// One rank's end. Messages with the same peer and tag arrive in order.
class Transfers {
public:
  virtual ~Transfers() = default;
  /// Does not wait for the receiver; the memory may be reused at once.
  virtual void send(int peer, uint64_t tag, const void *data, size_t bytes) = 0;
  /// Waits for the message, which has the same size.
  virtual void receive(int peer, uint64_t tag, void *data, size_t bytes) = 0;
  /// From then on what collectives so far have brought may be looked at: links
  /// may be slower than this machine. The epoch: at once.
  virtual std::chrono::steady_clock::time_point due() const { return {}; }
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_TRANSFERS_H
