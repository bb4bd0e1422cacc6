// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `zcc-solve trace`: reads a trace of zcc or zrun, prints what the
// stages of the pipeline did, and draws it.
#ifndef ZCC_TOOLS_ZCC_SOLVE_TRACE_H
#define ZCC_TOOLS_ZCC_SOLVE_TRACE_H

#include <CLI/CLI.hpp>

class TraceCommand {
public:
  void add(CLI::App &app);
  bool isAsked() const { return command->parsed(); }
  // The exit status.
  int run() const;

private:
  CLI::App *command = nullptr;
  CLI::Option *draw = nullptr;
  std::string file, drawing;
};

#endif
