// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsers for options of passes whose values are parts of a plan. The text of a
// pass pipeline is read here, once; passes see typed values.
#ifndef ZCC_PASSES_DISTRIBUTE_PLANPARSERS_H
#define ZCC_PASSES_DISTRIBUTE_PLANPARSERS_H

#include "planning/PlanValues.h"
#include "planning/ScheduleGenerators.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace zcc {

// Each readOption() returns what is wrong with the text, or "".

// Reads `auto` or the name of a schedule.
inline std::string readOption(llvm::StringRef text,
                              planning::NamedSchedule &schedule) {
  return planning::parseSchedule(text, schedule);
}
inline std::string printOption(const planning::NamedSchedule &schedule) {
  return schedule.print();
}

// Reads `none` or the name of a number format.
inline std::string readOption(llvm::StringRef text,
                              std::optional<planning::NumberFormat> &format) {
  format = planning::findNumberFormat(text);
  if (format || text == "none")
    return "";
  return "expected one of none, " + planning::listNumberFormats(", ") +
         ", found '" + text.str() + "'";
}
inline std::string
printOption(const std::optional<planning::NumberFormat> &format) {
  return std::string(format ? planning::getName(*format) : "none");
}

// Reads `none`, `auto`, or kinds of values between commas.
inline std::string readOption(llvm::StringRef text,
                              planning::PlanOffload &offload) {
  return planning::parseOffload(planning::split(text.str(), ','), offload);
}
inline std::string printOption(const planning::PlanOffload &offload) {
  std::string text;
  for (const std::string &name : planning::printOffload(offload))
    text += (text.empty() ? "" : ",") + name;
  return text.empty() ? "none" : text;
}

// Parses an option with the functions above.
template <typename T> class PlanParser : public llvm::cl::basic_parser<T> {
public:
  using llvm::cl::basic_parser<T>::basic_parser;

  // Returns true after reporting an error.
  bool parse(llvm::cl::Option &option, llvm::StringRef /*name*/,
             llvm::StringRef text, T &value) {
    std::string wrong = readOption(text, value);
    return !wrong.empty() && option.error(wrong);
  }
  static void print(llvm::raw_ostream &os, const T &value) {
    os << printOption(value);
  }
  void printOptionDiff(const llvm::cl::Option &option, const T &value,
                       const llvm::cl::OptionValue<T> & /*before*/,
                       size_t width) const {
    this->printOptionName(option, width);
    llvm::outs() << "= " << printOption(value) << '\n';
  }
};

} // namespace zcc

template <>
class llvm::cl::parser<zcc::planning::NamedSchedule>
    : public zcc::PlanParser<zcc::planning::NamedSchedule> {
  using PlanParser::PlanParser;
};
template <>
class llvm::cl::parser<std::optional<zcc::planning::NumberFormat>>
    : public zcc::PlanParser<std::optional<zcc::planning::NumberFormat>> {
  using PlanParser::PlanParser;
};
template <>
class llvm::cl::parser<zcc::planning::PlanOffload>
    : public zcc::PlanParser<zcc::planning::PlanOffload> {
  using PlanParser::PlanParser;
};

#endif
