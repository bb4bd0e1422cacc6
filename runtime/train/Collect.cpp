// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Collect.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/States.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Outputs.h"

#include <algorithm>

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
        auto type =
            static_cast<uint32_t>(view.data ? view.type : ElementType::Invalid);
        transport.send(peer, collectTag, &type, sizeof(type));
        if (view.data)
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
    if (view.type !=
        ElementType::Invalid) { // else rank 0 lacks it: it is a key
      view.bytes = size_t(volume(spec.shape)) * byteSize(view.type);
      memory->emplace_back(view.bytes);
      view.data = memory->back().data();
      transport.receive(0, collectTag, memory->back().data(), view.bytes);
    }
    batch.inputs.push_back(view);
  }
  batch.owner = memory;
  return batch;
}

/// Copies memory of rank 0's process to that of all other ones, along a tree.
static void shareFromFirst(RankHost &run, char *data, size_t bytes) {
  constexpr size_t pieceBytes = 16 << 20; // the transport copies what it sends
  const int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  for (size_t at = 0; at < bytes; at += pieceBytes) {
    const size_t count = std::min(pieceBytes, bytes - at);
    if (rank != 0)
      transport.receive((rank - 1) / 2, collectTag, data + at, count);
    for (int peer = 2 * rank + 1; peer <= 2 * rank + 2; ++peer)
      if (peer < run.ranks())
        transport.send(peer, collectTag, data + at, count);
    transport.settle();
  }
}

std::string share(RankHost &run, std::string mine) {
  if (run.isWhole())
    return mine;
  uint64_t size = mine.size();
  shareFromFirst(run, reinterpret_cast<char *>(&size), sizeof(size));
  mine.resize(size);
  shareFromFirst(run, mine.data(), size);
  return mine;
}

static Address addressOf(Device &device, const Part &part) {
  return addressOf(device, *part.state);
}
static Address addressOf(Device &device, const OutputPart &part) {
  return device.at(part.output->offset());
}

/// Calls `use` on rank 0's process (all ranks' if they are of one process) with
/// a function that returns the data of each of the parts, which it asks for in
/// their order. `parts` is the same on all ranks.
template <typename P>
static void
visitParts(RankHost &run, const std::vector<P> &parts,
           const std::function<void(
               const std::function<const void *(const P &)> &dataOf)> &use) {
  HostView view; // until the next part is asked for
  auto local = [&](const P &part) -> const void * {
    Device &device = run.device(part.rank);
    view = HostView(device, addressOf(device, part), part.bytes, Access::Read);
    return view.data();
  };
  if (run.isWhole())
    return use(local);
  int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  if (rank != 0) {
    for (const P &part : parts)
      if (part.rank == rank)
        transport.send(0, collectTag, local(part), part.bytes);
    return;
  }
  std::vector<char> buffer;
  use([&](const P &part) -> const void * {
    if (part.rank == 0)
      return local(part);
    buffer.resize(part.bytes);
    transport.receive(part.rank, collectTag, buffer.data(), part.bytes);
    return buffer.data();
  });
}

/// Returns the parts of the file tensors that are wanted. All processes want
/// the same.
static std::vector<Part> wantedParts(const format::Executable &executable,
                                     RankHost &run, ParameterValues values,
                                     const std::vector<char *> &targets) {
  std::vector<Part> parts = savedParts(executable, run.mesh(), values);
  parts.erase(
      std::remove_if(
          parts.begin(), parts.end(),
          [&](const Part &part) {
            return !targets[size_t(fileTensorOf(executable, *part.state))];
          }),
      parts.end());
  return parts;
}

void gatherAllParameters(const format::Executable &executable, RankHost &run,
                         ParameterValues values,
                         const std::vector<char *> &targets,
                         const CopyProgress &targetDone) {
  visitParts<Part>(run, savedParts(executable, run.mesh(), values),
                   [&](const auto &dataOf) {
                     gatherParameters(executable, run.mesh(), values, dataOf,
                                      targets, targetDone);
                   });
}

void shareParameters(const format::Executable &executable, RankHost &run,
                     ParameterValues values,
                     const std::vector<char *> &targets) {
  visitParts<Part>(run, wantedParts(executable, run, values, targets),
                   [&](const auto &dataOf) {
                     gatherParameters(executable, run.mesh(), values, dataOf,
                                      targets);
                   });
  if (run.isWhole())
    return;
  for (int i = 0; i < executable.parameters_size(); ++i) {
    const format::Tensor &tensor = executable.parameters(i);
    if (targets[i])
      shareFromFirst(run, targets[i],
                     size_t(volume(shapeOf(tensor.shape()))) *
                         byteSize(static_cast<ElementType>(tensor.type())));
  }
}

void gatherAllOutputs(const format::Executable &executable, RankHost &run,
                      const std::vector<char *> &targets) {
  std::vector<OutputPart> parts = outputParts(executable, run.mesh());
  visitParts<OutputPart>(run, parts, [&](const auto &dataOf) {
    for (const OutputPart &part : parts) {
      const void *data = dataOf(part);
      if (char *target = targets[part.index])
        copyPart(part, data, target);
    }
  });
}

void shareOutputs(const format::Executable &executable, RankHost &run,
                  const std::vector<char *> &targets) {
  gatherAllOutputs(executable, run, targets);
  if (run.isWhole())
    return;
  std::vector<OutputSpec> specs = outputSpecs(executable);
  for (size_t i = 0; i < specs.size(); ++i)
    if (targets[i])
      shareFromFirst(run, targets[i],
                     size_t(volume(specs[i].shape)) * byteSize(specs[i].type));
}

void shareGradients(const format::Executable &executable, RankHost &run,
                    const std::map<std::string, float *> &targets) {
  if (run.isWhole())
    return;
  for (const format::Tensor &tensor : executable.parameters())
    if (auto at = targets.find(tensor.name()); at != targets.end())
      shareFromFirst(run, reinterpret_cast<char *>(at->second),
                     size_t(volume(shapeOf(tensor.shape()))) * sizeof(float));
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
