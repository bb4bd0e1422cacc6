// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/Placement.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "planning/Plan.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

FactorPlacement distribute::wholeFactors(const FactorRule &rule) {
  FactorPlacement factors;
  for (const FactorRule::Factor &factor : rule.factors)
    factors.push_back({{}, factor.size});
  return factors;
}

MeshAxes::MeshAxes(MeshOp mesh) : mesh(mesh), context(mesh.getContext()) {
  for (Attribute a : mesh.getAxes()) {
    names.push_back(cast<AxisAttr>(a).getName().str());
    sizes.push_back(cast<AxisAttr>(a).getSize());
    temporal.push_back(cast<AxisAttr>(a).getTemporal());
    using Role = planning::AxisRole;
    Role role = planning::roleOf(names.back());
    pipe.push_back(role == Role::Pipe);
    mayShardBatch.push_back(role != Role::Tensor && role != Role::Context &&
                            role != Role::Pipe);
  }
  strides.resize(sizes.size());
  int64_t stride = 1;
  for (unsigned axis = size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= temporal[axis] ? 1 : sizes[axis];
  }
}

std::vector<planning::AxisGroup>
MeshAxes::groupOf(ArrayRef<unsigned> axes) const {
  std::vector<planning::AxisGroup> group;
  for (unsigned axis : axes)
    if (!temporal[axis])
      group.push_back(groupOf(axis));
  return group;
}

void MeshAxes::setBatchAxes(ArrayRef<unsigned> axes) {
  for (unsigned axis = 0; axis < size(); ++axis)
    mayShardBatch[axis] = llvm::is_contained(axes, axis);
}

std::optional<unsigned> MeshAxes::find(StringRef name) const {
  const auto *it = llvm::find(names, name);
  if (it == names.end())
    return std::nullopt;
  return it - names.begin();
}

std::optional<AxisList> MeshAxes::findAll(StringRef name) const {
  std::optional<AxisPart> wanted = parseAxisPart(name);
  if (!wanted)
    return std::nullopt;
  AxisList found;
  // sizes before the axis, and of what is left of it
  int64_t before = 1, rest = 0;
  for (unsigned axis = 0; axis < size(); ++axis) {
    if (wholeNameOf(axis) != wanted->axis)
      continue;
    if (names[axis] == wanted->axis && sizes[axis] == 1)
      return AxisList{axis};
    bool inside = !wanted->size ||
                  (before >= wanted->before &&
                   before * sizes[axis] <= wanted->before * wanted->size);
    if (inside) {
      found.push_back(axis);
      rest = rest ? rest * sizes[axis] : sizes[axis];
    }
    before *= sizes[axis];
  }
  if (found.empty() || (wanted->size && rest != wanted->size))
    return std::nullopt;
  return found;
}

SmallVector<std::string> MeshAxes::namesOf(ArrayRef<unsigned> axes) const {
  SmallVector<StringRef> list;
  for (unsigned axis : axes)
    list.push_back(names[axis]);
  return joinAxisNames(mesh, list);
}

std::string MeshAxes::textOf(ArrayRef<unsigned> axes,
                             StringRef separator) const {
  return llvm::join(namesOf(axes), separator);
}

int64_t MeshAxes::shards(ArrayRef<unsigned> axes) const {
  int64_t product = 1;
  for (unsigned axis : axes)
    product *= sizes[axis];
  return product;
}

ArrayAttr MeshAxes::nameAttr(ArrayRef<unsigned> axes) const {
  SmallVector<Attribute> list;
  for (unsigned axis : axes)
    list.push_back(StringAttr::get(context, names[axis]));
  return ArrayAttr::get(context, list);
}

ShardingAttr MeshAxes::toAttr(const Placement &placement,
                              ArrayRef<int64_t> shape) const {
  SmallVector<Attribute> dims;
  for (const AxisList &axes : placement.dims)
    dims.push_back(nameAttr(axes));
  return ShardingAttr::get(
      context, FlatSymbolRefAttr::get(context, meshName),
      ArrayAttr::get(context, dims), nameAttr(placement.partial),
      StringAttr::get(context,
                      placement.partial.empty()
                          ? ""
                          : train::stringifyReduceKind(placement.reduction)),
      shape == ArrayRef<int64_t>(placement.extents)
          ? DenseI64ArrayAttr()
          : DenseI64ArrayAttr::get(context, placement.extents));
}

std::optional<Placement> MeshAxes::fromAttr(ShardingAttr attr,
                                            ArrayRef<int64_t> shape) const {
  Placement placement(shape);
  auto read = [&](ArrayRef<StringRef> list, AxisList &axes) {
    for (StringRef name : list) {
      std::optional<unsigned> axis = find(name);
      if (!axis)
        return false;
      axes.push_back(*axis);
    }
    return true;
  };
  if (attr.getDims().size() != shape.size())
    return std::nullopt;
  for (unsigned d = 0; d < shape.size(); ++d) {
    if (!read(attr.getAxes(d), placement.dims[d]))
      return std::nullopt;
    placement.extents[d] = attr.getPaddedExtent(d, shape[d]);
  }
  if (!read(attr.getPartialAxes(), placement.partial))
    return std::nullopt;
  if (!placement.partial.empty()) {
    auto kind = train::symbolizeReduceKind(attr.getReduction().getValue());
    if (!kind)
      return std::nullopt;
    placement.reduction = *kind;
  }
  return placement;
}

RankedTensorType MeshAxes::localType(RankedTensorType type,
                                     const Placement &placement) const {
  SmallVector<int64_t> shape(placement.extents.begin(),
                             placement.extents.end());
  for (auto [extent, axes] : llvm::zip_equal(shape, placement.dims))
    extent /= shards(axes);
  return type.clone(shape);
}

bool MeshAxes::toFactors(const FactorRule &rule,
                         const FactorRule::Tensor &tensor,
                         const Placement &placement,
                         FactorPlacement &factors) const {
  for (auto [dim, list, extent] :
       llvm::zip_equal(tensor, placement.dims, placement.extents)) {
    if (list.empty())
      continue;
    if (dim.empty())
      return false;
    int64_t minor = 1; // product of the factors after the first
    for (unsigned factor : llvm::drop_begin(dim))
      minor *= rule.factors[factor].size;
    if (extent % minor != 0)
      return false;
    size_t next = 0;
    for (auto [position, factor] : llvm::enumerate(dim)) {
      FactorShards own{{},
                       position ? rule.factors[factor].size : extent / minor};
      int64_t rest = own.padded;
      while (next < list.size() && rest != 1) {
        if (rest % sizes[list[next]] != 0)
          return false;
        rest /= sizes[list[next]];
        own.axes.push_back(list[next++]);
      }
      if (!factors[factor].axes.empty() &&
          (factors[factor].axes != own.axes ||
           factors[factor].padded != own.padded))
        return false;
      if (!own.axes.empty())
        factors[factor] = own;
      else if (own.padded != rule.factors[factor].size)
        return false;
    }
    if (next != list.size())
      return false;
  }
  return true;
}

std::optional<Placement>
MeshAxes::toDims(const FactorRule &rule, const FactorRule::Tensor &tensor,
                 ArrayRef<FactorShards> factors) const {
  Placement placement;
  for (const FactorRule::Dim &dim : tensor) {
    AxisList &list = placement.dims.emplace_back();
    int64_t &extent = placement.extents.emplace_back(1);
    bool usedUp = true; // all factors before are sharded down to one element
    for (auto [position, factor] : llvm::enumerate(dim)) {
      const FactorShards &own = factors[factor];
      extent *= own.padded;
      if (own.axes.empty()) {
        usedUp = false;
        continue;
      }
      if (!usedUp || (position && own.padded != rule.factors[factor].size))
        return std::nullopt;
      list.append(own.axes);
      usedUp = shards(own.axes) == own.padded;
    }
  }
  return placement;
}

int64_t MeshAxes::pad(int64_t size, int64_t unit,
                      ArrayRef<unsigned> axes) const {
  int64_t count = shards(axes);
  // Microbatches have the same number of rows, whichever axes divide them
  // further.
  if (llvm::any_of(axes, [&](unsigned axis) { return temporal[axis]; }))
    for (unsigned axis = 0; axis < sizes.size(); ++axis)
      if (mayShardBatch[axis] && !llvm::is_contained(axes, axis))
        count *= sizes[axis];
  if (unit <= 0 || size % unit != 0)
    unit = 1;
  return (size / unit + count - 1) / count * count * unit;
}

double distribute::bytesOfType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<double>(tensor.getNumElements()) *
         static_cast<double>(getElementBytes(tensor.getElementType()));
}

void distribute::setArgumentAttributes(func::FuncOp func, StringRef name,
                                       ArrayRef<Attribute> values) {
  SmallVector<Attribute> all;
  for (auto [i, value] : llvm::enumerate(values)) {
    NamedAttrList list(func.getArgAttrDict(i));
    if (value)
      list.set(name, value);
    all.push_back(list.getDictionary(func.getContext()));
  }
  func.setAllArgAttrs(all);
}

func::FuncOp distribute::getStep(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>(stepFunctionName);
}
