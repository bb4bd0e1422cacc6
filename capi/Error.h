// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the C interface: exceptions end here, and become a status and the
// text that the thread's next zcc_last_error() returns.

#ifndef ZCC_CAPI_ERROR_H
#define ZCC_CAPI_ERROR_H

#include "capi/zcc.h"
#include "runtime/core/Error.h"

#include <exception>
#include <new>
#include <string>

namespace zcc::capi {

/// Sets the error of this thread and returns the status.
zcc_status setError(zcc_status status, std::string text,
                    std::string place = "") noexcept;
/// Ends the error of an earlier call: every function begins with it.
void clearError() noexcept;

/// Throws bad input that names the argument, unless it is a pointer.
void need(const void *pointer, const char *argument);
/// The same for an array, which may be null if it is empty.
inline void need(const void *array, size_t count, const char *argument) {
  if (count != 0)
    need(array, argument);
}

/// Runs the body of a function.
template <typename Body> zcc_status guarded(Body body) noexcept {
  clearError();
  try {
    body();
    return ZCC_OK;
  } catch (const rt::Error &error) {
    return setError(error.status == rt::Status::BadInput ? ZCC_BAD_INPUT
                                                         : ZCC_FAILED,
                    error.what());
  } catch (const rt::Aborted &) {
    return setError(ZCC_FAILED, "the ranks were stopped");
  } catch (const std::bad_alloc &) {
    return setError(ZCC_FAILED, "out of memory");
  } catch (const std::exception &error) {
    return setError(ZCC_FAILED, error.what());
  } catch (...) {
    return setError(ZCC_FAILED, "an unknown failure");
  }
}

} // namespace zcc::capi

#endif // ZCC_CAPI_ERROR_H
