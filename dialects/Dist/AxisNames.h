// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of a mesh by name, and parts of them. As in sdy, "x:(2)4" is the
// sub-axis of `x` with 4 coordinates that comes after 2 major ones: x is split
// into 2, 4 and the rest. If a user asks for sub-axes, the mesh has parts of x
// in place of x, major to minor, under such names. Messages use the names that
// the user wrote.
#ifndef ZCC_DIALECTS_DIST_AXISNAMES_H
#define ZCC_DIALECTS_DIST_AXISNAMES_H

#include "dialects/Dist/Dist.h"

namespace zcc::dist {

struct AxisPart {
  llvm::StringRef axis;
  int64_t before = 1, size = 0; // size 0: the whole axis
};
// Reads "x" or "x:(2)4"; returns nullopt for any other name with a colon.
std::optional<AxisPart> parseAxisPart(llvm::StringRef name);
std::string nameAxisPart(const AxisPart &part);

// Returns the whole axis of which a name is a part, or the name itself.
llvm::StringRef wholeAxisName(llvm::StringRef name);

// Joins neighboring parts of one axis: ["x:(1)2", "x:(2)2", "y"] becomes ["x",
// "y"] if x has 4 coordinates in the mesh.
llvm::SmallVector<std::string>
joinAxisNames(MeshOp mesh, llvm::ArrayRef<llvm::StringRef> names);
// Returns the axes of devices as the user wrote them, with their sizes.
llvm::SmallVector<std::pair<std::string, int64_t>> wholeAxes(MeshOp mesh);

} // namespace zcc::dist

#endif
