// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of zcc: what there is to say (from the table of options and
// here), what was said, and whether that can be.
#ifndef ZCC_TOOLS_ZCC_COMMANDLINE_H
#define ZCC_TOOLS_ZCC_COMMANDLINE_H

#include "compiler/driver/Driver.h"
#include <CLI/CLI.hpp>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

class CommandLine {
public:
  CommandLine();

  // Exit status where the words say all there is to do (--help, --version) or
  // are none (said on standard error).
  std::optional<int> parse(int argc, char **argv);

  // What is asked for instead of a compilation.
  const std::string &completion() const { return shell; } // or ""
  bool listsOptimizations() const { return optimizations; }
  // The script for the shell; empty if there is none for it.
  std::string writeCompletion() const;

  // Checks what was said, and completes it. Returns an error message, or "".
  std::string makeRequest(CompileRequest &request);

private:
  // Options of the program, by the table.
  void addProgramOptions();
  // What to read and write of this compilation.
  void addFiles();
  void addPhases();
  void addFile(const std::string &flag, std::string &value,
               const std::string &help, const char *type = "FILE");

  std::string takeProgramOptions();
  std::string takePhases();
  void chooseOutput();

  // Where the words of an option of the table go.
  struct Entry {
    const OptionInfo *info;
    CLI::Option *option;
    std::vector<std::string> given;
  };

  CLI::App app;
  CompileRequest said;
  std::deque<Entry> entries; // CLI11 keeps references
  std::string to = "executable", from = "input";
  std::string shell;
  bool optimizations = false;
};

} // namespace zcc

#endif
