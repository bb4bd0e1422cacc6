// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a function of train ops and collectives on all devices of a mesh at
// once, with the reference evaluator.
#ifndef ZCC_TEST_UNIT_DISTRIBUTE_SPMD_H
#define ZCC_TEST_UNIT_DISTRIBUTE_SPMD_H

#include "passes/Distribute/Sharding/Placement.h"
#include "test/unit/evaluate/Evaluator.h"
#include <map>

namespace zcc::distribute {

using train::Tensor;
using Devices = std::vector<Tensor>; // one a device

// Coordinates of a device, row-major.
std::vector<int64_t> coordinatesOf(const MeshAxes &mesh, int64_t device);
int64_t devicesOf(const MeshAxes &mesh);

// The shard of each device, with garbage (NaN) in its padding, and back: shards
// joined, partial values combined, copies compared, padding dropped.
Devices shard(const Tensor &whole, const Placement &placement,
              const MeshAxes &mesh);
Tensor unshard(const Devices &parts, mlir::RankedTensorType type,
               const Placement &placement, const MeshAxes &mesh,
               std::string &error);

// Arguments and results: one entry each, on all devices. Computes in double.
// The microbatches of a temporal axis run side by side, as devices do.
bool evaluateOnMesh(mlir::func::FuncOp func, const MeshAxes &mesh,
                    llvm::ArrayRef<Devices> arguments,
                    std::vector<Devices> &results, std::string &error);

// Runs the tasks of the only stage as its dist.schedule says. `named`: states
// and inputs by symbol, and "hyper"; states are updated and outputs added under
// their symbols.
bool runTasks(mlir::ModuleOp module, const MeshAxes &mesh,
              std::map<std::string, Devices> &named, std::string &error);

// Values in (0, 1); integers in -1 to 5, truth values. Depends on type and seed
// only.
Tensor sample(mlir::RankedTensorType type, unsigned seed);

// The largest difference, relative to the larger of 1 and the value; NaNs are
// equal.
double difference(const Tensor &a, const Tensor &b);

} // namespace zcc::distribute

#endif
