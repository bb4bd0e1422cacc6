// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the explanation of a parameter or an input: its sharding, where that
// comes from, its state, what other shardings would cost, and how it is moved.
#include "compiler/planner/explain/ExplainSubjects.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {
class ArgumentText {
public:
  ArgumentText(const ExplainedStep &step, StepAlternatives &alternatives,
               StringRef name, ArrayRef<BlockArgument> arguments)
      : step(step), sharding(step.decided.step), mesh(step.mesh()),
        func(step.trials.func()), alternatives(alternatives),
        moves(step, alternatives), parameters(func), name(name),
        arguments(arguments), first(arguments.front()),
        isParameter(zcc::isParameter(first)) {}

  std::string run();

private:
  // Returns true if the argument is state of the parameter that is explained.
  bool isOurs(BlockArgument argument) {
    return parameters.of(func.getArgAttrDict(argument.getArgNumber())) == first;
  }
  // Returns how many dims of the stack come before those of its parts, the
  // arguments.
  unsigned leadingDims() {
    auto file = func.getArgAttrOfType<DenseI64ArrayAttr>(first.getArgNumber(),
                                                         fileShapeAttrName);
    return file ? file.size() - rankOf(first) : 0;
  }
  void tellSharding(llvm::raw_ostream &os);
  void tellOrigins(llvm::raw_ostream &os);
  void tellState(llvm::raw_ostream &os);
  void listAlternatives(llvm::raw_ostream &os);
  void listMoves(llvm::raw_ostream &os);

  const ExplainedStep &step;
  const StepSharding &sharding;
  const MeshAxes &mesh;
  func::FuncOp func;
  StepAlternatives &alternatives;
  StepMoves moves;
  StepParameters parameters;
  StringRef name;
  ArrayRef<BlockArgument> arguments;
  BlockArgument first;
  bool isParameter;
};
} // namespace

void ArgumentText::tellSharding(llvm::raw_ostream &os) {
  const Placement &own = sharding.seeds.find(first)->second;
  os << "  sharding: " << tellPlacement(mesh, own);
  bool pinned = step.trials.pins().arguments.contains(first);
  if (!own.dims.empty() && (step.mixed || !pinned))
    os << "; as an option: --shard '" << name << "="
       << shardOption(mesh, own, leadingDims()) << "'";
  os << "\n";
  for (auto [d, extent] : llvm::enumerate(own.extents))
    if (extent != train::shapeOf(first)[d])
      os << "  dim " << d << " of " << train::shapeOf(first)[d]
         << " does not divide: padded to " << extent << "\n";
}

void ArgumentText::tellOrigins(llvm::raw_ostream &os) {
  OriginTexts origins = step.originTexts();
  bool any = false;
  for (const AxisList &list : sharding.seeds.find(first)->second.dims)
    for (unsigned axis : list) {
      os << "  over " << mesh.nameOf(axis) << ": " << origins.of(first, axis)
         << "\n";
      any = true;
    }
  if (!any && rankOf(first) > 0)
    os << "  whole: "
       << (step.trials.pins().arguments.contains(first)
               ? origins.ofPin()
               : "no role and no annotation splits it, and no neighbor "
                 "would gain")
       << "\n";
}

// Tells where the parameter and its state are kept between steps.
void ArgumentText::tellState(llvm::raw_ostream &os) {
  const Placement &own = sharding.seeds.find(first)->second;
  const Placement &stored = sharding.arguments.find(first)->second;
  if (stored != own)
    os << "  stored: " << tellPlacement(mesh, stored) << " (ZeRO "
       << sharding.stateOf(first)->stage << "), gathered where it is read\n";
  if (!isParameter)
    return;
  moves.tellGathers(first, os);
  llvm::MapVector<StringRef, Placement> states; // by kind, slots by name
  for (BlockArgument argument : func.getArguments())
    if (isOptimizerState(argument) && isOurs(argument)) {
      auto slot = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    slotAttrName);
      states.insert(
          {slot ? slot.getValue() : StringRef(nameOf(*readStateKind(argument))),
           sharding.arguments.find(argument)->second});
    }
  for (auto &[name, placement] : states)
    os << "  " << name << ": " << tellPlacement(mesh, placement)
       << (placement == own || placement.isWhole()
               ? std::string()
               : " (ZeRO " + std::to_string(sharding.stateOf(first)->stage) +
                     ")")
       << "\n";
}

void ArgumentText::listAlternatives(llvm::raw_ostream &os) {
  SmallVector<Value> values(arguments.begin(), arguments.end());
  if (rankOf(first) > 0)
    alternatives.list(values, leadingDims(), os);
  if (!isParameter || sharding.stateAxes.empty())
    return;
  std::string stages;
  for (int stage = 0; stage <= 3; ++stage)
    if (stage != step.decided.zero)
      if (auto changes = alternatives.tellStage(stage))
        stages +=
            llvm::formatv("    --zero {0,-17}{1}\n", stage, *changes).str();
  if (!stages.empty())
    os << "  other stages of ZeRO, for all parameters:\n" << stages;
}

// Lists the moves of the argument, of its gradients and of its new state.
void ArgumentText::listMoves(llvm::raw_ostream &os) {
  moves.list(first, isParameter ? "parameter" : "input", os);
  for (Operation &op : *first.getOwner()) {
    for (Value result : op.getResults())
      if (auto it = sharding.parameterOf.find(result);
          it != sharding.parameterOf.end() && it->second == first)
        moves.list(result, "gradient", os);
    if (StepParameters::isUpdate(&op) && parameters.ofUpdate(&op) == first)
      for (Value result : op.getResults())
        moves.list(result, "updated state", os);
  }
}

std::string ArgumentText::run() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << name << ": " << (isParameter ? "parameter " : "input ")
     << train::tensorType(first);
  if (arguments.size() > 1)
    os << ", one of " << arguments.size() << " parts of a stack";
  os << "\n";
  tellSharding(os);
  tellOrigins(os);
  tellState(os);
  listAlternatives(os);
  listMoves(os);
  return text;
}

std::string planner::explainArguments(const ExplainedStep &step,
                                      StepAlternatives &alternatives,
                                      StringRef name,
                                      ArrayRef<BlockArgument> arguments) {
  return ArgumentText(step, alternatives, name, arguments).run();
}
