// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims of values that ops carry into each other: the hidden dim of one layer,
// its heads, the vocabulary. What sharding a class over an axis would move
// follows from the ops alone, before any sharding is decided.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_DIMCLASSES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_DIMCLASSES_H

#include "passes/Distribute/Place/Propagation.h"
#include "llvm/ADT/IntEqClasses.h"

namespace zcc::dist {

// The factor that carries a dim when it is sharded: the most major; -1: none.
int carrierOf(const train::FactorRule::Dim &dim);
// Roles divide work that devices do without their neighbors' elements.
bool mustBeWhole(const train::FactorRule &rule, unsigned factor);

// Numbers the dims of all values of a block: `first` gets the number of each
// value's dim 0. How many there are.
unsigned numberDims(mlir::Block &block,
                    llvm::DenseMap<mlir::Value, unsigned> &first);

class DimClasses {
public:
  DimClasses(mlir::Block &block, const StepSharding &step);

  // Class of a dim; the same number for dims of one class.
  unsigned of(mlir::Value v, unsigned dim) const {
    return classes[first.lookup(v) + dim];
  }
  unsigned size() const { return classes.getNumClasses(); }

  struct Facts {
    double flops = 0; // of ops that the class divides
    double moved = 0; // bytes that devices exchange because it is sharded
    llvm::DenseSet<unsigned> beside; // classes that stand in a value with it
  };
  // What sharding the class over `shards` devices does. `batch`: classes that
  // are sharded already, over `batchShards` devices.
  std::vector<Facts> measure(const llvm::DenseSet<unsigned> &batch,
                             double batchShards) const;

  // Of each class, how much of the work of ops it can divide: `workOf` gives
  // that of an op.
  std::vector<double>
  sumWork(llvm::function_ref<double(mlir::Operation *)> workOf) const;

private:
  mlir::Block &block;
  const StepSharding &step;
  llvm::DenseMap<mlir::Value, unsigned> first; // by numberDims()
  llvm::IntEqClasses classes;
};

} // namespace zcc::dist

#endif
