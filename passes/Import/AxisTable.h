// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes small integers of a graph at compile time, along one axis.
#ifndef ZCC_PASSES_IMPORT_AXISTABLE_H
#define ZCC_PASSES_IMPORT_AXISTABLE_H

#include "dialects/Train/Train.h"
#include <map>
#include <optional>
#include <vector>

namespace zcc {

/// The numbers that a value has along an axis: one if they are all equal, else
/// one for each position.
using AxisTable = std::vector<double>;

/// Computes the values of elementwise functions of an axis, and of constants.
/// The axis is either the position along a dim (rows 0, 1, ...), or the
/// possible values 0, 1, ... of some integers.
class AxisEvaluator {
public:
  enum class Axis { Position, Number };
  /// In place of a position in a dim: the dim is the axis.
  static constexpr int64_t along = -1;

  AxisEvaluator(Axis axis, int64_t extent) : axis(axis), extent(extent) {}

  /// The elements of `v`, which has one dim, are themselves the axis. All such
  /// values have the same elements in the same order.
  void addCounter(mlir::Value v) { counters.push_back(v); }
  bool isCounter(mlir::Value v) const {
    return llvm::is_contained(counters, v);
  }

  /// Returns the elements of `v` at `at`, which has a position for each dim, or
  /// `along`; nullopt if they are not known at compile time. Several dims are
  /// the axis together if a counter is a reshape of a value with these dims.
  std::optional<AxisTable> evaluate(mlir::Value v, llvm::ArrayRef<int64_t> at);

private:
  Axis axis;
  int64_t extent;
  llvm::SmallVector<mlir::Value, 4> counters;
  std::map<std::pair<void *, std::vector<int64_t>>, std::optional<AxisTable>>
      known;

  AxisTable counted() const;
  std::optional<AxisTable> compute(mlir::Value v, llvm::ArrayRef<int64_t> at);
  std::optional<AxisTable> elementwise(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> at);
};

/// Returns true if the table is 0, 1, ..., extent - 1.
bool countsUp(const std::optional<AxisTable> &table, int64_t extent);

} // namespace zcc

#endif
