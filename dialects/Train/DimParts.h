// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders of parts of values along one dim, for combinations that are built as
// trees of neighbors.
#ifndef ZCC_DIALECTS_TRAIN_DIMPARTS_H
#define ZCC_DIALECTS_TRAIN_DIMPARTS_H

#include "dialects/Train/Train.h"

namespace zcc::train {

struct DimParts {
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t dim;

  // Returns the elements `from`, `from` + `step`, ... before `to`.
  mlir::Value part(mlir::Value v, int64_t from, int64_t to, int64_t step) const;
  // Puts zeros before, behind and between the elements: so many in each place.
  mlir::Value spread(mlir::Value v, int64_t before, int64_t behind, int64_t between) const;
};

} // namespace zcc::train

#endif
