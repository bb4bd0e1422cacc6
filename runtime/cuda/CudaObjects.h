// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CudaDevice's files share: its streams and events, and how it waits.

#ifndef ZCC_RUNTIME_CUDA_CUDAOBJECTS_H
#define ZCC_RUNTIME_CUDA_CUDAOBJECTS_H

#include "runtime/cuda/CudaDevice.h"

#include <array>
#include <atomic>
#include <thread>

namespace zcc::rt::cuda {

/// Streams that tell where they are; a program has a few.
constexpr size_t toldStreams = 64;

struct CudaDevice::CudaStream : Stream {
  explicit CudaStream(uint32_t number) : number(number) {}
  const uint32_t number;
  StreamHandle handle = nullptr;
  // So much of the host's work comes before what is enqueued next.
  std::atomic<uint64_t> hostWork{0}, settled{0};
  // The names of the last launches, for who looks for one that went wrong.
  static constexpr size_t kept = 32;
  std::array<const std::string *, kept> names{};
  std::atomic<uint64_t> launched{0};
  std::atomic<uint32_t> told{0}; // how many places, outside of graphs

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
  GraphExecution handle = nullptr; // null: it is enqueued as it is
  bool isDeclined = false;
  const std::string *last = nullptr; // of its launches' names; null: none
};

struct CudaDevice::CudaEvent : Event {
  explicit CudaEvent(const Gpu &gpu) : gpu(gpu) {
    gpu.driver.require(gpu.driver.createEvent(&handle, eventWithoutTime),
                       "make an event");
  }
  ~CudaEvent() override { (void)gpu.driver.destroyEvent(handle); }
  const Gpu &gpu;
  EventHandle handle = nullptr;
  bool isRecorded = false;
  uint64_t hostWork = 0; // that is before it, too
};

/// Errors of what was enqueued before come with any later call.
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
  // What is short is over before the thread would sleep.
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
