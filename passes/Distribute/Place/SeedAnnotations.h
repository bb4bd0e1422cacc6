// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the first seeds: those of the annotations in the text and of `--shard`.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_SEEDANNOTATIONS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_SEEDANNOTATIONS_H

#include "passes/Distribute/Place/StepSeeds.h"

namespace zcc::distribute {

// Places arguments and fixes ops. `request.instead` overrules annotations,
// which are checked nevertheless. Reports errors where an annotation stands.
llvm::LogicalResult seedAnnotations(StepSeeds &seeds,
                                    const SeedRequest &request);

} // namespace zcc::distribute

#endif
