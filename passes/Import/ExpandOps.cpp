// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands compound ops, so that later passes see only the basic ones. Ops that
// JAX never prints (other frameworks' exporters do) are expanded here rather
// than in the conversion to train.
#include "passes/Import/ExpandOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Import.h"
#include "passes/Import/Refusals.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_EXPANDOPS
#include "passes/Import/Passes.h.inc"

// ---------------------------------------------------------------- builders

Value HloBuilder::splat(Value like, double value) {
  RankedTensorType type = typeOf(like);
  Type element = type.getElementType();
  Attribute attr;
  if (auto f = dyn_cast<FloatType>(element))
    attr = b.getFloatAttr(f, value);
  else
    attr = b.getIntegerAttr(element, static_cast<int64_t>(value));
  return stablehlo::ConstantOp::create(
      b, loc, type, DenseElementsAttr::get(type, ArrayRef(attr)));
}
Value HloBuilder::broadcast(Value v, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> dims) {
  if (shapeOf(v) == shape && llvm::equal(dims, llvm::seq<int64_t>(dims.size())))
    return v;
  return stablehlo::BroadcastInDimOp::create(b, loc, typeOf(v).clone(shape), v,
                                             dims);
}
Value HloBuilder::reshape(Value v, ArrayRef<int64_t> shape) {
  if (shapeOf(v) == shape)
    return v;
  return stablehlo::ReshapeOp::create(b, loc, typeOf(v).clone(shape), v);
}
Value HloBuilder::transpose(Value v, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return v;
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(shapeOf(v)[d]);
  return stablehlo::TransposeOp::create(b, loc, typeOf(v).clone(shape), v,
                                        permutation);
}
Value HloBuilder::sum(Value v, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return v;
  RankedTensorType type = typeOf(v);
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      shape.push_back(n);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = stablehlo::ConstantOp::create(
      b, loc, scalar,
      DenseElementsAttr::get(scalar, b.getZeroAttr(type.getElementType())));
  auto reduce =
      stablehlo::ReduceOp::create(b, loc, TypeRange{type.clone(shape)},
                                  ValueRange{v}, ValueRange{zero}, dims);
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value result = add(body->getArgument(0), body->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, result);
  return reduce.getResult(0);
}
Value HloBuilder::iota(ArrayRef<int64_t> shape, Type element, int64_t dim) {
  return stablehlo::IotaOp::create(
      b, loc, RankedTensorType::get(shape, element), b.getI64IntegerAttr(dim));
}

// ---------------------------------------------------------------- map, chlo's
// broadcasts

/// Returns true if the op computes an element of its result from those of its
/// operands.
static bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
          isa<stablehlo::SelectOp, stablehlo::ClampOp,
              stablehlo::ReducePrecisionOp>(op) ||
          (isa<chlo::CHLODialect>(op->getDialect()) &&
           op->hasTrait<OpTrait::SameOperandsAndResultType>()));
}

/// Applies the ops of the region to whole tensors.
static Expansion expandMap(stablehlo::MapOp op, OpBuilder &b) {
  HloBuilder h{b, op.getLoc()};
  ArrayRef<int64_t> shape = HloBuilder::shapeOf(op.getResult());
  Block &body = op.getComputation().front();
  IRMapping map;
  map.map(body.getArguments(), op.getInputs());
  auto lookup = [&](Value v) -> Value {
    if (map.contains(v))
      return map.lookup(v);
    Value spread = h.broadcast(v, shape, {}); // it is defined outside
    map.map(v, spread);
    return spread;
  };
  for (Operation &inner : body.without_terminator()) {
    if (isa<stablehlo::ConstantOp, chlo::ConstantOp>(inner)) {
      Value scalar = b.clone(inner)->getResult(0);
      map.map(inner.getResult(0), h.broadcast(scalar, shape, {}));
      continue;
    }
    if (!isElementwise(&inner)) {
      InFlightDiagnostic error = op.emitError()
                                 << "'" << op->getName()
                                 << "' cannot be used in training: expected a "
                                    "computation of elementwise ops, got '"
                                 << inner.getName() << "'";
      error.attachNote(inner.getLoc()) << "it is here";
      return failure();
    }
    OperationState state(inner.getLoc(), inner.getName());
    for (Value v : inner.getOperands())
      state.addOperands(lookup(v));
    state.addAttributes(inner.getAttrs());
    state.addTypes(HloBuilder::typeOf(inner.getResult(0)).clone(shape));
    map.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  return SmallVector<Value>{lookup(body.getTerminator()->getOperand(0))};
}

/// Converts chlo.broadcast_add and so on: to the op of the name without
/// "broadcast_".
static Expansion expandBroadcast(Operation *op, OpBuilder &b) {
  HloBuilder h{b, op->getLoc()};
  ArrayRef<int64_t> shape = HloBuilder::shapeOf(op->getResult(0));
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  std::string full = ("stablehlo." + name).str();
  if (!RegisteredOperationName::lookup(full, op->getContext()))
    full = ("chlo." + name).str();
  OperationState state(op->getLoc(), full);
  for (Value v : op->getOperands()) {
    int64_t rank = HloBuilder::shapeOf(v).size(),
            first = static_cast<int64_t>(shape.size()) - rank;
    SmallVector<int64_t> to =
        llvm::to_vector(llvm::seq<int64_t>(first, first + rank));
    if (dims && first > 0 && static_cast<int64_t>(dims.size()) == rank)
      to.assign(dims.asArrayRef().begin(), dims.asArrayRef().end());
    bool scalarPredicate = isa<chlo::BroadcastSelectOp>(op) && rank == 0;
    state.addOperands(scalarPredicate ? v : h.broadcast(v, shape, to));
  }
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    state.addAttribute(
        "comparison_direction",
        stablehlo::ComparisonDirectionAttr::get(
            b.getContext(), compare.getComparisonDirectionAttr().getValue()));
    if (chlo::ComparisonTypeAttr type = compare.getCompareTypeAttr())
      state.addAttribute("compare_type", stablehlo::ComparisonTypeAttr::get(
                                             b.getContext(), type.getValue()));
  }
  state.addTypes(op->getResultTypes());
  return SmallVector<Value>{b.create(state)->getResult(0)};
}

// ---------------------------------------------------------------- shapes as
// operands

/// Returns the integers of a constant operand; reports an error at the op if it
/// is not constant.
static FailureOr<SmallVector<int64_t>> getIntegers(Operation *op, unsigned i) {
  DenseElementsAttr value = getConstant(op->getOperand(i));
  if (!value)
    return refuse(op, "expected a constant as operand " + Twine(i),
                  "shapes and bounds are known when a program is compiled: "
                  "use jax.lax.dynamic_slice with a constant size, or a mask "
                  "over the largest shape");
  SmallVector<int64_t> list;
  for (const APInt &x : value.getValues<APInt>())
    list.push_back(x.getSExtValue());
  return list;
}

/// Calls `build` with the integers of the operands from `first` on.
static Expansion
withConstants(Operation *op, unsigned first,
              llvm::function_ref<Value(ArrayRef<SmallVector<int64_t>>)> build) {
  SmallVector<SmallVector<int64_t>> lists;
  for (unsigned i = first; i < op->getNumOperands(); ++i) {
    FailureOr<SmallVector<int64_t>> list = getIntegers(op, i);
    if (failed(list))
      return failure();
    lists.push_back(std::move(*list));
  }
  return SmallVector<Value>{build(lists)};
}

static Expansion expandDynamic(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Value x = op->getOperand(0);
  auto one = [](Value v) { return SmallVector<Value>{v}; };
  return llvm::TypeSwitch<Operation *, Expansion>(op)
      .Case([&](stablehlo::DynamicReshapeOp) {
        return one(stablehlo::ReshapeOp::create(b, loc, type, x));
      })
      .Case([&](stablehlo::DynamicIotaOp o) {
        return one(
            stablehlo::IotaOp::create(b, loc, type, o.getIotaDimensionAttr()));
      })
      .Case([&](stablehlo::DynamicBroadcastInDimOp o) {
        return one(stablehlo::BroadcastInDimOp::create(
            b, loc, type, x, o.getBroadcastDimensions()));
      })
      .Case([&](stablehlo::DynamicPadOp o) {
        return withConstants(op, 2, [&](auto lists) {
          return stablehlo::PadOp::create(b, loc, type, x, o.getPaddingValue(),
                                          lists[0], lists[1], lists[2]);
        });
      })
      .Case([&](stablehlo::RealDynamicSliceOp) {
        return withConstants(op, 1, [&](auto lists) {
          return stablehlo::SliceOp::create(b, loc, type, x, lists[0], lists[1],
                                            lists[2]);
        });
      })
      .Case([&](stablehlo::DynamicGatherOp o) {
        return withConstants(op, 2, [&](auto lists) {
          return stablehlo::GatherOp::create(
              b, loc, type, x, o.getStartIndices(), o.getDimensionNumbers(),
              b.getDenseI64ArrayAttr(lists[0]), o.getIndicesAreSortedAttr());
        });
      })
      .Case([&](stablehlo::DynamicConvOp o) {
        return withConstants(op, 2, [&](auto lists) {
          auto shape = RankedTensorType::get(
              {static_cast<int64_t>(lists[0].size() / 2), 2}, b.getI64Type());
          return stablehlo::ConvolutionOp::create(
              b, loc, type, x, o.getRhs(), o.getWindowStridesAttr(),
              DenseIntElementsAttr::get(shape, ArrayRef<int64_t>(lists[0])),
              o.getLhsDilationAttr(), o.getRhsDilationAttr(),
              o.getWindowReversalAttr(), o.getDimensionNumbers(),
              o.getFeatureGroupCountAttr(), o.getBatchGroupCountAttr(),
              o.getPrecisionConfigAttr());
        });
      })
      .Default([](Operation *) { return failure(); });
}

// ---------------------------------------------------------------- the pass

namespace {
struct ExpandOps : impl::ExpandOpsBase<ExpandOps> {
  void runOnOperation() override {
    // Inner ops come first: a map's computation may have one.
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      OpBuilder b(op);
      std::optional<Expansion> values = expand(op, b);
      if (!values)
        return WalkResult::advance();
      if (failed(*values))
        return WalkResult::interrupt();
      op->replaceAllUsesWith(**values);
      op->erase();
      return WalkResult::skip();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  static std::optional<Expansion> expand(Operation *op, OpBuilder &b) {
    if (isa<chlo::CHLODialect>(op->getDialect()) &&
        op->getName().stripDialect().starts_with("broadcast_"))
      return expandBroadcast(op, b);
    return llvm::TypeSwitch<Operation *, std::optional<Expansion>>(op)
        .Case([&](stablehlo::MapOp o) { return expandMap(o, b); })
        .Case<stablehlo::EinsumOp, stablehlo::UnaryEinsumOp>(
            [&](auto o) { return expandEinsum(o, o.getEinsumConfig(), b); })
        .Case([&](stablehlo::TorchIndexSelectOp o) {
          return expandIndexSelect(o, b);
        })
        .Case([&](chlo::RaggedDotOp o) { return expandRaggedDot(o, b); })
        .Case<stablehlo::BatchNormTrainingOp, stablehlo::BatchNormInferenceOp,
              stablehlo::BatchNormGradOp>(
            [&](Operation *o) { return expandBatchNorm(o, b); })
        .Case<stablehlo::DynamicReshapeOp, stablehlo::DynamicIotaOp,
              stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicPadOp,
              stablehlo::RealDynamicSliceOp, stablehlo::DynamicGatherOp,
              stablehlo::DynamicConvOp>(
            [&](Operation *o) { return expandDynamic(o, b); })
        .Default([](Operation *) { return std::nullopt; });
  }
};
} // namespace
} // namespace zcc
