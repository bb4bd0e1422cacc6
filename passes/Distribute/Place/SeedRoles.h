// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the seeds of the roles of axes, one after the other (Roles.h tells what
// the roles are). `axes`: those of the role. `batched`: the inputs that
// BatchChoice found.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_SEEDROLES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_SEEDROLES_H

#include "passes/Distribute/Place/DimClasses.h"
#include "passes/Distribute/Place/StepSeeds.h"

namespace zcc::distribute {

using Inputs = llvm::ArrayRef<mlir::BlockArgument>;

// Shards the batch of inputs over all axes that shard it.
void seedBatch(StepSeeds &seeds, Inputs batched);

// Shards the sequence of inputs over `context`.
void seedContext(StepSeeds &seeds, Inputs batched,
                 llvm::ArrayRef<unsigned> axes);

// Finds the values that have the sequence, for sharding it between the sums
// over `tensor`.
void findSequence(StepSharding &step, mlir::Block &block, Inputs batched,
                  llvm::ArrayRef<unsigned> axes, const DimClasses &classes);

// Shards parameters that products read expert by expert, over `axes` and then
// over `folded`, which have other roles elsewhere. Folded axes must divide the
// experts; else an error stands at the parameter.
llvm::LogicalResult seedExperts(StepSeeds &seeds, llvm::ArrayRef<unsigned> axes,
                                llvm::ArrayRef<unsigned> folded,
                                const DimClasses &classes);

// Shards dims of the model. The batch must be seeded before.
void seedTensor(StepSeeds &seeds, Inputs batched, llvm::ArrayRef<unsigned> axes,
                const DimClasses &classes);

} // namespace zcc::distribute

#endif
