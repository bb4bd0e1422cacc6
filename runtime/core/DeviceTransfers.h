// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the devices of different stages' ranks, without the host.

#ifndef ZCC_RUNTIME_CORE_DEVICETRANSFERS_H
#define ZCC_RUNTIME_CORE_DEVICETRANSFERS_H

#include "runtime/core/Device.h"
#include "runtime/core/Transfers.h"

namespace zcc::rt {

/// Messages that go from one device's memory to another's, on streams of these
/// transfers, without the host. begin() sends the bytes as they are at the
/// current end of the main stream; wait() lets the main stream go on when the
/// message is received. The host only ever waits for another rank's thread to
/// enqueue its part. isOver() returns true if wait() would not wait for that.
class DeviceTransfers {
public:
  virtual ~DeviceTransfers() = default;
  struct Message {
    int peer; // a rank
    uint64_t tag;
    int lane; // TransferPlan.h
    Address at;
    size_t bytes;
    /// For a send: its bytes are overwritten at once, so it sends a copy.
    bool isKept;
    const std::string &name; // outlives the transfer
  };
  virtual std::unique_ptr<PlannedTransfer> openSend(const Message &) = 0;
  virtual std::unique_ptr<PlannedTransfer> openReceive(const Message &) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_DEVICETRANSFERS_H
