// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle of a compiled program. It never changes once it is made.

#ifndef ZCC_CAPI_PROGRAM_H
#define ZCC_CAPI_PROGRAM_H

#include "capi/Arrays.h"
#include "runtime/format/executable.pb.h"

#include <map>
#include <memory>

struct zcc_program {
  /// It is null for a plan. Trainers share it.
  std::shared_ptr<const zcc::rt::format::Executable> executable;
  std::string bytes; // the executable's file
  std::string report, table, explanation, messages;
  std::map<std::string, std::string> documents; // by option
  zcc::capi::Descriptions inputs, parameters, averages, outputs;
  std::vector<const char *> results;
  std::vector<std::string> resultNames;

  /// Takes the bytes of an executable; throws bad input if they are none.
  void take(std::string bytes);
  /// Throws bad input if this is a plan.
  const zcc::rt::format::Executable &needExecutable() const;
};

#endif // ZCC_CAPI_PROGRAM_H
