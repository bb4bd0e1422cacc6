// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/Optimizers/Optimizer.h"
#include "dialects/Train/AttributeNames.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace zcc::train {

SmallVector<int64_t> allDims(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

bool isElementwise(ArrayRef<Slot> slots, int64_t rank) {
  return llvm::all_of(slots, [&](const Slot &slot) {
    return static_cast<int64_t>(slot.dims.size()) == rank;
  });
}

// ---------------------------------------------------------------- terms

template <typename Op> static Term combine(const Term &a, const Term &b) {
  Update &u = *a.update;
  SmallVector<int64_t> dims;
  std::set_union(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                 std::back_inserter(dims));
  Value lhs = u.spread(a, dims), rhs = u.spread(b, dims);
  return u.term(Op::create(u.builder, u.loc, lhs, rhs), dims);
}

Term operator+(const Term &a, const Term &b) { return combine<AddOp>(a, b); }
Term operator-(const Term &a, const Term &b) { return combine<SubOp>(a, b); }
Term operator*(const Term &a, const Term &b) { return combine<MulOp>(a, b); }
Term operator/(const Term &a, const Term &b) { return combine<DivOp>(a, b); }

Term sqrt(const Term &x) {
  Update &u = *x.update;
  return u.term(SqrtOp::create(u.builder, u.loc, x.value), x.dims);
}

Term sign(const Term &x) {
  Update &u = *x.update;
  return u.term(SignOp::create(u.builder, u.loc, x.value), x.dims);
}

Term sumTo(ArrayRef<int64_t> dims, const Term &x) {
  Update &u = *x.update;
  SmallVector<int64_t> over, left;
  for (auto [i, d] : llvm::enumerate(x.dims))
    llvm::is_contained(dims, d) ? left.push_back(d) : over.push_back(i);
  return u.term(reduce(u.builder, u.loc, x.value, over, ReduceKind::add), left);
}

// ---------------------------------------------------------------- the update

Update::Update(OpBuilder &builder, Location loc, const Operands &operands,
               ArrayRef<Slot> slots, bool marks)
    : decays(operands.decays), builder(builder), loc(loc),
      shape(shapeOf(operands.parameter)), hyper(operands.hyper),
      finite(operands.finite), hypers(hyperCount), marks(marks) {
  SmallVector<int64_t> all = allDims(shape.size());
  parameter = widen(operands.parameter, all);
  for (auto [slot, value] : llvm::zip_equal(slots, operands.slots))
    this->slots.push_back(widen(value, slot.dims));
  gradient = widen(operands.gradient, all) * Term{this, operands.scale, {}};
  if (operands.average)
    average = widen(operands.average, all);
  newSlots.resize(slots.size());
}

Term Update::term(Value value, ArrayRef<int64_t> dims) {
  if (Operation *op = value.getDefiningOp(); op && marks)
    op->setAttr(updateDimsAttrName, builder.getDenseI64ArrayAttr(dims));
  return {this, value, SmallVector<int64_t>(dims)};
}

Term Update::widen(Value value, ArrayRef<int64_t> dims) {
  Value wide = convert(builder, loc, value, builder.getF32Type());
  // Only values that are made here are marked.
  return wide == value ? Term{this, value, SmallVector<int64_t>(dims)}
                       : term(wide, dims);
}

SmallVector<int64_t> Update::extents(ArrayRef<int64_t> dims) const {
  return llvm::map_to_vector(dims, [&](int64_t d) { return shape[d]; });
}

Value Update::spread(const Term &x, ArrayRef<int64_t> dims) {
  if (ArrayRef<int64_t>(x.dims) == dims)
    return x.value;
  SmallVector<int64_t> places;
  for (int64_t d : x.dims)
    places.push_back(llvm::find(dims, d) - dims.begin());
  return term(broadcast(builder, loc, x.value, extents(dims), places), dims)
      .value;
}

Term Update::operator[](Hyper which) {
  auto at = static_cast<int64_t>(which);
  Term &known = hypers[at];
  if (!known.value) {
    Value entry = slice(builder, loc, hyper, {at}, {at + 1}, {1});
    // The only dim of `entry` is not one of the parameter's.
    known = term(reshape(builder, loc, term(entry, {}).value, {}), {});
  }
  return known;
}

Term Update::constant(double value) {
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  return term(splat(builder, loc, scalar, value), {});
}

Value Update::finish(const Term &found, const Term &old, Type element) {
  Value valid = spread({this, finite, {}}, old.dims);
  Value chosen =
      term(SelectOp::create(builder, loc, found.value.getType(), valid,
                            spread(found, old.dims), old.value),
           old.dims)
          .value;
  return term(convert(builder, loc, chosen, element), old.dims).value;
}

void Update::run(const Optimizer &optimizer, std::optional<double> ema) {
  optimizer.update(*this);
  if (ema)
    newAverage = constant(*ema) * average + constant(1 - *ema) * newParameter;
}

SmallVector<Value> expandUpdate(OpBuilder &builder, UpdateOp op) {
  const Optimizer *optimizer = op.findOptimizer();
  std::optional<double> ema = op.getAverageDecay();
  SmallVector<Value> slots(op.getSlots());
  Value average = ema ? slots.pop_back_val() : Value();
  Update u(builder, op.getLoc(),
           {op.getParameter(), slots, op.getGradient(), op.getHyper(),
            op.getScale(), op.getFinite(), op.getDecay(), average},
           optimizer->slots(shapeOf(op.getParameter())));
  u.run(*optimizer, ema);
  auto elementOf = [](Value v) { return tensorType(v).getElementType(); };
  SmallVector<Value> results;
  results.push_back(
      u.finish(u.newParameter, u.parameter, elementOf(op.getNewParameter())));
  for (auto [i, slot] : llvm::enumerate(slots))
    results.push_back(u.finish(u.newSlots[i], u.slots[i], elementOf(slot)));
  if (average)
    results.push_back(u.finish(u.newAverage, u.average, elementOf(average)));
  for (Value copy : op.getCopy())
    results.push_back(u.finish(u.newParameter, u.parameter, elementOf(copy)));
  return results;
}

std::string unknownOptimizer(StringRef name, ArrayRef<StringRef> known) {
  std::string text = "unknown optimizer '" + name.str() + "', expected ";
  StringRef nearest;
  for (auto [i, other] : llvm::enumerate(known)) {
    text += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + other.str();
    if (nearest.empty() ||
        name.edit_distance(other) < name.edit_distance(nearest))
      nearest = other;
  }
  return text + ": the nearest is " + nearest.str();
}

} // namespace zcc::train
