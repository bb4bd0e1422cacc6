// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step as a row in which a pipeline is cut: every op of a microbatch that
// reads both parameters and data has a place in it, a backward op that of the
// forward op whose gradient it computes.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_STAGEROW_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_STAGEROW_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc::dist {

// Whether an op of a partitioned step runs for each microbatch. A sum is where
// its terms are, but read by what runs once.
bool isOfMicrobatch(mlir::Operation *op);
// Whether it does, in the forward pass.
bool isForward(mlir::Operation *op);
// Whether an argument of a step is a state.
bool isState(mlir::BlockArgument argument);

// What an op is computed from.
enum class Source : unsigned { Nothing = 0, Inputs = 1, States = 2, Both = 3 };

class StageRow {
public:
  // A step of the phase `partitioned`.
  explicit StageRow(mlir::func::FuncOp step);

  // Places of the row; forward ops are in it from 0 on.
  int64_t size() const { return length; }
  // Null of what has none: what follows from inputs alone or from states alone
  // goes where it is read, and what runs once has no microbatch.
  std::optional<int64_t> placeOf(mlir::Operation *op) const;
  Source sourceOf(mlir::Operation *op) const { return sources.lookup(op); }
  // Where forward ops read what follows from the state; ascending.
  llvm::ArrayRef<int64_t> readersOf(mlir::BlockArgument state) const;

private:
  void findSources();
  void placeForward();
  void placeEarlier(mlir::Operation *op,
                    const llvm::DenseMap<mlir::Operation *, int64_t> &late);
  void findReaders();
  void placeBackward();
  void findGradients();
  void sinkBackward();
  int64_t placeBackwardOp(mlir::Operation *op);
  std::optional<int64_t> wantedPlace(mlir::Operation *op);

  mlir::Block &block;
  int64_t length = 0;
  llvm::DenseMap<mlir::Operation *, Source> sources;
  llvm::DenseMap<mlir::Operation *, int64_t> places;
  // Forward ops that the backward pass alone reads.
  llvm::DenseSet<mlir::Operation *> forBackward;
  // Of forward values: where they are made and read. Of states: where read.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> there;
  // Of gradients, up to the backward ops that make them: the state.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> gradientOf;
  // Of what follows from states alone: which.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::BlockArgument, 1>>
      statesOf;
};

} // namespace zcc::dist

#endif
