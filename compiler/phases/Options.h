// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of the compiler are one table: name, values, default, the phase
// that reads the option, help. The command line, the help text, the checks and
// the options that a module carries from phase to phase all come from it.
#ifndef ZCC_COMPILER_PHASES_OPTIONS_H
#define ZCC_COMPILER_PHASES_OPTIONS_H

#include "compiler/phases/Phases.h"
#include "planning/Plan.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace zcc {

struct OptionInfo {
  enum Kind { Value, List, Flag };
  const char *name;   // without dashes
  const char *values; // choices separated by '|', or a placeholder in capitals
  const char *fallback; // the default value
  Kind kind;
  // The phase that reads it; `input`: it says where and what to write, not what
  // to compile.
  Phase consumed;
  // The choices that work, separated by '|'; others give an error `not yet`.
  // null: all work.
  const char *supported;
  const char *help;
};

// Returns the table of all options that affect the program.
const std::vector<OptionInfo> &getOptionTable();
// Returns the option of that name, or null.
const OptionInfo *findOption(const std::string &name);

class Options {
public:
  std::string input; // the file of the program's text

  // Sets an option from the command line. Returns an error message, or "".
  std::string set(const std::string &name, std::vector<std::string> values);
  bool isGiven(const std::string &name) const { return given.count(name) != 0; }
  // Checks that the options fit together. Returns an error message, or "".
  std::string check() const;
  // Returns the value, or the default.
  std::string get(const std::string &name) const;
  std::vector<std::string> getList(const std::string &name) const;
  // Returns the plan that the options ask for, without the effects of
  // --disable.
  const planning::Plan &getPlan() const;
  // Checks that an option accepts the value. Returns an error message, or "".
  static std::string checkOption(const std::string &name,
                                 const std::string &value);
  bool getFlag(const std::string &name) const { return get(name) == "true"; }

  // Returns the options that a module that reached `phase` carries: the name
  // and value of each option that was read so far.
  std::vector<std::pair<std::string, std::vector<std::string>>>
  getConsumed(Phase phase) const;
  // Takes over an option that a module carries. Returns an error message if it
  // contradicts an option that was given, or "".
  std::string resume(const std::string &name,
                     const std::vector<std::string> &values);

private:
  std::map<std::string, std::vector<std::string>> given, resumed;
  planning::Plan plan;
};

} // namespace zcc

#endif
