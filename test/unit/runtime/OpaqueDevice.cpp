// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpaqueDevice.h"

#include "runtime/comm/CollectiveSteps.h"
#include "runtime/core/Error.h"
#include "runtime/core/Spaces.h"
#include "runtime/cpu/KernelSteps.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <cstring>

namespace zcc::rt::test {

// No process has memory there.
static constexpr uint64_t firstBit = uint64_t(1) << 60, spaceBit = uint64_t(1)
                                                                   << 56;

namespace {
struct Point : Event {
  Stream *stream = nullptr;
  uint64_t recorded = 0, reached = 0;
};
} // namespace

OpaqueDevice::OpaqueDevice(const ArenaSizes &sizes, ThreadPool *pool,
                           size_t inputBytes)
    : pool(pool), sizes(sizes) {
  for (const MemorySpaceInfo &row : memorySpaces)
    memory[row.space].resize(sizes[row.space]);
  memory[MemorySpace::Device].resize(sizes[MemorySpace::Device] + inputBytes);
}

OpaqueDevice::~OpaqueDevice() {
  for (auto &entry : queues)
    drain(entry.second);
}

size_t OpaqueDevice::arenaBytes(MemorySpace space) const {
  return sizes[space];
}

std::optional<Address> OpaqueDevice::inputRoom() const {
  size_t end = sizes[MemorySpace::Device];
  if (memory[MemorySpace::Device].size() == end)
    return std::nullopt;
  return at(end);
}

Address OpaqueDevice::arenaStart(MemorySpace space) const {
  return Address::fromBits(firstBit + uint64_t(space) * spaceBit);
}

char *OpaqueDevice::memoryAt(Address address, size_t bytes) {
  auto space = MemorySpace((address.bits() - firstBit) / spaceBit);
  if (address.bits() < firstBit || size_t(space) >= std::size(memorySpaces))
    fail("an address outside of all arenas");
  std::vector<char> &arena = memory[space];
  uint64_t offset = address.bits() - arenaStart(space).bits();
  if (offset > arena.size() || bytes > arena.size() - offset)
    fail("bytes ", offset, " + ", bytes, " of an arena of ", arena.size());
  return arena.data() + offset;
}

Stream &OpaqueDevice::stream(uint32_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  return queues[number];
}

std::unique_ptr<Event> OpaqueDevice::makeEvent() {
  return std::make_unique<Point>();
}

void OpaqueDevice::enqueue(Stream &stream, std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mutex);
  static_cast<Queue &>(stream).work.push_back(std::move(work));
}

void OpaqueDevice::drain(Queue &queue) {
  while (!queue.work.empty()) {
    std::function<void()> work = std::move(queue.work.front());
    queue.work.pop_front();
    work();
  }
}

void OpaqueDevice::wait(Stream &stream) {
  std::lock_guard<std::mutex> lock(mutex);
  drain(static_cast<Queue &>(stream));
}

void OpaqueDevice::record(Stream &stream, Event &event) {
  auto &point = static_cast<Point &>(event);
  point.stream = &stream;
  ++point.recorded;
  enqueue(stream, [&point] { ++point.reached; });
}

void OpaqueDevice::enqueueWait(Stream &stream, const Event &event) {
  auto &point = static_cast<const Point &>(event);
  enqueue(stream, [this, &point, count = point.recorded] {
    if (point.reached < count)
      drain(static_cast<Queue &>(*point.stream));
  });
}

void OpaqueDevice::copyIn(Stream &stream, Address to, const void *from,
                          size_t bytes) {
  const char *begin = static_cast<const char *>(from);
  std::vector<char> held(begin, begin + bytes);
  enqueue(stream, [this, to, held = std::move(held)] {
    char *target = memoryAt(to, held.size());
    if (!held.empty())
      std::memcpy(target, held.data(), held.size());
  });
}

void OpaqueDevice::copyOut(Stream &stream, void *to, Address from,
                           size_t bytes) {
  enqueue(stream, [=] {
    const char *source = memoryAt(from, bytes);
    if (bytes != 0)
      std::memcpy(to, source, bytes);
  });
}

void OpaqueDevice::copy(Stream &stream, Address to, Address from,
                        size_t bytes) {
  enqueue(stream, [=] {
    char *target = memoryAt(to, bytes), *source = memoryAt(from, bytes);
    if (bytes != 0)
      std::memmove(target, source, bytes);
  });
}

void OpaqueDevice::fill(Stream &stream, Address to, uint64_t element,
                        uint32_t width, size_t bytes) {
  enqueue(stream, [=] {
    char *target = memoryAt(to, bytes);
    for (size_t i = 0; i < bytes; ++i)
      target[i] = char(element >> (8 * (i % width)));
  });
}

void OpaqueDevice::enqueueHost(Stream &stream, HostWork work) {
  // Other ranks may wait for it, so that it cannot be put off.
  enqueue(stream,
          [work = std::move(work)] { sleepUntil(work(), neverCancelled); });
  wait(stream);
}

void OpaqueDevice::readNow(void *to, Address from, size_t bytes) {
  const char *source = memoryAt(from, bytes);
  if (bytes != 0)
    std::memcpy(to, source, bytes);
}

void OpaqueDevice::writeNow(Address to, const void *from, size_t bytes) {
  char *target = memoryAt(to, bytes);
  if (bytes != 0)
    std::memcpy(target, from, bytes);
}

void OpaqueDevice::reserve(const ResourceRequest &request) {
  if (pool)
    pool->reserveScratch(request.scratchBytes);
}

namespace {

class OpaqueSteps : public StepFactory {
public:
  OpaqueSteps(const KernelTable &kernels, const RankSetting &setting)
      : kernels(kernels), setting(setting) {}
  std::unique_ptr<Step> create(const format::Step &step,
                               const format::Task &task) override {
    if (auto basic = createBasicStep(step, task, setting.observer))
      return basic;
    std::unique_ptr<Step> onHost = createCollectiveStep(
        step, setting.mesh, setting.rank, setting.transport);
    if (!onHost)
      onHost = createKernelStep(step, task, kernels, setting);
    return stageOnHost(std::move(onHost), task);
  }

private:
  const KernelTable &kernels;
  const RankSetting setting;
};

class OpaqueCode : public LoadedCode {
public:
  explicit OpaqueCode(const format::Executable &executable)
      : executable(executable), object(executable.codes(0).object()),
        kernels{executable, {}} {
    for (const format::Kernel &kernel : executable.kernels())
      kernels.functions.push_back(object.find(kernel.symbol()));
  }
  std::unique_ptr<Device> makeDevice(const RankSetting &setting) override {
    int stage = setting.mesh.stageOf(setting.rank);
    return std::make_unique<OpaqueDevice>(arenaSizes(executable.stages(stage)),
                                          &setting.pool);
  }
  std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                         Device &) override {
    return std::make_unique<OpaqueSteps>(kernels, setting);
  }

private:
  const format::Executable &executable;
  const ObjectCode object;
  KernelTable kernels;
};

class OpaqueBackend : public Backend {
public:
  const char *name() const override { return "opaque"; }
  void check(const format::Executable &) const override {}
  Facts describe(const format::Executable &) const override { return {}; }
  uint64_t memoryBytes() const override { return 0; }
  std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const override {
    return std::make_unique<OpaqueCode>(executable);
  }
};

} // namespace

const Backend &opaqueBackend() {
  static const OpaqueBackend backend;
  return backend;
}

} // namespace zcc::rt::test
