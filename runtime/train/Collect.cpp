// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Collect.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

/// The tag of messages that rank 0 collects; nothing else is under way then.
static constexpr uint64_t collectTag = 1;

std::vector<std::string> collect(RankHost &run, const std::string &mine) {
  int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  uint64_t size = mine.size();
  if (rank != 0) {
    transport.send(0, collectTag, &size, sizeof(size));
    transport.send(0, collectTag, mine.data(), size);
    return {};
  }
  std::vector<std::string> all = {mine};
  for (int peer = 1; peer < run.ranks(); ++peer) {
    transport.receive(peer, collectTag, &size, sizeof(size));
    all.emplace_back(size, '\0');
    transport.receive(peer, collectTag, all.back().data(), size);
  }
  return all;
}

Batch shareBatch(RankHost &run, const std::vector<InputSpec> &specs,
                 Batch batch) {
  int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  if (rank == 0) {
    for (int peer = 1; peer < run.ranks(); ++peer)
      for (const TensorView &view : batch.inputs) {
        auto type = static_cast<uint32_t>(view.type);
        transport.send(peer, collectTag, &type, sizeof(type));
        transport.send(peer, collectTag, view.data, view.bytes);
      }
    return batch;
  }
  auto memory = std::make_shared<std::vector<std::vector<char>>>();
  for (const InputSpec &spec : specs) {
    uint32_t type;
    transport.receive(0, collectTag, &type, sizeof(type));
    TensorView view;
    view.type = static_cast<ElementType>(type);
    view.shape = spec.shape;
    view.bytes = size_t(volume(spec.shape)) * byteSize(view.type);
    memory->emplace_back(view.bytes);
    view.data = memory->back().data();
    transport.receive(0, collectTag, memory->back().data(), view.bytes);
    batch.inputs.push_back(view);
  }
  batch.owner = memory;
  return batch;
}

/// Calls `use` for each of savedParts(), on rank 0's process (all ranks' if
/// they are of one process) with the data of the part.
static void
visitParts(const format::Executable &executable, RankHost &run,
           const std::function<void(
               const std::function<const void *(const Part &)> &dataOf)> &use) {
  HostView view; // until the next part is asked for
  auto local = [&](const Part &part) -> const void * {
    Device &device = run.device(part.rank);
    view = HostView(device, addressOf(device, *part.state), part.bytes,
                    Access::Read);
    return view.data();
  };
  if (run.isWhole())
    return use(local);
  int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  if (rank != 0) {
    for (const Part &part : savedParts(executable, run.mesh()))
      if (part.rank == rank)
        transport.send(0, collectTag, local(part), part.bytes);
    return;
  }
  std::vector<char> buffer;
  use([&](const Part &part) -> const void * {
    if (part.rank == 0)
      return local(part);
    buffer.resize(part.bytes);
    transport.receive(part.rank, collectTag, buffer.data(), part.bytes);
    return buffer.data();
  });
}

void saveAllParameters(const format::Executable &executable, RankHost &run,
                       const std::string &path) {
  visitParts(executable, run, [&](const auto &dataOf) {
    saveParameters(executable, run.mesh(), dataOf, path);
  });
}

void gatherAllParameters(const format::Executable &executable, RankHost &run,
                         const std::vector<char *> &targets) {
  visitParts(executable, run, [&](const auto &dataOf) {
    gatherParameters(executable, run.mesh(), dataOf, targets);
  });
}

GradientCollector::GradientCollector(const format::Executable &executable,
                                     RankHost &run,
                                     std::unique_ptr<Gradients> target)
    : executable(executable), run(run), target(std::move(target)) {}

void GradientCollector::take(int rank, const format::State &place,
                             const void *data, float divisor) {
  if (target)
    return target->take(rank, place, data, divisor);
  // The list names what rank 0 expects, in this order.
  std::vector<Part> expected = observedParts(executable, run.mesh(), rank);
  size_t next = kept.size();
  if (next < expected.size() && expected[next].state == &place) {
    const char *begin = static_cast<const char *>(data);
    kept.emplace_back(begin, begin + expected[next].bytes);
  }
}

void GradientCollector::commit(float lossScale) {
  if (!run.isWhole()) {
    int rank = run.localRanks().front();
    Transport &transport = run.transport(rank);
    for (const std::vector<char> &part : kept)
      transport.send(0, collectTag, part.data(), part.size());
    std::vector<char> buffer;
    for (int peer = 1; rank == 0 && peer < run.ranks(); ++peer)
      for (const Part &part : observedParts(executable, run.mesh(), peer)) {
        buffer.resize(part.bytes);
        transport.receive(peer, collectTag, buffer.data(), part.bytes);
        target->take(peer, *part.state, buffer.data(),
                     part.scaled ? lossScale : 1.0f);
      }
  }
  if (target)
    target->commit();
}

} // namespace zcc::rt
