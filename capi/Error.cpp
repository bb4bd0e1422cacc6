// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Error.h"

namespace zcc::capi {

namespace {
struct LastError {
  std::string text, place;
};
thread_local LastError last;
} // namespace

zcc_status setError(zcc_status status, std::string text,
                    std::string place) noexcept {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  last.text = std::move(text);
  last.place = std::move(place);
  return status;
}

void clearError() noexcept {
  last.text.clear();
  last.place.clear();
}

void need(const void *pointer, const char *argument) {
  if (!pointer)
    rt::badInput(argument, ": expected a pointer, found NULL");
}

} // namespace zcc::capi

using namespace zcc::capi;

int zcc_version(void) { return ZCC_VERSION; }
const char *zcc_version_text(void) { return "0.1"; }
const char *zcc_last_error(void) { return last.text.c_str(); }
const char *zcc_last_error_place(void) { return last.place.c_str(); }
