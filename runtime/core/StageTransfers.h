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
  /// Gets what the rank is about to wait for, for the watchdog.
  using Enter = std::function<void(const std::string &name)>;

  /// Gets what each transfer took, for the trace.
  using Note = std::function<void(const Span &span)>;

  /// The same of transfers between devices, which the host is ahead of: called
  /// before and after what the main stream does of one, or waits for, is
  /// enqueued.
  using Around = std::function<void(int action, Span::Kind kind, bool isOver)>;

  /// All references outlive the result, which opens the transfers: those
  /// between devices, or where `between` is null, others of what is copied to
  /// the host and from it. An impossible tag is an error.
  StageTransfers(const format::Executable &executable, const Mesh &mesh,
                 int rank, Device &device, Transfers &transfers,
                 DeviceTransfers *between, Enter enter, Note note,
                 Around around);

  /// Of a transfer's action.
  const std::string &nameOf(int action) const {
    return entries[size_t(action)].name;
  }

  /// To be called before each action in turn, and at the end of the step:
  /// posts receives; returns when the action may write what it writes.
  void before(int action);
  /// Begins to send what the main stream holds there.
  void send(int action);
  /// Returns when the main stream finds there what was sent.
  void receive(int action);

private:
  struct Entry {
    std::string name; // for messages
    const format::Transfer *transfer = nullptr;
    bool sends = false;
    Address at;
    size_t bytes = 0;
    // Of devices whose memory the host cannot address, and of what is kept
    // (TransferPlan.h): what is on its way.
    std::vector<char> staging;
    std::unique_ptr<PlannedTransfer> way; // null of runs
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
  std::vector<int> toPost;    // receives whose bytes are free but for sends
  std::vector<bool> posted;   // of this step, by action
  std::vector<int> underWay;  // transfers, in the order in which they began
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_STAGETRANSFERS_H
