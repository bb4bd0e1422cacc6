// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the compiler, as one table: name, values, default, the phase that
// consumes it, help. The command line, the help text, the checks and what a
// module carries from phase to phase all come from the table.
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
  const char *fallback; // value when not given
  Kind kind;
  Phase consumed; // the phase that reads it; `input`: says where and what to
                  // write, not what to compile
  const char *supported; // those of the choices that work, separated by '|';
                         // others are refused with `not yet`. null: all
  const char *help;
};

// All options that say something about the program.
const std::vector<OptionInfo> &getOptionTable();

class Options {
public:
  std::string input; // file of the text

  // Sets an option from the command line. Returns an error message, or "".
  std::string set(const std::string &name, std::vector<std::string> values);
  bool isGiven(const std::string &name) const { return given.count(name) != 0; }
  // Checks what several options say together. Returns an error message, or "".
  std::string check() const;
  // Value, or the default.
  std::string get(const std::string &name) const;
  std::vector<std::string> getList(const std::string &name) const;
  // What the options say of the plan, but what --disable does.
  const planning::Plan &getPlan() const;
  // Whether an option takes the value. Returns an error message, or "".
  static std::string checkOption(const std::string &name,
                                 const std::string &value);
  bool getFlag(const std::string &name) const { return get(name) == "true"; }

  // What a module that reached `phase` carries: name and value of each option
  // that was consumed.
  std::vector<std::pair<std::string, std::vector<std::string>>>
  getConsumed(Phase phase) const;
  // Takes over what a module carries. Returns an error message where it
  // contradicts what was given, or "".
  std::string resume(const std::string &name,
                     const std::vector<std::string> &values);

private:
  std::map<std::string, std::vector<std::string>> given, resumed;
  planning::Plan plan;
};

} // namespace zcc

#endif
