// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/OpWork.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

OpWork distribute::workOf(Operation *op, const MeshAxes &mesh,
                          const train::FactorRule *rule,
                          ArrayRef<FactorShards> factors) {
  OpWork work;
  auto costed = dyn_cast<train::CostedOpInterface>(op);
  if (!costed)
    return work;
  work.model = costed.getFlops();
  double padded = 1;
  llvm::SmallBitVector used(mesh.size());
  if (rule)
    for (auto [own, factor] : llvm::zip_equal(factors, rule->factors)) {
      padded *= static_cast<double>(own.padded) /
                static_cast<double>(std::max<int64_t>(factor.size, 1));
      for (unsigned axis : own.axes)
        used.set(axis);
    }
  work.padding = work.model * (padded - 1);
  double times = 1;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    // The axis of microbatches does not count: an op that it does not divide
    // runs before or after the loop.
    if (!used.test(axis) && mesh.mayDivide(axis)) {
      times *= static_cast<double>(mesh.sizeOf(axis));
      work.over.push_back(axis);
    }
  work.repeated = work.model * padded * (times - 1);
  return work;
}

OpWork distribute::workOf(Operation *op, const MeshAxes &mesh,
                          const StepSharding &step) {
  auto it = step.ops.find(op);
  if (it == step.ops.end())
    return workOf(op, mesh, nullptr, {});
  return workOf(op, mesh, &it->second.rule, it->second.factors);
}
