// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON.
#include "compiler/emission/Report.h"

#include "dialects/Dist/AxisNames.h"
#include "llvm/ADT/STLExtras.h"
#include <nlohmann/json.hpp>

namespace zcc {

using Json = nlohmann::ordered_json;

static Json toJson(const MemoryShares &shares) {
  Json out = {
      {"parameters", shares.parameters}, {"gradients", shares.gradients},
      {"optimizer", shares.optimizer},   {"residuals", shares.residuals},
      {"temporary", shares.temporary},   {"workspace", shares.workspace},
      {"library", shares.library}};
  for (const MemorySpaceInfo &row : memorySpaces)
    if (row.space != MemorySpace::Device)
      out[std::string(row.name)] = shares.away[row.space];
  return out;
}

static Json toJson(const MemoryReport &memory) {
  Json out = {{"peak", memory.peak}, {"caller_inputs", memory.callerInputs}};
  out.update(toJson(memory.most));
  out["lower_bound"] = memory.lowerBound;
  out["at_peak"] = toJson(memory.atPeak);
  out["at_peak"]["waste"] = memory.waste;
  out["largest"] = Json::array();
  for (const LargeValue &value : memory.largest)
    out["largest"].push_back({{"name", value.name},
                              {"category", value.category},
                              {"bytes", value.bytes}});
  out["alike"] = Json::array();
  for (const LargeValues &values : memory.alike)
    out["alike"].push_back({{"names", values.names},
                            {"category", values.category},
                            {"count", values.count},
                            {"bytes", values.bytes}});
  return out;
}

static Json toJson(const PaddedDim &padded) {
  return {{"values", padded.values}, {"count", padded.count},
          {"dim", padded.dim},       {"extent", padded.extent},
          {"padded", padded.padded}, {"axes", padded.axes},
          {"bytes", padded.bytes}};
}

/// By stream: 0 is computation.
static Json streamsOf(const StagePrediction &stage) {
  Json out = Json::object();
  for (auto &[stream, seconds] : stage.busy)
    out[std::to_string(stream)] = seconds;
  return out;
}

/// The figures of a launch (planning/LaunchWork.h), and the seconds that bytes,
/// instructions and the longest path through a thread's code would each take.
static Json toJson(const PredictedKernel::Launch &launch) {
  const planning::LaunchWork &work = launch.work;
  const planning::LaunchInstructions &own = work.instructions;
  return {{"blocks", work.blocks},
          {"threads", work.threads},
          {"registers", work.registers},
          {"shared", work.sharedBytes},
          {"bytes_read", work.bytesRead},
          {"bytes_written", work.bytesWritten},
          {"memory_rounds", work.memoryRounds},
          {"cache_rounds", work.cacheRounds},
          {"cycles", work.cycles},
          {"bytes_in_flight", work.bytesInFlight()},
          {"instructions",
           {{"floats", own.floats},
            {"integers", own.integers},
            {"functions", own.functions},
            {"doubles", own.doubles},
            {"transfers", own.transfers}}},
          {"seconds", launch.time.total},
          {"memory_seconds", launch.time.memory},
          {"issue_seconds", launch.time.issue},
          {"path_seconds", launch.time.path},
          {"fill", launch.time.fill}};
}

static Json toJson(const Prediction &predicted) {
  Json out = {{"step_seconds", predicted.stepSeconds},
              {"mfu", predicted.mfu},
              {"bubble", predicted.bubble},
              {"exposed_communication", predicted.exposedCommunication},
              {"host", predicted.host}};
  out["by_stage"] = Json::array();
  for (const StagePrediction &stage : predicted.stages)
    out["by_stage"].push_back({{"compute_seconds", stage.compute},
                               {"communication_seconds", stage.communication},
                               {"exposed_seconds", stage.exposed},
                               {"idle_seconds", stage.idle},
                               {"host_seconds", stage.host},
                               {"busy_seconds", streamsOf(stage)}});
  out["exposed"] = Json::array();
  for (const ExposedCollective &one : predicted.exposed)
    out["exposed"].push_back({{"kind", one.kind},
                              {"axes", one.axes},
                              {"what", one.what},
                              {"value", one.value},
                              {"tasks", one.tasks},
                              {"seconds", one.seconds}});
  out["published_rows"] = predicted.publishedRows;
  if (predicted.publishedRows > 0)
    out["step_seconds_range"] = {predicted.least, predicted.most};
  for (const PredictedKernel &kernel : predicted.kernels) {
    Json launches = Json::array();
    for (const PredictedKernel::Launch &launch : kernel.launches)
      launches.push_back(toJson(launch));
    out["kernels"].push_back({{"name", kernel.name},
                              {"seconds", kernel.seconds},
                              {"launches", std::move(launches)}});
  }
  return out;
}

static Json flopsOf(const Report &report) {
  double executed = *report.executedFlops,
         model = report.modelFlops.value_or(executed);
  Json out = {{"model", model}, {"executed", executed}};
  if (!report.work)
    return out;
  const distribute::StepWork &work = *report.work;
  out["repeated"] = work.repeated;
  out["padding"] = work.padding;
  out["added"] = work.added;
  out["recomputed"] = executed - model - work.more();
  out["repeated_by"] = Json::array();
  for (const distribute::StepWork::Repeated &own : work.largest)
    out["repeated_by"].push_back({{"op", own.op},
                                  {"value", own.value},
                                  {"tasks", own.tasks},
                                  {"ops", own.ops},
                                  {"axes", own.axes},
                                  {"times", own.times},
                                  {"flops", own.flops}});
  return out;
}

static Json toJson(const DeviceKernels &own) {
  Json list = Json::array();
  for (const DeviceKernels::Kernel &kernel : own.kernels)
    list.push_back({{"name", kernel.name},
                    {"threads", kernel.threads},
                    {"registers", kernel.use.registers},
                    {"shared", kernel.use.shared},
                    {"local", kernel.use.stack},
                    {"occupancy", kernel.use.occupancy}});
  return list;
}

std::string writeReport(const Report &report) {
  Json out = Json::object();
  if (!report.mesh.empty()) {
    out["mesh"] = Json::object();
    for (const auto &[name, size] : report.mesh)
      out["mesh"][name] = size;
    out["devices"] = report.devices;
  }
  if (!report.machine.empty())
    out["machine"] = report.machine;
  if (report.machineByDefault)
    out["machine_by_default"] = true;
  out["precision"] = report.precision;
  if (report.zero)
    out["zero"] = *report.zero;
  if (report.microbatches)
    out["microbatches"] = *report.microbatches;
  if (report.schedule)
    out["schedule"] = *report.schedule;
  if (report.batch.samples > 0) {
    out["batch"] = {{"samples", report.batch.samples}};
    if (report.batch.tokens > 0)
      out["batch"]["tokens"] = report.batch.tokens;
  }
  if (const MemoryReport *worst = report.worst()) {
    out["memory"] = toJson(*worst);
    out["memory"]["caller_inputs"] = report.mostCallerInputs();
    out["memory_by_stage"] = Json::array();
    for (const MemoryReport &stage : report.stages)
      out["memory_by_stage"].push_back(toJson(stage));
  }
  for (const DeviceKernels &own : report.devicesOfKernels)
    out["kernels"][own.device] = toJson(own);
  if (report.executedFlops)
    out["flops"] = flopsOf(report);
  else if (report.modelFlops)
    out["flops"] = {{"model", *report.modelFlops}};
  if (!report.mesh.empty()) {
    out["collectives"] = Json::array();
    for (const CollectiveReport &one : report.collectives) {
      // Keys of `mesh`, each once.
      std::vector<std::string> axes, parts;
      for (const std::string &name : one.axes) {
        std::string whole = dist::wholeAxisName(name).str();
        if (llvm::find(axes, whole) == axes.end())
          axes.push_back(whole);
        if (whole != name)
          parts.push_back(name);
      }
      out["collectives"].push_back({{"kind", one.kind()},
                                    {"axes", axes},
                                    {"bytes", one.bytes()},
                                    {"times", one.times},
                                    {"what", one.what},
                                    {"tasks", one.tasks},
                                    {"stage", one.stage},
                                    {"value", one.value},
                                    {"why", one.why}});
      if (!parts.empty())
        out["collectives"].back()["parts"] = parts;
      if (one.bucket >= 0)
        out["collectives"].back()["bucket"] = one.bucket;
    }
  }
  for (const KernelTraffic &own : report.traffic)
    out["traffic"].push_back({{"name", own.name},
                              {"group", getName(own.group).str()},
                              {"tasks", own.tasks},
                              {"stage", own.stage},
                              {"times", own.times},
                              {"read", static_cast<int64_t>(own.read)},
                              {"written", static_cast<int64_t>(own.written)}});
  if (report.attentions || !report.attentionsLeft.empty()) {
    out["attention"] = {{"recognized", report.attentions},
                        {"left", Json::array()}};
    for (const AttentionLeft &left : report.attentionsLeft)
      out["attention"]["left"].push_back({{"place", left.place},
                                          {"why", left.why},
                                          {"op", left.op},
                                          {"at", left.at},
                                          {"times", left.times}});
  }
  if (!report.compressed.empty()) {
    out["compressed"] = Json::array();
    for (const auto &[format, sum] : sumCompressed(report))
      out["compressed"].push_back({{"form", planning::getName(format)},
                                   {"values", sum.values},
                                   {"bytes", sum.bytes},
                                   {"whole", sum.whole}});
  }
  if (report.offloaded)
    out["offloaded"] = {{"bytes", report.offloaded->bytes},
                        {"residuals", report.offloaded->residuals},
                        {"states", report.offloaded->states},
                        {"seconds", report.offloaded->seconds}};
  for (const PaddedDim &padded : report.waste)
    out["waste"].push_back(toJson(padded));
  if (report.predicted)
    out["predicted"] = toJson(*report.predicted);
  if (report.predicted && report.predicted->stepSeconds > 0 &&
      report.batch.samples > 0)
    out["predicted"]
       [report.batch.tokens ? "tokens_per_second" : "samples_per_second"] =
           report.perSecond();
  out["compile_seconds"] = {{"total", report.totalSeconds}};
  for (const auto &[phase, seconds] : report.compileSeconds)
    out["compile_seconds"][phase] = seconds;
  // Names come from files; what is not UTF-8 in them must not stop a report.
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace zcc
