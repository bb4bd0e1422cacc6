// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --export and --import: checkpoints from and to single files.

#include "runtime/checkpoint/Transfer.h"

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/data/NewFile.h"
#include "tools/zrun/Session.h"

#include <cstdio>

namespace zcc::rt {

void transferCheckpoint(const Options &options) {
  auto warn = [](const std::string &message) {
    std::fprintf(stderr, "warning: %s\n", message.c_str());
  };
  if (!options.exportFrom.empty()) {
    checkWritable(options.output);
    Checkpoint checkpoint =
        openForParameters(options.exportFrom, Readers(), warn);
    exportCheckpoint(checkpoint, options.withMoments, options.output);
    std::printf("%s: step %lld of %s\n", options.output.c_str(),
                (long long)checkpoint.index.standing.step,
                checkpoint.path.c_str());
    return;
  }
  std::string made = importCheckpoint(options.importFrom, options.checkpoint);
  std::printf("%s: from %s\n", made.c_str(), options.importFrom.c_str());
}

} // namespace zcc::rt
