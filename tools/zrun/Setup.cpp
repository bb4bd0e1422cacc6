// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run opens and finds out before it allocates.

#include "tools/zrun/Setup.h"

#include "runtime/core/Error.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/Tokens.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Results.h"

#include <unistd.h>

namespace zcc::rt {

namespace {

/// A source for programs without inputs.
class NoInputs : public BatchSource {
public:
  Batch read(int64_t) override { return {}; }
};

} // namespace

void checkOutputs(const Options &options) {
  if (!options.saveParams.empty())
    checkWritable(options.saveParams);
  if (!options.saveGrads.empty())
    checkWritable(options.saveGrads);
  if (!options.trace.empty())
    checkWritable(options.trace, /*special=*/true);
}

std::unique_ptr<BatchSource> openSource(const Options &options,
                                        const std::vector<InputSpec> &specs,
                                        bool isFirst, const Say &note) {
  if (!options.tokens.empty())
    return openTokens(options.tokens, options.tokenType, options.seed, specs);
  if (options.batches == "-" && !isFirst)
    return std::make_unique<NoInputs>(); // rank 0 has the standard input
  if (options.batches == "-")
    return openBatchStream(STDIN_FILENO, specs, note);
  if (!options.batches.empty())
    return openBatchFiles(options.batches, specs, note);
  if (specs.empty())
    return std::make_unique<NoInputs>();
  std::vector<std::string> names;
  for (const InputSpec &spec : specs)
    names.push_back(text(spec.name, " ", typeName(spec.type), " ", spec.shape));
  badInput("--batches or --tokens is needed: the executable reads ",
           listText(names));
}

int64_t countSteps(const Options &options, const BatchSource &source) {
  if (options.steps)
    return *options.steps;
  if (auto length = source.steps())
    return *length;
  badInput("--steps is needed");
}

LossScale makeLossScale(const format::Executable &executable,
                        const Options &options) {
  bool dynamic = options.dynamicScale.value_or(executable.precision() == "f16");
  if (executable.optimizer() == "forward")
    dynamic = false;
  if (dynamic && !reportsOverflow(executable))
    badInput("--loss-scale dynamic: the executable does not report overflows");
  double start = options.lossScale;
  if (start == 0)
    start = dynamic ? 65536.0 : 1.0;
  return LossScale(dynamic, start);
}

void checkStart(const format::Executable &executable, const Options &options) {
  if (options.initSeed && !executable.stages(0).has_init())
    badInput("--init-seed: the executable has no initialization; compile it "
             "with --init");
  if (options.params.empty() && !options.initSeed &&
      executable.parameters_size() != 0)
    badInput("--params or --init-seed is needed: the executable has ",
             executable.parameters_size(), " parameters");
}

void initialize(const format::Executable &executable, RankHost &ranks,
                uint64_t seed) {
  auto keyType = static_cast<ElementType>(executable.key_type());
  ranks.onAllRanks([&](int rank) {
    Device &device = ranks.device(rank);
    Address key = device.at(ranks.stage(rank).key_offset());
    const uint32_t halves[2] = {uint32_t(seed >> 32), uint32_t(seed)};
    if (keyType == ElementType::U32)
      device.copyIn(device.mainStream(), key, halves, sizeof(halves));
    else
      device.copyIn(device.mainStream(), key, &seed, byteSize(keyType));
    ranks.runInit(rank);
    initializeSlots(executable, ranks.mesh(), rank, device);
  });
}

} // namespace zcc::rt
