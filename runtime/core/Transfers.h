// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the ranks of different stages, as the executor sees them.

#ifndef ZCC_RUNTIME_CORE_TRANSFERS_H
#define ZCC_RUNTIME_CORE_TRANSFERS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace zcc::rt {

/// One end of a message that goes from the same place to the same place in
/// every step. From begin() to the end of wait() the memory is the transport's:
/// what is sent stays as it is, what is received is nobody's. Nothing is copied
/// elsewhere, and nothing is allocated after it was opened.
class PlannedTransfer {
public:
  /// If it is under way, the run has failed: its memory is left alone from then
  /// on.
  virtual ~PlannedTransfer() = default;
  /// What is begun next comes after that send is received. Of two that the same
  /// DeviceTransfers opened; others are begun when it is over.
  virtual void follow(const PlannedTransfer &) {}
  /// Returns at once. Not while it is under way.
  virtual void begin() = 0;
  /// Whether wait() would return at once; false also where the transport cannot
  /// tell. A transport that moves bytes in calls only moves some. True before
  /// the first begin().
  virtual bool isOver() = 0;
  /// Until it is received: by then the other end was begun, too. Throws Aborted
  /// if the run ends.
  virtual void wait() = 0;
};

/// One rank's end. Messages with the same peer and tag arrive in order, however
/// they are sent and received.
///
/// Planned transfers are opened, begun and waited for by one thread, while
/// another may be within a collective.
class Transfers {
public:
  virtual ~Transfers() = default;
  /// Does not wait for the receiver; the memory may be reused at once.
  virtual void send(int peer, uint64_t tag, const void *data, size_t bytes) = 0;
  /// Waits for the message, which has the same size.
  virtual void receive(int peer, uint64_t tag, void *data, size_t bytes) = 0;
  /// The result is destroyed before these transfers. An impossible tag is an
  /// error.
  virtual std::unique_ptr<PlannedTransfer>
  openSend(int peer, uint64_t tag, const void *data, size_t bytes) = 0;
  virtual std::unique_ptr<PlannedTransfer>
  openReceive(int peer, uint64_t tag, void *data, size_t bytes) = 0;
  /// From then on what collectives so far have brought may be looked at: links
  /// may be slower than this machine. The epoch: at once.
  virtual std::chrono::steady_clock::time_point due() const { return {}; }
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_TRANSFERS_H
