// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes two texts from the options that a program declares, besides its --help:
// a manual page, and the error about words that are no options.

#ifndef ZCC_TOOLS_COMPLETION_MANUAL_H
#define ZCC_TOOLS_COMPLETION_MANUAL_H

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace zcc {

/// The version of the programs; capi/zcc.h has the library's.
inline constexpr const char *programVersion = "0.1";

/// The parts of a manual page that do not follow from the options.
struct ManualText {
  std::string name, summary;           // of the program, in a line
  std::string usage;                   // after the name: "[OPTIONS] MODEL"
  std::string description;             // paragraphs, with blank lines between
  std::vector<std::string> examples;   // command lines
  std::vector<std::string> references; // other pages: "zrun(1)"
};

/// Returns the page in the macros of man(7). It lists each option of the
/// program's help.
std::string writeManual(const CLI::App &app, const ManualText &about);

/// Returns an error about the first of the words that the program did not
/// expect, in their order: "unknown option --zero-stage; did you mean
/// '--zero'?".
std::string tellUnknown(const CLI::App &app,
                        const std::vector<std::string> &words);

} // namespace zcc

#endif // ZCC_TOOLS_COMPLETION_MANUAL_H
