// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's device on a GPU: one allocation of the GPU's memory, one of pinned
// memory of the host, and streams and events that are CUDA's.
//
// Work of the host in a stream's order (collectives over transports of hosts)
// never holds up the GPU: a queue of the GPU that waits for the host could hold
// up others, of other ranks too, which the host waits for. On the main stream
// the rank's thread does it, when the stream has come to it; for all other
// streams one thread does, in the order in which it is given. Who wants to
// enqueue something behind such work waits for it first.

#ifndef ZCC_RUNTIME_CUDA_CUDADEVICE_H
#define ZCC_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/core/Device.h"
#include "runtime/core/HostQueue.h"
#include "runtime/core/Wait.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/cuda/Nvtx.h"
#include "runtime/cuda/Staging.h"

#include <map>
#include <mutex>

namespace zcc::rt::cuda {

/// The arenas that a rank takes, and what of the GPU's is whose.
struct DeviceSizes {
  size_t device = 0, host = 0; // bytes
  std::vector<size_t>
      workspaces;   // offsets by stream: of kernels, one at a time
  size_t words = 0; // offset (PointerTable.h)
  // Bytes of collectives (Collectives.h), behind the arena.
  size_t exchange = 0;
  size_t inputs = 0; // bytes of the next step's, behind these

  size_t ofGpu() const;
  size_t exchangeOffset() const;
  size_t inputOffset() const;
};

/// Where a GPU's arena comes from, if not from the driver; with the context in
/// use.
class ArenaSource {
public:
  virtual ~ArenaSource() = default;
  /// 0 if it cannot; the driver is asked then.
  virtual DevicePointer allocate(size_t bytes) const = 0;
  virtual void release(DevicePointer at) const = 0;
};

class CudaDevice final : public Device {
public:
  /// References outlive the device. Memory that is lacking is a failure.
  /// `source` may be null.
  CudaDevice(const Gpu &gpu, const DeviceSizes &sizes,
             const Cancellation &cancellation = neverCancelled,
             bool usesGraphs = true, const ArenaSource *source = nullptr);
  ~CudaDevice() override;

  size_t arenaBytes(MemorySpace space) const override;
  size_t libraryBytes() override { return gpu.libraryBytes(); }
  Address arenaStart(MemorySpace space) const override;
  /// Whether it is pinned memory.
  bool isHostMemory(Address at) const override;

  Stream &stream(uint32_t number) override;
  std::unique_ptr<Event> makeEvent() override;
  void record(Stream &stream, Event &event) override;
  void enqueueWait(Stream &stream, const Event &event) override;
  void wait(Stream &stream) override;

  void enqueueHost(Stream &stream, HostWork work) override;
  void readNow(void *to, Address from, size_t bytes) override;
  void writeNow(Address to, const void *from, size_t bytes) override;

  void copyIn(Stream &stream, Address to, const void *from,
              size_t bytes) override;
  void copyOut(Stream &stream, void *to, Address from, size_t bytes) override;
  void copy(Stream &stream, Address to, Address from, size_t bytes) override;
  void fill(Stream &stream, Address to, uint64_t element, uint32_t width,
            size_t bytes) override;
  std::unique_ptr<Moment> mark(Stream &stream) override;
  std::chrono::steady_clock::time_point timeOf(const Moment &moment) override;
  void enter(const std::string &name) override { pushRange(name.c_str()); }
  void leave() override { popRange(); }
  /// In pinned memory, one word a stream: the place below, and above how many
  /// were told outside of graphs, which can only hold what never changes.
  void tell(Stream &stream, uint32_t place) override;
  std::optional<Told> told(const Stream &stream) const override;
  /// As a graph, from the second time on, while there are no more nodes than
  /// that in all. What the driver makes no graph of is enqueued as it is.
  static constexpr size_t mostNodes = 20000;
  void enqueueAgain(Stream &stream, std::unique_ptr<Recording> &recording,
                    const std::function<void()> &enqueue) override;
  /// Called now and then while a stream is waited for; throws what would keep
  /// it from ever being done. By the threads that wait.
  void setWatch(std::function<void()> check) { watch = std::move(check); }
  /// Nothing: workspaces are of the sizes that it was made with.
  void reserve(const ResourceRequest &) override {}

  /// If it was made with one.
  std::optional<Address> inputRoom() const override;
  Stream &inputStream() override;

  /// Of kernels on that stream, 256-byte aligned.
  Address workspace(const Stream &stream) const;
  /// Where the words are.
  Address words() const;
  /// What collectives take beside their operands.
  Address exchange() const;
  /// Of the GPU's allocation, arena and all.
  size_t allocatedBytes() const { return sizes.ofGpu(); }

  /// Rows at equal distances, on either side, of any device's memory.
  struct Rows {
    Address at;
    size_t pitch; // bytes
  };
  void copyRows(Stream &stream, Rows to, Rows from, size_t width, size_t rows);
  /// The driver's own events, which other devices' streams may wait for.
  void record(Stream &stream, EventHandle event);
  void enqueueWait(Stream &stream, EventHandle event);
  /// The device's memory stays as it is until the event is over; for those who
  /// may not throw, when the names of steps are gone.
  void keepUntil(EventHandle event) noexcept;

  struct Launch {
    Function function;
    uint32_t blocks, threads, shared;
    const std::vector<uint64_t> &parameters;
    const std::string &name; // of the step; outlives the device
  };
  void launch(Stream &stream, const Launch &what);
  /// The same for a library's call, which enqueues on the stream.
  void call(Stream &stream, const std::string &name,
            const std::function<void(StreamHandle)> &body);

private:
  struct CudaStream;
  struct CudaEvent;
  struct CudaGraph;
  struct CudaMoment;
  struct Empty {};

  // What it has taken is given back, then, if it cannot take all.
  CudaDevice(const Gpu &gpu, const DeviceSizes &sizes,
             const Cancellation &cancellation, bool usesGraphs,
             const ArenaSource *source, Empty);

  static CudaStream &own(Stream &stream);
  StreamHandle handleOf(Stream &stream);
  /// Returns when the host's work that the stream waits for is done.
  void settle(CudaStream &stream);
  /// Polls until `ask` says that it is done; throws what went wrong.
  template <typename Ask> void poll(Ask ask, const CudaStream *where);
  template <typename... Parts>
  void require(Result code, const CudaStream &where,
               const Parts &...what) const;
  [[noreturn]] void failed(Result code, const CudaStream *where) const;
  EventHandle takeEvent();
  /// Whether what enqueue() enqueues became a graph; nothing was enqueued.
  bool capture(CudaStream &stream, CudaGraph &graph,
               const std::function<void()> &enqueue);

  const Gpu &gpu;
  const Driver &driver;
  const Cancellation &cancellation;
  const DeviceSizes sizes;
  const bool usesGraphs = true;
  const ArenaSource *source;   // of the memory; null: the driver
  std::function<void()> watch; // may be empty
  size_t nodes = 0;            // of all graphs
  // What tell() writes, by stream; whether the driver writes a word at once;
  // whether graphs may hold such writes, and the one being captured does.
  uint64_t *toldWords = nullptr;
  bool writesWords = true, tellsInGraphs = true;
  bool isCapturing = false, hasTold = false;
  // An event with a time, and what time that was; null until one asks.
  std::unique_ptr<CudaMoment> origin;
  std::chrono::steady_clock::time_point originTime;
  DevicePointer memory = 0; // the arena, and what collectives need
  void *hostMemory = nullptr;
  StreamHandle moves = nullptr; // what readNow() and writeNow() are on
  EventHandle moved = nullptr;  // what the host's work has moved, so far
  mutable std::mutex mutex;     // of the three below
  std::map<uint32_t, std::unique_ptr<CudaStream>> streams;
  std::vector<EventHandle> ownEvents, spareEvents; // all; those not in use
  std::unique_ptr<Staging> staging;
  HostQueue queue; // of all streams but the main one; ends before the rest
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUDADEVICE_H
