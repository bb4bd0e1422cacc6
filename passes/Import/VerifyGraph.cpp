// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that hold after the phase `graph`:
// - there is one function, @loss or @init, of one block that returns; a whole
//   program may have both;
// - every op is a train op;
// - types are static tensors of at most 2^48 elements;
// - the mesh of the module has names and sizes, and at most 2^24 devices;
// - every argument has one of zcc.parameter, zcc.input and zcc.state; parts
//   have zcc.part and zcc.file_shape;
// - the first result of @loss is a float scalar; the others are scalars that
//   have a name, or new values of arguments with zcc.state; those with
//   zcc.array may have any shape; results of @init are named
//   parameters;
// - no annotation splits an argument with zcc.state
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "passes/Import/Passes.h.inc"

LogicalResult verifyTextMesh(ModuleOp module) {
  Attribute names = module->getAttr(textMeshAxesAttrName),
            sizes = module->getAttr(textMeshSizesAttrName);
  if (!names && !sizes)
    return success();
  auto list = dyn_cast_or_null<ArrayAttr>(names);
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(sizes);
  if (!list || !numbers || list.size() != static_cast<size_t>(numbers.size()) ||
      !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return module.emitError("expected in '")
           << textMeshAxesAttrName << "' and '" << textMeshSizesAttrName
           << "' a name and a size for each axis of the text's mesh";
  constexpr int64_t most = 1 << 24;
  int64_t devices = 1;
  for (int64_t size : numbers.asArrayRef()) {
    if (size < 1)
      return module.emitError("expected sizes of at least 1 in the text's "
                              "mesh, got ")
             << size;
    if (size > most / devices)
      return module.emitError("the text's mesh has more than ")
             << most << " devices";
    devices *= size;
  }
  return success();
}

namespace {
struct VerifyGraph : impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (failed(verify()))
      signalPassFailure();
  }

  LogicalResult verify() {
    ModuleOp module = getOperation();
    if (failed(verifyTextMesh(module)))
      return failure();
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.empty() || functions.size() > 2)
      return module.emitError("expected one function, @loss or @init, got ")
             << functions.size();
    for (func::FuncOp f : functions)
      if (failed(verifyFunction(f)))
        return failure();
    return success();
  }

  LogicalResult verifyFunction(func::FuncOp f) {
    if (f.getName() != lossFunctionName && f.getName() != initFunctionName)
      return f.emitError("expected @loss or @init, got @") << f.getName();
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
    bool init = f.getName() == initFunctionName;
    for (unsigned i = 0; i < f.getNumArguments(); ++i)
      if (failed(verifyArgument(f, i)))
        return failure();
    for (auto [i, type] : llvm::enumerate(f.getResultTypes())) {
      if (failed(checkType(f.getLoc(), type)))
        return failure();
      if (Attribute variable = f.getResultAttr(i, variableAttrName);
          variable && !init && i > 0) {
        if (!llvm::any_of(f.getArguments(), [&, type = type](BlockArgument a) {
              return f.getArgAttr(a.getArgNumber(), variableAttrName) ==
                         variable &&
                     a.getType() == type;
            }))
          return f.emitError() << "expected result " << i
                               << " to be the new value of an argument of its "
                                  "type with zcc.state = "
                               << variable;
        continue;
      }
      StringRef name = init ? parameterAttrName : resultAttrName;
      if (!f.getResultAttrOfType<StringAttr>(i, name))
        return f.emitError()
               << "expected the attribute " << name << " on result " << i;
      auto tensor = cast<RankedTensorType>(type);
      if (f.getResultAttr(i, arrayAttrName) && !init)
        continue;
      if (!init && (tensor.getRank() != 0 ||
                    (i == 0 && !isa<FloatType>(tensor.getElementType()))))
        return withHelp(f.emitError()
                            << "expected result " << i << " to be a "
                            << (i ? "" : "float ") << "scalar, got " << type,
                        "reduce it: the loss and metrics are numbers");
    }
    if (f.getNumResults() == 0)
      return f.emitError("expected at least one result, got none");
    return success();
  }

  LogicalResult checkType(Location loc, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && isa<Float8E4M3FNType>(tensor.getElementType()))
      return withHelp(
          emitError(loc) << "expected no values of f8E4M3FN, got " << type
                         << ": zcc's conversions to it stop at 448, where "
                            "those of the text give NaN",
          "give such arrays as bf16, and write the rounding with ops on f32; "
          "--compress=f8 stores residuals in f8");
    if (tensor && tensor.hasStaticShape() &&
        tensor.getElementType().isIntOrFloat()) {
      // Bytes, and sums of them, must stay within 64 bits.
      constexpr double most = 281474976710656; // 2^48
      double elements = 1;
      for (int64_t extent : tensor.getShape())
        elements *= static_cast<double>(extent);
      if (elements <= most)
        return success();
      return withHelp(emitError(loc)
                          << "expected at most 2^48 elements, got " << type,
                      "no device holds it: compute it in parts, or reduce "
                      "before what is broadcast is written down");
    }
    return withHelp(
        emitError(loc)
            << "expected a tensor of static shape of floats or integers, got "
            << type,
        "lower the loss for arrays of fixed shapes; complex values are two "
        "float arrays here");
  }

  LogicalResult verifyArgument(func::FuncOp f, unsigned i) {
    BlockArgument arg = f.getArgument(i);
    if (failed(checkType(arg.getLoc(), arg.getType())))
      return failure();
    bool parameter =
        f.getArgAttrOfType<StringAttr>(i, parameterAttrName) != nullptr;
    bool input = f.getArgAttrOfType<StringAttr>(i, inputAttrName) != nullptr;
    bool variable =
        f.getArgAttrOfType<StringAttr>(i, variableAttrName) != nullptr;
    if (parameter + input + variable != 1)
      return emitError(arg.getLoc())
             << "expected argument " << i
             << " to have one of zcc.parameter, zcc.input and zcc.state, got "
             << parameter + input + variable;
    if (variable)
      if (auto dims = f.getArgAttrOfType<ArrayAttr>(i, textShardingAttrName);
          dims && !llvm::all_of(dims, [](Attribute dim) {
            return isa<ArrayAttr>(dim) && cast<ArrayAttr>(dim).empty();
          }))
        return withHelp(emitError(arg.getLoc())
                            << "expected argument " << i
                            << ", which has zcc.state, to be whole on all "
                               "devices, got zcc.sharding = "
                            << dims,
                        "leave out its annotation: each device has all of a "
                        "value that the loss returns");
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
