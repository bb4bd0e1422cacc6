// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainTexts.h"
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

std::string planner::listFew(ArrayRef<std::string> names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string planner::tellPlacement(const MeshAxes &mesh,
                                   const Placement &placement) {
  std::string text;
  for (auto [d, list] : llvm::enumerate(placement.dims)) {
    AxisList devices, time;
    for (unsigned axis : list)
      (mesh.isTemporal(axis) ? time : devices).push_back(axis);
    std::string dim = " in dim " + std::to_string(d);
    if (!time.empty())
      text += (text.empty() ? "" : ", ") +
              std::string("a microbatch at a time") + dim;
    if (!devices.empty())
      text += (text.empty() ? "" : ", ") + std::string("split over ") +
              mesh.textOf(devices, "+") + dim;
  }
  if (text.empty())
    text = "whole on every device";
  AxisList devices, time;
  for (unsigned axis : placement.partial)
    (mesh.isTemporal(axis) ? time : devices).push_back(axis);
  if (!devices.empty())
    text += ", each device of " + mesh.textOf(devices, "+") +
            " has a part of the sum";
  if (!time.empty())
    text += ", each microbatch has a part of the sum";
  return text;
}

std::string planner::shardOption(const MeshAxes &mesh,
                                 const Placement &placement, unsigned lead) {
  std::string text;
  for (unsigned d = 0; d < lead; ++d)
    text += "-,";
  for (const AxisList &list : placement.dims) {
    AxisList devices;
    for (unsigned axis : list)
      if (!mesh.isTemporal(axis))
        devices.push_back(axis);
    text += (devices.empty() ? "-" : mesh.textOf(devices, "+")) + ",";
  }
  if (!text.empty())
    text.pop_back();
  return text;
}

std::string planner::tellValue(Value v) {
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    StringRef name = argumentName(argument);
    return name.empty() ? "state" : ("'" + name + "'").str();
  }
  return tellOp(v.getDefiningOp());
}

std::string planner::tellOp(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (std::string at = locationName(op->getLoc()); !at.empty())
    text += " at " + at;
  std::optional<train::Tag> tag = train::tagOf(op);
  if (tag && *tag != train::Tag::Forward)
    text += (" (" + train::stringifyTag(*tag) + ")").str();
  return text;
}
