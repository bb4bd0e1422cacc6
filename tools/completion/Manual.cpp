// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/completion/Manual.h"

#include "runtime/format/Text.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace zcc {

namespace {

/// Text of a manual page: dashes that can be copied, and no line that looks
/// like a macro.
std::string inRoff(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

/// "-h, --help" or "--mesh MESH", the flags in bold.
std::string headOf(const CLI::Option &option) {
  std::string out;
  auto add = [&](const std::string &flag) {
    out += (out.empty() ? "\\fB" : ", \\fB") + inRoff(flag) + "\\fR";
  };
  for (const std::string &name : option.get_snames())
    add("-" + name);
  for (const std::string &name : option.get_lnames())
    add("--" + name);
  std::string type = option.get_type_name();
  if (out.empty()) // an argument
    return "\\fI" + inRoff(option.get_name(true)) + "\\fR";
  return type.empty() ? out : out + " \\fI" + inRoff(type) + "\\fR";
}

bool isListed(const CLI::Option &option) { return !option.get_group().empty(); }

/// A word as people may write it in a text: "learning rate" for
/// --learning-rate.
std::string inWords(std::string flag) {
  flag.erase(0, flag.find_first_not_of('-'));
  flag = flag.substr(0, flag.find('='));
  std::replace(flag.begin(), flag.end(), '-', ' ');
  std::replace(flag.begin(), flag.end(), '_', ' ');
  return flag;
}

/// The option that was probably meant, with its dashes, or "".
std::string similarOption(const CLI::App &app, const std::string &word) {
  const std::string meant = inWords(word);
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    if (isListed(*option))
      for (const std::string &name : option->get_lnames())
        names.push_back(name);
  auto isStart = [](const std::string &start, const std::string &of) {
    return !start.empty() && of.compare(0, start.size(), start) == 0;
  };
  std::string dashed = meant;
  std::replace(dashed.begin(), dashed.end(), ' ', '-');
  // The name of another program's option often has this one's as its first
  // word, or is what this one's help begins with.
  std::string first;
  for (const std::string &name : names)
    if (isStart(name + "-", dashed) && name.size() > first.size())
      first = name;
  if (std::string similar = rt::similarName(dashed, names);
      !similar.empty() &&
      (first.empty() || isStart(dashed.substr(0, first.size() + 2), similar)))
    return "--" + similar;
  if (!first.empty())
    return "--" + first;
  for (const CLI::Option *option : app.get_options())
    if (isListed(*option) && !option->get_lnames().empty() &&
        isStart(meant, option->get_description()))
      return "--" + option->get_lnames().front();
  return "";
}

} // namespace

std::string writeManual(const CLI::App &app, const ManualText &about) {
  std::string out = ".TH " + about.name + " 1 \"\" \"" + about.name + " " +
                    programVersion + "\"\n.SH NAME\n" + about.name + " \\- " +
                    inRoff(about.summary) + "\n.SH SYNOPSIS\n.B " + about.name +
                    "\n" + inRoff(about.usage) + "\n.SH DESCRIPTION\n" +
                    inRoff(about.description) + "\n";
  std::string group;
  for (const CLI::Option *option : app.get_options()) {
    if (!isListed(*option))
      continue;
    std::string title =
        option->nonpositional() ? option->get_group() : "Arguments";
    if (title == "OPTIONS")
      title = "Options";
    if (title != group)
      out += ".SH " + title + "\n";
    group = title;
    out += ".TP\n" + headOf(*option) + "\n" +
           inRoff(option->get_description()) + "\n";
  }
  out += ".SH EXIT STATUS\n0 for success, 2 for bad input, 1 for any other "
         "failure.\n";
  if (!about.examples.empty())
    out += ".SH EXAMPLES\n.nf\n";
  for (const std::string &example : about.examples)
    out += inRoff(example) + "\n";
  if (!about.examples.empty())
    out += ".fi\n";
  out += ".SH SEE ALSO\n";
  for (size_t i = 0; i < about.references.size(); ++i)
    out += (i ? ", " : "") + about.references[i];
  return out + "\n";
}

std::string tellUnknown(const CLI::App &app,
                        const std::vector<std::string> &words) {
  auto option =
      std::find_if(words.begin(), words.end(), [](const std::string &word) {
        return word.size() > 1 && word[0] == '-';
      });
  if (option == words.end())
    return words.empty() ? "" : "unexpected argument '" + words.front() + "'";
  const std::string flag = option->substr(0, option->find('='));
  return "unknown option " + flag + rt::didYouMean(similarOption(app, flag));
}

} // namespace zcc
