// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listing of buffers: the timeline of the stage with the largest peak, with
// one row per live range.
#include "compiler/emission/Emission.h"

#include "passes/Memory/Memory.h"
#include "passes/Memory/PlannedOffsets.h"

using namespace mlir;

namespace zcc {

/// Quotes a field of a CSV line if necessary, because names come from the user.
static std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string out = "\"";
  for (char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

FailureOr<std::string> writeBuffersCsv(ModuleOp planned) {
  dist::ScheduleOp worst;
  int64_t most = -1;
  for (auto table : planned.getOps<dist::ScheduleOp>()) {
    FailureOr<int64_t> bytes = exec::expectPlanned(table);
    if (failed(bytes))
      return failure();
    if (*bytes > most) {
      most = *bytes;
      worst = table;
    }
  }
  if (!worst)
    return planned.emitError() << "the module has no dist.schedule";
  FailureOr<StageTimeline> timeline = StageTimeline::build(planned, worst);
  if (failed(timeline) || failed(readOffsets(*timeline)))
    return failure();
  std::string out = "id,lower,upper,size,offset,arena,category,name\n";
  int64_t id = 0;
  for (const TimelineBuffer &buffer : timeline->buffers)
    for (const planning::Interval &live : buffer.live)
      out += std::to_string(id++) + "," + std::to_string(live.lower) + "," +
             std::to_string(live.upper) + "," + std::to_string(buffer.size) +
             "," + std::to_string(buffer.offset) + "," +
             std::string(buffer.isCallers ? "caller" : nameOf(buffer.memory)) +
             "," + dist::stringifyMemoryCategory(buffer.category).str() + "," +
             quoted(buffer.label()) + "\n";
  return out;
}

} // namespace zcc
