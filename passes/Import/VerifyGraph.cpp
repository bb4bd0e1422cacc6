// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that hold after the phase `graph`:
// - one function, @loss or @init, of one block that returns
// - every op is of train
// - types are static tensors
// - every argument has zcc.parameter or zcc.input, not both; parts have
// zcc.part and zcc.file_shape
// - @loss: the first result is a float scalar, the others scalars, all named;
// @init: results are named parameters
#include "dialects/Train/Train.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "passes/Import/Passes.h.inc"

namespace {
struct VerifyGraph : impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (failed(verify()))
      signalPassFailure();
  }

  LogicalResult verify() {
    ModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.size() != 1 ||
        (functions[0].getName() != "loss" && functions[0].getName() != "init"))
      return module.emitError("expected one function, @loss or @init, got ")
             << functions.size();
    func::FuncOp f = functions[0];
    if (!f.getBody().hasOneBlock())
      return f.emitError() << "expected one block, got "
                           << f.getBody().getBlocks().size();
    for (Operation &op : f.getBody().front().without_terminator()) {
      if (!isa<train::TrainDialect>(op.getDialect()))
        return op.emitError()
               << "expected an op of train, got '" << op.getName() << "'";
      for (Type type : op.getResultTypes())
        if (failed(checkType(op.getLoc(), type)))
          return failure();
    }
    bool init = f.getName() == "init";
    for (unsigned i = 0; i < f.getNumArguments(); ++i)
      if (failed(verifyArgument(f, i)))
        return failure();
    for (auto [i, type] : llvm::enumerate(f.getResultTypes())) {
      if (failed(checkType(f.getLoc(), type)))
        return failure();
      StringRef name = init ? parameterAttrName : resultAttrName;
      if (!f.getResultAttrOfType<StringAttr>(i, name))
        return f.emitError()
               << "expected the attribute " << name << " on result " << i;
      auto tensor = cast<RankedTensorType>(type);
      if (!init && (tensor.getRank() != 0 ||
                    (i == 0 && !isa<FloatType>(tensor.getElementType()))))
        return f.emitError() << "expected result " << i << " to be a "
                             << (i ? "" : "float ") << "scalar, got " << type;
    }
    if (f.getNumResults() == 0)
      return f.emitError("expected at least one result, got none");
    return success();
  }

  LogicalResult checkType(Location loc, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape() &&
        tensor.getElementType().isIntOrFloat())
      return success();
    return emitError(loc)
           << "expected a tensor of static shape of floats or integers, got "
           << type;
  }

  LogicalResult verifyArgument(func::FuncOp f, unsigned i) {
    BlockArgument arg = f.getArgument(i);
    if (failed(checkType(arg.getLoc(), arg.getType())))
      return failure();
    bool parameter =
        f.getArgAttrOfType<StringAttr>(i, parameterAttrName) != nullptr;
    bool input = f.getArgAttrOfType<StringAttr>(i, inputAttrName) != nullptr;
    if (parameter == input)
      return emitError(arg.getLoc())
             << "expected argument " << i
             << " to have either zcc.parameter or zcc.input, got "
             << (parameter ? "both" : "neither");
    auto part = f.getArgAttrOfType<DenseI64ArrayAttr>(i, partAttrName);
    auto shape = f.getArgAttrOfType<DenseI64ArrayAttr>(i, fileShapeAttrName);
    if (!part && !shape)
      return success();
    if (!parameter || !part || !shape || part.size() != shape.size())
      return emitError(arg.getLoc())
             << "expected zcc.part and zcc.file_shape of one length on a "
                "parameter, argument "
             << i;
    for (auto [start, extent] :
         llvm::zip(part.asArrayRef(), shape.asArrayRef()))
      if (start < 0 || start >= extent)
        return emitError(arg.getLoc())
               << "expected zcc.part within zcc.file_shape, got " << start
               << " of " << extent;
    return success();
  }
};
} // namespace
} // namespace zcc
