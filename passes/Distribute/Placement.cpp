// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Placement.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using train::FactorRule;

MeshAxes::MeshAxes(MeshOp mesh) : context(mesh.getContext()) {
  for (Attribute a : mesh.getAxes()) {
    names.push_back(cast<AxisAttr>(a).getName().str());
    sizes.push_back(cast<AxisAttr>(a).getSize());
  }
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

ShardingAttr MeshAxes::toAttr(const Placement &placement) const {
  SmallVector<Attribute> dims;
  for (const AxisList &axes : placement.dims)
    dims.push_back(nameAttr(axes));
  return ShardingAttr::get(
      context, FlatSymbolRefAttr::get(context, meshName),
      ArrayAttr::get(context, dims), nameAttr(placement.partial),
      StringAttr::get(context,
                      placement.partial.empty()
                          ? ""
                          : train::stringifyReduceKind(placement.reduction)));
}

std::optional<Placement> MeshAxes::fromAttr(ShardingAttr attr) const {
  Placement placement;
  auto read = [&](ArrayRef<StringRef> list, AxisList &axes) {
    for (StringRef name : list) {
      const auto *it = llvm::find(names, name);
      if (it == names.end())
        return false;
      axes.push_back(it - names.begin());
    }
    return true;
  };
  for (unsigned d = 0; d < attr.getDims().size(); ++d)
    if (!read(attr.getAxes(d), placement.dims.emplace_back()))
      return std::nullopt;
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
                                     ArrayRef<AxisList> dims) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, axes] : llvm::zip_equal(shape, dims))
    extent /= shards(axes);
  return type.clone(shape);
}

RankedTensorType MeshAxes::globalType(RankedTensorType type,
                                      ArrayRef<AxisList> dims) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, axes] : llvm::zip_equal(shape, dims))
    extent *= shards(axes);
  return type.clone(shape);
}

bool MeshAxes::toFactors(const FactorRule &rule,
                         const FactorRule::Tensor &tensor,
                         ArrayRef<AxisList> dims, FactorAxes &axes) const {
  for (auto [factors, list] : llvm::zip_equal(tensor, dims)) {
    size_t next = 0;
    for (unsigned factor : factors) {
      AxisList own;
      int64_t rest = rule.factors[factor].size;
      while (next < list.size() && rest != 1) {
        if (rest % sizes[list[next]] != 0)
          return false;
        rest /= sizes[list[next]];
        own.push_back(list[next++]);
      }
      if (!axes[factor].empty() && axes[factor] != own)
        return false;
      axes[factor] = own;
    }
    if (next != list.size())
      return false;
  }
  return true;
}

std::optional<DimAxes> MeshAxes::toDims(const FactorRule &rule,
                                        const FactorRule::Tensor &tensor,
                                        ArrayRef<AxisList> axes) const {
  DimAxes dims;
  for (const FactorRule::Dim &factors : tensor) {
    AxisList &list = dims.emplace_back();
    bool usedUp = true; // all factors before are sharded down to one element
    for (unsigned factor : factors) {
      if (axes[factor].empty()) {
        usedUp = false;
        continue;
      }
      if (!usedUp)
        return std::nullopt;
      list.append(axes[factor]);
      usedUp = shards(axes[factor]) == rule.factors[factor].size;
    }
  }
  return dims;
}

double dist::bytesOf(Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  return static_cast<double>(type.getNumElements()) *
         std::max(1u, type.getElementTypeBitWidth() / 8);
}

void dist::setArgumentAttributes(func::FuncOp func, StringRef name,
                                 ArrayRef<Attribute> values) {
  SmallVector<Attribute> all;
  for (auto [i, value] : llvm::enumerate(values)) {
    NamedAttrList list(func.getArgAttrDict(i));
    list.set(name, value);
    all.push_back(list.getDictionary(func.getContext()));
  }
  func.setAllArgAttrs(all);
}

func::FuncOp dist::getStep(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("step");
}
