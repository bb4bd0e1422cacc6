// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks for the passes that follow that
// - there is one @step of one block, and no @loss;
// - arguments are state, in the order of its kinds, then inputs, then hyper,
//   and each has its kind;
// - results are the state that changes, in the order of the arguments and with
//   their types, then outputs, the loss first, or an array in a step without
//   hyper;
// - a parameter that changes has the state that its optimizer needs;
// - every op is a train op or dist.observe, is tagged, and reads nothing of a
//   later tag;
// - gradients are observed at most once, one state for each gradient.
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/StateNames.h"
#include "passes/Train/Train.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace zcc {
#define GEN_PASS_DEF_VERIFYSTEP
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

// Returns the position of an argument or result among the others: the kinds of
// state come first, in the order of the enum.
unsigned orderOf(StepValue value) {
  unsigned kinds = std::size(stateKinds);
  return value.isState() ? static_cast<unsigned>(value.state)
                         : kinds + value.role;
}

struct VerifyStep : impl::VerifyStepBase<VerifyStep> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>(stepFunctionName);
    if (!step || !step.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @step of one block");
      return signalPassFailure();
    }
    if (auto loss =
            getOperation().lookupSymbol<func::FuncOp>(lossFunctionName)) {
      loss.emitError("expected no @loss beside @step");
      return signalPassFailure();
    }
    if (failed(verifyArguments(step)) || failed(verifyResults(step)) ||
        failed(verifyBody(step)))
      signalPassFailure();
  }

  // Checks that a slot has the extents of its parameter's dims.
  LogicalResult verifyDims(DictionaryAttr attributes, Type type,
                           llvm::function_ref<InFlightDiagnostic()> fail) {
    auto parameter = states.find(stateSymbol(attributes, /*ofParameter=*/true));
    auto dims = attributes.getAs<DenseI64ArrayAttr>(slotDimsAttrName);
    if (parameter == states.end() || !dims)
      return success();
    auto whole = cast<RankedTensorType>(parameter->second);
    SmallVector<int64_t> shape;
    int64_t last = -1;
    for (int64_t d : dims.asArrayRef()) {
      if (d <= last || d >= whole.getRank())
        return fail() << "expected ascending dims of " << whole << " in '"
                      << slotDimsAttrName << "', found " << dims;
      shape.push_back(whole.getDimSize(last = d));
    }
    if (cast<RankedTensorType>(type).getShape() != ArrayRef(shape))
      return fail() << "expected the shape of dims " << dims << " of " << whole
                    << ", found " << type;
    return success();
  }

  llvm::StringMap<Type> states; // by symbol
  // Symbols in the order of the arguments, and those of masters and slots.
  SmallVector<std::string> order, derived;

  LogicalResult verifyArguments(func::FuncOp step) {
    unsigned last = 0;
    for (BlockArgument argument : step.getArguments()) {
      unsigned i = argument.getArgNumber();
      DictionaryAttr attributes = step.getArgAttrDict(i);
      std::optional<StepValue> value = readStepValue(attributes);
      auto fail = [&] {
        return emitError(argument.getLoc(), "argument ") << i << " of @step: ";
      };
      if (!value || value->role == StepValue::Output)
        return fail() << "expected '" << kindAttrName
                      << "' input, hyper or a kind of state, "
                      << listStateKinds();
      if (orderOf(*value) < last)
        return fail() << (value->isState() ? withArticle(value->state)
                                           : "a " + value->name().str())
                      << " stands too late";
      last = orderOf(*value);
      if (value->role == StepValue::Hyper) {
        auto type = RankedTensorType::get({hyperCount},
                                          Float32Type::get(&getContext()));
        if (argument.getType() != type)
          return fail() << "expected hyper of type " << type << ", found "
                        << argument.getType();
      } else if (value->role == StepValue::Input) {
        if (!attributes.getAs<StringAttr>(inputAttrName))
          return fail() << "expected '" << inputAttrName << "'";
      } else {
        if (std::string wrong = verifyState(*readState(attributes));
            !wrong.empty())
          return fail() << wrong;
        if (failed(verifyDims(attributes, argument.getType(), fail)))
          return failure();
        std::string symbol = stateSymbol(attributes);
        if (!states.insert({symbol, argument.getType()}).second)
          return fail() << "'" << symbol << "' is there twice";
        order.push_back(symbol);
        if (isOfOptimizer(value->state))
          derived.push_back(symbol);
      }
    }
    return success();
  }

  LogicalResult verifyResults(func::FuncOp step) {
    bool forward = llvm::none_of(step.getArguments(), [&](BlockArgument a) {
      std::optional<StepValue> value =
          readStepValue(step.getArgAttrDict(a.getArgNumber()));
      return value && value->role == StepValue::Hyper;
    });
    size_t next = 0;
    bool outputs = false;
    llvm::StringSet<> changed;
    for (unsigned i = 0, e = step.getNumResults(); i < e; ++i) {
      DictionaryAttr attributes = step.getResultAttrDict(i);
      std::optional<StepValue> value = readStepValue(attributes);
      auto fail = [&] { return step.emitError("result ") << i << ": "; };
      bool isOutput = value && value->role == StepValue::Output;
      if (!isOutput && !(value && value->isState()))
        return fail() << "expected '" << kindAttrName
                      << "' output or a kind of state, " << listStateKinds();
      if (isOutput) {
        auto output = attributes.getAs<StringAttr>(outputAttrName);
        if (!output || !attributes.getAs<StringAttr>(resultAttrName))
          return fail() << "expected '" << outputAttrName << "' and '"
                        << resultAttrName << "'";
        std::optional<dist::OutputKind> kind =
            dist::symbolizeOutputKind(output.getValue());
        if (!kind)
          return fail() << "expected '" << outputAttrName
                        << "' to be loss, metric, gradient_norm, finite, "
                           "gradient_squares or array, found "
                        << output;
        bool isArray = *kind == dist::OutputKind::Array;
        if (isArray && !forward)
          return fail() << "an array, in a step that has gradients";
        if (!outputs && *kind != dist::OutputKind::Loss && !isArray)
          return fail() << "expected the loss as the first output, found "
                        << output.getValue();
        outputs = true;
        continue;
      }
      if (outputs)
        return fail() << "state stands after outputs";
      std::string symbol = stateSymbol(attributes);
      while (next < order.size() && order[next] != symbol)
        ++next;
      if (next == order.size())
        return fail() << "'" << symbol
                      << "' is no argument, or stands too late";
      if (states[symbol] != step.getResultTypes()[i])
        return fail() << "'" << symbol << "' goes in as " << states[symbol]
                      << " and comes out as " << step.getResultTypes()[i];
      changed.insert(symbol);
    }
    if (!outputs)
      return step.emitError("expected a loss among the results");
    for (const std::string &symbol : derived)
      if (!changed.contains(symbol))
        return step.emitError("'") << symbol << "' is never updated";
    return success();
  }

  LogicalResult verifyBody(func::FuncOp step) {
    int observed = 0;
    for (Operation &op : step.getBody().front().without_terminator()) {
      if (isa<StopGradientOp, CustomDerivativeOp, CotangentOp>(op))
        return op.emitOpError("stands in phase step");
      if (!isa<TrainDialect>(op.getDialect()) && !isa<dist::ObserveOp>(op))
        return op.emitOpError(
            "is neither of the train dialect nor dist.observe");
      std::optional<Tag> tag = tagOf(&op);
      if (!tag)
        return op.emitOpError("expected '")
               << tagAttrName << "' forward, backward or update";
      for (Value operand : op.getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && tagOf(source) > tag) {
          auto diagnostic = op.emitOpError("reads a value of a later tag");
          diagnostic.attachNote(source->getLoc())
              << "tagged " << source->getAttr(tagAttrName);
          return diagnostic;
        }
      if (auto observe = dyn_cast<dist::ObserveOp>(op)) {
        if (++observed > 1)
          return op.emitOpError("stands twice");
        if (observe.getStates().size() != observe.getValues().size())
          return op.emitOpError("expected one state a value, found ")
                 << observe.getStates().size() << " for "
                 << observe.getValues().size();
        for (auto [state, value] :
             llvm::zip(observe.getStates().getAsRange<SymbolRefAttr>(),
                       observe.getValues())) {
          auto found = states.find(state.getRootReference());
          if (found == states.end())
            return op.emitOpError("names ")
                   << state << ", which is no parameter";
          if (cast<RankedTensorType>(found->second).getShape() !=
              shapeOf(value))
            return op.emitOpError("expected a gradient of the shape of ")
                   << state << ", " << found->second << ", found "
                   << value.getType();
        }
      }
    }
    return success();
  }
};

} // namespace
} // namespace zcc
