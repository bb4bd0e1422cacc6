// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step does beside the forward pass, which the name of its optimizer
// says.

#ifndef ZCC_RUNTIME_FORMAT_STEPEXTENT_H
#define ZCC_RUNTIME_FORMAT_STEPEXTENT_H

#include "runtime/format/executable.pb.h"

namespace zcc::rt {

enum class StepExtent {
  Forward,   // the loss and the metrics
  Gradients, // gradients, too, but parameters stay as they are
  Update     // parameters change: only then there are checkpoints
};

inline StepExtent extentOf(const format::Executable &executable) {
  const std::string &optimizer = executable.optimizer();
  return optimizer == "forward" ? StepExtent::Forward
         : optimizer == "none"  ? StepExtent::Gradients
                                : StepExtent::Update;
}

inline bool isForward(const format::Executable &executable) {
  return extentOf(executable) == StepExtent::Forward;
}

inline bool trains(const format::Executable &executable) {
  return extentOf(executable) == StepExtent::Update;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STEPEXTENT_H
