// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op counts once an element of its result: what fusion computes again is
// no part of it. A kernel reads each of its arguments once, or, where it only
// takes slices of it, these.
#include "compiler/simulator/KernelCost.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {

static double elements(Value value) {
  return static_cast<double>(train::tensorType(value).getNumElements());
}

static double bytesOf(Value value) {
  return static_cast<double>(exec::getBytes(train::tensorType(value)));
}

static llvm::StringLiteral typeName(Type element) {
  if (element.isF64())
    return "f64";
  if (element.isBF16())
    return "bf16";
  if (element.isF16())
    return "f16";
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() == 8)
    return "f8";
  if (element.isInteger(8))
    return "i8";
  return "f32";
}

static planning::ProductWork getProduct(train::DotGeneralOp op) {
  auto lhs = train::tensorType(op.getLhs()),
       rhs = train::tensorType(op.getRhs());
  planning::ProductWork out;
  out.type = typeName(lhs.getElementType());
  for (int64_t dim : op.getLhsBatching())
    out.shape.batch *= lhs.getDimSize(dim);
  for (int64_t dim : op.getLhsContracting())
    out.shape.k *= lhs.getDimSize(dim);
  int64_t shared = std::max<int64_t>(out.shape.batch * out.shape.k, 1);
  out.shape.m = lhs.getNumElements() / shared;
  out.shape.n = rhs.getNumElements() / shared;
  return out;
}

/// As a product of the window's elements.
static planning::ProductWork getProduct(train::ConvolutionOp op) {
  auto rhs = train::tensorType(op.getRhs());
  int64_t groups = op.getFeatureGroups() * op.getBatchGroups();
  int64_t features = rhs.getDimSize(op.getKernelDims()[1]);
  planning::ProductWork out;
  out.type = typeName(rhs.getElementType());
  out.shape.batch = groups;
  out.shape.n = std::max<int64_t>(features / groups, 1);
  out.shape.k = rhs.getNumElements() / std::max<int64_t>(features, 1);
  out.shape.m = train::tensorType(op.getResult()).getNumElements() /
                std::max<int64_t>(features, 1);
  return out;
}

/// The share of the scores that a band leaves to be computed, in blocks of
/// keys. All of them where masks or the device say what is seen.
static double seenShare(const train::Attention &a) {
  constexpr int64_t block = 64;
  if (!a.hasBand() || a.queryOrigin || a.keyOrigin || a.block || a.keys == 0)
    return 1;
  double seen = 0;
  for (int64_t query = 0; query < a.queries; query += block) {
    int64_t last = std::min(query + block, a.queries) - 1;
    int64_t high = a.after ? std::min(a.keys, last + *a.after + 1) : a.keys;
    int64_t low = a.before ? std::max<int64_t>(0, query - *a.before) : 0;
    high = std::max<int64_t>(high, 0);
    high = std::min(a.keys, (high + block - 1) / block * block);
    low = low / block * block;
    seen += static_cast<double>(std::max<int64_t>(high - low, 0)) *
            static_cast<double>(last + 1 - query);
  }
  return seen / static_cast<double>(a.keys) / static_cast<double>(a.queries);
}

/// Scores and weighted values; backward, scores again and four more.
static void addAttention(Operation *op, KernelCost &out) {
  train::Attention a = train::Attention::of(op);
  bool backward =
      isa<train::AttentionGradientOp, train::AttentionBlockGradientOp>(op);
  planning::ProductShape scores{a.batches() * a.heads, a.queries, a.keys,
                                a.depth};
  planning::ProductShape values = scores;
  values.k = a.valueDepth;
  double share = seenShare(a);
  auto add = [&](const planning::ProductShape &shape) {
    out.products.push_back(
        {shape, typeName(train::tensorType(a.query).getElementType()), share});
  };
  for (int i = 0; i < (backward ? 3 : 1); ++i)
    add(scores);
  for (int i = 0; i < (backward ? 2 : 1); ++i)
    add(values);
  double seen = share * static_cast<double>(scores.batch) *
                static_cast<double>(a.queries) * static_cast<double>(a.keys);
  // The exponential; the maximum and the sum that wait for it cost as much.
  out.work.transcendentals += 2 * seen;
  out.work.vectorOps += (backward ? 6 : 5) * seen;
}

/// Arithmetic of an op that is no product.
static void addWork(Operation *op, planning::KernelWork &work) {
  if (op->getNumResults() == 0 || isa<train::ConstantOp>(op))
    return;
  double n = elements(op->getResult(0));
  TypeSwitch<Operation *>(op)
      .Case<train::ExpOp, train::Expm1Op, train::LogOp, train::Log1pOp,
            train::TanhOp, train::LogisticOp, train::SinOp, train::CosOp,
            train::TanOp, train::ErfOp, train::ErfcOp, train::ErfInvOp,
            train::CbrtOp, train::Atan2Op>(
          [&](auto) { work.transcendentals += n; })
      .Case<train::PowOp>([&](auto) { work.transcendentals += 2 * n; })
      .Case<train::DivOp, train::SqrtOp, train::RsqrtOp, train::RemOp>(
          [&](auto) { work.transcendentals += 0.5 * n; })
      .Case<train::UpdateOp>([&](train::UpdateOp update) {
        work.vectorOps += update.getFlops();
        work.transcendentals += 0.5 * n * update.findOptimizer()->work().slow;
      })
      .Case<train::SortOp>([&](auto) {
        double extent = static_cast<double>(
            train::tensorType(op->getResult(0)).getShape().back());
        work.vectorOps += 4 * n * std::max(std::log2(extent), 1.0);
      })
      // Sums have a fixed order: chains of additions that wait for each other.
      .Case<train::ReduceOp, train::SumOfSquaresOp>(
          [&](auto) { work.vectorOps += 16 * elements(op->getOperand(0)); })
      .Default([&](Operation *) {
        if (auto costed = dyn_cast<train::CostedOpInterface>(op))
          work.vectorOps += costed.getFlops();
      });
}

/// Bytes of `argument` that the kernel reads: what its slices take, if nothing
/// else reads it.
static double bytesRead(BlockArgument argument) {
  double taken = 0;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    bool slices =
        isa<train::GatherOp, train::DynamicSliceOp, train::SliceOp>(user) &&
        use.getOperandNumber() == 0;
    if (!slices)
      return bytesOf(argument);
    taken += bytesOf(user->getResult(0));
  }
  return std::min(taken, bytesOf(argument));
}

/// Whether a value is computed by the kernel, not only moved.
static bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<train::ConstantOp>(op))
    return false;
  if (!isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp,
           train::SliceOp, train::ConvertOp>(op))
    return true;
  return isComputed(op->getOperand(0));
}

/// Arguments of as many elements as `value` from which it is computed.
static int64_t countSources(Value value, double size,
                            llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return elements(value) >= size ? 1 : 0;
  int64_t sources = 0;
  for (Value operand : op->getOperands())
    sources += countSources(operand, size, seen);
  return sources;
}

/// An operand whose last dim is summed over is packed as it lies. From others
/// pieces of rows are taken, which is slow for every source but the first: that
/// one is part of the product.
static void addPrologue(Value operand, ArrayRef<int64_t> contracted,
                        planning::KernelWork &work) {
  if (!isComputed(operand))
    return;
  RankedTensorType type = train::tensorType(operand);
  int64_t last = type.getRank() - 1;
  if (llvm::is_contained(contracted, last)) {
    work.prologues += elements(operand);
    return;
  }
  double summed = 1;
  for (int64_t dim : contracted)
    summed *= static_cast<double>(type.getDimSize(dim));
  llvm::SmallPtrSet<void *, 16> seen;
  int64_t sources = countSources(operand, elements(operand), seen);
  work.transposedPrologues +=
      elements(operand) *
      static_cast<double>(std::max<int64_t>(sources - 1, 0));
  work.transposedRow =
      std::max(work.transposedRow, bytesOf(operand) / std::max(summed, 1.0));
}

KernelCost getKernelCost(func::FuncOp kernel) {
  KernelCost out;
  for (BlockArgument argument : kernel.getArguments())
    out.work.bytes += bytesRead(argument);
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value value : op.getOperands())
        out.work.bytes += bytesOf(value);
    } else if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
      out.products.push_back(getProduct(dot));
      addPrologue(dot.getLhs(), dot.getLhsContracting(), out.work);
      addPrologue(dot.getRhs(), dot.getRhsContracting(), out.work);
    } else if (auto convolution = dyn_cast<train::ConvolutionOp>(op)) {
      out.products.push_back(getProduct(convolution));
      for (Value operand : convolution->getOperands())
        if (isComputed(operand))
          out.work.prologues += elements(operand);
    } else if (train::Attention::isAttention(&op)) {
      addAttention(&op, out);
    } else {
      addWork(&op, out.work);
    }
  }
  return out;
}

double getSeconds(const planning::CostModel &model, const KernelCost &cost) {
  return model.kernelSeconds(cost.work, "f32", cost.products.data(),
                             cost.products.size());
}

} // namespace zcc
