// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the operands of an op that moves along sharded dims, on one device.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_WINDOWREADER_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_WINDOWREADER_H

#include "passes/Distribute/Partition/Localize.h"
#include "passes/Distribute/Sharding/Window.h"

namespace zcc::distribute {

// Describes how windows read one dim of an operand.
struct DimWindow {
  WindowPlan plan;
  AxisList leaderAxes;
  int64_t shards; // number of the leader's shards
  int64_t extent; // extent of the whole dim
  bool exchanged; // else the operand is whole there
};
// One entry for each dim; none if the op works on the shard alone.
using DimWindows = llvm::SmallVector<std::optional<DimWindow>>;

class WindowReader {
public:
  WindowReader(mlir::Operation *op, const train::FactorRule &rule,
               llvm::ArrayRef<Lives> operands, llvm::ArrayRef<Lives> results,
               const MeshAxes &mesh, Origins &origins);

  // Returns the windows of operand `i`.
  DimWindows windowsOf(unsigned i) const;
  static bool anyOf(const DimWindows &windows) {
    return llvm::any_of(windows, [](const auto &w) { return w.has_value(); });
  }

  // Returns the box that this device reads of operand `i`. It is cut from the
  // shard if that has all of it, or from the operand if that is whole; else it
  // comes by one exchange. It is zero beyond the operand.
  mlir::Value fetch(unsigned i, const DimWindows &windows);
  // Returns where begin <= index + origin < end in dim `d`, in the shape of
  // `like`. At least one bound is given.
  mlir::Value between(mlir::Value like, unsigned d, mlir::Value origin,
                      std::optional<int64_t> begin, std::optional<int64_t> end);
  // Returns the box `v` with `fill` (of its type) where it is beyond the
  // operand.
  mlir::Value maskBeyond(mlir::Value v, const DimWindows &windows,
                         mlir::Value fill);

  mlir::OpBuilder b;
  const mlir::Location loc;
  mlir::Operation *const op;
  const train::FactorRule &rule;
  const llvm::ArrayRef<Lives> operands, results;
  const MeshAxes &mesh;
  Origins &origins;

private:
  std::optional<DimWindow> windowOf(unsigned i, unsigned d) const;
  mlir::Value startOf(const DimWindow &window);
  std::string reason(unsigned i, const DimWindows &windows) const;
  mlir::Value exchange(unsigned i, mlir::Value v, const DimWindows &windows);
  std::optional<int64_t> placeInShard(unsigned i, unsigned d,
                                      const DimWindow &window) const;
  mlir::Value cutShard(unsigned i, mlir::Value v, const DimWindows &windows,
                       llvm::SmallVectorImpl<bool> &done);
  mlir::Value cut(mlir::Value v, const DimWindows &windows);

  FactorPlacement factors;
};

} // namespace zcc::distribute

#endif
