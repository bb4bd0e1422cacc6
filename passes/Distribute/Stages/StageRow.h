// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step as a row in which a pipeline is cut. Every op of a microbatch that
// depends on both parameters and data has a place in it. A backward op has the
// place of the forward op whose gradient it computes.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGES_STAGEROW_H
#define ZCC_PASSES_DISTRIBUTE_STAGES_STAGEROW_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zcc::distribute {

// Returns true if an op of a partitioned step runs once for each microbatch.
// The accumulation of a sum does not: it stands where its terms are, but ops
// that run once read it.
bool isOfMicrobatch(mlir::Operation *op);
// Returns true if the op runs once for each microbatch, and in the forward
// pass.
bool isForward(mlir::Operation *op);
// Returns true if an argument of a step is a state.
bool isState(mlir::BlockArgument argument);

// The kinds of arguments that an op is computed from.
enum class Source : unsigned { Nothing = 0, Inputs = 1, States = 2, Both = 3 };

class StageRow {
public:
  // Makes the row of a step of phase `partitioned`.
  explicit StageRow(mlir::func::FuncOp step);

  // Returns the number of places. Forward ops stand in the row from place 0 on.
  int64_t size() const { return length; }
  // Returns the place of an op; nothing if it has none. An op that follows from
  // inputs alone or from states alone goes where it is read, and an op that
  // runs once is in no microbatch.
  std::optional<int64_t> placeOf(mlir::Operation *op) const;
  Source sourceOf(mlir::Operation *op) const { return sources.lookup(op); }
  // Returns the places of forward ops that read what follows from the state,
  // ascending.
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
  // Forward ops that only the backward pass reads.
  llvm::DenseSet<mlir::Operation *> forBackward;
  // For a forward value: the places where it is made and read. For a state: the
  // places where it is read.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 2>> there;
  // The state of each value on the way from a gradient down to the backward ops
  // that make it.
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> gradientOf;
  // The states that each op that follows from states alone depends on.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::BlockArgument, 1>>
      statesOf;
};

} // namespace zcc::distribute

#endif
