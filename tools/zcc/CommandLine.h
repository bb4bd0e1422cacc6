// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of zcc: its options (from the table of options and here),
// the words that were given, and a check of them.
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

  // Parses the words. Returns an exit status if there is nothing more to do
  // (--help, --version) or the words are wrong, which is reported on standard
  // error.
  std::optional<int> parse(int argc, char **argv);

  // Requests other than a compilation.
  const std::string &completion() const { return shell; } // or ""
  bool listsOptimizations() const { return optimizations; }
  bool printsManual() const { return manual; }
  std::string writeManual() const; // the page
  // The script for the shell; empty if there is none for it.
  std::string writeCompletion() const;

  // Checks the words that were given, and completes them. Returns an error
  // message, or "".
  std::string makeRequest(CompileRequest &request);

private:
  // Options of the program, by the table.
  void addProgramOptions();
  // The files that this compilation reads and writes.
  void addFiles();
  void addPhases();
  void addFile(const std::string &flag, std::string &value,
               const std::string &help, const char *type = "FILE");
  void addDocument(Document document, const char *help);

  std::string takeProgramOptions();
  std::string takePhases();
  void chooseOutput();

  // Takes the words of an option of the table.
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
  bool optimizations = false, manual = false;
};

} // namespace zcc

#endif
