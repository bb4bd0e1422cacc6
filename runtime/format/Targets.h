// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names by which the format tells GPUs from everything else.

#ifndef ZCC_RUNTIME_FORMAT_TARGETS_H
#define ZCC_RUNTIME_FORMAT_TARGETS_H

#include "runtime/format/executable.pb.h"

namespace zcc::rt {

/// Returns true for a program, or the code of a kernel, that is for CUDA's
/// GPUs. Only these have images, libraries' kernels and segments.
template <typename Message> bool isCuda(const Message &message) {
  return message.target() == "cuda";
}

/// Returns true for the image with the kernels that the host computes.
inline bool isOfHost(const format::Image &image) {
  return image.device() == "host";
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_TARGETS_H
