// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives a place of a device's memory as memory of the host, to be read or
// filled. If the host can address the place, nothing is copied. Else a buffer
// stands for it, and copies are enqueued on the main stream.

#ifndef ZCC_RUNTIME_CORE_HOSTVIEW_H
#define ZCC_RUNTIME_CORE_HOSTVIEW_H

#include "runtime/core/Device.h"

namespace zcc::rt {

enum class Access : uint8_t {
  Read,
  Write,  // every byte is written before commit(); unspecified until then
  Update, // some bytes are written
};

class HostView {
public:
  HostView() = default;
  /// Waits for enqueued work if there is something to read, or if the place
  /// itself is handed out. The device outlives the view.
  HostView(Device &device, Address at, size_t bytes, Access access);
  HostView(HostView &&) = default;
  HostView &operator=(HostView &&) = default;

  char *data() const { return memory; }
  size_t size() const { return bytes; }
  bool isOpen() const { return device != nullptr; }

  /// Enqueues the copy of the written bytes. Without it the place may keep its
  /// old bytes.
  void commit();

private:
  Device *device = nullptr;
  Address at;
  size_t bytes = 0;
  char *memory = nullptr;
  std::unique_ptr<char[]> buffer; // null if `memory` is the place itself
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_HOSTVIEW_H
