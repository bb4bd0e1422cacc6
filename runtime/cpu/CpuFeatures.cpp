// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out this processor's features. The flags of /proc/cpuinfo are those
// that the kernel lets programs use (it hides AVX-512 if it does not save the
// registers), which the cpuid instruction alone does not tell.

#include "runtime/cpu/CpuFeatures.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace zcc::rt {

/// Letters and digits only: "sse4.1", "sse4_1" and "sse4-1" are one name.
static std::string plain(const std::string &name) {
  std::string out;
  for (char c : name)
    if (isalnum(static_cast<unsigned char>(c)))
      out += tolower(static_cast<unsigned char>(c));
  return out;
}

/// LLVM's name -> Linux's, where they differ beyond punctuation.
static std::string linuxName(const std::string &feature) {
  static const std::pair<const char *, const char *> names[] = {
      {"lzcnt", "abm"},        {"sse3", "pni"},
      {"sahf", "lahflm"},      {"64bit", "lm"},
      {"x87", "fpu"},          {"prfchw", "3dnowprefetch"},
      {"rdrnd", "rdrand"},     {"sha", "shani"},
      {"pclmul", "pclmulqdq"}, {"crc32", "sse42"},
      {"evex512", "avx512f"},  {"bmi", "bmi1"},
      {"avx10.1", "avx101"},
  };
  for (auto [llvmName, name] : names)
    if (feature == llvmName)
      return name;
  return plain(feature);
}

/// Features that generated code never needs: instructions for systems, or hints
/// that older processors take for no-ops. "native" lists them all.
static bool isIgnored(const std::string &feature) {
  static const std::set<std::string> ignored = {
      "ptwrite",  "pconfig",   "sgx",       "uintr",       "hreset",
      "shstk",    "ibt",       "enqcmd",    "kl",          "widekl",
      "pku",      "wbnoinvd",  "cldemote",  "waitpkg",     "serialize",
      "tsxldtrk", "rdpid",     "rdpru",     "mwaitx",      "clzero",
      "lwp",      "invpcid",   "prefetchi", "prefetchwt1", "usermsr",
      "rdseed",   "rdrnd",     "fsgsbase",  "rtm",         "xsave",
      "xsavec",   "xsaves",    "xsaveopt",  "clflushopt",  "clwb",
      "movdiri",  "movdir64b", "raoint",    "cmpccxadd"};
  return ignored.count(feature) != 0;
}

std::vector<std::string> lackingFeatures(const std::vector<std::string> &needed,
                                         const std::string &flags) {
  std::set<std::string> present;
  std::istringstream words(flags);
  for (std::string word; words >> word;)
    present.insert(plain(word));
  std::vector<std::string> lacking;
  for (std::string feature : needed) {
    if (!feature.empty() && feature[0] == '-')
      continue;
    if (!feature.empty() && feature[0] == '+')
      feature.erase(0, 1);
    if (feature.empty() || isIgnored(feature) ||
        present.count(linuxName(feature)))
      continue;
    lacking.push_back(feature);
  }
  return lacking;
}

std::vector<std::string>
lackingFeatures(const std::vector<std::string> &needed) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 5, "flags") == 0)
      return lackingFeatures(needed, line.substr(line.find(':') + 1));
  return lackingFeatures(needed, "");
}

} // namespace zcc::rt
