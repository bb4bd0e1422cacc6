// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/LowerReshard.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

namespace {
struct Lowering {
  OpBuilder &b;
  Location loc;
  Value v;
  Placement from;
  const Placement &to;
  const Cause &cause;
  const MeshAxes &mesh;
  Origins &origins;

  RankedTensorType resized(unsigned dim, int64_t numerator,
                           int64_t denominator) {
    SmallVector<int64_t> shape(train::shapeOf(v));
    shape[dim] = shape[dim] * numerator / denominator;
    return train::tensorType(v).clone(shape);
  }

  // Axes of the dim in `to` that follow after all that it has in `from`; none
  // if the lists differ before.
  ArrayRef<unsigned> missing(unsigned dim) const {
    ArrayRef<unsigned> has = from.dims[dim], wants = to.dims[dim];
    if (has.size() > wants.size() || wants.take_front(has.size()) != has)
      return {};
    return wants.drop_front(has.size());
  }
  // Axes of the dim in `from` that `to` lacks at the end.
  AxisList surplus(unsigned dim) const {
    size_t common = 0;
    const AxisList &has = from.dims[dim], &wants = to.dims[dim];
    while (common < has.size() && common < wants.size() &&
           has[common] == wants[common])
      ++common;
    return AxisList(has.begin() + common, has.end());
  }

  void take(unsigned dim, ArrayRef<unsigned> axes) {
    from.dims[dim].append(axes.begin(), axes.end());
  }
  void drop(unsigned dim, size_t count) { from.dims[dim].pop_back_n(count); }
  void dropPartial(ArrayRef<unsigned> axes) {
    llvm::erase_if(from.partial, [&](unsigned axis) {
      return llvm::is_contained(axes, axis);
    });
  }
  // The value and where it lives now; VerifyPartitioned follows the steps.
  void set(Value value) {
    v = value;
    v.getDefiningOp()->setAttr(shardingsAttrName,
                               b.getArrayAttr({mesh.toAttr(from)}));
  }
  StringAttr reduction() {
    // A sum of i1 is logical or.
    bool truth = train::tensorType(v).getElementType().isInteger(1);
    train::ReduceKind kind = from.reduction;
    if (truth &&
        (kind == train::ReduceKind::add || kind == train::ReduceKind::maximum))
      kind = train::ReduceKind::logical_or;
    if (truth && (kind == train::ReduceKind::multiply ||
                  kind == train::ReduceKind::minimum))
      kind = train::ReduceKind::logical_and;
    return b.getStringAttr(train::stringifyReduceKind(kind));
  }

  // Partial over axes by which the target splits a dim: each device needs only
  // its part of the sum.
  void scatter() {
    for (unsigned d = 0; d < to.dims.size(); ++d) {
      ArrayRef<unsigned> wants = missing(d);
      AxisList axes(wants.begin(), llvm::find_if(wants, [&](unsigned axis) {
                      return !llvm::is_contained(from.partial, axis);
                    }));
      if (axes.empty())
        continue;
      Value part = ReduceScatterOp::create(
          b, loc, resized(d, 1, mesh.shards(axes)), v, mesh.nameAttr(axes),
          b.getI64IntegerAttr(d), reduction(), cause.what, cause.value,
          cause.why);
      take(d, axes);
      dropPartial(axes);
      set(part);
    }
  }
  void reduce() {
    AxisList axes;
    for (unsigned axis : from.partial)
      if (!llvm::is_contained(to.partial, axis))
        axes.push_back(axis);
    if (axes.empty())
      return;
    Value sum =
        AllReduceOp::create(b, loc, v.getType(), v, mesh.nameAttr(axes),
                            reduction(), cause.what, cause.value, cause.why);
    dropPartial(axes);
    set(sum);
  }
  void slice() {
    DimAxes dims(to.dims.size());
    bool any = false;
    for (unsigned d = 0; d < to.dims.size(); ++d)
      for (unsigned axis : missing(d)) {
        bool used = llvm::any_of(from.dims, [&](const AxisList &list) {
          return llvm::is_contained(list, axis);
        });
        if (used)
          break;
        dims[d].push_back(axis);
        any = true;
      }
    if (!any)
      return;
    Value part = sliceLocal(b, loc, v, dims, mesh, origins);
    for (unsigned d = 0; d < dims.size(); ++d)
      take(d, dims[d]);
    set(part);
  }
  // Axes at the end of one dim that the target has next in another.
  void exchange() {
    for (unsigned source = 0; source < to.dims.size(); ++source)
      for (unsigned target = 0; target < to.dims.size(); ++target) {
        AxisList spare = surplus(source);
        ArrayRef<unsigned> wants = missing(target);
        size_t count = std::min(spare.size(), wants.size());
        while (count && ArrayRef<unsigned>(spare).take_back(count) !=
                            wants.take_front(count))
          --count;
        AxisList axes(wants.begin(), wants.begin() + count);
        int64_t shards = mesh.shards(axes);
        if (source == target || !count ||
            train::shapeOf(v)[target] % shards != 0)
          continue;
        SmallVector<int64_t> shape(train::shapeOf(v));
        shape[source] *= shards;
        shape[target] /= shards;
        Value moved = AllToAllOp::create(
            b, loc, train::tensorType(v).clone(shape), v, mesh.nameAttr(axes),
            b.getI64IntegerAttr(target), b.getI64IntegerAttr(source),
            cause.what, cause.value, cause.why);
        drop(source, count);
        take(target, axes);
        set(moved);
      }
  }
  void gather() {
    for (unsigned d = 0; d < to.dims.size(); ++d) {
      AxisList axes = surplus(d);
      if (axes.empty())
        continue;
      Value whole = AllGatherOp::create(
          b, loc, resized(d, mesh.shards(axes), 1), v, mesh.nameAttr(axes),
          b.getI64IntegerAttr(d), cause.what, cause.value, cause.why);
      drop(d, axes.size());
      set(whole);
    }
  }
};
} // namespace

Value dist::lowerReshard(OpBuilder &b, Location loc, Value v, Placement from,
                         const Placement &to, const Cause &cause,
                         const MeshAxes &mesh, Origins &origins) {
  Lowering lowering{b, loc, v, std::move(from), to, cause, mesh, origins};
  lowering.scatter();
  lowering.reduce();
  lowering.slice();
  lowering.exchange();
  lowering.gather();
  lowering.slice();
  return lowering.v;
}
