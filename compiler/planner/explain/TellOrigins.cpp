// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/TellOrigins.h"
#include "compiler/planner/explain/ExplainTexts.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

std::string OriginTexts::ofPin() const {
  return mixed ? "chosen op by op among the plans of this mesh (mixed)"
               : "pinned by the plan";
}

std::string OriginTexts::tell(const Origin *origin, unsigned axis) const {
  if (!origin)
    return "follows from its neighbors";
  switch (origin->kind) {
  case Origin::Annotated:
    return origin->text;
  case Origin::Batch:
    return ("role '" + mesh.wholeNameOf(axis) +
            "': the first dim of inputs is the batch")
        .str();
  case Origin::Context:
    return "role 'context': the second dim of inputs is the sequence";
  case Origin::Expert:
    return "role 'expert': products read it expert by expert";
  case Origin::Tensor:
    return "role 'tensor': " + origin->text;
  case Origin::Sequence:
    return "sequence sharding: each device needs only its part of the sum "
           "over " +
           mesh.nameOf(axis).str();
  case Origin::Moved:
    return "moved by the local search, which saves " +
           formatAmount(origin->bytes, "B") + " of transfers";
  case Origin::Pinned:
    return ofPin();
  case Origin::Carried:
    return tellPath(origin, axis);
  }
  llvm_unreachable("unknown origin");
}

std::string OriginTexts::tellPath(const Origin *origin, unsigned axis) const {
  SmallVector<std::string> path;
  constexpr int mostHops = 1000; // no chain is that long
  for (int hop = 0; origin && origin->kind == Origin::Carried && hop < mostHops;
       ++hop) {
    if (origin->op) {
      path.push_back(tellOp(origin->op));
      origin = origins.find(origin->op, axis);
    } else {
      Value v = origin->value;
      origin = origins.find(v, axis);
      if (isa<BlockArgument>(v) ||
          (origin && origin->kind != Origin::Carried) || !origin)
        path.push_back(tellValue(v));
    }
  }
  path.erase(llvm::unique(path), path.end());
  std::string text = "carried from " + path.front();
  if (path.size() > 2)
    text += ", which has it through " + std::to_string(path.size() - 2) +
            " other " + (path.size() == 3 ? "op" : "ops");
  if (path.size() > 1)
    text += (path.size() > 2 ? " from " : ", which has it from ") + path.back();
  if (origin)
    text += " (" + tell(origin, axis) + ")";
  return text;
}
