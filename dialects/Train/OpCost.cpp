// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights were measured on a core with 16 lanes
// (docs/decisions/planning/0016-one-account.md). Work that fusion repeats does not count
// here.
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace zcc::train {

StringRef getTypeName(Type element) {
  if (element.isF64())
    return "f64";
  if (element.isF32())
    return "f32";
  if (element.isBF16())
    return "bf16";
  if (element.isF16())
    return "f16";
  if (isa<FloatType>(element))
    return "f8";
  bool isUnsigned = element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return "i1";
  case 8:
    return isUnsigned ? "u8" : "i8";
  case 16:
    return isUnsigned ? "u16" : "i16";
  case 32:
    return isUnsigned ? "u32" : "i32";
  default:
    return isUnsigned ? "u64" : "i64";
  }
}

// A quotient and a root in hardware take about as long as half of a function.
static constexpr double quotient = 13, root = 17;

static double elements(Value value) {
  return static_cast<double>(tensorType(value).getNumElements());
}

double getElementWeight(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<ConstantOp, BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(
          [](auto) { return 0; })
      .Case<GatherOp>([](auto) { return 2; })
      .Case<DivOp>([](auto) { return quotient; })
      .Case<SqrtOp>([](auto) { return root; })
      .Case<ExpOp, Expm1Op>([](auto) { return 20; })
      .Case<TanhOp>([](auto) { return 25; })
      .Case<LogOp, LogisticOp>([](auto) { return 30; })
      .Case<Log1pOp, RsqrtOp>([](auto) { return 35; })
      .Case<ErfOp, ErfcOp>([](auto) { return 55; })
      .Case<SinOp, CosOp>([](auto) { return 95; })
      .Case<TanOp>([](auto) { return 120; })
      .Case<Atan2Op>([](auto) { return 145; })
      .Case<CbrtOp>([](auto) { return 240; })
      .Case<PowOp>([](auto) { return 300; })
      .Case<ErfInvOp>([](auto) { return 1500; })
      .Case<RemOp>([](auto) { return 1800; })
      // Sums have a fixed order: they are chains of additions that wait for
      // each other.
      .Case<ReduceOp, ArgReduceOp>([](auto) { return 4; })
      .Case<SumOfSquaresOp>([](auto) { return 5; })
      .Case<CumulativeOp>([](CumulativeOp sum) {
        auto last = tensorType(sum.getResult()).getRank() - 1;
        return static_cast<int64_t>(sum.getDim()) == last ? 50 : 18;
      })
      .Case<SortOp>([](SortOp sort) {
        auto type = tensorType(sort->getResult(0));
        auto extent = static_cast<double>(type.getDimSize(sort.getDim()));
        return 200 * std::max(std::log2(std::max(extent, 1.0)), 1.0);
      })
      .Case<UpdateOp>([](UpdateOp update) {
        Optimizer::Work work = update.findOptimizer()->work();
        return work.flops + work.quotients * quotient + work.roots * root +
               (update.getEma() ? averageFlops : 0);
      })
      .Default([](Operation *) { return 1; });
}

// ---------------------------------------------------------------- products

static OpCost::Product getProduct(DotGeneralOp op) {
  auto lhs = tensorType(op.getLhs()), rhs = tensorType(op.getRhs());
  OpCost::Product out;
  out.type = getTypeName(lhs.getElementType());
  for (int64_t dim : op.getLhsBatching())
    out.batch *= lhs.getDimSize(dim);
  for (int64_t dim : op.getLhsContracting())
    out.k *= lhs.getDimSize(dim);
  int64_t shared = std::max<int64_t>(out.batch * out.k, 1);
  out.m = lhs.getNumElements() / shared;
  out.n = rhs.getNumElements() / shared;
  return out;
}

/// Returns the convolution as a product over the window's elements.
static OpCost::Product getProduct(ConvolutionOp op) {
  auto rhs = tensorType(op.getRhs());
  int64_t groups = op.getFeatureGroups() * op.getBatchGroups();
  int64_t features = rhs.getDimSize(op.getKernelDims()[1]);
  OpCost::Product out;
  out.type = getTypeName(rhs.getElementType());
  out.batch = groups;
  out.n = std::max<int64_t>(features / groups, 1);
  out.k = rhs.getNumElements() / std::max<int64_t>(features, 1);
  out.m = tensorType(op.getResult()).getNumElements() /
          std::max<int64_t>(features, 1);
  return out;
}

/// Returns the share of the scores that a band leaves to be computed, in blocks
/// of keys. It is 1 if masks or the device's place decide, except for a block
/// of a folded sequence. Such blocks are all halved alike, so they have the
/// share of the whole sequence.
static double seenShare(const Attention &a) {
  constexpr int64_t block = 64;
  bool folded = a.isFolded();
  int64_t queries = folded ? a.allKeys : a.queries, keys = a.allKeys;
  if (!a.hasBand() || a.keys == 0 ||
      (!folded && (a.queryOrigin || a.keyOrigin || a.block)))
    return 1;
  double seen = 0;
  for (int64_t query = 0; query < queries; query += block) {
    int64_t last = std::min(query + block, queries) - 1;
    int64_t high = a.after ? std::min(keys, last + *a.after + 1) : keys;
    int64_t low = a.before ? std::max<int64_t>(0, query - *a.before) : 0;
    high = std::max<int64_t>(high, 0);
    high = std::min(keys, (high + block - 1) / block * block);
    low = low / block * block;
    seen += static_cast<double>(std::max<int64_t>(high - low, 0)) *
            static_cast<double>(last + 1 - query);
  }
  return seen / static_cast<double>(keys) / static_cast<double>(queries);
}

/// Counts scores and weighted values; backward, the scores again and four more
/// products.
static OpCost getAttentionCost(Operation *op) {
  Attention a = Attention::of(op);
  bool backward = isa<AttentionGradientOp, AttentionBlockGradientOp>(op);
  OpCost out;
  double share = seenShare(a);
  OpCost::Product scores{a.batches() * a.heads,
                         a.queries,
                         a.keys,
                         a.depth,
                         getTypeName(tensorType(a.query).getElementType()),
                         share,
                         backward ? planning::ProductKind::AttentionBackward
                                  : planning::ProductKind::Attention};
  OpCost::Product values = scores;
  values.k = a.valueDepth;
  out.products.append(backward ? 3 : 1, scores);
  out.products.append(backward ? 2 : 1, values);
  double seen = share * static_cast<double>(scores.batch) *
                static_cast<double>(a.queries) * static_cast<double>(a.keys);
  // This is the exponential; the maximum and the sum that wait for it cost as
  // much.
  out.functions = 2 * seen;
  out.additions = (backward ? 6 : 5) * seen;
  return out;
}

OpCost getCost(Operation *op) {
  OpCost out;
  if (op->getNumResults() == 0)
    return out;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    out.products.push_back(getProduct(dot));
    return out;
  }
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    out.products.push_back(getProduct(convolution));
    return out;
  }
  if (Attention::isAttention(op))
    return getAttentionCost(op);
  if (auto window = dyn_cast<ReduceWindowOp>(op)) {
    out.additions = window.getFlops();
    return out;
  }
  bool reduces = isa<ReduceOp, ArgReduceOp, SumOfSquaresOp>(op);
  double count = elements(reduces ? op->getOperand(0) : op->getResult(0)),
         weight = getElementWeight(op);
  // Devices have units for these, and CPUs polynomials.
  if (weight >= quotient && op->hasTrait<ElementwiseOp>())
    out.functions = count * weight / functionWeight;
  else
    out.additions = count * weight;
  return out;
}

} // namespace zcc::train
