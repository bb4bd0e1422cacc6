// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the passes that deal rows to the devices of a group, as cards are
// dealt: rows become blocks, of each of which every device has an equal piece.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_DEALING_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_DEALING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Sharding/FreeFactors.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc::distribute {

// Returns the number of blocks for `rows` rows of a device: 4, 3 or 2, the
// first that divides them, else 1.
int64_t blocksFor(int64_t rows);

// Returns `list` with these entries in place of entry `d`.
template <typename T>
llvm::SmallVector<T> replaceEntry(llvm::ArrayRef<T> list, unsigned d,
                                  llvm::ArrayRef<T> entries) {
  llvm::SmallVector<T> out(list);
  out.erase(out.begin() + d);
  out.insert(out.begin() + d, entries.begin(), entries.end());
  return out;
}

// Returns where the value of a partitioned step lives; null if nothing says so.
dist::ShardingAttr shardingOf(mlir::func::FuncOp func, mlir::Value v);

// Marks an op as one of the same part of the step as `like`.
void putBeside(mlir::Operation *op, mlir::Operation *like);

// Returns a reshape of `v` in the part of the step that `like` belongs to.
// `places`: the axes of each dim of the result; in all else it is placed as
// `sharding` says.
mlir::Value reshapeBeside(mlir::OpBuilder &b, mlir::Operation *like,
                          mlir::Value v, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<mlir::Attribute> places,
                          dist::ShardingAttr sharding);
// Notes that places are those of the only result of an op.
void placeResult(mlir::Value result, llvm::ArrayRef<mlir::Attribute> places,
                 dist::ShardingAttr sharding);

// An all-to-all, as the side sees it on which a device has the rows of all
// devices of the group together.
struct ExchangedRows {
  dist::AllToAllOp op;
  bool enters; // true if they are together in its result

  mlir::Value together() { return enters ? op.getResult() : op.getOperand(); }
  mlir::Value apart() { return enters ? op.getOperand() : op.getResult(); }
  // Returns the dim of the rows: of all devices here, of one device there.
  unsigned joined() {
    return static_cast<unsigned>(enters ? op.getConcatDim() : op.getSplitDim());
  }
  // Returns the dim that is a shard here and whole there.
  unsigned spread() {
    return static_cast<unsigned>(enters ? op.getSplitDim() : op.getConcatDim());
  }
};
// Returns the first dim from `begin` on whose extent is above 1.
std::optional<unsigned> firstLongDim(llvm::ArrayRef<int64_t> shape,
                                     unsigned begin);

// Returns the dim that a collective gathers or scatters; nullopt for others.
std::optional<unsigned> movedDim(mlir::Operation *op);

// The dims of a block's values, in classes of those that ops tie to each other:
// whoever brings the elements of one into another order must do so with all of
// its class.
class TiedDims {
public:
  explicit TiedDims(mlir::Block &block);

  unsigned classOf(mlir::Value v, unsigned d) const {
    return classes[first.lookup(v) + d];
  }
  // Return true if the op that makes the value, or the one that reads it, takes
  // its dim in any order. A collective does not so with dims that it gathers,
  // scatters or exchanges.
  bool isTied(mlir::Value v, unsigned d) const;
  bool isTied(mlir::OpOperand &use, unsigned d) const;

private:
  llvm::DenseMap<mlir::Value, unsigned> first; // by numberDims()
  llvm::IntEqClasses classes;
  llvm::DenseMap<mlir::Operation *, DimTies> tiesOfOp;
};

} // namespace zcc::distribute

#endif
