// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, as a trace.

#include "tools/zrun/Trace.h"

#include "runtime/data/NewFile.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Text.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "tools/zrun/Log.h"

#include <algorithm>

namespace zcc::rt {

namespace {

JsonLine describe(const format::Executable &executable, const Mesh &mesh,
                  const format::CollectiveStep &step) {
  std::string axes;
  uint64_t ranks = 1;
  for (const std::string &name : axisNames(executable, step))
    axes += (axes.empty() ? "" : ", ") + jsonText(name);
  for (uint32_t axis : step.axes())
    ranks *= mesh.axes()[axis].size;
  CollectiveSizes sizes = sizesOf(step, ranks, mesh);
  JsonLine line;
  line.raw("kind", jsonText(kindText(step)))
      .raw("axes", "[" + axes + "]")
      .integer("bytes", int64_t(std::max(sizes.source, sizes.target)));
  auto add = [&](const char *key, uint32_t index) {
    if (const std::string &words = textAt(executable, index); !words.empty())
      line.raw(key, jsonText(words));
  };
  add("what", step.what());
  add("value", step.value());
  add("why", step.why());
  add("location", step.place());
  return line;
}

/// The arguments of a step's event; empty if it is no collective.
std::string arguments(const format::Executable &executable, const Mesh &mesh,
                      const format::Step &step) {
  if (step.has_collective())
    return describe(executable, mesh, step.collective()).str();
  if (!step.has_bucket())
    return "";
  std::string members;
  for (const format::CollectiveStep &member : step.bucket().members())
    members += (members.empty() ? "" : ", ") +
               describe(executable, mesh, member).str();
  return JsonLine().raw("members", "[" + members + "]").str();
}

} // namespace

std::string traceEvents(const format::Executable &executable, int rank,
                        const std::vector<Span> &spans, double ahead) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  Mesh mesh(executable);
  std::string out;
  for (const Span &span : spans) {
    JsonLine line;
    line.raw("name", jsonText(span.step->name()))
        .raw("ph", "\"X\"")
        .integer("pid", rank)
        .integer("tid", span.step->stream())
        .number("ts", Microseconds(span.begin.time_since_epoch()).count() -
                          ahead * 1e6)
        .number("dur", Microseconds(span.end - span.begin).count());
    if (std::string args = arguments(executable, mesh, *span.step);
        !args.empty())
      line.raw("args", args);
    out += (out.empty() ? "" : ",\n") + line.str();
  }
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
  writeNewFile(path, out);
}

} // namespace zcc::rt
