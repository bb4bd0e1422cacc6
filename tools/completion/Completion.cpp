// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes completion scripts from the options that CLI11 knows.

#include "tools/completion/Completion.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace zcc {

namespace {

using CompletedOptions = std::vector<CompletedOption>;
constexpr char newline[] = "\n";

bool isPlaceholder(const std::string &word) {
  return std::none_of(word.begin(), word.end(), [](unsigned char c) {
    return std::islower(c) || std::isdigit(c);
  });
}

std::string join(const std::vector<std::string> &words, const char *between) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : between) + word;
  return out;
}

/// Backslashes before each of `special`.
std::string escape(const std::string &text, const char *special) {
  std::string out;
  for (char c : text) {
    if (std::string(special).find(c) != std::string::npos)
      out += '\\';
    out += c;
  }
  return out;
}

/// In single quotes, which sh and zsh leave to be written again.
std::string quote(const std::string &text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The first sentence, in one line.
std::string shorten(const std::string &help) {
  size_t end = std::min(help.find(newline), help.find("; "));
  std::string out = help.substr(0, end);
  constexpr size_t most = 72;
  if (out.size() > most) {
    size_t space = out.rfind(' ', most);
    out = out.substr(0, space == std::string::npos ? most : space) + " ...";
  }
  return out;
}

std::string inGroups(const CompletedOptions &options,
                     bool (*wanted)(const CompletedOption &),
                     const std::string &action) {
  std::vector<std::string> flags;
  for (const CompletedOption &option : options)
    if (option.takesValue && wanted(option))
      flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  return flags.empty() ? ""
                       : "  " + join(flags, "|") + ")\n    " + action +
                             "\n    return ;;\n";
}

std::string writeBash(const std::string &program, const std::string &inputs,
                      const CompletedOptions &options) {
  std::ostringstream out;
  out << "# Completion for bash: source <(" << program
      << " --completion bash)\n";
  out << "_" << program << R"(() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local head=""
  COMPREPLY=()
  # bash takes --option=value apart.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$prev" in
)";
  // Choices one by one; paths by kind.
  for (const CompletedOption &option : options) {
    if (option.choices.empty())
      continue;
    out << "  " << join(option.flags, "|") << ")\n";
    if (option.list)
      out << "    [[ $cur == *,* ]] && head=\"${cur%,*},\"\n";
    out << "    mapfile -t COMPREPLY < <(compgen -P \"$head\" -W "
        << quote(join(option.choices, " ")) << " -- \"${cur#\"$head\"}\")\n";
    if (option.files)
      out << "    compopt -o filenames 2>/dev/null\n"
             "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "
             "\"$cur\")\n";
    out << "    return ;;\n";
  }
  auto paths = [](const char *kind) {
    return std::string("compopt -o filenames 2>/dev/null\n"
                       "    [[ $cur == *,* ]] && head=\"${cur%,*},\"\n"
                       "    mapfile -t COMPREPLY < <(compgen -P \"$head\" ") +
           kind + " -- \"${cur#\"$head\"}\")";
  };
  out << inGroups(
      options,
      [](const CompletedOption &o) { return o.choices.empty() && o.files; },
      paths("-f"));
  out << inGroups(
      options,
      [](const CompletedOption &o) {
        return o.choices.empty() && !o.files && o.folders;
      },
      paths("-d"));
  out << inGroups(
      options,
      [](const CompletedOption &o) {
        return o.choices.empty() && !o.files && !o.folders;
      },
      ":");
  std::vector<std::string> flags;
  for (const CompletedOption &option : options)
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  out << "  esac\n  if [[ $cur == -* ]]; then\n"
      << "    mapfile -t COMPREPLY < <(compgen -W " << quote(join(flags, " "))
      << " -- \"$cur\")\n    return\n  fi\n"
      << "  compopt -o filenames 2>/dev/null\n"
      << "  mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"; compgen -f -X "
      << quote("!" + inputs) << " -- \"$cur\")\n}\n"
      << "complete -F _" << program << " " << program << "\n";
  return out.str();
}

std::string writeZsh(const std::string &program, const std::string &inputs,
                     const CompletedOptions &options) {
  std::ostringstream out;
  out << "#compdef " << program << "\n# Completion for zsh: source <("
      << program << " --completion zsh)\n_" << program
      << "() {\n  _arguments \\\n";
  for (const CompletedOption &option : options)
    for (const std::string &flag : option.flags) {
      std::string spec = (option.takesValue ? "*" : "") + flag +
                         (!option.takesValue ? ""
                          : flag[1] == '-'   ? "="
                                             : "+") +
                         "[" + escape(option.help, "[]:\\") + "]";
      if (option.takesValue) {
        spec += ": :";
        std::string words = escape(join(option.choices, " "), ":");
        if (option.list && !words.empty())
          spec += "_sequence compadd - " + words;
        else if (option.files && !words.empty())
          spec += "{_alternative \"values\\:value\\:(" + words +
                  ")\" \"files\\:file\\:_files\"}";
        else if (!words.empty())
          spec += "(" + words + ")";
        else if (option.files)
          spec += option.list ? "_sequence _files" : "_files";
        else if (option.folders)
          spec += "_files -/";
      }
      out << "    " << quote(spec) << " \\\n";
    }
  out << "    " << quote("*: :_files -g \"" + inputs + "\"") << "\n}\n"
      << "if [[ ${funcstack[1]} == _" << program << " ]]; then\n  _" << program
      << " \"$@\"\nelse\n  compdef _" << program << " " << program << "\nfi\n";
  return out.str();
}

std::string writeFish(const std::string &program, const std::string &inputs,
                      const CompletedOptions &options) {
  auto quoted = [](const std::string &text) {
    return "'" + escape(text, "'\\") + "'";
  };
  std::ostringstream out;
  out << "# Completion for fish: " << program
      << " --completion fish | source\n";
  out << "complete -c " << program << " -f -a "
      << quoted("(__fish_complete_suffix " + inputs.substr(1) + ")") << "\n";
  for (const CompletedOption &option : options) {
    out << "complete -c " << program;
    for (const std::string &flag : option.flags)
      out << (flag[1] == '-' ? " -l " + flag.substr(2)
                             : " -s " + flag.substr(1));
    std::string words = join(option.choices, " ");
    if (option.takesValue && option.files)
      out << " -r -F";
    else if (option.takesValue)
      out << " -x";
    if (!words.empty())
      out << " -a "
          << quoted(option.list ? "(__fish_complete_list , 'string split \" "
                                  "\" \"" +
                                      words + "\"')"
                                : words);
    else if (option.takesValue && option.folders && !option.files)
      out << " -a " << quoted("(__fish_complete_directories)");
    out << " -d " << quoted(option.help) << "\n";
  }
  return out.str();
}

} // namespace

std::vector<CompletedOption>
collectOptions(const CLI::App &app,
               const std::map<std::string, std::vector<std::string>> &choices) {
  CompletedOptions options;
  for (const CLI::Option *option : app.get_options()) {
    CompletedOption entry;
    for (const std::string &name : option->get_snames())
      entry.flags.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      entry.flags.push_back("--" + name);
    const std::string &help = option->get_description();
    constexpr char later[] = "(not yet)";
    bool works = help.size() < sizeof(later) ||
                 help.compare(help.size() + 1 - sizeof(later),
                              std::string::npos, later) != 0;
    if (entry.flags.empty() || option->get_group().empty() || !works)
      continue;
    entry.help = shorten(help);
    entry.takesValue = option->get_expected_max() > 0;
    std::string type = entry.takesValue ? option->get_type_name() : "";
    entry.files = type.find("FILE") != std::string::npos;
    entry.folders = type.find("DIR") != std::string::npos;
    entry.list =
        type.size() > 4 && type.compare(type.size() - 4, 4, ",...") == 0;
    std::stringstream parts(type);
    for (std::string word; std::getline(parts, word, '|');) {
      // `interleaved:V` is completed up to the colon.
      size_t colon = word.find(':');
      if (colon != std::string::npos && isPlaceholder(word.substr(colon)))
        word.resize(colon + 1);
      if (!isPlaceholder(word))
        entry.choices.push_back(word);
    }
    for (const std::string &name : option->get_lnames())
      if (auto found = choices.find(name); found != choices.end())
        entry.choices = found->second;
    options.push_back(entry);
  }
  return options;
}

std::string writeCompletion(const std::string &shell,
                            const std::string &program,
                            const std::string &inputs,
                            const std::vector<CompletedOption> &options) {
  return shell == "bash"   ? writeBash(program, inputs, options)
         : shell == "zsh"  ? writeZsh(program, inputs, options)
         : shell == "fish" ? writeFish(program, inputs, options)
                           : "";
}

} // namespace zcc
