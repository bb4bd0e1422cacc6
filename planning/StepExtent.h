// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extent of a step is the work that it does beside the forward pass. The
// name of its optimizer says it. Compiler and runtime share this one rule.
#ifndef ZCC_PLANNING_STEPEXTENT_H
#define ZCC_PLANNING_STEPEXTENT_H

#include <string_view>

namespace zcc {

enum class StepExtent {
  Forward,   // the loss and the metrics
  Gradients, // gradients, too, but parameters stay as they are
  Update     // parameters change: only then there are checkpoints
};

/// The names that stand in place of an optimizer's.
inline constexpr const char *forwardOptimizer = "forward";
inline constexpr const char *noOptimizer = "none";

constexpr StepExtent extentOf(std::string_view optimizer) {
  return optimizer == forwardOptimizer ? StepExtent::Forward
         : optimizer == noOptimizer    ? StepExtent::Gradients
                                       : StepExtent::Update;
}

} // namespace zcc

#endif
