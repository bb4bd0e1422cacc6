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

int countMeetingPlaces(int ranks) { return (ranks + 63) / 64; }

int collectiveCtas(int lanes, const GpuFacts &gpu) {
  int room = gpu.multiprocessors - lanes * transferCtas;
  if (room < 1)
    badInput("transfers to and from other stages take ", lanes * transferCtas,
             " multiprocessors of ", gpu.describe(), ", which has ",
             gpu.multiprocessors, "; --collectives host does without");
  return std::min(room, mostCollectiveCtas);
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
  // Ranks meet at several places at once if the library can. Each of those
  // ranks makes an identifier, to which the others add zeros.
  int count = library.initializeScalable ? countMeetingPlaces(mesh.ranks()) : 1;
  std::vector<nccl::UniqueId> ids(size_t(count), nccl::UniqueId{});
  for (int i = 0; i < count; ++i)
    if (int64_t(i) * mesh.ranks() / count == setting.rank)
      if (nccl::Result code = library.makeId(&ids[size_t(i)]))
        failed(code, world, "open");
  auto everybody = setting.transport.open(world.ranks);
  if (everybody->size() > 1)
    everybody->allReduce(ElementType::U8, Reduction::Max, ids[0].bytes,
                         ids[0].bytes, int64_t(ids.size() * sizeof(ids[0])));
  std::set<TransferLane> all;
  if (executable.stages_size() > 1)
    all = lanesOf(executable, planTransfers(executable));
  auto own =
      std::count_if(all.begin(), all.end(), [&](const TransferLane &one) {
        int stage = mesh.stageOf(setting.rank);
        return one.from == stage || one.to == stage;
      });
  int64_t ctas = collectiveCtas(int(own), gpu.facts);
  if (everybody->size() > 1) // GPUs and stages differ, a communicator is one
    everybody->allReduce(ElementType::I64, Reduction::Min, &ctas, &ctas, 1);
  nccl::Config config; // of groups split from it, too
  config.minCtas = 1;
  config.maxCtas = int(ctas);
  settle(count > 1 ? library.initializeScalable(&world.comm, mesh.ranks(),
                                                setting.rank, count, ids.data(),
                                                &config)
                   : library.initialize(&world.comm, mesh.ranks(), ids[0],
                                        setting.rank, &config),
         world, world, "open");
  for (const std::vector<uint32_t> &axes : axesOf(executable)) {
    std::unique_ptr<NcclGroup> &group = groups[axes];
    group = std::make_unique<NcclGroup>();
    group->ranks = mesh.group(setting.rank, axes);
    group->name = nameOf(mesh, axes);
    split(*group, *std::min_element(group->ranks.begin(), group->ranks.end()),
          int(indexIn(group->ranks, setting.rank)), nullptr);
  }
  for (const TransferLane &lane : all)
    openLane(lane, setting);
  isOpen = true;
}

void NcclRank::split(NcclGroup &group, int color, int own,
                     nccl::Config *config) {
  nccl::Result code =
      library.split(world.comm, color, own, &group.comm, config);
  settle(code, world, group, "split off");
  if (group.comm)
    settle(nccl::inProgress, group, group, "open");
}

void NcclRank::openLane(const TransferLane &lane, const RankSetting &setting) {
  const Mesh &mesh = setting.mesh;
  int stage = mesh.stageOf(setting.rank);
  nccl::Config config;
  config.minCtas = 1;
  config.maxCtas = transferCtas;
  auto group = std::make_unique<NcclGroup>();
  group->ranks = {mesh.inStage(setting.rank, lane.from),
                  mesh.inStage(setting.rank, lane.to)};
  group->name = text("transfers from stage ", lane.from, " to stage ", lane.to);
  bool isOwn = lane.from == stage || lane.to == stage;
  split(*group, isOwn ? group->ranks[0] : nccl::noColor,
        lane.from == stage ? 0 : 1, &config);
  if (isOwn)
    lanes[lane] = std::move(group);
}

void NcclRank::registerMemory(Address at, size_t bytes,
                              const RankSetting &setting) {
  if (!library.registerMemory || !library.unregisterMemory || bytes == 0)
    return;
  void *memory = reinterpret_cast<void *>(uintptr_t(at.bits()));
  std::vector<std::string> without;
  std::string why;
  forEachGroup([&](NcclGroup &group) {
    if (&group == &world)
      return; // only split
    nccl::Result code =
        library.registerMemory(group.comm, memory, bytes, &group.registered);
    if (code == nccl::success)
      return;
    group.registered = nullptr;
    why = library.describe(code, group.comm);
    without.push_back(group.name);
  });
  if (!without.empty() && setting.note)
    setting.note(text("rank ", setting.rank, ": NCCL does not register the ",
                      "arena (", why, ") for ", listText(without, 8),
                      ", which is copied through its own"));
}

NcclRank::~NcclRank() {
  if (gpu.driver.setContext(gpu.held()) != success)
    return;
  bool givesUp = cancellation.cancelled() || hasFailed || !isOpen;
  forEachGroup([&](NcclGroup &group) {
    if (!group.comm)
      return;
    if (group.registered)
      (void)library.unregisterMemory(group.comm, group.registered);
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
  });
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
  group.step = &step;
  device.call(stream, step, [&](StreamHandle handle) {
    settle(body(handle), group, group, "use");
  });
}

void NcclRank::check() const {
  forEachGroup([&](const NcclGroup &group) {
    nccl::Result code = nccl::success;
    if (!group.comm)
      return;
    if (nccl::Result asked = library.asyncError(group.comm, &code))
      code = asked;
    if (code != nccl::success && code != nccl::inProgress)
      failed(code, group, "use");
  });
}

} // namespace zcc::rt::cuda
