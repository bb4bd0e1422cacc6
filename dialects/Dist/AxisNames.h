// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of a mesh by name, and parts of them. As in sdy, "x:(2)4" is the
// sub-axis of `x` of 4 coordinates that 2 major ones stand before: x is split
// into 2, 4 and what remains. Where sub-axes are asked for, the mesh has parts
// of x in the place of x, major to minor, under such names; people read what
// they wrote.
#ifndef ZCC_DIALECTS_DIST_AXISNAMES_H
#define ZCC_DIALECTS_DIST_AXISNAMES_H

#include "dialects/Dist/Dist.h"

namespace zcc::dist {

struct AxisPart {
  llvm::StringRef axis;
  int64_t before = 1, size = 0; // size 0: the whole axis
};
// "x" or "x:(2)4"; nullopt for anything else with a colon.
std::optional<AxisPart> parseAxisPart(llvm::StringRef name);
std::string nameAxisPart(const AxisPart &part);

// The axis that a name is, or is a part of.
llvm::StringRef wholeAxisName(llvm::StringRef name);

// Neighboring parts of one axis as one name each: ["x:(1)2", "x:(2)2", "y"] is
// ["x", "y"] if x has 4 coordinates in the mesh.
llvm::SmallVector<std::string>
joinAxisNames(MeshOp mesh, llvm::ArrayRef<llvm::StringRef> names);
// The axes of devices as the user wrote them, with their sizes.
llvm::SmallVector<std::pair<std::string, int64_t>> wholeAxes(MeshOp mesh);

} // namespace zcc::dist

#endif
