// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zcc: compiles a loss function to an executable that trains it on a mesh.
#include "tools/zcc/Program.h"
#include "compiler/phases/Optimizations.h"
#include "tools/zcc/CommandLine.h"
#include <cstdio>

using namespace zcc;

static int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

static int printCompletion(const CommandLine &commandLine) {
  std::string script = commandLine.writeCompletion();
  if (script.empty())
    return fail("--completion: expected bash, zsh or fish, found '" +
                commandLine.completion() + "'");
  std::fputs(script.c_str(), stdout);
  return 0;
}

static int listOptimizations() {
  for (const OptimizationInfo &info : getOptimizationTable())
    std::printf("%-20s %s%s\n", info.name, info.help,
                info.reorders ? " (reorders sums: off under --exact)" : "");
  return 0;
}

int zcc::runProgram(int argc, char **argv) {
  CommandLine commandLine;
  if (std::optional<int> status = commandLine.parse(argc, argv))
    return *status;
  if (!commandLine.completion().empty())
    return printCompletion(commandLine);
  if (commandLine.printsManual()) {
    std::fputs(commandLine.writeManual().c_str(), stdout);
    return 0;
  }
  if (commandLine.listsOptimizations())
    return listOptimizations();
  CompileRequest request;
  if (std::string message = commandLine.makeRequest(request); !message.empty())
    return fail(message);
  return compile(std::move(request));
}
