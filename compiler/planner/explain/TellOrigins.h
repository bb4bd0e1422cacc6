// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells in words where the axes of arguments and ops came from.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_TELLORIGINS_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_TELLORIGINS_H

#include "passes/Distribute/Place/ExplainOrigins.h"

namespace zcc::planner {

class OriginTexts {
public:
  // `mixed`: the pins are those of a mixture that was chosen, not of a plan's
  // file.
  OriginTexts(const distribute::MeshAxes &mesh,
              const distribute::ShardingOrigins &origins, bool mixed)
      : mesh(mesh), origins(origins), mixed(mixed) {}

  std::string of(mlir::Value v, unsigned axis) const {
    return tell(origins.find(v, axis), axis);
  }
  std::string of(mlir::Operation *op, unsigned axis) const {
    return tell(origins.find(op, axis), axis);
  }
  std::string ofPin() const;

private:
  std::string tell(const distribute::Origin *origin, unsigned axis) const;
  // Tells the path along which an axis was carried, back to where it began.
  std::string tellPath(const distribute::Origin *origin, unsigned axis) const;

  const distribute::MeshAxes &mesh;
  const distribute::ShardingOrigins &origins;
  bool mixed;
};

} // namespace zcc::planner

#endif
