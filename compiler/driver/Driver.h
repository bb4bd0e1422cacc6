// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler from a file to a file: runs the phases in order and stops,
// resumes, dumps and reports where asked.
#ifndef ZCC_COMPILER_DRIVER_DRIVER_H
#define ZCC_COMPILER_DRIVER_DRIVER_H

#include "compiler/phases/Options.h"
#include "compiler/phases/Phases.h"
#include <string>

namespace zcc {

struct CompileRequest {
  Options options;
  Phase from = Phase::input;    // the phase that the input text is in
  Phase to = Phase::executable; // where to stop
  std::string output;           // file; "-" for standard output
  std::string report;           // JSON file, or ""
  std::string plan, planOut;    // protobuf text to follow, to write, or ""
  bool planActions = false;     // planOut says the action table
  std::string buffers;          // CSV file, or ""
  std::string trace;            // JSON file of the predicted step, or ""
  std::string draw;             // SVG file of the schedule, or ""
  std::string memoryPlot;       // SVG file, or ""
  std::vector<std::string> explain; // names of values, or "plan"
  std::string dumpFolder;       // every phase's text goes here, or ""
  bool quiet = false;           // no table on standard output
  unsigned threads = 0;         // of the compilation; 0: all cores
};

// Exit status: 0 done, 2 bad usage or input (said on standard error, nothing
// half-written).
int compile(CompileRequest request);

} // namespace zcc

#endif
