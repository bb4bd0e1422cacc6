// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives between GPUs of one process. Data that only moves is copied by
// the rank that wants it. A sum is computed in parts, one for each member, and
// each part is given to all. A group of one rank makes a copy.

#include "runtime/cuda/Collectives.h"

#include "runtime/comm/BoxExchange.h"
#include "runtime/cuda/Moves.h"
#include "runtime/cuda/Reductions.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt::cuda {

namespace {

PartReduction reductionOf(const format::CollectiveStep &step, const Mesh &mesh,
                          int rank, const GpuOf &gpuOf) {
  std::vector<int> group = groupOf(step, mesh, rank);
  std::vector<bool> others;
  for (int member : group)
    others.push_back(gpuOf(member) != gpuOf(rank));
  return {ReducedPart(step, group.size(), indexIn(group, rank)),
          std::move(others)};
}

class DeviceCollective : public Step {
public:
  DeviceCollective(const format::Step &step, const ExchangeSetting &setting)
      : step(step), portions(portionsOf(step)), gpu(setting.gpu),
        mesh(setting.rank.mesh), rank(setting.rank.rank),
        cancellation(setting.rank.cancellation), policy(setting.rank.policy),
        groups(setting.groups), ranks(groupOf(*portions.front(), mesh, rank)),
        member(int(indexIn(ranks, rank))) {
    for (const format::CollectiveStep *own : portions) {
      reads.push_back(own->source());
      writes.push_back(own->target());
      pads.push_back(hasPadding(*own, mesh, rank));
      moves.push_back(movesOf(*own, mesh, rank));
      if (!reduces(*own))
        continue;
      kernel = findReduction(setting.executable, *own);
      for (int i = 0; i < setting.executable.reductions_size(); ++i)
        if (&setting.executable.reductions(i) == kernel)
          function = gpu.reduction(uint32_t(i));
      reductions.push_back(reductionOf(*own, mesh, rank, setting.gpuOf));
    }
    auto words = setting.plan.words.find(&step);
    if (words != setting.plan.words.end())
      wordsBegin = words->second;
    auto room = setting.plan.rooms.find(step.stream());
    if (room != setting.plan.rooms.end())
      roomBegin = room->second;
  }

  ~DeviceCollective() override {
    if (ready && gpu.driver.setContext(gpu.held()) == success) {
      (void)gpu.driver.destroyEvent(ready);
      (void)gpu.driver.destroyEvent(done);
    }
  }

  void initialize() override {
    if (ranks.size() == 1)
      return;
    group = groups.open(ranks);
    gpu.use();
    for (EventHandle *event : {&ready, &done})
      gpu.driver.require(gpu.driver.createEvent(event, eventWithoutTime),
                         "make an event");
  }

  void execute(const Frame &frame) override {
    auto &device = static_cast<CudaDevice &>(frame.device);
    DeviceGroup::Post post{&step, &name, {}, {}, ready, done, gpu.held()};
    for (const format::CollectiveStep *own : portions) {
      post.sources.push_back(frame.operands[own->source()].bits());
      post.targets.push_back(frame.operands[own->target()].bits());
    }
    if (ranks.size() == 1)
      return copyOwn(device, frame.stream, post);
    groups.setPlace(rank, group.get());
    Visit visit(*group, member, device, frame.stream, std::move(post),
                cancellation, policy);
    groups.setPlace(rank, nullptr);
    visit.begin();
    if (!reductions.empty())
      reduce(device, frame.stream, visit);
    else
      for (size_t i = 0; i < portions.size(); ++i)
        take(
            device, frame.stream, i,
            [&](int other) {
              const DeviceGroup::Post &post = visit.of(other);
              return Source{post.sources[i], post.context};
            },
            visit.of(member).targets[i]);
    visit.end();
  }

private:
  using Source = PartReduction::Source;
  /// The moves of a portion, the rank's own first: all others begin elsewhere.
  template <typename SourceOf>
  void take(CudaDevice &device, Stream &stream, size_t portion,
            SourceOf sourceOf, DevicePointer target) {
    if (pads[portion]) {
      Shard box = targetBox(*portions[portion], mesh, rank);
      size_t width = byteSize(ElementType(portions[portion]->type()));
      device.fill(stream, Address::fromBits(target), 0, 1,
                  width * size_t(volume(box.shape)));
    }
    const std::vector<Move> &all = moves[portion];
    for (size_t i = 0; i < all.size(); ++i) {
      const Move &move = all[(i + size_t(member)) % all.size()];
      Source source = sourceOf(move.member);
      forEachRows(move.pieces, [&](size_t from, size_t to, size_t rows,
                                   size_t fromPitch, size_t toPitch) {
        device.copyRows(stream,
                        {Address::fromBits(target + move.to + to), toPitch},
                        {Address::fromBits(source.at + move.from + from),
                         fromPitch, source.context},
                        move.pieces.width, rows);
      });
    }
  }

  void copyOwn(CudaDevice &device, Stream &stream,
               const DeviceGroup::Post &post) {
    for (size_t i = 0; i < portions.size(); ++i) {
      if (!reduces(*portions[i])) {
        take(
            device, stream, i,
            [&](int) {
              return Source{post.sources[i], post.context};
            },
            post.targets[i]);
        continue;
      }
      ReducedPart whole(*portions[i], 1, 0);
      if (post.sources[i] != post.targets[i])
        device.copyRows(stream, {Address::fromBits(post.targets[i]), 0},
                        {Address::fromBits(post.sources[i]), 0},
                        whole.elements() * whole.width, 1);
    }
  }

  void reduce(CudaDevice &device, Stream &stream, const Visit &visit) {
    PartReduction::LaunchSite place{gpu,
                                    *kernel,
                                    function,
                                    device.exchange() + wordsBegin,
                                    device.exchange() + roomBegin,
                                    name};
    for (size_t i = 0; i < portions.size(); ++i) {
      std::vector<Source> sources;
      for (int m = 0; m < int(ranks.size()); ++m)
        sources.push_back({visit.of(m).sources[i], visit.of(m).context});
      DevicePointer target = visit.of(member).targets[i];
      reductions[i].enqueue(device, stream, place, sources, target);
      place.words = place.words + 8 * reductions[i].words();
      if (portions[i]->kind() != format::CollectiveStep::ALL_REDUCE)
        continue;
      // No other rank reads or writes this part of the targets.
      ReducedPart own(*portions[i], ranks.size(), size_t(member));
      size_t begin = own.targetBegin * own.width;
      for (size_t m = 1; m < ranks.size(); ++m) {
        auto other = int((size_t(member) + m) % ranks.size());
        device.copyRows(
            stream, {Address::fromBits(visit.of(other).targets[i] + begin), 0},
            {Address::fromBits(target + begin), 0}, own.row * own.width, 1);
      }
    }
  }

  const format::Step &step;
  const PortionSteps portions;
  const Gpu &gpu;
  const Mesh &mesh;
  const int rank;
  const Cancellation &cancellation;
  const SpinPolicy policy;
  DeviceGroups &groups;
  const std::vector<int> ranks;
  const int member;
  std::vector<std::vector<Move>> moves;  // by portion
  std::vector<bool> pads;                // by portion
  std::vector<PartReduction> reductions; // by portion, or none
  const format::ReductionKernel *kernel = nullptr;
  Function function = nullptr;
  size_t wordsBegin = 0, roomBegin = 0;
  std::shared_ptr<DeviceGroup> group;
  EventHandle ready = nullptr, done = nullptr;
};

} // namespace

ExchangePlan planDeviceExchange(const format::Executable &executable,
                                const Mesh &mesh, int rank,
                                const GpuOf &gpuOf) {
  return {executable.stages(mesh.stageOf(rank)), [&](const format::Step &step) {
            ExchangePlan::Need need;
            for (const format::CollectiveStep *own : portionsOf(step)) {
              if (!reduces(*own) || !findReduction(executable, *own))
                continue;
              PartReduction part = reductionOf(*own, mesh, rank, gpuOf);
              need.own += 8 * part.words();
              // Each source's part begins on a line.
              if (part.needsRoom())
                need.shared = std::max(
                    need.shared,
                    reductionRoom + 64 * groupOf(*own, mesh, rank).size());
            }
            return need;
          }};
}

std::shared_ptr<DeviceGroup> DeviceGroups::open(const std::vector<int> &ranks) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<DeviceGroup> &group = groups[ranks];
  if (!group)
    group = std::make_shared<DeviceGroup>(ranks);
  return group;
}

std::vector<int> DeviceGroups::awaited(int rank) const {
  const DeviceGroup *group = places[size_t(rank)];
  return group ? group->missing() : std::vector<int>();
}

std::unique_ptr<Step> createDeviceCollective(const format::Step &step,
                                             const ExchangeSetting &setting) {
  PortionSteps portions = portionsOf(step);
  if (portions.empty() ||
      (reduces(*portions.front()) &&
       !findReduction(setting.executable, *portions.front())))
    return nullptr;
  return std::make_unique<DeviceCollective>(step, setting);
}

} // namespace zcc::rt::cuda
