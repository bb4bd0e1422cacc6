// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of memory over a step as SVG: an area for each category, the peak,
// what is allocated and what the device has, the tasks below, and when what is
// largest at the peak is in use. More is told where the mouse is (<title>).
//
// However long the program, the file is small: a column of pixels shows of all
// that happens in it the moment with most bytes, so the greatest height is the
// peak's.
#ifndef ZCC_COMPILER_EMISSION_MEMORYPLOT_H
#define ZCC_COMPILER_EMISSION_MEMORYPLOT_H

#include "compiler/emission/MemoryCurve.h"

namespace zcc {

/// What is said besides the curves.
struct MemoryPlotTexts {
  double limit = 0; // bytes that a program may take of a device; 0: not known
  std::string machine; // whose limit that is, or ""
};

/// A panel for each curve (of a stage, in one memory), side by side, those of
/// one memory on one scale. `g`s of class `panel` carry the plan's figures as
/// data-stage, data-space, data-allocated and data-live (bytes), those of class
/// `resident` data-name, data-category and data-bytes.
std::string drawMemory(const std::vector<MemoryCurve> &curves,
                       const MemoryPlotTexts &texts);

} // namespace zcc

#endif
