// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of StepExplainer that puts placements, values and origins into
// words.
#include "passes/Distribute/Explain/ExplainStep.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

std::string dist::formatAmount(double amount, StringRef unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  double size = std::abs(amount);
  size_t i = 0;
  for (; size >= 1000 && i + 1 < std::size(prefixes); ++i)
    size /= 1000;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (amount < 0 ? "-" : "")
     << llvm::format(i == 0 ? "%.0f " : "%.2f ", size) << prefixes[i] << unit;
  return text;
}

std::string StepExplainer::formatSeconds(double seconds) {
  double size = std::abs(seconds);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (seconds < 0 ? "-" : "");
  if (size >= 1)
    os << llvm::format("%.2f s", size);
  else if (size >= 1e-3)
    os << llvm::format("%.2f ms", size * 1e3);
  else
    os << llvm::format("%.1f us", size * 1e6);
  return text;
}

std::string dist::listFew(ArrayRef<std::string> names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::string StepExplainer::words(const Placement &placement) const {
  const MeshAxes &mesh = trials.mesh();
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

std::string StepExplainer::shardText(const Placement &placement,
                                     unsigned lead) const {
  const MeshAxes &mesh = trials.mesh();
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

std::string StepExplainer::nameOf(Value v) const {
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    StringRef name = argumentName(argument);
    return name.empty() ? "state" : ("'" + name + "'").str();
  }
  return describe(v.getDefiningOp());
}

// "train.dot_general at zoo.py:133 (backward)".
std::string StepExplainer::describe(Operation *op) const {
  std::string text = op->getName().getStringRef().str();
  if (std::string at = locationName(op->getLoc()); !at.empty())
    text += " at " + at;
  auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
  if (tag && tag.getValue() != "forward")
    text += (" (" + tag.getValue() + ")").str();
  return text;
}

// ----------------------------------------------------------------- origins

std::string StepExplainer::tellPin() const {
  return mixed ? "chosen op by op among the plans of this mesh (mixed)"
               : "pinned by the plan";
}

std::string StepExplainer::tellOrigin(const Origin *origin,
                                      unsigned axis) const {
  const MeshAxes &mesh = trials.mesh();
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
    return tellPin();
  case Origin::Carried:
    break;
  }
  // Back to where it began.
  SmallVector<std::string> path;
  constexpr int mostHops = 1000; // no chain is that long
  for (int hop = 0; origin && origin->kind == Origin::Carried && hop < mostHops;
       ++hop) {
    if (origin->op) {
      path.push_back(describe(origin->op));
      origin = origins->find(origin->op, axis);
    } else {
      Value v = origin->value;
      origin = origins->find(v, axis);
      if (isa<BlockArgument>(v) ||
          (origin && origin->kind != Origin::Carried) || !origin)
        path.push_back(nameOf(v));
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
    text += " (" + tellOrigin(origin, axis) + ")";
  return text;
}

std::string StepExplainer::originOf(Value v, unsigned axis) const {
  return tellOrigin(origins->find(v, axis), axis);
}
std::string StepExplainer::originOf(Operation *op, unsigned axis) const {
  return tellOrigin(origins->find(op, axis), axis);
}
