// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of zcc_compile() as a request to the compiler.

#ifndef ZCC_CAPI_COMPILEOPTIONS_H
#define ZCC_CAPI_COMPILEOPTIONS_H

#include "capi/zcc.h"
#include "compiler/driver/Driver.h"

#include <utility>

namespace zcc::capi {

/// "NAME=VALUE" in two; the value of a flag is empty, and `hasValue` false.
struct GivenOption {
  std::string name, value;
  bool hasValue;
};
/// Splits texts. Throws bad input for null pointers.
std::vector<GivenOption> splitOptions(const char *const *options, size_t count);
/// Throws bad input that names an option and the nearest of the known ones.
[[noreturn]] void refuseOption(const std::string &name,
                               const std::vector<std::string> &known);

/// All options of zcc_compile().
const std::vector<zcc_option> &compileOptions();

/// Gives a list that lives as long as the library to a caller in C: null, and
/// its error, if `count` is.
const zcc_option *giveOptions(const std::vector<zcc_option> &options,
                              size_t *count);

/// Throws bad input for options that zcc would refuse on its command line.
TextRequest readCompileOptions(const char *const *options, size_t count);

} // namespace zcc::capi

#endif // ZCC_CAPI_COMPILEOPTIONS_H
