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

void writeTrace(const std::string &path,
                const std::vector<std::vector<Span>> &spans) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  auto origin = std::chrono::steady_clock::time_point::max();
  for (const std::vector<Span> &rank : spans)
    if (!rank.empty())
      origin = std::min(origin, rank.front().begin);
  std::string out = "{\"traceEvents\": [";
  bool first = true;
  for (size_t rank = 0; rank < spans.size(); ++rank)
    for (const Span &span : spans[rank]) {
      out += first ? "\n" : ",\n";
      first = false;
      out += JsonLine()
                 .raw("name", jsonText(*span.name))
                 .raw("ph", "\"X\"")
                 .integer("pid", int64_t(rank))
                 .integer("tid", 0)
                 .number("ts", Microseconds(span.begin - origin).count())
                 .number("dur", Microseconds(span.end - span.begin).count())
                 .str();
    }
  out += "\n]}\n";
  std::string temporary = text(path, ".tmp", getpid());
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  bool good = file && std::fwrite(out.data(), 1, out.size(), file) == out.size();
  if (file)
    good = std::fclose(file) == 0 && good;
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0)
    return;
  int error = errno;
  unlink(temporary.c_str());
  fail(path, ": cannot write: ", std::strerror(error));
}

} // namespace zcc::rt
