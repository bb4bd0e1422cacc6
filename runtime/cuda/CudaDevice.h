// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's device on a GPU: one allocation of the GPU's memory, one of pinned
// memory of the host, and CUDA streams and events.
//
// Work of the host in a stream's order (collectives over transports of hosts)
// never blocks the GPU. A GPU queue that waits for the host could block others,
// also of other ranks, that the host waits for. On the main stream the rank's
// thread does such work, when the stream has come to it. For all other streams
// one thread does it, in the order in which it is given. A caller that wants to
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

/// The sizes of a rank's arenas and of its other memory on the GPU.
struct DeviceSizes {
  ArenaSizes arenas;
  std::vector<size_t>
      workspaces;   // offsets by stream: of kernels, one at a time
  size_t words = 0; // offset (PointerTable.h)
  // Bytes for collectives (Collectives.h), behind the arena.
  size_t exchange = 0;
  size_t inputs = 0; // bytes for the next step's inputs, behind those
  std::vector<size_t> workspaceBytes = {}; // by stream

  size_t ofGpu() const;
  size_t exchangeOffset() const;
  size_t inputOffset() const;
};

/// Allocates a GPU's arena in place of the driver. Calls come with the context
/// in use.
class ArenaSource {
public:
  virtual ~ArenaSource() = default;
  /// Returns 0 if it cannot; then the driver allocates.
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
  /// Returns true if the address is in pinned memory.
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
  /// Writes to pinned memory, one word a stream. The low half is the place. The
  /// high half counts the places told outside of graphs, since a graph can only
  /// write a constant.
  void tell(Stream &stream, uint32_t place) override;
  std::optional<Told> told(const Stream &stream) const override;
  /// Makes a graph of the work from the second time on, until all graphs
  /// together have `mostNodes` nodes. Work that the driver makes no graph of is
  /// enqueued as it is.
  static constexpr size_t mostNodes = 20000;
  void enqueueAgain(Stream &stream, std::unique_ptr<Recording> &recording,
                    const std::function<void()> &enqueue) override;
  /// Sets a function that waits call now and then, by the threads that wait. It
  /// throws if something happened that would keep the stream from ever being
  /// done.
  void setWatch(std::function<void()> check) { watch = std::move(check); }
  /// Does nothing: the sizes of workspaces are given to the constructor.
  void reserve(const ResourceRequest &) override {}

  /// Nothing unless the device was made with room for inputs.
  std::optional<Address> inputRoom() const override;
  Stream &inputStream() override;

  /// The workspace of kernels on that stream, 256-byte aligned.
  Address workspace(const Stream &stream) const;
  /// The address of the pointer words.
  Address words() const;
  /// The memory that collectives need beside their operands.
  Address exchange() const;
  /// The size of the whole allocation on the GPU, including the arena.
  size_t allocatedBytes() const { return sizes.ofGpu(); }

  /// Rows at equal distances, in the memory of any device.
  struct Rows {
    Address at;
    size_t pitch;              // bytes
    Context context = nullptr; // of the memory; null: this device's
  };
  void copyRows(Stream &stream, Rows to, Rows from, size_t width, size_t rows);
  /// The same for the driver's own events, which other devices' streams may
  /// wait for.
  void record(Stream &stream, EventHandle event);
  void enqueueWait(Stream &stream, EventHandle event);
  /// Keeps the device's memory alive until the event is over. For callers that
  /// may not throw and no longer have the names of steps.
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

  // Delegated to, so that the destructor frees what was allocated if the
  // constructor throws.
  CudaDevice(const Gpu &gpu, const DeviceSizes &sizes,
             const Cancellation &cancellation, bool usesGraphs,
             const ArenaSource *source, Empty);

  static CudaStream &own(Stream &stream);
  StreamHandle handleOf(Stream &stream);
  /// Returns when the host's work that the stream waits for is done.
  void settle(CudaStream &stream);
  /// Waits for an event, for Staging.
  std::function<void(EventHandle)> waiting(const CudaStream *where);
  /// Calls `ask` until it returns success; throws other errors.
  template <typename Ask> void poll(Ask ask, const CudaStream *where);
  template <typename... Parts>
  void require(Result code, const CudaStream &where,
               const Parts &...what) const;
  [[noreturn]] void failed(Result code, const CudaStream *where) const;
  EventHandle takeEvent();
  /// Captures the work that enqueue() enqueues. Returns true if it became a
  /// graph; either way nothing has run.
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
  // The words that tell() writes, by stream; true if the driver can write a
  // word from a stream; true if graphs may hold such writes; true if the graph
  // being captured has one.
  uint64_t *toldWords = nullptr;
  bool writesWords = true, tellsInGraphs = true;
  bool isCapturing = false, hasTold = false;
  // An event with a time, and the host's time at that event; null until first
  // used.
  std::unique_ptr<CudaMoment> origin;
  std::chrono::steady_clock::time_point originTime;
  DevicePointer memory = 0; // the arena, and what collectives need
  void *hostMemory = nullptr;
  StreamHandle moves = nullptr; // the stream of readNow() and writeNow()
  EventHandle moved = nullptr;  // the moves of the host's work so far
  mutable std::mutex mutex;     // guards the three below
  std::map<uint32_t, std::unique_ptr<CudaStream>> streams;
  std::vector<EventHandle> ownEvents, spareEvents; // all; those not in use
  // For copyIn(), copyOut(), writeNow() and readNow(). Work of the host, for
  // which streams wait, must not wait for other copies.
  std::unique_ptr<Staging> incoming, outgoing, writes, reads;
  HostQueue queue; // for all streams but the main one; destroyed first
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUDADEVICE_H
