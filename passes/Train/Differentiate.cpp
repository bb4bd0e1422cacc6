// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reverse-mode differentiation of @loss, one op at a time from the last to the
// first (Griewank and Walther, Evaluating Derivatives, chapter 3). A value is
// active if it depends on a trained parameter; only active values get
// cotangents.
//
// Contributions of several uses are added as they arrive, last use first, so
// that at most one sum lives. Those of a parameter are added first use first,
// because microbatches accumulate each of them by itself.
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Train/Globs.h"
#include "passes/Train/ReduceResiduals.h"
#include "passes/Train/StateNames.h"
#include "passes/Train/Train.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace zcc {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

class Differentiation {
public:
  Differentiation(func::FuncOp function)
      : block(function.getBody().front()), builder(block.getTerminator()) {}

  // Returns the gradients of the function's first result with respect to
  // `parameters`. `buildSeed` makes the cotangent of that result.
  SmallVector<Value>
  run(ArrayRef<BlockArgument> parameters,
      llvm::function_ref<Value(OpBuilder &, Value)> buildSeed);

private:
  void findActive(ArrayRef<BlockArgument> parameters);
  void addCotangent(Value value, Value contribution);
  // Moves the rule of a custom derivative to the backward pass.
  void followRule(CustomDerivativeOp custom, ArrayRef<Value> resultGradients);
  // Returns the sum of the contributions to a value; null if there are none.
  Value takeCotangent(Value value);

  Block &block;
  OpBuilder builder;
  DenseSet<Value> active;
  DenseMap<Value, Value> sums;
  // The contributions to each parameter, last use first.
  DenseMap<Value, SmallVector<Value, 2>> uses;
};

void Differentiation::findActive(ArrayRef<BlockArgument> parameters) {
  active.insert(parameters.begin(), parameters.end());
  for (Operation &op : block.without_terminator()) {
    auto custom = dyn_cast<CustomDerivativeOp>(op);
    if ((!custom && !isa<DifferentiableOpInterface>(op)) ||
        llvm::none_of(custom ? ValueRange(custom.getInputs())
                             : ValueRange(op.getOperands()),
                      [&](Value v) { return active.contains(v); }))
      continue;
    for (Value result : op.getResults())
      if (isFloat(result))
        active.insert(result);
  }
}

void Differentiation::addCotangent(Value value, Value contribution) {
  if (isa<BlockArgument>(value)) {
    uses[value].push_back(contribution);
    return;
  }
  Value &sum = sums[value];
  sum = sum ? AddOp::create(builder, value.getLoc(), sum, contribution)
            : contribution;
}

Value Differentiation::takeCotangent(Value value) {
  if (!isa<BlockArgument>(value)) {
    Value sum = sums.lookup(value);
    sums.erase(value);
    return sum;
  }
  Value sum;
  for (Value contribution : llvm::reverse(uses[value]))
    sum = sum ? AddOp::create(builder, value.getLoc(), sum, contribution)
              : contribution;
  return sum;
}

// Returns the ops that only the gradients of `custom` need, in order.
static SmallVector<Operation *> findRule(CustomDerivativeOp custom) {
  llvm::SetVector<Operation *> rule;
  auto isOfRule = [&](Operation *op) {
    return llvm::all_of(op->getUses(), [&](OpOperand &use) {
      if (use.getOwner() != custom)
        return rule.contains(use.getOwner());
      auto [first, count] = custom.getODSOperandIndexAndLength(3);
      return use.getOperandNumber() >= first;
    });
  };
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (Operation *op = value.getDefiningOp(); op && isOfRule(op))
        rule.insert(op);
  };
  add(custom.getGradients());
  for (size_t i = 0; i < rule.size(); ++i)
    add(rule[i]->getOperands());
  SmallVector<Operation *> ops = rule.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

void Differentiation::followRule(CustomDerivativeOp custom,
                                 ArrayRef<Value> resultGradients) {
  SmallVector<Operation *> rule = findRule(custom);
  for (auto [gradient, cotangent] :
       llvm::zip(resultGradients, custom.getCotangents())) {
    Value value = gradient;
    if (!value)
      value = splat(builder, custom.getLoc(), cotangent.getType(), 0);
    cotangent.replaceAllUsesWith(value);
  }
  for (Operation *op : rule) {
    op->moveBefore(block.getTerminator());
    op->removeAttr(tagAttrName);
  }
  for (auto [operand, gradient] :
       llvm::reverse(llvm::zip(custom.getInputs(), custom.getGradients())))
    if (active.contains(operand))
      addCotangent(operand, gradient);
}

SmallVector<Value>
Differentiation::run(ArrayRef<BlockArgument> parameters,
                     llvm::function_ref<Value(OpBuilder &, Value)> buildSeed) {
  findActive(parameters);
  Value loss = block.getTerminator()->getOperand(0);
  SmallVector<Operation *> forward;
  for (Operation &op : block.without_terminator())
    forward.push_back(&op);
  if (active.contains(loss))
    addCotangent(loss, buildSeed(builder, loss));

  SmallVector<Value> resultGradients, operandGradients;
  for (Operation *op : llvm::reverse(forward)) {
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    auto custom = dyn_cast<CustomDerivativeOp>(op);
    if (!differentiable && !custom)
      continue;
    resultGradients.clear();
    bool any = false;
    for (Value result : op->getResults()) {
      resultGradients.push_back(takeCotangent(result));
      any |= static_cast<bool>(resultGradients.back());
    }
    if (!any)
      continue;
    if (custom) {
      followRule(custom, resultGradients);
      continue;
    }
    operandGradients.assign(op->getNumOperands(), Value());
    differentiable.buildGradient(builder, resultGradients, operandGradients);
    // Operands are visited in reverse order, as ops are.
    for (unsigned i = op->getNumOperands(); i-- > 0;)
      if (operandGradients[i] && active.contains(op->getOperand(i)))
        addCotangent(op->getOperand(i), operandGradients[i]);
  }

  SmallVector<Value> gradients;
  for (BlockArgument parameter : parameters) {
    Value gradient = takeCotangent(parameter);
    gradients.push_back(
        gradient ? gradient
                 : splat(builder, parameter.getLoc(), parameter.getType(), 0));
  }
  return gradients;
}

struct Differentiate : impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!function || !function.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @loss of one block");
      return signalPassFailure();
    }
    if (failed(differentiate(function)))
      signalPassFailure();
  }

  // Finds the parameters that get a gradient.
  LogicalResult findTrained(func::FuncOp function,
                            SmallVectorImpl<BlockArgument> &trained) {
    Globs frozen;
    if (!frozen.parse(SmallVector<std::string>(freeze.begin(), freeze.end()),
                      [&] { return function.emitError("--freeze: "); }))
      return failure();
    SmallVector<StringRef> names;
    for (BlockArgument argument : function.getArguments()) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        parameterAttrName);
      if (name)
        names.push_back(name);
      // A parameter without elements is kept as it is.
      if (name && !frozen.match(name.getValue()) && isFloat(argument) &&
          cast<RankedTensorType>(argument.getType()).getNumElements() != 0)
        trained.push_back(argument);
    }
    if (const std::string *glob = frozen.getUnmatched())
      return withHelp(function.emitError("--freeze: no parameter matches '")
                          << *glob << "'",
                      listNames(names));
    return success();
  }

  LogicalResult differentiate(func::FuncOp function) {
    Block &block = function.getBody().front();
    Operation *terminator = block.getTerminator();
    MLIRContext *context = &getContext();
    auto loss =
        terminator->getNumOperands()
            ? dyn_cast<RankedTensorType>(terminator->getOperand(0).getType())
            : RankedTensorType();
    if (!forward && (!loss || loss.getRank() != 0 ||
                     !isa<FloatType>(loss.getElementType())))
      return withHelp(
          function.emitError(
              "expected a loss that is a floating-point scalar, found ")
              << (terminator->getNumOperands()
                      ? terminator->getOperand(0).getType()
                      : Type(NoneType::get(context))),
          "return one number for the whole batch, such as a mean");
    for (unsigned i = 0; i < function.getNumResults() && !forward; ++i)
      if (function.getResultAttr(i, arrayAttrName))
        return withHelp(function.emitError("result ")
                            << i << ", "
                            << function.getResultAttr(i, resultAttrName)
                            << ", is an array: expected the loss, metrics and "
                               "new values of variables",
                        "only --optimizer=forward returns arrays");
    SmallVector<BlockArgument> trained;
    if (!forward && failed(findTrained(function, trained)))
      return failure();

    if (failed(checkCustomDerivatives(block)))
      return failure();
    for (Operation &op : block.without_terminator())
      setTag(&op, Tag::Forward);
    if (!trained.empty()) {
      Value hyper;
      auto scaleType = RankedTensorType::get({}, Float32Type::get(context));
      auto hyperType =
          RankedTensorType::get({hyperCount}, Float32Type::get(context));
      if (scaled) {
        auto attributes = DictionaryAttr::get(
            context,
            {NamedAttribute(
                StringAttr::get(context, kindAttrName),
                StringAttr::get(context, StepValue(StepValue::Hyper).name()))});
        if (failed(function.insertArgument(function.getNumArguments(),
                                           hyperType, attributes,
                                           function.getLoc())))
          return failure();
        hyper = function.getArguments().back();
      }
      auto buildSeed = [&](OpBuilder &b, Value value) -> Value {
        if (!hyper)
          return splat(b, value.getLoc(), value.getType(), 1);
        auto at = static_cast<int64_t>(Hyper::LossScale);
        Value entry = slice(b, value.getLoc(), hyper, {at}, {at + 1}, {1});
        entry = reshape(b, value.getLoc(), entry, scaleType.getShape());
        return convert(b, value.getLoc(), entry,
                       tensorType(value).getElementType());
      };
      SmallVector<Value> gradients =
          Differentiation(function).run(trained, buildSeed);
      returnGradients(function, trained, gradients);
    }

    removeStopGradients(block);
    removeCustomDerivatives(block);
    reduceResiduals(block);
    for (Operation &op : block.without_terminator())
      if (!isForward(&op))
        setTag(&op, Tag::Backward);
    return success();
  }

  static void returnGradients(func::FuncOp function,
                              ArrayRef<BlockArgument> trained,
                              ArrayRef<Value> gradients) {
    Operation *terminator = function.getBody().front().getTerminator();
    MLIRContext *context = function.getContext();
    unsigned first = function.getNumResults();
    SmallVector<Type> results(function.getResultTypes());
    for (Value gradient : gradients)
      results.push_back(gradient.getType());
    terminator->insertOperands(terminator->getNumOperands(), gradients);
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < first; ++i)
      attributes.push_back(function.getResultAttrDict(i));
    for (BlockArgument argument : trained)
      attributes.push_back(DictionaryAttr::get(
          context,
          {NamedAttribute(StringAttr::get(context, gradientAttrName),
                          IntegerAttr::get(IntegerType::get(context, 64),
                                           argument.getArgNumber()))}));
    function.setType(
        FunctionType::get(context, function.getArgumentTypes(), results));
    function.setAllResultAttrs(attributes);
  }

  // Checks that cotangents reach gradients alone, after which their ops can
  // be moved.
  static LogicalResult checkCustomDerivatives(Block &block) {
    if (block.getOps<CotangentOp>().empty())
      return success();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    DenseSet<Operation *> readers;
    for (auto custom : block.getOps<CustomDerivativeOp>()) {
      readers.insert(custom);
      for (Operation *op : findRule(custom))
        readers.insert(op);
    }
    for (auto cotangent : block.getOps<CotangentOp>())
      for (Operation *reader : cotangent->getUsers())
        if (!readers.contains(reader)) {
          InFlightDiagnostic error = cotangent.emitOpError(
              "is read by an op that does not only serve the gradients of a "
              "train.custom_derivative");
          error.attachNote(reader->getLoc()) << "the op is here";
          return error;
        }
    return success();
  }

  static void removeStopGradients(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto stop = dyn_cast<StopGradientOp>(op)) {
        stop.getResult().replaceAllUsesWith(stop.getOperand());
        stop.erase();
      }
  }

  // Also removes the rules that were not followed.
  static void removeCustomDerivatives(Block &block) {
    for (auto custom :
         llvm::make_early_inc_range(block.getOps<CustomDerivativeOp>())) {
      SmallVector<Operation *> rule = findRule(custom);
      custom.replaceAllUsesWith(custom.getValues());
      custom.erase();
      for (Operation *op : llvm::reverse(rule))
        if (isOpTriviallyDead(op))
          op->erase();
    }
    for (auto cotangent :
         llvm::make_early_inc_range(block.getOps<CotangentOp>()))
      cotangent.erase();
  }
};

} // namespace
} // namespace zcc
