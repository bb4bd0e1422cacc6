// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completion of a program's command line in bash, zsh and fish, made from the
// options that the program declares, so that it cannot be out of date.

#ifndef ZCC_TOOLS_COMPLETION_COMPLETION_H
#define ZCC_TOOLS_COMPLETION_COMPLETION_H

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace zcc {

/// An option and the completion of its value, derived from the name of its
/// type: choices separated by '|' (those in capitals are placeholders). `FILE`,
/// `DIR` and names that contain them are completed as paths; `,...` at the end
/// means a list.
struct CompletedOption {
  std::vector<std::string> flags; // "-o", "--mesh"
  std::string help;               // its first sentence
  bool takesValue = false, files = false, folders = false, list = false;
  std::vector<std::string> choices;
};

/// The options of the program in the order of its help, without hidden ones.
/// `choices` adds values that are not in the type's name, by option without
/// dashes.
std::vector<CompletedOption> collectOptions(
    const CLI::App &app,
    const std::map<std::string, std::vector<std::string>> &choices = {});

/// A script for the shell ("bash", "zsh" or "fish") to read; arguments without
/// a dash are files that match `inputs` ("*.mlir"). Empty for another shell.
std::string writeCompletion(const std::string &shell,
                            const std::string &program,
                            const std::string &inputs,
                            const std::vector<CompletedOption> &options);

} // namespace zcc

#endif // ZCC_TOOLS_COMPLETION_COMPLETION_H
