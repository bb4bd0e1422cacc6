// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ElementEmitter.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using zcc::train::IndexCondition;
using zcc::train::IndexExpr;
using zcc::train::IndexSource;
using zcc::train::IndexVar;

namespace zcc {

// ---------------------------------------------------------------- scopes

void ElementEmitter::pushScope() {
  ScopeState state;
  state.mask = scopes.back().mask;
  state.lane = scopes.back().lane;
  state.aligned = scopes.back().aligned;
  scopes.push_back(std::move(state));
}

void ElementEmitter::bind(const IndexVar *var, llvm::Value *value) {
  scopes.back().scalars[var] = value;
}

void ElementEmitter::bindLanes(const IndexVar *var, llvm::Value *value,
                               bool aligned) {
  bind(var, value);
  if (kernel.lanes() == 1)
    return;
  scopes.back().lane = var;
  scopes.back().aligned = aligned;
}

void ElementEmitter::setMask(llvm::Value *mask) { scopes.back().mask = mask; }

llvm::Value *ElementEmitter::find(const Key &key) const {
  for (const ScopeState &scope : llvm::reverse(scopes)) {
    auto it = scope.values.find(key);
    if (it != scope.values.end())
      return it->second;
  }
  return nullptr;
}

// ---------------------------------------------------------------- indices

std::optional<int64_t> ElementEmitter::laneStride(const IndexExpr &expr) {
  const IndexVar *lane = scopes.back().lane;
  if (!lane)
    return 0;
  int64_t stride = 0;
  for (auto [var, c] : expr.terms) {
    if (var == lane) {
      stride += c;
      continue;
    }
    if (var->kind == IndexVar::Loop || !train::dependsOn(IndexExpr(var), lane))
      continue;
    if (var->kind == IndexVar::Element)
      return std::nullopt;
    // A quotient is the same in all lanes if a vector never crosses a multiple
    // of the divisor: it starts at a multiple of its length, which divides the
    // divisor.
    std::optional<int64_t> inner = laneStride(var->of);
    if (!inner)
      return std::nullopt;
    if (*inner == 0)
      continue;
    int64_t length = std::abs(*inner) * kernel.lanes();
    bool whole = scopes.back().aligned && *inner > 0 &&
                 var->divisor % length == 0 && var->of.constant % length == 0;
    for (auto [v, k] : var->of.terms)
      whole &= v == lane || k % length == 0;
    // The lane variable must itself be the dividend, so that it is a multiple
    // of lanes().
    whole &= var->of.coefficientOf(lane) == *inner;
    if (!whole)
      return std::nullopt;
  }
  return stride;
}

bool ElementEmitter::isWhole(const IndexExpr &expr) {
  const ScopeState &scope = scopes.back();
  if (!scope.lane || !scope.aligned || expr.constant % kernel.lanes() != 0)
    return false;
  return llvm::all_of(expr.terms, [&](auto term) {
    return term.first == scope.lane || term.second % kernel.lanes() == 0;
  });
}

llvm::Value *ElementEmitter::scalarVar(const IndexVar *var) {
  for (const ScopeState &scope : llvm::reverse(scopes)) {
    auto it = scope.scalars.find(var);
    if (it != scope.scalars.end())
      return it->second;
  }
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Value *result = nullptr;
  if (var->kind == IndexVar::Quotient) {
    // The dividend is shifted so that rounding towards zero is rounding down.
    auto [low, high] = var->of.range();
    int64_t shift = low < 0 ? (-low + var->divisor - 1) / var->divisor : 0;
    llvm::Value *of = scalarIndex(var->of + IndexExpr(shift * var->divisor));
    result = kernel.divide(of, var->divisor, high + shift * var->divisor + 1);
    if (shift)
      result = ir.CreateSub(result, kernel.index(shift));
  } else {
    assert(var->kind == IndexVar::Element && "unbound loop variable");
    llvm::Value *v = emit(var->value, var->index);
    if (KernelBuilder::isVector(v))
      v = ir.CreateExtractElement(v, uint64_t(0));
    bool isUnsigned =
        train::tensorType(var->value).getElementType().isUnsignedInteger();
    v = ir.CreateIntCast(v, ir.getInt64Ty(), !isUnsigned);
    if (!isUnsigned)
      v = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, kernel.index(0));
    result = ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v,
                                      kernel.index(var->extent - 1));
  }
  return scopes.back().scalars[var] = result;
}

llvm::Value *ElementEmitter::scalarIndex(const IndexExpr &expr) {
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Value *sum = nullptr;
  for (auto [var, c] : expr.terms) {
    llvm::Value *term = scalarVar(var);
    if (c != 1)
      term = ir.CreateMul(term, kernel.index(c));
    sum = sum ? ir.CreateAdd(sum, term) : term;
  }
  if (!sum)
    return kernel.index(expr.constant);
  return expr.constant ? ir.CreateAdd(sum, kernel.index(expr.constant)) : sum;
}

llvm::Value *ElementEmitter::vectorVar(const IndexVar *var) {
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::IntegerType *type = kernel.vectorIndexType();
  if (std::optional<int64_t> stride = laneStride(IndexExpr(var))) {
    llvm::Value *base = ir.CreateIntCast(scalarVar(var), type, true);
    base = kernel.toLanes(base);
    if (*stride == 0)
      return base;
    return ir.CreateAdd(base, kernel.laneNumbers(kernel.lanes()));
  }
  for (const ScopeState &scope : llvm::reverse(scopes)) {
    auto it = scope.vectors.find(var);
    if (it != scope.vectors.end())
      return it->second;
  }
  llvm::Type *vector = kernel.vectorize(type, kernel.lanes());
  auto k = [&](int64_t v) { return llvm::ConstantInt::get(vector, v, true); };
  llvm::Value *result;
  if (var->kind == IndexVar::Quotient) {
    int64_t low = var->of.range().first;
    int64_t shift = low < 0 ? (-low + var->divisor - 1) / var->divisor : 0;
    result =
        ir.CreateUDiv(vectorIndex(var->of + IndexExpr(shift * var->divisor)),
                      k(var->divisor));
    if (shift)
      result = ir.CreateSub(result, k(shift));
  } else {
    llvm::Value *v = kernel.toLanes(emit(var->value, var->index));
    bool isUnsigned =
        train::tensorType(var->value).getElementType().isUnsignedInteger();
    unsigned bits = v->getType()->getScalarSizeInBits();
    if (bits < type->getBitWidth())
      v = ir.CreateIntCast(v, vector, !isUnsigned);
    if (!isUnsigned)
      v = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v,
                                   llvm::ConstantInt::get(v->getType(), 0));
    v = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, v,
        llvm::ConstantInt::get(v->getType(), var->extent - 1));
    result = ir.CreateIntCast(v, vector, false);
  }
  return scopes.back().vectors[var] = result;
}

llvm::Value *ElementEmitter::vectorIndex(const IndexExpr &expr) {
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::IntegerType *type = kernel.vectorIndexType();
  llvm::Type *vector = kernel.vectorize(type, kernel.lanes());
  auto k = [&](int64_t v) { return llvm::ConstantInt::get(vector, v, true); };
  if (std::optional<int64_t> stride = laneStride(expr)) {
    llvm::Value *base =
        kernel.toLanes(ir.CreateIntCast(scalarIndex(expr), type, true));
    if (*stride == 0)
      return base;
    llvm::Value *lanes = kernel.laneNumbers(kernel.lanes());
    return ir.CreateAdd(base, ir.CreateMul(lanes, k(*stride)));
  }
  llvm::Value *sum = nullptr;
  for (auto [var, c] : expr.terms) {
    llvm::Value *term = vectorVar(var);
    if (c != 1)
      term = ir.CreateMul(term, k(c));
    sum = sum ? ir.CreateAdd(sum, term) : term;
  }
  return expr.constant ? ir.CreateAdd(sum, k(expr.constant)) : sum;
}

// ---------------------------------------------------------------- memory

llvm::Value *ElementEmitter::load(const TensorBuffer &buffer,
                                  const IndexExpr &offset) {
  std::optional<int64_t> stride = laneStride(offset);
  if (stride == 0)
    return kernel.loadScalar(buffer, scalarIndex(offset));
  if (stride == 1)
    return kernel.loadVector(buffer, scalarIndex(offset), mask(),
                             isWhole(offset));
  return kernel.gather(buffer, vectorIndex(offset), mask());
}

void ElementEmitter::store(llvm::Value *value, const TensorBuffer &buffer,
                           const IndexExpr &offset) {
  std::optional<int64_t> stride = laneStride(offset);
  if (stride == 0)
    return kernel.storeScalar(value, buffer, scalarIndex(offset));
  if (stride == 1)
    return kernel.storeVector(value, buffer, scalarIndex(offset), mask(),
                              isWhole(offset));
  kernel.scatterStore(value, buffer, vectorIndex(offset), mask());
}

// ---------------------------------------------------------------- values

llvm::Value *ElementEmitter::emit(mlir::Value value,
                                  const ElementIndex &index) {
  Key key{value.getAsOpaquePointer(), {index.begin(), index.end()}};
  if (llvm::Value *known = find(key))
    return known;
  llvm::Value *result = emitUncached(value, index);
  scopes.back().values[key] = result;
  return result;
}

llvm::Value *ElementEmitter::emitUncached(mlir::Value value,
                                          const ElementIndex &index) {
  auto provider = providers.find(value);
  if (provider != providers.end()) {
    // The provider is copied because it may change the map.
    Provider p = provider->second;
    if (llvm::Value *v = p(index))
      return v;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &formulas)
      return emit(formulaOperands[argument.getArgNumber()], index);
    return emitArgument(argument, index);
  }
  Operation *op = value.getDefiningOp();
  if (isa<train::ConstantOp>(op))
    return emitConstant(op, index);
  if (isa<train::IotaOp>(op))
    return emitIota(op, index);
  if (train::IndexContext::isMovement(op))
    return emitMovement(op, index);
  if (isa<train::UpdateOp>(op))
    return emit(expanded(cast<OpResult>(value)), index);
  SmallVector<llvm::Value *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(emit(operand, index));
  kernel.unify(operands);
  llvm::Value *result = emitElementwise(kernel, op, operands);
  if (!result)
    result = llvm::Constant::getNullValue(
        kernel.registerType(train::tensorType(value).getElementType()));
  return result;
}

mlir::Value ElementEmitter::expanded(OpResult result) {
  auto update = cast<train::UpdateOp>(result.getOwner());
  SmallVector<mlir::Value> &values = updates[update];
  if (values.empty()) {
    OpBuilder builder(update.getContext());
    builder.setInsertionPointToEnd(&formulas);
    // The formula uses arguments of a separate block: other threads read the
    // kernel, and a use of its values would modify their shared use lists.
    IRMapping arguments;
    for (mlir::Value operand : update->getOperands())
      if (!arguments.contains(operand)) {
        arguments.map(operand,
                      formulas.addArgument(operand.getType(), update.getLoc()));
        formulaOperands.push_back(operand);
      }
    Operation *own = builder.clone(*update, arguments);
    values = train::expandUpdate(builder, cast<train::UpdateOp>(own));
  }
  return values[result.getResultNumber()];
}

llvm::Value *ElementEmitter::emitArgument(BlockArgument argument,
                                          const ElementIndex &index) {
  return load(kernel.argument(argument.getArgNumber()),
              context.linearize(index, train::shapeOf(argument)));
}

static llvm::Constant *elementConstant(KernelBuilder &kernel, Type t,
                                       Attribute a, bool memory) {
  llvm::Type *type = memory ? kernel.memoryType(t) : kernel.registerType(t);
  if (auto f = dyn_cast<FloatAttr>(a)) {
    llvm::APFloat v = f.getValue();
    if (memory && type->isIntegerTy()) // bf16, f8
      return llvm::ConstantInt::get(type, v.bitcastToAPInt());
    bool loses;
    v.convert(type->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven,
              &loses);
    return llvm::ConstantFP::get(type, v);
  }
  APInt v = cast<IntegerAttr>(a).getValue();
  return llvm::ConstantInt::get(type,
                                v.zextOrTrunc(type->getIntegerBitWidth()));
}

llvm::Value *ElementEmitter::emitConstant(Operation *op,
                                          const ElementIndex &index) {
  auto constant = cast<train::ConstantOp>(op);
  Type t = train::tensorType(constant.getResult()).getElementType();
  auto elements = cast<ElementsAttr>(constant.getValue());
  if (elements.isSplat())
    return elementConstant(kernel, t, elements.getSplatValue<Attribute>(),
                           false);
  llvm::GlobalVariable *&table = tables[constant.getResult()];
  if (!table) {
    SmallVector<llvm::Constant *> values;
    for (Attribute a : elements.getValues<Attribute>())
      values.push_back(elementConstant(kernel, t, a, true));
    auto *array = llvm::ConstantArray::get(
        llvm::ArrayType::get(kernel.memoryType(t), values.size()), values);
    table = new llvm::GlobalVariable(
        *kernel.function->getParent(), array->getType(), true,
        llvm::GlobalValue::InternalLinkage, array, "table");
    table->setAlignment(llvm::Align(64));
  }
  return load({table, t, true},
              context.linearize(index, train::shapeOf(constant.getResult())));
}

// Emits the integers of an iota in its element type.
llvm::Value *ElementEmitter::emitIota(Operation *op,
                                      const ElementIndex &index) {
  auto iota = cast<train::IotaOp>(op);
  llvm::IRBuilder<> &ir = kernel.ir;
  Type t = train::tensorType(iota.getResult()).getElementType();
  const IndexExpr &position = index[iota.getDim()];
  llvm::Value *v =
      isUniform(position) ? scalarIndex(position) : vectorIndex(position);
  if (iota.getOrigin()) {
    llvm::Value *origin = emit(iota.getOrigin(), {});
    bool isUnsigned = train::tensorType(iota.getOrigin())
                          .getElementType()
                          .isUnsignedInteger();
    origin =
        ir.CreateIntCast(origin, v->getType()->getScalarType(), !isUnsigned);
    llvm::Value *both[] = {v, origin};
    kernel.unify(both);
    v = ir.CreateAdd(both[0], both[1]);
  }
  llvm::Type *to = v->getType()->getWithNewType(kernel.registerType(t));
  if (isa<FloatType>(t))
    return kernel.roundTo(t, ir.CreateSIToFP(v, to));
  return ir.CreateIntCast(v, to, true);
}

// ---------------------------------------------------------------- movement

llvm::Value *ElementEmitter::condition(const IndexCondition &c) {
  llvm::IRBuilder<> &ir = kernel.ir;
  IndexExpr shifted = c.expr - IndexExpr(c.lower);
  llvm::Value *v =
      isUniform(shifted) ? scalarIndex(shifted) : vectorIndex(shifted);
  return ir.CreateICmpULT(
      v, llvm::ConstantInt::get(v->getType(), c.upper - c.lower));
}

llvm::Value *ElementEmitter::emitMovement(Operation *op,
                                          const ElementIndex &index) {
  SmallVector<IndexSource, 2> sources = context.sources(op, index);
  if (sources.size() == 1 && sources[0].conditions.empty())
    return emit(sources[0].value, sources[0].index);
  return selectSource(sources);
}

// Conditions that depend on the lane become masks; others become branches, so
// that scalar loads happen only where the element exists, and a concatenation
// along an outer dim costs one operand.
llvm::Value *ElementEmitter::selectSource(ArrayRef<IndexSource> sources) {
  const IndexSource &source = sources.front();
  if (sources.size() == 1)
    return emit(source.value, source.index);
  llvm::IRBuilder<> &ir = kernel.ir;
  llvm::Value *uniform = nullptr, *lanes = nullptr;
  for (const IndexCondition &c : source.conditions) {
    llvm::Value *v = condition(c);
    llvm::Value *&all = KernelBuilder::isVector(v) ? lanes : uniform;
    all = all ? ir.CreateAnd(all, v) : v;
  }
  auto within = [&](llvm::Value *narrower,
                    llvm::function_ref<llvm::Value *()> body) {
    Scope scope(*this);
    setMask(mask() ? ir.CreateAnd(mask(), narrower) : narrower);
    return body();
  };
  auto inside = [&]() -> llvm::Value * {
    if (!lanes)
      return emit(source.value, source.index);
    llvm::Value *both[] = {
        within(lanes, [&] { return emit(source.value, source.index); }),
        within(ir.CreateNot(lanes),
               [&] { return selectSource(sources.drop_front()); })};
    return ir.CreateSelect(lanes, kernel.toLanes(both[0]),
                           kernel.toLanes(both[1]));
  };
  if (!uniform)
    return inside();
  // If one branch gives a vector, both do.
  llvm::Value *a, *b;
  llvm::BasicBlock *aBlock, *bBlock;
  kernel.ifThenElse(
      uniform,
      [&] {
        Scope scope(*this);
        a = inside();
        aBlock = ir.GetInsertBlock();
      },
      [&] {
        Scope scope(*this);
        b = selectSource(sources.drop_front());
        bBlock = ir.GetInsertBlock();
      });
  auto widenIn = [&](llvm::Value *&v, llvm::BasicBlock *block) {
    llvm::IRBuilder<>::InsertPointGuard guard(ir);
    ir.SetInsertPoint(block->getTerminator());
    v = kernel.toLanes(v);
  };
  if (a->getType() != b->getType()) {
    widenIn(a, aBlock);
    widenIn(b, bBlock);
  }
  llvm::PHINode *phi = ir.CreatePHI(a->getType(), 2);
  phi->addIncoming(a, aBlock);
  phi->addIncoming(b, bBlock);
  return phi;
}

} // namespace zcc
