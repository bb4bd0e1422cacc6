// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, as a trace.

#include "tools/zrun/Trace.h"

#include "runtime/core/Error.h"
#include "runtime/format/Text.h"
#include "tools/zrun/Log.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace zcc::rt {

std::string traceEvents(int rank, const std::vector<Span> &spans,
                        double ahead) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  std::string out;
  for (const Span &span : spans)
    out +=
        (out.empty() ? "" : ",\n") +
        JsonLine()
            .raw("name", jsonText(*span.name))
            .raw("ph", "\"X\"")
            .integer("pid", rank)
            .integer("tid", 0)
            .number("ts", Microseconds(span.begin.time_since_epoch()).count() -
                              ahead * 1e6)
            .number("dur", Microseconds(span.end - span.begin).count())
            .str();
  return out;
}

void writeTrace(const std::string &path,
                const std::vector<std::string> &events) {
  std::string out = "{\"traceEvents\": [";
  bool first = true;
  for (const std::string &ofRank : events) {
    if (ofRank.empty())
      continue;
    out += (first ? "\n" : ",\n") + ofRank;
    first = false;
  }
  out += "\n]}\n";
  std::string temporary = text(path, ".tmp", getpid());
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  bool good =
      file && std::fwrite(out.data(), 1, out.size(), file) == out.size();
  if (file)
    good = std::fclose(file) == 0 && good;
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  int error = errno;
  unlink(temporary.c_str());
  fail(path, ": cannot write: ", std::strerror(error));
}

} // namespace zcc::rt
