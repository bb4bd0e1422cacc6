// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the data of a run and checks its options before it allocates.

#include "tools/zrun/Setup.h"

#include "runtime/core/Error.h"
#include "runtime/data/NewFile.h"
#include "runtime/data/Tokens.h"
#include "runtime/format/executable.pb.h"

#include <unistd.h>

namespace zcc::rt {

namespace {

/// A source for programs without inputs, or none but keys.
class NoInputs : public BatchSource {
public:
  Batch read(int64_t) override { return {}; }
};

} // namespace

void checkOutputs(const Options &options) {
  if (!options.saveParams.empty())
    checkWritable(options.saveParams);
  if (!options.saveEma.empty())
    checkWritable(options.saveEma);
  if (!options.saveGrads.empty())
    checkWritable(options.saveGrads);
  if (!options.saveOutputs.empty())
    checkWritable(options.saveOutputs);
  if (!options.trace.empty())
    checkWritable(options.trace, /*special=*/true);
}

std::unique_ptr<BatchSource> openSource(const Options &options,
                                        const std::vector<InputSpec> &specs,
                                        bool isFirst, const Say &note) {
  if (!options.tokens.empty()) {
    if (std::string doubt =
            doubtTokenType(options.tokens, options.tokenType, specs);
        !doubt.empty())
      note(doubt);
    return openTokens(options.tokens, options.tokenType, options.seed, specs);
  }
  if (options.batches == "-" && !isFirst)
    return std::make_unique<NoInputs>(); // rank 0 has the standard input
  if (options.batches == "-")
    return openBatchStream(STDIN_FILENO, specs, note);
  if (!options.batches.empty())
    return openBatchFiles(options.batches, specs, note);
  std::vector<std::string> names;
  for (const InputSpec &spec : specs)
    if (!spec.isKey)
      names.push_back(
          text(spec.name, " ", typeName(spec.type), " ", spec.shape));
  if (names.empty())
    return std::make_unique<NoInputs>();
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

void checkStart(const format::Executable &executable, const Options &options) {
  if (options.initSeed && !executable.stages(0).has_init())
    badInput("--init-seed: the executable has no initialization; compile it "
             "with --init");
  if (options.params.empty() && !options.initSeed &&
      executable.parameters_size() != 0)
    badInput("--params or --init-seed is needed: the executable has ",
             executable.parameters_size(), " parameters");
}

} // namespace zcc::rt
