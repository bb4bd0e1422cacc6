// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/NcclRank.h"

#include "runtime/comm/Communicator.h"
#include "runtime/cuda/ExchangePlan.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>

namespace zcc::rt::cuda {

/// The lists of axes that some stage's collectives name, in one order on all
/// ranks.
static std::set<std::vector<uint32_t>>
axesOf(const format::Executable &executable) {
  std::set<std::vector<uint32_t>> all;
  for (const format::Stage &stage : executable.stages())
    forEachCollective(stage, [&](const format::Step &step) {
      const auto &axes = portionsOf(step).front()->axes();
      all.insert({axes.begin(), axes.end()});
    });
  return all;
}

static std::string nameOf(const Mesh &mesh, const std::vector<uint32_t> &axes) {
  std::vector<std::string> names;
  for (uint32_t axis : axes)
    names.push_back(mesh.axes()[axis].name);
  return listText(names, 1000);
}

NcclRank::NcclRank(const Nccl &library, const Gpu &gpu,
                   const format::Executable &executable,
                   const RankSetting &setting)
    : NcclRank(library, gpu, setting.cancellation) {
  const Mesh &mesh = setting.mesh;
  world.name = "all ranks";
  world.ranks.resize(size_t(mesh.ranks()));
  std::iota(world.ranks.begin(), world.ranks.end(), 0);
  gpu.use();
  gpu.driver.require(gpu.driver.createEvent(&last, eventWithoutTime),
                     "make an event");
  // One rank's identifier, added to nothing of the others.
  nccl::UniqueId id{};
  if (setting.rank == 0)
    if (nccl::Result code = library.makeId(&id))
      failed(code, world, "open");
  auto everybody = setting.transport.open(world.ranks);
  if (everybody->size() > 1)
    everybody->allReduce(ElementType::U8, Reduction::Max, id.bytes, id.bytes,
                         sizeof(id.bytes));
  nccl::Config config;
  settle(
      library.initialize(&world.comm, mesh.ranks(), id, setting.rank, &config),
      world, world, "open");
  for (const std::vector<uint32_t> &axes : axesOf(executable)) {
    std::unique_ptr<NcclGroup> &group = groups[axes];
    group = std::make_unique<NcclGroup>();
    group->ranks = mesh.group(setting.rank, axes);
    group->name = nameOf(mesh, axes);
    auto own =
        std::find(group->ranks.begin(), group->ranks.end(), setting.rank) -
        group->ranks.begin();
    int color = *std::min_element(group->ranks.begin(), group->ranks.end());
    nccl::Result code =
        library.split(world.comm, color, int(own), &group->comm, nullptr);
    settle(code, world, *group, "split off");
    if (group->comm)
      settle(nccl::inProgress, *group, *group, "open");
  }
  isOpen = true;
}

NcclRank::~NcclRank() {
  if (gpu.driver.setContext(gpu.held()) != success)
    return;
  bool givesUp = cancellation.cancelled() || hasFailed || !isOpen;
  auto end = [&](NcclGroup &group) {
    if (!group.comm)
      return;
    if (givesUp) {
      (void)library.abort(group.comm);
      return;
    }
    // All ranks come here, and nothing is enqueued any more.
    nccl::Result code = library.finalize(group.comm);
    while (code == nccl::inProgress && !cancellation.cancelled()) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (library.asyncError(group.comm, &code) != nccl::success)
        break;
    }
    if (code == nccl::success)
      (void)library.destroy(group.comm);
    else
      (void)library.abort(group.comm);
  };
  for (auto &[axes, group] : groups)
    end(*group);
  end(world);
  if (last)
    (void)gpu.driver.destroyEvent(last);
}

void NcclRank::failed(nccl::Result code, const NcclGroup &group,
                      const char *what) const {
  hasFailed = true;
  const std::string *step = group.step;
  std::vector<std::string> ranks;
  for (int rank : group.ranks)
    ranks.push_back(text(rank));
  fail("cannot ", what, " the communicator of ", group.name, " (ranks ",
       listText(ranks, 16), ") of ", gpu.facts.describe(), ": NCCL ",
       library.versionText(), ": ", library.describe(code, group.comm),
       step ? text(", in ", *step) : "");
}

void NcclRank::settle(nccl::Result code, const NcclGroup &asked,
                      const NcclGroup &group, const char *what) {
  for (int turns = 0; code == nccl::inProgress; ++turns) {
    throwIfCancelled(cancellation);
    if (turns < 200)
      yieldCore();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (nccl::Result wrong = library.asyncError(asked.comm, &code))
      code = wrong;
  }
  if (code != nccl::success)
    failed(code, group, what);
}

void NcclRank::enqueue(NcclGroup &group, CudaDevice &device, Stream &stream,
                       const std::string &step,
                       const std::function<nccl::Result(StreamHandle)> &body) {
  if (lastStream && lastStream != &stream)
    device.enqueueWait(stream, last);
  group.step = &step;
  device.call(stream, step, [&](StreamHandle handle) {
    settle(body(handle), group, group, "use");
  });
  device.record(stream, last);
  lastStream = &stream;
}

void NcclRank::check() const {
  auto ask = [&](const NcclGroup &group) {
    nccl::Result code = nccl::success;
    if (!group.comm)
      return;
    if (nccl::Result asked = library.asyncError(group.comm, &code))
      code = asked;
    if (code != nccl::success && code != nccl::inProgress)
      failed(code, group, "use");
  };
  for (const auto &[axes, group] : groups)
    ask(*group);
  ask(world);
}

} // namespace zcc::rt::cuda
