// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exceptions of the runtime. An error reaches the user as one line "error:
// ..."; its status is zrun's exit status.

#ifndef ZCC_RUNTIME_CORE_ERROR_H
#define ZCC_RUNTIME_CORE_ERROR_H

#include "runtime/format/Text.h"

#include <stdexcept>

namespace zcc::rt {

enum class Status { Done = 0, Failed = 1, BadInput = 2 };

class Error : public std::runtime_error {
public:
  Error(Status status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  const Status status;
};

/// Thrown in a rank that stops because another one failed; never shown.
class Aborted : public std::exception {};

/// A failure while running.
template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw Error(Status::Failed, text(parts...));
}

/// Bad usage or input.
template <typename... Parts> [[noreturn]] void badInput(const Parts &...parts) {
  throw Error(Status::BadInput, text(parts...));
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_ERROR_H
