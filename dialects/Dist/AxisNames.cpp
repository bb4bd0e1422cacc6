// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/AxisNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

std::optional<AxisPart> dist::parseAxisPart(StringRef name) {
  auto [axis, rest] = name.split(':');
  AxisPart part{axis};
  if (axis.size() == name.size())
    return part;
  if (axis.empty() || !rest.consume_front("(") ||
      rest.consumeInteger(10, part.before) || !rest.consume_front(")") ||
      rest.getAsInteger(10, part.size) || part.before < 1 || part.size < 1)
    return std::nullopt;
  return part;
}

std::string dist::nameAxisPart(const AxisPart &part) {
  if (!part.size)
    return part.axis.str();
  return (part.axis + ":(" + Twine(part.before) + ")" + Twine(part.size)).str();
}

StringRef dist::wholeAxisName(StringRef name) { return name.split(':').first; }

SmallVector<std::pair<std::string, int64_t>> dist::wholeAxes(MeshOp mesh) {
  SmallVector<std::pair<std::string, int64_t>> axes;
  for (Attribute a : mesh.getAxes()) {
    auto axis = cast<AxisAttr>(a);
    StringRef name = wholeAxisName(axis.getName());
    if (axis.getTemporal())
      continue;
    if (!axes.empty() && axes.back().first == name)
      axes.back().second *= axis.getSize();
    else
      axes.push_back({name.str(), axis.getSize()});
  }
  return axes;
}

SmallVector<std::string> dist::joinAxisNames(MeshOp mesh,
                                             ArrayRef<StringRef> names) {
  SmallVector<AxisPart> parts;
  for (StringRef name : names) {
    AxisPart part = parseAxisPart(name).value_or(AxisPart{name});
    if (part.size && !parts.empty() && parts.back().size &&
        parts.back().axis == part.axis &&
        parts.back().before * parts.back().size == part.before)
      parts.back().size *= part.size;
    else
      parts.push_back(part);
  }
  SmallVector<std::string> joined;
  for (AxisPart &part : parts) {
    if (part.size)
      for (const auto &[axis, size] : wholeAxes(mesh))
        if (axis == part.axis && size == part.size)
          part.size = 0;
    joined.push_back(nameAxisPart(part));
  }
  return joined;
}
