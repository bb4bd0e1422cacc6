// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a run's log.

#include "tools/zrun/StepLine.h"

#include "runtime/data/Inputs.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/Text.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Collect.h"

#include <algorithm>

namespace zcc::rt {

void addSizes(JsonLine &line, const char *prefix, RankHost &ranks) {
  for (const MemorySpaceInfo &row : memorySpaces) {
    MemorySpace space = row.space;
    std::vector<int64_t> planned, allocated;
    for (int rank = 0; rank < ranks.ranks(); ++rank)
      planned.push_back(int64_t(arenaBytes(ranks.stage(rank), space)));
    // Every rank knows whether there is anything to say.
    if (space != MemorySpace::Device &&
        std::all_of(planned.begin(), planned.end(),
                    [](int64_t bytes) { return bytes == 0; }))
      continue;
    for (int rank : ranks.localRanks())
      allocated.push_back(int64_t(ranks.device(rank).arenaBytes(space)));
    if (!ranks.isWhole()) {
      std::vector<std::string> sizes =
          collect(ranks, std::to_string(allocated[0]));
      allocated.clear();
      for (const std::string &size : sizes)
        allocated.push_back(std::stoll(size));
    }
    std::string suffix =
        space == MemorySpace::Device ? "_bytes" : text("_", row.name, "_bytes");
    line.integers(text(prefix, "planned", suffix), planned)
        .integers(text(prefix, "allocated", suffix), allocated);
  }
  std::vector<int64_t> held;
  for (int rank : ranks.localRanks())
    held.push_back(int64_t(ranks.device(rank).libraryBytes()));
  if (!ranks.isWhole()) {
    std::vector<std::string> all = collect(ranks, std::to_string(held[0]));
    held.clear();
    for (const std::string &bytes : all)
      held.push_back(std::stoll(bytes));
  }
  if (std::any_of(held.begin(), held.end(),
                  [](int64_t bytes) { return bytes != 0; }))
    line.integers(text(prefix, "library_bytes"), held);
}

JsonLine stepLine(const format::Executable &executable,
                  const std::vector<InputSpec> &specs, const StepReport &report,
                  const StepFacts &facts) {
  const Results &results = report.results;
  const bool trains = !isForward(executable);
  JsonLine line;
  line.integer("step", report.number);
  if (results.loss)
    line.raw("loss", results.loss->json);
  if (results.gradientNorm)
    line.number("grad_norm", *results.gradientNorm);
  if (trains)
    line.number("lr", report.learningRate);
  double tokens = double(tokensPerStep(specs));
  double peak = executable.peak_flops() * Mesh(executable).ranks();
  double seconds = facts.seconds;
  line.number("seconds", seconds);
  line.number("data_seconds", float(facts.waited));
  // Measured values: the digits of a float are enough.
  line.number("tokens_per_second",
              seconds > 0 ? float(tokens / seconds) : 0.0f);
  line.number("utilization",
              seconds > 0 && peak > 0
                  ? float(executable.model_flops() / (seconds * peak))
                  : 0.0f);
  if (trains) {
    line.boolean("overflow", !results.finite);
    line.number("loss_scale", report.lossScale);
  }
  for (const Results::Metric &metric : results.metrics)
    line.raw(metric.name, metric.json);
  return line;
}

std::string meanLine(const Means &means) {
  JsonLine mean;
  for (const auto &[name, value] : means.values())
    mean.number(name, value);
  return JsonLine().raw("mean", mean.str()).str();
}

} // namespace zcc::rt
