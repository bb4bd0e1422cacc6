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
/// every step. From begin() to the end of wait() the transport owns the memory:
/// the bytes of a send do not change, and nobody else uses those of a receive.
/// Nothing is copied elsewhere, and nothing is allocated after the transfer was
/// opened.
class PlannedTransfer {
public:
  /// Destroyed while under way, the run has failed: the transport leaves its
  /// memory alone from then on.
  virtual ~PlannedTransfer() = default;
  /// The next begin() takes effect after the given send is received. Works for
  /// two transfers of the same DeviceTransfers; for others, the caller waits
  /// until the send is over.
  virtual void follow(const PlannedTransfer &) {}
  /// Returns at once. Must not be called while the transfer is under way.
  virtual void begin() = 0;
  /// Returns true if wait() would return at once; false also if the transport
  /// cannot tell. True before the first begin(). A transport that moves bytes
  /// only during calls moves some now.
  virtual bool isOver() = 0;
  /// Waits until the message is received; by then the other end was begun, too.
  /// Throws Aborted if the run ends.
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
  /// Returns the time from which the results of the collectives so far may be
  /// used, where links are simulated to be slower than this machine. The epoch
  /// means at once.
  virtual std::chrono::steady_clock::time_point due() const { return {}; }
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_TRANSFERS_H
