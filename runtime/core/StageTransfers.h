// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfers of one rank's action table: receives posted as soon as their
// bytes are free, sends that go on until their bytes are needed
// (runtime/format/TransferPlan.h).

#ifndef ZCC_RUNTIME_CORE_STAGETRANSFERS_H
#define ZCC_RUNTIME_CORE_STAGETRANSFERS_H

#include "runtime/core/DeviceTransfers.h"
#include "runtime/core/Span.h"
#include "runtime/format/TransferPlan.h"

#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

class Mesh;
namespace format {
class Executable;
} // namespace format

class StageTransfers {
public:
  /// Gets the name of the transfer that the rank is about to wait for, for the
  /// watchdog.
  using Enter = std::function<void(const std::string &name)>;

  /// Gets the span of each transfer, for the trace.
  using Note = std::function<void(const Span &span)>;

  /// The same for transfers between devices, which the host enqueues ahead of
  /// time. It is called before and after the main stream's part of a transfer,
  /// or its wait for one, is enqueued.
  using Around = std::function<void(int action, Span::Kind kind, bool isOver)>;

  /// All references outlive the result. The constructor opens the transfers:
  /// between devices through `between`; if that is null, through the host, to
  /// and from which the bytes are copied. An impossible tag is an error.
  StageTransfers(const format::Executable &executable, const Mesh &mesh,
                 int rank, Device &device, Transfers &transfers,
                 DeviceTransfers *between, Enter enter, Note note,
                 Around around);

  /// The name of the transfer that the action makes.
  const std::string &nameOf(int action) const {
    return entries[size_t(action)].name;
  }

  /// Called before each action in turn, and at the end of the step. Posts
  /// receives, and returns when the action may overwrite its targets.
  void before(int action);
  /// Begins to send the bytes that the main stream finds at the place.
  void send(int action);
  /// Returns when the main stream finds the received bytes at the place.
  void receive(int action);

private:
  struct Entry {
    std::string name; // for messages
    const format::Transfer *transfer = nullptr;
    bool sends = false;
    Address at;
    size_t bytes = 0;
    // The bytes of the message under way, for devices whose memory the host
    // cannot address and for sends that keep a copy (TransferPlan.h).
    std::vector<char> staging;
    std::unique_ptr<PlannedTransfer> way; // null for runs
  };

  void wait(int action);
  bool mayPost(int receive);
  void post(int receive);

  Device &device;
  const bool isOnDevices;
  const TransferPlan plan;
  const Enter enter;
  const Note note;
  const Around around;
  std::vector<Entry> entries; // by action
  std::vector<int> toPost;    // receives that only wait for sends to be over
  std::vector<bool> posted;   // of this step, by action
  std::vector<int> underWay;  // transfers, in the order in which they began
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_STAGETRANSFERS_H
