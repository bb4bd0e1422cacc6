// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines what the files of CudaDevice share: its streams, moments, graphs and
// events, and the functions that check results of the driver and wait for them.

#ifndef ZCC_RUNTIME_CUDA_CUDAOBJECTS_H
#define ZCC_RUNTIME_CUDA_CUDAOBJECTS_H

#include "runtime/cuda/CudaDevice.h"

#include <array>
#include <atomic>
#include <thread>

namespace zcc::rt::cuda {

/// The number of streams that report which step they have reached
/// (Device::tell). A program has a few streams; those from this number on do
/// not report.
constexpr size_t toldStreams = 64;

struct CudaDevice::CudaStream : Stream {
  explicit CudaStream(uint32_t number) : number(number) {}
  const uint32_t number;
  StreamHandle handle = nullptr;
  // The number of works of the host's queue that precede what is enqueued next,
  // and how many of them were waited for.
  std::atomic<uint64_t> hostWork{0}, settled{0};
  // The names of the last launches, to name the one that failed.
  static constexpr size_t kept = 32;
  std::array<const std::string *, kept> names{};
  std::atomic<uint64_t> launched{0};
  std::atomic<uint32_t> told{0}; // places reported outside of graphs

  void note(const std::string *name) {
    names[launched % kept] = name;
    ++launched;
  }
};

struct CudaDevice::CudaMoment : Moment {
  explicit CudaMoment(const Gpu &gpu) : gpu(gpu) {
    gpu.driver.require(gpu.driver.createEvent(&handle, 0), "make an event");
  }
  ~CudaMoment() override {
    if (gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyEvent(handle);
  }
  const Gpu &gpu;
  EventHandle handle = nullptr;
};

struct CudaDevice::CudaGraph : Recording {
  explicit CudaGraph(const Gpu &gpu) : gpu(gpu) {}
  ~CudaGraph() override {
    if (handle && gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyExecution(handle);
  }
  const Gpu &gpu;
  GraphExecution handle = nullptr; // null: enqueued without a graph
  bool isDeclined = false;
  const std::string *last = nullptr; // name of its last launch; may be null
};

struct CudaDevice::CudaEvent : Event {
  explicit CudaEvent(const Gpu &gpu) : gpu(gpu) {
    gpu.driver.require(gpu.driver.createEvent(&handle, eventWithoutTime),
                       "make an event");
  }
  ~CudaEvent() override {
    if (gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyEvent(handle);
  }
  const Gpu &gpu;
  EventHandle handle = nullptr;
  bool isRecorded = false;
  uint64_t hostWork = 0; // the count of host work before it
};

/// Returns true for errors of work enqueued earlier: any later call may return
/// them.
inline bool isOfExecution(Result code) {
  return code == eccUncorrectable || (code >= 700 && code < 800);
}

template <typename... Parts>
void CudaDevice::require(Result code, const CudaStream &where,
                         const Parts &...what) const {
  if (isOfExecution(code))
    failed(code, &where);
  driver.require(code, what...);
}

template <typename Ask>
void CudaDevice::poll(Ask ask, const CudaStream *where) {
  using namespace std::chrono_literals;
  // Short work is over before the thread would sleep.
  for (int turns = 0;; ++turns) {
    Result code = ask();
    if (code == success)
      return;
    if (code != notReady)
      failed(code, where);
    throwIfCancelled(cancellation);
    if (watch && turns % 500 == 499)
      watch();
    if (turns < 200)
      yieldCore();
    else
      std::this_thread::sleep_for(turns < 1000 ? 20us : 200us);
  }
}

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUDAOBJECTS_H
