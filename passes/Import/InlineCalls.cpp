// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlines all calls into @main. Callees come first: every function is free of
// calls when it is copied, so that the work is linear in the size of the
// result.
//
// A call of @zcc.custom_derivative becomes a train.custom_derivative, and its
// rule is inlined before it, on a train.cotangent for each result. So a rule is
// ops among others for all passes that follow.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Import/Passes.h.inc"

namespace {
/// Returns true for relu6, relu6_0, relu6_12 if `base` is relu6: JAX numbers
/// jitted functions of one name.
bool isNamed(StringRef name, StringRef base) {
  return name.consume_front(base) &&
         (name.empty() ||
          (name.consume_front("_") &&
           llvm::all_of(name, [](char c) { return llvm::isDigit(c); })));
}

/// Returns true for `z = custom_call @zcc.custom_derivative(y..., x...)` with
/// one called computation, the rule `dx... = rule(x..., dz...)`.
bool isCustomDerivative(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call.getCallTargetName() == "zcc.custom_derivative";
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  enum class State { New, Active, Done };
  DenseMap<Operation *, State> states;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    SymbolTable symbols(getOperation());
    if (failed(inlineInto(entry, symbols)))
      return signalPassFailure();
    for (auto f :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (f != entry)
        f.erase();
  }

  LogicalResult inlineInto(func::FuncOp f, SymbolTable &symbols) {
    states[f] = State::Active;
    SmallVector<Operation *> calls, barriers;
    bool relu6 = isNamed(f.getName(), "relu6");
    bool relu = relu6 || isNamed(f.getName(), "relu");
    f.walk([&](Operation *op) {
      if (isa<func::CallOp, stablehlo::CompositeOp>(op) ||
          isCustomDerivative(op))
        calls.push_back(op);
      else if (isa<stablehlo::OptimizationBarrierOp>(op))
        barriers.push_back(op);
      else if (relu && isa<stablehlo::MaxOp>(op) &&
               (isZero(op->getOperand(0)) || isZero(op->getOperand(1))))
        op->setDiscardableAttr(reluAttrName, UnitAttr::get(&getContext()));
      else if (relu6 && isa<stablehlo::MinOp>(op) &&
               getSplatAttr(op->getOperand(1)))
        op->setDiscardableAttr(reluAttrName, UnitAttr::get(&getContext()));
    });
    // zcc itself chooses which values are computed again, and when.
    for (Operation *op : barriers) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
    for (Operation *call : calls)
      if (failed(inlineCall(call, symbols)))
        return failure();
    states[f] = State::Done;
    return success();
  }

  LogicalResult inlineCall(Operation *call, SymbolTable &symbols) {
    if (isCustomDerivative(call))
      return inlineRule(cast<stablehlo::CustomCallOp>(call), symbols);
    StringRef name =
        isa<func::CallOp>(call)
            ? cast<func::CallOp>(call).getCallee()
            : cast<stablehlo::CompositeOp>(call).getDecomposition();
    func::FuncOp callee = findCallee(call, name, symbols);
    if (!callee)
      return failure();
    if (callee.getFunctionType() != FunctionType::get(&getContext(),
                                                      call->getOperandTypes(),
                                                      call->getResultTypes()))
      return call->emitError()
             << "expected @" << name << " to be of the call's type, got "
             << callee.getFunctionType();
    OpBuilder b(call);
    call->replaceAllUsesWith(
        copyBody(b, callee, llvm::to_vector(call->getOperands()), call));
    call->erase();
    return success();
  }

  LogicalResult inlineRule(stablehlo::CustomCallOp call, SymbolTable &symbols) {
    unsigned count = call->getNumResults();
    ArrayAttr called = call.getCalledComputationsAttr();
    auto symbol = called && called.size() == 1
                      ? dyn_cast<FlatSymbolRefAttr>(called[0])
                      : FlatSymbolRefAttr();
    if (!symbol) {
      InFlightDiagnostic error = call.emitError(
          "expected the rule of @zcc.custom_derivative as the only entry of "
          "'called_computations', got ");
      if (called)
        error << called;
      else
        error << "none";
      return withHelp(std::move(error),
                      "write {called_computations = [@rule]}");
    }
    auto isFloat = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && isa<FloatType>(tensor.getElementType());
    };
    SmallVector<Value> inputs(call.getInputs());
    if (count == 0 || inputs.size() < count ||
        TypeRange(ValueRange(inputs).take_front(count)) !=
            TypeRange(call->getResultTypes()) ||
        !llvm::all_of(call->getResultTypes(), isFloat))
      return withHelp(
          call.emitError("expected floating-point results of the types of the "
                         "first operands in a call of @zcc.custom_derivative"),
          "the operands are the values y that the results have, then the "
          "operands x of the function");
    ValueRange values = ValueRange(inputs).take_front(count);
    ValueRange operands = ValueRange(inputs).drop_front(count);
    SmallVector<Type> ruleOperands(operands.getTypes()), ruleResults;
    SmallVector<Value> active;
    llvm::append_range(ruleOperands, values.getTypes());
    for (Value operand : operands)
      if (isFloat(operand.getType())) {
        active.push_back(operand);
        ruleResults.push_back(operand.getType());
      }
    func::FuncOp rule = findCallee(call, symbol.getValue(), symbols);
    if (!rule)
      return failure();
    auto type = FunctionType::get(&getContext(), ruleOperands, ruleResults);
    if (rule.getFunctionType() != type) {
      InFlightDiagnostic error = call.emitError()
                                 << "expected the rule @" << symbol.getValue()
                                 << " to be of type " << type << ", got "
                                 << rule.getFunctionType();
      error.attachNote(rule.getLoc()) << "the rule is here";
      return withHelp(std::move(error),
                      "a rule takes the operands and a cotangent for each "
                      "result, and returns a cotangent for each floating-point "
                      "operand");
    }
    OpBuilder b(call);
    SmallVector<Value> cotangents, arguments(operands);
    for (Type result : values.getTypes())
      cotangents.push_back(
          train::CotangentOp::create(b, call.getLoc(), result));
    llvm::append_range(arguments, cotangents);
    SmallVector<Value> gradients = copyBody(b, rule, arguments, call);
    call->replaceAllUsesWith(train::CustomDerivativeOp::create(
        b, call.getLoc(), call->getResultTypes(), values, cotangents, active,
        gradients));
    call->erase();
    return success();
  }

  /// Returns the function that `call` names, with its own calls inlined; null
  /// after an error.
  func::FuncOp findCallee(Operation *call, StringRef name,
                          SymbolTable &symbols) {
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (!callee || callee.isDeclaration()) {
      (void)withHelp(call->emitError() << "expected a function @" << name
                                       << " with a body, got "
                                       << (callee ? "a declaration" : "none"),
                     "print the whole module: the text holds @main and all "
                     "functions that it calls");
      return {};
    }
    if (!callee.getBody().hasOneBlock()) {
      callee.emitError() << "expected one block, got "
                         << callee.getBody().getBlocks().size();
      return {};
    }
    switch (states.lookup(callee)) {
    case State::Active: {
      InFlightDiagnostic error = call->emitError()
                                 << "function @" << name
                                 << " calls itself, which cannot be inlined";
      error.attachNote(callee.getLoc()) << "@" << name << " is here";
      error.attachNote() << "write the recursion as a loop of a constant "
                            "number of steps";
      return {};
    }
    case State::New:
      if (failed(inlineInto(callee, symbols)))
        return {};
      break;
    case State::Done:
      break;
    }
    return callee;
  }

  /// Copies the body of `callee` to the builder's place. Returns its results.
  SmallVector<Value> copyBody(OpBuilder &b, func::FuncOp callee,
                              ArrayRef<Value> arguments, Operation *call) {
    IRMapping map;
    map.map(callee.getArguments(), arguments);
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator()) {
      Operation *copy = b.clone(op, map);
      copy->walk([&](Operation *inner) {
        inner->setLoc(atCall(inner->getLoc(), call->getLoc()));
      });
    }
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    return results;
  }

  Location atCall(Location inner, Location call) {
    return isa<UnknownLoc>(inner) ? call
                                  : Location(CallSiteLoc::get(inner, call));
  }
};
} // namespace
} // namespace zcc
