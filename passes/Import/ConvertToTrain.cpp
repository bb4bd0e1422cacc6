// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from stablehlo to train: dispatch and elementwise ops.
#include "passes/Import/ConvertToTrain.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_CONVERTTOTRAIN
#include "passes/Import/Passes.h.inc"

/// Ops whose train op has the same name, operands and results.
static bool hasSameName(StringRef name) {
  static const llvm::StringSet<> names = {"abs",
                                          "negate",
                                          "sign",
                                          "exponential",
                                          "exponential_minus_one",
                                          "log",
                                          "log_plus_one",
                                          "tanh",
                                          "logistic",
                                          "sqrt",
                                          "rsqrt",
                                          "cbrt",
                                          "sine",
                                          "cosine",
                                          "tan",
                                          "floor",
                                          "ceil",
                                          "round_nearest_afz",
                                          "round_nearest_even",
                                          "not",
                                          "popcnt",
                                          "count_leading_zeros",
                                          "is_finite",
                                          "add",
                                          "subtract",
                                          "multiply",
                                          "divide",
                                          "maximum",
                                          "minimum",
                                          "power",
                                          "remainder",
                                          "atan2",
                                          "and",
                                          "or",
                                          "xor",
                                          "shift_left",
                                          "shift_right_logical",
                                          "shift_right_arithmetic",
                                          "erf",
                                          "erfc",
                                          "erf_inv"};
  return names.contains(name);
}

LogicalResult Converter::refuse(Operation *op, const Twine &why) {
  InFlightDiagnostic error = op->emitError() << "'" << op->getName()
                                             << "' cannot be used in training";
  if (!why.isTriviallyEmpty())
    error << ": " << why.str();
  return error;
}

Value Converter::spread(Location loc, Value v, Value like) {
  return tensorType(v).getRank() == 0 ? train::splatLike(b, loc, v, like) : v;
}

/// Why an op cannot be used, where its name does not say.
static StringRef whyNot(Operation *op) {
  if (isa<sdy::ManualComputationOp, stablehlo::AllGatherOp,
          stablehlo::AllReduceOp, stablehlo::AllToAllOp,
          stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
          stablehlo::ReduceScatterOp, stablehlo::ReplicaIdOp,
          stablehlo::PartitionIdOp, stablehlo::SendOp, stablehlo::RecvOp>(op))
    return "it distributes by hand (jax.shard_map), which zcc does itself: "
           "write what one device would compute";
  if (isa<stablehlo::RngOp>(op))
    return "its numbers depend on a hidden state: use jax.random, whose keys "
           "are values";
  if (isa<stablehlo::RngBitGeneratorOp>(op))
    return "its bits are every implementation's own: use keys of "
           "jax.random.key(seed, impl='threefry2x32')";
  return "";
}

LogicalResult Converter::convert(Operation *op) {
  if (isa<train::TrainDialect>(op->getDialect())) {
    b.clone(*op, map);
    return success();
  }
  if (isa<stablehlo::CreateTokenOp, stablehlo::AfterAllOp>(op))
    return success(); // who needs the order is refused
  if (StringRef why = whyNot(op); !why.empty())
    return refuse(op, why);
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.getElementType().isIntOrFloat())
        return refuse(
            op, "expected float or integer tensors, got " + [&] {
              std::string text;
              llvm::raw_string_ostream(text) << type;
              return text;
            }());
    }
  if (std::optional<LogicalResult> moved = convertMovement(op))
    return *moved;
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<stablehlo::ReduceOp>([&](auto o) { return convertReduce(o); })
      .Case<stablehlo::ReduceWindowOp>(
          [&](auto o) { return convertReduceWindow(o); })
      .Case<stablehlo::SortOp>([&](auto o) { return convertSort(o); })
      .Case<chlo::ScanOp>([&](auto o) { return convertScan(o); })
      .Case<stablehlo::DotGeneralOp>([&](auto o) { return convertDot(o); })
      .Case<stablehlo::ConvolutionOp>(
          [&](auto o) { return convertConvolution(o); })
      .Case<stablehlo::GatherOp>([&](auto o) { return convertGather(o); })
      .Case<stablehlo::ScatterOp>([&](auto o) { return convertScatter(o); })
      .Case<stablehlo::CustomCallOp>(
          [&](auto o) { return convertCustomCall(o); })
      .Case<stablehlo::SelectAndScatterOp>([&](auto o) {
        return refuse(o, "it is the derivative of a reduce_window, which zcc "
                         "makes itself and does not differentiate again");
      })
      .Case<chlo::ErfInvOp>([&](auto o) {
        bool single = tensorType(in(o->getOperand(0))).getElementType().isF32();
        return initial && single ? convertFunction(o) : convertElementwise(o);
      })
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>(
          [&](auto o) { return convertSharding(o, o.getSharding()); })
      .Case<chlo::TopKOp>([&](auto o) { return convertTopK(o); })
      .Default([&](Operation *o) { return convertElementwise(o); });
}

// ---------------------------------------------------------------- elementwise

LogicalResult Converter::convertElementwise(Operation *op) {
  Location loc = op->getLoc();
  StringRef name = op->getName().stripDialect();
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op))
    return convertCompare(compare);
  if (auto precision = dyn_cast<stablehlo::ReducePrecisionOp>(op))
    return convertReducePrecision(precision);
  if (auto dot = dyn_cast<stablehlo::DotOp>(op)) {
    int64_t contracted = tensorType(in(dot.getLhs())).getRank() - 1;
    return set(op,
               train::dotGeneral(b, loc, in(dot.getLhs()), in(dot.getRhs()), {},
                                 {}, {contracted}, {0},
                                 tensorType(dot.getResult()).getElementType()));
  }
  if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
    Value onTrue = in(select.getOnTrue());
    return set(
        op, train::SelectOp::create(b, loc, op->getResult(0).getType(),
                                    spread(loc, in(select.getPred()), onTrue),
                                    onTrue, in(select.getOnFalse())));
  }
  if (auto clamp = dyn_cast<stablehlo::ClampOp>(op)) {
    Value operand = in(clamp.getOperand());
    return set(op, train::ClampOp::create(
                       b, loc, operand.getType(),
                       spread(loc, in(clamp.getMin()), operand), operand,
                       spread(loc, in(clamp.getMax()), operand)));
  }
  if (isa<stablehlo::ConvertOp>(op))
    return set(op,
               train::convert(b, loc, in(op->getOperand(0)),
                              tensorType(op->getResult(0)).getElementType()));
  if (auto bitcast = dyn_cast<stablehlo::BitcastConvertOp>(op))
    return convertBitcast(bitcast);
  if (op->hasAttr(reluAttrName)) {
    // JAX's relu has derivative 0 at 0 and hands on NaN, as maximum does: 0
    // where x <= 0, else x.
    Value x = in(op->getOperand(isZero(op->getOperand(0)) ? 1 : 0)),
          zero = constant(loc, x, 0);
    Value negative =
        train::compare(b, loc, x, zero, train::CompareDirection::LE);
    return set(op,
               train::SelectOp::create(b, loc, x.getType(), negative, zero, x));
  }
  if (!hasSameName(name))
    return isa<chlo::CHLODialect>(op->getDialect()) ? convertFunction(op)
                                                    : refuse(op);
  // On i1, sums and maxima are or, products and minima are and: one spelling.
  Type element = tensorType(op->getResult(0)).getElementType();
  if (element.isInteger(1) && isa<stablehlo::AddOp, stablehlo::MaxOp>(op))
    name = "or";
  else if (element.isInteger(1) && isa<stablehlo::MulOp, stablehlo::MinOp>(op))
    name = "and";
  if (element.isUnsignedInteger() && name == "abs")
    return set(op, in(op->getOperand(0)));
  OperationState state(loc, ("train." + name).str());
  for (Value v : op->getOperands())
    state.addOperands(in(v));
  state.addTypes(op->getResultTypes());
  return set(op, b.create(state)->getResult(0));
}

LogicalResult Converter::convertCompare(stablehlo::CompareOp op) {
  Location loc = op.getLoc();
  Value lhs = in(op.getLhs()), rhs = in(op.getRhs());
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER) {
    // -NaN < -inf < ... < -0 < 0 < ... < inf < NaN: bits as integers, those of
    // negative numbers reversed.
    unsigned width = tensorType(lhs).getElementTypeBitWidth();
    Type type = tensorType(lhs).clone(b.getIntegerType(width));
    auto key = [&](Value v) -> Value {
      Value bits = train::BitcastOp::create(b, loc, type, v);
      Value zero = constant(loc, bits, 0);
      Value mask = train::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(cast<RankedTensorType>(type),
                                 APInt::getSignedMaxValue(width)));
      Value flipped = train::XorOp::create(b, loc, type, bits, mask);
      return train::SelectOp::create(
          b, loc, type,
          train::compare(b, loc, bits, zero, train::CompareDirection::LT),
          flipped, bits);
    };
    lhs = key(lhs);
    rhs = key(rhs);
  }
  train::CompareDirection direction = *train::symbolizeCompareDirection(
      stablehlo::stringifyComparisonDirection(op.getComparisonDirection()));
  return set(op, train::compare(b, loc, lhs, rhs, direction));
}

LogicalResult
Converter::convertReducePrecision(stablehlo::ReducePrecisionOp op) {
  Value x = in(op.getOperand());
  auto type = cast<FloatType>(tensorType(x).getElementType());
  unsigned exponent = op.getExponentBits(), mantissa = op.getMantissaBits();
  auto fits = [&](FloatType t) { // the type's own bits: width - mantissa - sign
    unsigned m = t.getFPMantissaWidth() - 1;
    return mantissa == m && exponent == t.getWidth() - m - 1;
  };
  if (fits(type))
    return set(op, x);
  for (FloatType t : {FloatType(b.getBF16Type()), FloatType(b.getF16Type()),
                      FloatType(b.getF32Type())})
    if (fits(t) && t.getWidth() < type.getWidth())
      return set(op,
                 train::convert(b, op.getLoc(),
                                train::convert(b, op.getLoc(), x, t), type));
  return refuse(op, "expected the format of f16, bf16 or f32, got e" +
                        Twine(exponent) + "m" + Twine(mantissa));
}

LogicalResult Converter::convertCustomCall(stablehlo::CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  bool same = op.getInputs().size() == 1 && op->getNumResults() == 1 &&
              op.getInputs()[0].getType() == op->getResult(0).getType();
  if (target == "zcc.stop_gradient") {
    if (!same)
      return op.emitError("expected one operand and one result of its type in "
                          "a call of @zcc.stop_gradient");
    return set(op, train::StopGradientOp::create(b, op.getLoc(),
                                                 in(op.getInputs()[0])));
  }
  // Requests to a partitioner or to a layout assignment: values pass through.
  if (same && (target == "Sharding" || target == "LayoutConstraint" ||
               target == "annotate_device_placement")) {
    op.emitWarning() << "custom call @" << target << " is ignored";
    return set(op, in(op.getInputs()[0]));
  }
  return refuse(op, "the custom call @" + target + " is not known");
}

LogicalResult Converter::convertSharding(Operation *op,
                                         sdy::ShardingAttr sharding) {
  Value x = in(op->getOperand(0));
  if (!sharding.getUnreduced().empty())
    return refuse(op, "a value that is not reduced over an axis is zcc's own "
                      "choice, not one to ask for");
  // Nothing is said of a scalar, nor by dims that are open and name no axis.
  bool open =
      sharding.getReplicated().empty() &&
      llvm::all_of(sharding.getDims(), [](Attribute dim) {
        auto axes = cast<ArrayAttr>(dim);
        return axes.size() == 1 && cast<StringAttr>(axes[0]).getValue() == "?";
      });
  if (open)
    return set(op, x);
  return set(op, train::ShardingConstraintOp::create(
                     b, op->getLoc(), x.getType(), x, sharding.getDims(),
                     sharding.getReplicated()));
}

// ---------------------------------------------------------------- the pass

namespace {
struct ConvertToTrain : impl::ConvertToTrainBase<ConvertToTrain> {
  using ConvertToTrainBase::ConvertToTrainBase;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    if (!entry.getBody().hasOneBlock()) {
      entry.emitError() << "expected one block, got "
                        << entry.getBody().getBlocks().size();
      return signalPassFailure();
    }
    Block &old = entry.getBody().front();
    Region region;
    Block &block = region.emplaceBlock();
    OpBuilder b(&getContext()); // the region has no parent yet
    b.setInsertionPointToEnd(&block);
    Converter converter(b, role == "init");
    for (BlockArgument arg : old.getArguments())
      converter.map.map(arg, block.addArgument(arg.getType(), arg.getLoc()));
    for (Operation &op : old.without_terminator())
      if (failed(converter.convert(&op)))
        return signalPassFailure();
    b.clone(*old.getTerminator(), converter.map);
    entry.getBody().takeBody(region);
    entry.setName(role == "init" ? "init" : "loss");
    if (failed(convertAnnotations(entry)))
      return signalPassFailure();
  }

  /// Shardings of arguments, and the mesh that they are of.
  LogicalResult convertAnnotations(func::FuncOp entry) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      if (entry.getArgAttr(i, "mhlo.sharding"))
        emitWarning(entry.getArgument(i).getLoc())
            << "the sharding of argument " << i
            << " is ignored: expected sdy.sharding, which JAX prints with "
               "jax_use_shardy_partitioner, got mhlo.sharding";
      auto sharding =
          entry.getArgAttrOfType<sdy::ShardingAttr>(i, "sdy.sharding");
      if (!sharding)
        continue;
      entry.removeArgAttr(i, "sdy.sharding");
      auto type = cast<RankedTensorType>(entry.getArgument(i).getType());
      ArrayRef<Attribute> dims = sharding.getDims().getValue();
      // Of a part of a stack that of the stack.
      auto file =
          entry.getArgAttrOfType<DenseI64ArrayAttr>(i, fileShapeAttrName);
      int64_t rank = file ? file.size() : type.getRank();
      if (static_cast<int64_t>(dims.size()) != rank)
        return emitError(entry.getArgument(i).getLoc())
               << "expected a sharding of " << rank << " dims for argument "
               << i << ", got " << dims.size();
      if (!sharding.getUnreduced().empty())
        return emitError(entry.getArgument(i).getLoc())
               << "argument " << i
               << " is said not to be reduced over an axis, which an argument "
                  "cannot be";
      entry.setArgAttr(i, textShardingAttrName,
                       ArrayAttr::get(&getContext(), dims));
      if (!sharding.getReplicated().empty())
        entry.setArgAttr(i, textReplicatedAttrName, sharding.getReplicated());
    }
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      entry.removeResultAttr(i, StringAttr::get(&getContext(), "sdy.sharding"));
    return convertMesh();
  }

  /// One mesh; JAX prints it again for every way in which its axes are used.
  LogicalResult convertMesh() {
    sdy::MeshOp first;
    for (sdy::MeshOp mesh : getOperation().getOps<sdy::MeshOp>()) {
      if (mesh.getAxes().empty())
        continue;
      if (first && (mesh.getAxes() != first.getAxes() ||
                    mesh.getSizes() != first.getSizes())) {
        InFlightDiagnostic error =
            mesh.emitError("expected one mesh, got one with other axes");
        error.attachNote(first.getLoc()) << "the other mesh is here";
        return error;
      }
      first = mesh;
    }
    if (first) {
      getOperation()->setAttr(textMeshAxesAttrName, first.getAxes());
      getOperation()->setAttr(textMeshSizesAttrName, first.getSizesAttr());
    }
    for (sdy::MeshOp mesh :
         llvm::make_early_inc_range(getOperation().getOps<sdy::MeshOp>()))
      mesh.erase();
    return success();
  }
};
} // namespace
} // namespace zcc
