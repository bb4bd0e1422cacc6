// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of dims that ops carry into each other: the hidden dim of one layer,
// its heads, the vocabulary. The ops alone tell what sharding a class over an
// axis would move, before any sharding is decided.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_DIMCLASSES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_DIMCLASSES_H

#include "passes/Distribute/Sharding/StepSharding.h"
#include "llvm/ADT/IntEqClasses.h"

namespace zcc::distribute {

// Returns the factor that carries a dim when it is sharded: the most major one;
// -1 if there is none.
int carrierOf(const train::FactorRule::Dim &dim);
// Returns true if roles may not shard the factor. They divide only work for
// which devices need no elements of their neighbors.
bool mustBeWhole(const train::FactorRule &rule, unsigned factor);

// Numbers the dims of all values of a block, and returns how many there are.
// `first` gets the number of each value's dim 0.
unsigned numberDims(mlir::Block &block,
                    llvm::DenseMap<mlir::Value, unsigned> &first);

class DimClasses {
public:
  DimClasses(mlir::Block &block, const StepSharding &step);

  // Returns the class of a dim.
  unsigned of(mlir::Value v, unsigned dim) const {
    return classes[first.lookup(v) + dim];
  }
  unsigned size() const { return classes.getNumClasses(); }

  struct Facts {
    double flops = 0; // of ops that the class divides
    double moved = 0; // bytes that devices exchange because it is sharded
    llvm::DenseSet<unsigned> beside; // classes that stand in a value with it
  };
  // Returns what sharding each class over `shards` devices would do. `batch`:
  // classes that are sharded already, over `batchShards` devices.
  std::vector<Facts> measure(const llvm::DenseSet<unsigned> &batch,
                             double batchShards) const;

  // Returns for each class how much of the ops' work it can divide. `workOf`
  // returns the work of an op.
  std::vector<double>
  sumWork(llvm::function_ref<double(mlir::Operation *)> workOf) const;

private:
  mlir::Block &block;
  const StepSharding &step;
  llvm::DenseMap<mlir::Value, unsigned> first; // by numberDims()
  llvm::IntEqClasses classes;
};

} // namespace zcc::distribute

#endif
