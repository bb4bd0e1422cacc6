// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/HostView.h"

namespace zcc::rt {

HostView::HostView(Device &device, Address at, size_t bytes, Access access)
    : device(&device), at(at), bytes(bytes) {
  Stream &stream = device.mainStream();
  if (device.isHostMemory(at)) {
    device.wait(stream);
    memory = static_cast<char *>(at.host());
    return;
  }
  buffer.reset(new char[bytes]);
  memory = buffer.get();
  if (access == Access::Write || bytes == 0)
    return;
  device.copyOut(stream, memory, at, bytes);
  device.wait(stream);
}

void HostView::commit() {
  if (buffer && bytes != 0)
    device->copyIn(device->mainStream(), at, memory, bytes);
}

} // namespace zcc::rt
