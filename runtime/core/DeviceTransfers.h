// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the devices of different stages' ranks, without the host.

#ifndef ZCC_RUNTIME_CORE_DEVICETRANSFERS_H
#define ZCC_RUNTIME_CORE_DEVICETRANSFERS_H

#include "runtime/core/Device.h"
#include "runtime/core/Transfers.h"

namespace zcc::rt {

/// Messages that go from a device's memory to another's on streams of these,
/// without the host: begin() gives the bytes from where the main stream stands,
/// wait() lets the main stream go on when the message is received. What the
/// host waits for there, if anything, is that another rank's thread enqueues.
/// isOver(): whether it would.
class DeviceTransfers {
public:
  virtual ~DeviceTransfers() = default;
  struct Message {
    int peer; // a rank
    uint64_t tag;
    int lane; // TransferPlan.h
    Address at;
    size_t bytes;
    bool isKept;             // of a send: its bytes are overwritten at once
    const std::string &name; // outlives the transfer
  };
  virtual std::unique_ptr<PlannedTransfer> openSend(const Message &) = 0;
  virtual std::unique_ptr<PlannedTransfer> openReceive(const Message &) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_DEVICETRANSFERS_H
