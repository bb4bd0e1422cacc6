// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event of the driver's that streams of other devices wait for, too, and
// that ranks share.

#ifndef ZCC_RUNTIME_CUDA_GPUEVENT_H
#define ZCC_RUNTIME_CUDA_GPUEVENT_H

#include "runtime/cuda/Gpu.h"

namespace zcc::rt::cuda {

class GpuEvent {
public:
  explicit GpuEvent(const Gpu &gpu) : gpu(gpu) {
    gpu.use();
    gpu.driver.require(gpu.driver.createEvent(&made, eventWithoutTime),
                       "make an event");
  }
  ~GpuEvent() {
    if (gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyEvent(made);
  }
  GpuEvent(const GpuEvent &) = delete;

  EventHandle handle() const { return made; }

private:
  const Gpu &gpu;
  EventHandle made = nullptr;
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_GPUEVENT_H
