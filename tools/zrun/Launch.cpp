// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of several processes.

#include "tools/zrun/Launch.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Settings.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace zcc::rt {

/// Of messages that rank 0 collects; nothing else is under way then.
static constexpr uint64_t collectTag = 1;

static std::string describe(const LinkDelay &delay) {
  std::string out = text(delay.latency, " s");
  if (std::isfinite(delay.bandwidth))
    out += text(", ", delay.bandwidth, " B/s");
  return out;
}

std::unique_ptr<Processes> launchProcesses(const Options &options) {
  GetVariable get = [](const char *name) { return getenv(name); };
  std::string ranks = options.ranks.empty() ? findRanks(get) : options.ranks;
  if (ranks == "local")
    return nullptr;
  return std::make_unique<Processes>(
      ranks, get, options.watchdog, [](const std::string &message) {
        std::fprintf(stderr, "note: %s\n", message.c_str());
      });
}

void checkAgreement(Processes &processes, const Options &o) {
  std::vector<std::pair<std::string, std::string>> facts;
  auto add = [&](const char *name, const std::string &value) {
    facts.push_back({name, value});
  };
  add("executable", executableChecksum(o.executable));
  add("--steps", o.steps ? text(*o.steps) : "none");
  add("--init-seed", o.initSeed ? text(*o.initSeed) : "none");
  add("--seed", text(o.seed));
  add("--lr", text(o.lr));
  add("--warmup", text(o.warmup));
  add("--decay", text(int(o.decay)));
  add("--min-lr", text(o.minLr));
  add("--lr-file", o.lrFile.empty() ? "none" : "given");
  for (const SettingOption &option : settingOptions()) {
    auto given = o.settings.find(option.which);
    add(option.name, given == o.settings.end() ? "none" : text(given->second));
  }
  add("--clip-norm", text(o.clipNorm));
  add("--loss-scale", text(o.lossScale, !o.dynamicScale   ? ""
                                        : *o.dynamicScale ? " dynamic"
                                                          : " constant"));
  add("--on-nan", o.stopOnNan ? "stop" : "continue");
  add("--token-type", typeName(o.tokenType));
  add("--checkpoint", o.checkpoint.empty() ? "none" : "given");
  add("--checkpoint-every", text(o.checkpointEvery));
  add("--resume", o.resume ? "given" : "none");
  add("--save-params", o.saveParams.empty() ? "none" : "given");
  add("--save-grads", o.saveGrads.empty() ? "none" : "given");
  add("--tune", o.tune.empty() ? "none" : "given");
  add("--trace", o.trace.empty() ? "none" : "given");
  add("--eval-executable",
      o.evalExecutable.empty() ? "none" : executableChecksum(o.evalExecutable));
  add("--eval-every", o.evalEvery ? text(*o.evalEvery) : "none");
  add("--eval-steps", o.evalSteps ? text(*o.evalSteps) : "none");
  // It changes no number, but what ranks tell each other.
  add("--link-delay", o.linkDelay ? describe(*o.linkDelay) : "none");
  processes.agree(facts);
}

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

void saveAllParameters(const format::Executable &executable, RankHost &run,
                       const std::string &path) {
  HostView view; // until the next part is asked for
  auto local = [&](const Part &part) -> const void * {
    Device &device = run.device(part.rank);
    view = HostView(device, addressOf(device, *part.state), part.bytes,
                    Access::Read);
    return view.data();
  };
  if (run.isWhole())
    return saveParameters(executable, run.mesh(), local, path);
  int rank = run.localRanks().front();
  Transport &transport = run.transport(rank);
  if (rank != 0) {
    for (const Part &part : savedParts(executable, run.mesh()))
      if (part.rank == rank)
        transport.send(0, collectTag, local(part), part.bytes);
    return;
  }
  std::vector<char> buffer;
  saveParameters(
      executable, run.mesh(),
      [&](const Part &part) -> const void * {
        if (part.rank == 0)
          return local(part);
        buffer.resize(part.bytes);
        transport.receive(part.rank, collectTag, buffer.data(), part.bytes);
        return buffer.data();
      },
      path);
}

GradientCollector::GradientCollector(const format::Executable &executable,
                                     RankHost &run,
                                     std::unique_ptr<GradientFile> file)
    : executable(executable), run(run), file(std::move(file)) {}

void GradientCollector::take(int rank, const format::State &place,
                             const void *data, float divisor) {
  if (file)
    return file->take(rank, place, data, divisor);
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
        file->take(peer, *part.state, buffer.data(),
                   part.scaled ? lossScale : 1.0f);
      }
  }
  if (file)
    file->commit();
}

} // namespace zcc::rt
