// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a run of several processes.

#include "tools/zrun/Launch.h"

#include "runtime/core/Error.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Settings.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace zcc::rt {

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
  add("--key-seed", text(o.keySeed.value_or(0)));
  add("--lr", text(o.lr));
  add("--warmup", text(o.warmup));
  add("--decay", text(int(o.decay)));
  add("--min-lr", text(o.minLr));
  add("--lr-file", o.lrFile.empty() ? "none" : "given");
  for (const UpdateSetting &own : updateSettings()) {
    auto given = o.settings.find(own.which);
    add(("--" + std::string(own.name)).c_str(),
        given == o.settings.end() ? "none" : text(given->second));
  }
  add("--clip-norm", text(o.clipNorm));
  add("--loss-scale", text(o.lossScale, !o.dynamicScale   ? ""
                                        : *o.dynamicScale ? " dynamic"
                                                          : " constant"));
  add("--on-nan", nameOf(o.onNan));
  add("--token-type", typeName(o.tokenType));
  add("--checkpoint", o.checkpoint.empty() ? "none" : "given");
  add("--checkpoint-every", text(o.checkpointEvery));
  add("--resume", o.resume ? "given" : "none");
  add("--save-params", o.saveParams.empty() ? "none" : "given");
  add("--save-ema", o.saveEma.empty() ? "none" : "given");
  add("--save-grads", o.saveGrads.empty() ? "none" : "given");
  add("--save-outputs", o.saveOutputs.empty() ? "none" : "given");
  add("--tune", o.tune.empty() ? "none" : "given");
  add("--trace", o.trace.empty() ? "none" : "given");
  add("--eval-executable",
      o.evalExecutable.empty() ? "none" : executableChecksum(o.evalExecutable));
  add("--eval-ema", o.evalEma ? "given" : "none");
  add("--eval-every", o.evalEvery ? text(*o.evalEvery) : "none");
  add("--eval-steps", o.evalSteps ? text(*o.evalSteps) : "none");
  // It changes no result, but the messages between ranks.
  add("--link-delay", o.linkDelay ? describe(*o.linkDelay) : "none");
  processes.agree(facts);
}

} // namespace zcc::rt
