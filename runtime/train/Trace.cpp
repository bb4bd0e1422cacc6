// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Trace.h"

#include "runtime/comm/Communicator.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Text.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/Processes.h"
#include "runtime/train/Collect.h"
#include "runtime/train/JsonLine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

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

/// The arguments of a step's event: what a collective moves, and where the step
/// is in the schedule, if there is one.
std::optional<JsonLine> arguments(const format::Executable &executable,
                                  const Mesh &mesh, int stage,
                                  const format::Step &step,
                                  const format::Run *run) {
  std::optional<JsonLine> line;
  if (step.has_collective())
    line = describe(executable, mesh, step.collective());
  if (step.has_bucket()) {
    std::string members;
    for (const format::CollectiveStep &member : step.bucket().members())
      members += (members.empty() ? "" : ", ") +
                 describe(executable, mesh, member).str();
    line = JsonLine().raw("members", "[" + members + "]");
  }
  if (run && executable.stages_size() > 1) {
    const format::Task &task = executable.stages(stage).tasks(int(run->task()));
    if (!line)
      line.emplace();
    line->integer("stage", stage)
        .integer("chunk", int64_t(task.chunk()))
        .integer("microbatch", int64_t(run->microbatch()));
  }
  return line;
}

JsonLine arguments(int stage, const format::Transfer &transfer, bool sends) {
  JsonLine line;
  line.raw("kind", sends ? "\"send\"" : "\"recv\"")
      .integer("stage", stage)
      .integer("peer", int64_t(transfer.peer()))
      .integer("bytes", int64_t(transfer.size()))
      .raw("value", jsonText(transfer.name()));
  if (transfer.has_microbatch())
    line.integer("microbatch", int64_t(transfer.microbatch()));
  return line;
}

std::string nameOf(const Span &span) {
  switch (span.kind) {
  case Span::Step:
    break;
  case Span::Progress:
    return span.from == span.to ? *span.to
                                : text(*span.from, " to ", *span.to);
  case Span::Send:
    return "send " + span.transfer->name();
  case Span::Receive:
    return "receive " + span.transfer->name();
  case Span::WaitSend:
    return "wait for send " + span.transfer->name();
  }
  return span.step->name();
}

int64_t streamOf(const Span &span) {
  return span.step ? span.step->stream() : span.stream;
}

/// An event that names a process (a rank), or one of its threads (streams).
std::string nameEvent(const char *what, int rank, int64_t stream,
                      const std::string &name) {
  return JsonLine()
      .raw("name", jsonText(what))
      .raw("ph", "\"M\"")
      .integer("pid", rank)
      .integer("tid", stream)
      .raw("args", JsonLine().raw("name", jsonText(name)).str())
      .str();
}

/// Returns the names of a rank and of the streams that its spans are on.
std::vector<std::string> nameEvents(int rank, const std::vector<Span> &spans) {
  std::map<int64_t, const char *> streams;
  for (const Span &span : spans) {
    const char *&name = streams.try_emplace(streamOf(span), "").first->second;
    if (!span.step)
      name = "transfers";
    else if (span.step->has_collective() || span.step->has_bucket())
      name = "communication";
  }
  std::vector<std::string> events = {
      nameEvent("process_name", rank, 0, text("rank ", rank))};
  for (const auto &[stream, name] : streams)
    events.push_back(
        nameEvent("thread_name", rank, stream,
                  stream == 0 ? "computation"
                              : text(*name ? name : "stream", " ", stream)));
  return events;
}

/// Returns when the first span began, in seconds of this process's steady
/// clock; infinity if there is none.
double firstBegin(const std::vector<Span> &spans) {
  double first = HUGE_VAL;
  for (const Span &span : spans)
    first = std::min(
        first,
        std::chrono::duration<double>(span.begin.time_since_epoch()).count());
  return first;
}

/// The events of one rank as text. Times count from `origin`, in seconds of
/// this process's steady clock.
std::string traceEvents(const format::Executable &executable, int rank,
                        const std::vector<Span> &spans, double origin) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  Mesh mesh(executable);
  std::string out;
  for (const std::string &event : nameEvents(rank, spans))
    out += (out.empty() ? "" : ",\n") + event;
  for (const Span &span : spans) {
    JsonLine line;
    line.raw("name", jsonText(nameOf(span)))
        .raw("ph", "\"X\"")
        .integer("pid", rank)
        .integer("tid", streamOf(span))
        .number("ts", Microseconds(span.begin.time_since_epoch()).count() -
                          origin * 1e6)
        .number("dur", Microseconds(span.end - span.begin).count());
    std::optional<JsonLine> args;
    if (span.kind == Span::Progress)
      args = JsonLine().raw("kind", "\"progress\"");
    else if (span.step)
      args = arguments(executable, mesh, mesh.stageOf(rank), *span.step,
                       span.run);
    else
      args = arguments(mesh.stageOf(rank), *span.transfer,
                       span.kind != Span::Receive);
    if (args)
      line.raw("args", args->str());
    out += (out.empty() ? "" : ",\n") + line.str();
  }
  return out;
}

} // namespace

std::string traceOf(const format::Executable &executable, RankHost &ranks,
                    Processes *processes,
                    const std::vector<std::vector<Span>> &spans) {
  // The step begins with the first event of any rank, by rank 0's clock.
  const double ahead = processes ? processes->clockAhead() : 0;
  double begin = HUGE_VAL;
  for (int rank : ranks.localRanks())
    begin = std::min(begin, firstBegin(spans[rank]) - ahead);
  if (processes && ranks.ranks() > 1) {
    std::vector<int> all(ranks.ranks());
    std::iota(all.begin(), all.end(), 0);
    ranks.transport(ranks.localRanks().front())
        .open(all)
        ->allReduce(ElementType::F64, Reduction::Min, &begin, &begin, 1);
  }
  std::vector<std::string> events;
  for (int rank : ranks.localRanks())
    events.push_back(traceEvents(executable, rank, spans[rank], begin + ahead));
  if (processes) {
    events = collect(ranks, events[0]);
    if (processes->rank() != 0)
      return "";
  }
  std::string out = "{\"traceEvents\": [";
  bool first = true;
  for (const std::string &ofRank : events) {
    if (ofRank.empty())
      continue;
    out += (first ? "\n" : ",\n") + ofRank;
    first = false;
  }
  return out + "\n]}\n";
}

} // namespace zcc::rt
