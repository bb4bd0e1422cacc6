// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factor rules of the kernel's ops say which dims are divided together, as
// for shardings. A dim is divided along the first of its factors, which every
// op must pass through.
#include "passes/Schedule/KernelParts.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/FactorRule.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {

using train::FactorRule;

std::optional<unsigned> outermostDim(RankedTensorType type) {
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    if (extent != 1)
      return static_cast<unsigned>(d);
  return std::nullopt;
}

static RankedTensorType dividedAlong(RankedTensorType type, unsigned dim,
                                     int64_t parts) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= parts;
  return type.clone(shape);
}

RankedTensorType partOf(RankedTensorType type, int64_t parts) {
  std::optional<unsigned> dim = outermostDim(type);
  if (!dim || type.getDimSize(*dim) % parts != 0)
    return {};
  return dividedAlong(type, *dim, parts);
}

namespace {

/// The dims of a kernel's values that are divided together.
class DividedDims {
public:
  DividedDims(func::FuncOp kernel, int64_t parts)
      : kernel(kernel), parts(parts) {}

  bool find() {
    Operation *end = kernel.getBody().front().getTerminator();
    for (Value result : end->getOperands()) {
      std::optional<unsigned> dim = outermostDim(train::tensorType(result));
      if (!dim || !divide(result, *dim))
        return false;
      while (!work.empty())
        if (!follow(work.pop_back_val()))
          return false;
    }
    auto isWhole = [&](Value value) {
      auto at = dims.find(value);
      return at == dims.end() ||
             at->second == outermostDim(train::tensorType(value));
    };
    // An argument that is a result, too, would be copied.
    return end->getNumOperands() > 0 &&
           llvm::all_of(kernel.getArguments(), isWhole) &&
           llvm::all_of(end->getOperands(), [&](Value result) {
             return isWhole(result) && result.getDefiningOp();
           });
  }

  std::optional<unsigned> of(Value value) const {
    auto at = dims.find(value);
    return at == dims.end() ? std::nullopt : std::optional(at->second);
  }

private:
  bool divide(Value value, unsigned dim) {
    auto [at, isNew] = dims.insert({value, dim});
    if (isNew)
      work.push_back(value);
    return at->second == dim;
  }

  /// Follows a value to the ops that make it and read it.
  bool follow(Value value) {
    if (Operation *op = value.getDefiningOp(); op && !follow(op))
      return false;
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>() || follow(user);
    });
  }

  bool follow(Operation *op) {
    auto shardable = dyn_cast<train::ShardableOpInterface>(op);
    if (!shardable || !mayDivide(op))
      return false;
    FactorRule rule = shardable.getFactorRule();
    std::optional<unsigned> factor;
    auto findFactor = [&](Value value, const FactorRule::Tensor &tensor) {
      auto at = dims.find(value);
      if (at == dims.end())
        return true;
      const FactorRule::Dim &dim = tensor[at->second];
      if (dim.empty() || (factor && *factor != dim.front()))
        return false;
      factor = dim.front();
      return true;
    };
    auto divideAll = [&](Value value, const FactorRule::Tensor &tensor) {
      for (auto [d, dim] : llvm::enumerate(tensor))
        if (llvm::is_contained(dim, *factor) &&
            (dim.front() != *factor || !divide(value, d)))
          return false;
      return true;
    };
    auto forAll = [&](auto visit) {
      for (auto [value, tensor] : llvm::zip(op->getOperands(), rule.operands))
        if (!visit(value, tensor))
          return false;
      for (auto [value, tensor] : llvm::zip(op->getResults(), rule.results))
        if (!visit(value, tensor))
          return false;
      return true;
    };
    if (!forAll(findFactor))
      return false;
    return !factor || (rule.factors[*factor].kind == FactorRule::Kind::Pass &&
                       rule.factors[*factor].size % parts == 0 &&
                       !rule.needsNeighbors(*factor) && forAll(divideAll));
  }

  /// Returns true if the op computes the same on a part of a dim as on all of
  /// it, for dims that it passes through.
  bool mayDivide(Operation *op) const {
    if (op->hasTrait<train::ElementwiseOp>())
      return true;
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](train::ConstantOp constant) {
          auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
          return value && value.isSplat();
        })
        .Case([&](train::IotaOp iota) {
          return of(iota.getResult()) != std::optional<unsigned>(iota.getDim());
        })
        .Case<train::AttentionOp, train::AttentionGradientOp>(
            [&](Operation *attention) { return !seesByPlace(attention); })
        .Case<train::BroadcastOp, train::ReshapeOp, train::TransposeOp,
              train::SliceOp, train::PadOp, train::ConcatenateOp,
              train::ReduceOp, train::ArgReduceOp, train::CumulativeOp,
              train::DotGeneralOp, train::GatherOp>(
            [](Operation *) { return true; })
        .Default([](Operation *) { return false; });
  }

  /// Returns true if queries are divided and each query sees keys by its
  /// position.
  bool seesByPlace(Operation *op) const {
    auto attention = train::Attention::of(op);
    auto queries = static_cast<unsigned>(attention.batch.size());
    return attention.hasBand() && (of(attention.query) == queries ||
                                   llvm::any_of(op->getResults(), [&](Value v) {
                                     return of(v) == queries;
                                   }));
  }

  func::FuncOp kernel;
  const int64_t parts;
  DenseMap<Value, unsigned> dims;
  SmallVector<Value> work;
};

/// Gives a copy of an op the types of a part, and adapts the extents in its
/// attributes.
void makePart(Operation *copy, Operation *op, const DividedDims &dims,
              int64_t parts) {
  for (auto [own, result] : llvm::zip(copy->getResults(), op->getResults()))
    if (std::optional<unsigned> dim = dims.of(result))
      own.setType(dividedAlong(train::tensorType(result), *dim, parts));
  Builder b(op->getContext());
  llvm::TypeSwitch<Operation *>(copy)
      .Case([&](train::ConstantOp constant) {
        auto value = cast<DenseElementsAttr>(constant.getValue());
        constant.setValueAttr(
            value.resizeSplat(train::tensorType(constant.getResult())));
      })
      .Case([&](train::SliceOp slice) {
        // A dim that passes through is whole, and starts at 0.
        SmallVector<int64_t> limit(slice.getLimit());
        if (std::optional<unsigned> dim = dims.of(op->getOperand(0)))
          limit[*dim] /= parts;
        slice.setLimitAttr(b.getDenseI64ArrayAttr(limit));
      })
      .Case([&](train::GatherOp gather) {
        SmallVector<int64_t> sizes(gather.getSliceSizes());
        std::optional<unsigned> dim = dims.of(op->getOperand(0));
        if (dim && sizes[*dim] == train::shapeOf(op->getOperand(0))[*dim])
          sizes[*dim] /= parts;
        gather.setSliceSizesAttr(b.getDenseI64ArrayAttr(sizes));
      });
}

} // namespace

static OwningOpRef<func::FuncOp>
makeKernel(func::FuncOp kernel, const DividedDims &dims, int64_t parts) {
  OpBuilder b(kernel.getContext());
  OwningOpRef<func::FuncOp> out(
      cast<func::FuncOp>(kernel->cloneWithoutRegions()));
  Block *block = b.createBlock(&out->getBody());
  IRMapping map;
  auto typeOf = [&](Value value) -> Type {
    std::optional<unsigned> dim = dims.of(value);
    return dim ? dividedAlong(train::tensorType(value), *dim, parts)
               : value.getType();
  };
  for (BlockArgument argument : kernel.getArguments())
    map.map(argument, block->addArgument(typeOf(argument), argument.getLoc()));
  b.setInsertionPointToEnd(block);
  SmallVector<Type> results;
  for (Operation &op : kernel.getBody().front()) {
    Operation *copy = b.clone(op, map);
    if (op.hasTrait<OpTrait::IsTerminator>())
      results.assign(copy->operand_type_begin(), copy->operand_type_end());
    else
      makePart(copy, &op, dims, parts);
  }
  out->setFunctionType(b.getFunctionType(block->getArgumentTypes(), results));
  return out;
}

const KernelPart *KernelParts::find(StringRef name) {
  auto [at, isNew] = known.try_emplace(name);
  std::optional<KernelPart> &own = at->second;
  if (!isNew)
    return own ? &*own : nullptr;
  auto kernel = symbols.lookup<func::FuncOp>(name);
  DividedDims dims(kernel, parts);
  if (!kernel || !dims.find())
    return nullptr;
  OwningOpRef<func::FuncOp> made = makeKernel(kernel, dims, parts);
  // The part must be the same kernel of the backend.
  std::optional<exec::KernelForm> whole = backend.classify(kernel),
                                  part = backend.classify(*made);
  if (!whole || !part || whole->name != part->name ||
      whole->library != part->library)
    return nullptr;
  own.emplace();
  own->made = std::move(made);
  for (BlockArgument argument : kernel.getArguments())
    own->sources.push_back(dims.of(argument).has_value());
  kernel.walk([&](Operation *op) {
    own->hasProduct |= !train::getCost(op).products.empty();
  });
  return &*own;
}

StringRef KernelParts::get(StringRef name) {
  KernelPart &own = *known[name];
  if (own.made) {
    auto kernel = symbols.lookup<func::FuncOp>(name);
    func::FuncOp made = own.made.release();
    made.setSymName((name + "_part" + Twine(parts)).str());
    symbols.insert(made, std::next(Block::iterator(kernel)));
    own.name = made.getSymName().str();
  }
  return own.name;
}

void KernelParts::eraseUnused() {
  llvm::StringSet<> launched;
  module.walk(
      [&](exec::LaunchOp launch) { launched.insert(launch.getKernel()); });
  for (auto &entry : known)
    if (entry.second && !entry.second->made &&
        !launched.contains(entry.first()))
      symbols.erase(symbols.lookup(entry.first()));
}

} // namespace zcc
