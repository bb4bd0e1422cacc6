// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws one curve, which is a part of the picture of --memory-plot
// (MemoryPlot.h).
#ifndef ZCC_COMPILER_EMISSION_MEMORYPANEL_H
#define ZCC_COMPILER_EMISSION_MEMORYPANEL_H

#include "compiler/emission/MemoryCurve.h"

namespace zcc {

struct MemoryCategory {
  const char *name;
  int64_t MemoryShares::*bytes;
  const char *color;

  bool isIn(const MemoryCurve &curve) const;
};
// The categories from the bottom up. The colors are Okabe and Ito's, which
// colorblind people can tell apart.
inline constexpr MemoryCategory memoryCategories[] = {
    {"workspace", &MemoryShares::workspace, "#999999"},
    {"parameters", &MemoryShares::parameters, "#0072b2"},
    {"optimizer", &MemoryShares::optimizer, "#56b4e9"},
    {"gradients", &MemoryShares::gradients, "#009e73"},
    {"residuals", &MemoryShares::residuals, "#e69f00"},
    {"temporary", &MemoryShares::temporary, "#cc79a7"}};

struct MemoryPanel {
  // Margins and height in pixels; the area of the curve has `width` pixels.
  static constexpr double left = 76, right = 14, height = 788;

  double width = 0;
  double top = 0;   // bytes at the upper end
  double limit = 0; // bytes; 0: none
  bool several = false;

  /// Returns elements of SVG, whose upper left corner is (0, 0).
  std::string draw(const MemoryCurve &curve) const;
};

} // namespace zcc

#endif
