// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inlines all calls into @main. Callees come first: every function is free of
// calls when it is copied, so that the work is linear in the size of the
// result.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Place.h"
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
/// Returns true for relu, relu_0, relu_12: JAX numbers jitted functions of one
/// name.
bool isRelu(StringRef name) {
  return name.consume_front("relu") &&
         (name.empty() ||
          (name.consume_front("_") &&
           llvm::all_of(name, [](char c) { return llvm::isDigit(c); })));
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
    bool relu = isRelu(f.getName());
    f.walk([&](Operation *op) {
      if (isa<func::CallOp, stablehlo::CompositeOp>(op))
        calls.push_back(op);
      else if (isa<stablehlo::OptimizationBarrierOp>(op))
        barriers.push_back(op);
      else if (relu && isa<stablehlo::MaxOp>(op) &&
               (isZero(op->getOperand(0)) || isZero(op->getOperand(1))))
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
    StringRef name =
        isa<func::CallOp>(call)
            ? cast<func::CallOp>(call).getCallee()
            : cast<stablehlo::CompositeOp>(call).getDecomposition();
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (!callee || callee.isDeclaration())
      return withHelp(call->emitError() << "expected a function @" << name
                                        << " with a body, got "
                                        << (callee ? "a declaration" : "none"),
                      "print the whole module: the text holds @main and all "
                      "functions that it calls");
    if (callee.getFunctionType() != FunctionType::get(&getContext(),
                                                      call->getOperandTypes(),
                                                      call->getResultTypes()))
      return call->emitError()
             << "expected @" << name << " to be of the call's type, got "
             << callee.getFunctionType();
    if (!callee.getBody().hasOneBlock())
      return callee.emitError() << "expected one block, got "
                                << callee.getBody().getBlocks().size();
    switch (states.lookup(callee)) {
    case State::Active: {
      InFlightDiagnostic error = call->emitError()
                                 << "function @" << name
                                 << " calls itself, which cannot be inlined";
      error.attachNote(callee.getLoc()) << "@" << name << " is here";
      error.attachNote() << "write the recursion as a loop of a constant "
                            "number of steps";
      return error;
    }
    case State::New:
      if (failed(inlineInto(callee, symbols)))
        return failure();
      break;
    case State::Done:
      break;
    }
    OpBuilder b(call);
    IRMapping map;
    map.map(callee.getArguments(), call->getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator()) {
      Operation *copy = b.clone(op, map);
      copy->walk([&](Operation *inner) {
        inner->setLoc(atCall(inner->getLoc(), call->getLoc()));
      });
    }
    for (auto [result, value] :
         llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    call->erase();
    return success();
  }

  Location atCall(Location inner, Location call) {
    return isa<UnknownLoc>(inner) ? call
                                  : Location(CallSiteLoc::get(inner, call));
  }
};
} // namespace
} // namespace zcc
