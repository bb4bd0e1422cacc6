// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks an executable for the extent of its step.

#ifndef ZCC_RUNTIME_FORMAT_STEPEXTENT_H
#define ZCC_RUNTIME_FORMAT_STEPEXTENT_H

#include "planning/StepExtent.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

inline StepExtent extentOf(const format::Executable &executable) {
  return zcc::extentOf(executable.optimizer());
}

inline bool isForward(const format::Executable &executable) {
  return extentOf(executable) == StepExtent::Forward;
}

inline bool trains(const format::Executable &executable) {
  return extentOf(executable) == StepExtent::Update;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STEPEXTENT_H
