// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the seeds of the sequence: for the role `context`, and for `tensor`
// between its sums.
#include "passes/Distribute/Place/SeedRoles.h"
#include "passes/Distribute/Sharding/ValueNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

// Returns the longest second dim of batched inputs of integers, or of any
// inputs if none is of integers; 0 if there is none.
static int64_t sequenceLength(Inputs batched) {
  int64_t length = 0;
  for (bool integers : {true, false}) {
    for (BlockArgument input : batched)
      if (rankOf(input) > 1 && (!integers || !train::isFloat(input)))
        length = std::max(length, train::shapeOf(input)[1]);
    if (length)
      break;
  }
  return length;
}

void distribute::findSequence(StepSharding &step, Block &block, Inputs batched,
                              ArrayRef<unsigned> axes,
                              const DimClasses &classes) {
  int64_t length = sequenceLength(batched);
  DenseSet<unsigned> sequence;
  for (BlockArgument input : batched)
    if (rankOf(input) > 1 && train::shapeOf(input)[1] == length)
      sequence.insert(classes.of(input, 1));
  if (sequence.empty())
    return;
  step.sequenceAxes.assign(axes.begin(), axes.end());
  for (Operation &op : block)
    for (Value v : op.getResults())
      for (unsigned d = 0; d < rankOf(v); ++d)
        if (sequence.contains(classes.of(v, d))) {
          step.sequenceDims.try_emplace(v, d);
          break;
        }
}

void distribute::seedContext(StepSeeds &seeds, Inputs batched,
                             ArrayRef<unsigned> axes) {
  int64_t length = sequenceLength(batched);
  if (!length) {
    seeds.func.emitWarning("no input has a sequence: every device of axis "
                           "'context' does the same work");
    return;
  }
  for (BlockArgument input : batched)
    if (rankOf(input) > 1 && train::shapeOf(input)[1] == length &&
        !seeds.isAnnotated(input))
      seeds.give(input, 1, axes, {Origin::Context});
}
