// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws memory over a step as SVG: an area for each category, the peak, the
// allocated bytes and the device's capacity; below that the tasks, and the live
// ranges of the largest values at the peak. Titles (<title>) show details at
// the mouse.
//
// The file is small even for long programs: of all moments within a column of
// pixels, it shows the one with most bytes, so that the maximum height is that
// of the peak.
#ifndef ZCC_COMPILER_EMISSION_MEMORYPLOT_H
#define ZCC_COMPILER_EMISSION_MEMORYPLOT_H

#include "compiler/emission/MemoryCurve.h"

namespace zcc {

/// Facts for the picture besides the curves.
struct MemoryPlotTexts {
  double limit = 0;    // bytes per device for programs; 0: unknown
  std::string machine; // the machine of that limit, or ""
  std::string program = {}; // the model and its mesh, or ""
};

/// Returns the picture, with a panel for each curve (one stage and memory),
/// at most three side by side; those of one memory have the same scale. `g`s of
/// class `panel` carry the plan's figures as data-stage, data-space,
/// data-allocated and data-live (bytes), those of class `resident` data-name,
/// data-category and data-bytes.
std::string drawMemory(const std::vector<MemoryCurve> &curves,
                       const MemoryPlotTexts &texts);

} // namespace zcc

#endif
