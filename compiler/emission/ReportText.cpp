// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON and as a table.
#include "compiler/emission/Report.h"

#include "dialects/Dist/AxisNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <nlohmann/json.hpp>

namespace zcc {

using Json = nlohmann::ordered_json;

static Json toJson(const MemoryShares &shares) {
  return {{"parameters", shares.parameters}, {"gradients", shares.gradients},
          {"optimizer", shares.optimizer},   {"residuals", shares.residuals},
          {"temporary", shares.temporary},   {"workspace", shares.workspace},
          {"library", shares.library},       {"host", shares.host}};
}

static Json toJson(const MemoryReport &memory) {
  Json out = {{"peak", memory.peak}};
  out.update(toJson(memory.most));
  out["lower_bound"] = memory.lowerBound;
  out["at_peak"] = toJson(memory.atPeak);
  out["at_peak"]["waste"] = memory.waste;
  out["largest"] = Json::array();
  for (const LargeValue &value : memory.largest)
    out["largest"].push_back({{"name", value.name},
                              {"category", value.category},
                              {"bytes", value.bytes}});
  return out;
}

/// Returns the busy seconds by stream; stream 0 is computation.
static Json streamsOf(const StagePrediction &stage) {
  Json out = Json::object();
  for (auto &[stream, seconds] : stage.busy)
    out[std::to_string(stream)] = seconds;
  return out;
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
  return out;
}

static Json flopsOf(const Report &report) {
  double executed = *report.executedFlops,
         model = report.modelFlops.value_or(executed);
  Json out = {{"model", model}, {"executed", executed}};
  if (!report.work)
    return out;
  const dist::StepWork &work = *report.work;
  out["repeated"] = work.repeated;
  out["padding"] = work.padding;
  out["added"] = work.added;
  out["recomputed"] = executed - model - work.more();
  out["repeated_by"] = Json::array();
  for (const dist::StepWork::Repeated &own : work.largest)
    out["repeated_by"].push_back({{"op", own.op},
                                  {"value", own.value},
                                  {"tasks", own.tasks},
                                  {"ops", own.ops},
                                  {"axes", own.axes},
                                  {"times", own.times},
                                  {"flops", own.flops}});
  return out;
}

/// Returns for each form the number of residuals, their bytes, and their
/// uncompressed bytes.
static std::map<std::string, std::array<int64_t, 3>>
sumCompressed(const Report &report) {
  std::map<std::string, std::array<int64_t, 3>> sums;
  for (const CompressedResidual &own : report.compressed) {
    std::array<int64_t, 3> &sum = sums[own.form];
    sum[0] += 1;
    sum[1] += own.bytes;
    sum[2] += own.whole;
  }
  return sums;
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
  if (const MemoryReport *worst = report.worst()) {
    out["memory"] = toJson(*worst);
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
      // `axes` gets the keys of `mesh`, each once.
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
  if (report.attentions || !report.attentionsLeft.empty()) {
    out["attention"] = {{"recognized", report.attentions},
                        {"left", Json::array()}};
    for (const AttentionLeft &left : report.attentionsLeft)
      out["attention"]["left"].push_back({{"place", left.place},
                                          {"why", left.why},
                                          {"op", left.op},
                                          {"at", left.at}});
  }
  if (!report.compressed.empty()) {
    out["compressed"] = Json::array();
    for (const auto &[form, sum] : sumCompressed(report))
      out["compressed"].push_back({{"form", form},
                                   {"values", sum[0]},
                                   {"bytes", sum[1]},
                                   {"whole", sum[2]}});
  }
  if (report.offloaded)
    out["offloaded"] = {{"bytes", report.offloaded->bytes},
                        {"residuals", report.offloaded->residuals},
                        {"states", report.offloaded->states},
                        {"seconds", report.offloaded->seconds}};
  if (!report.waste.empty())
    out["waste"] = report.waste;
  if (report.predicted)
    out["predicted"] = toJson(*report.predicted);
  out["compile_seconds"] = {{"total", report.totalSeconds}};
  for (const auto &[phase, seconds] : report.compileSeconds)
    out["compile_seconds"][phase] = seconds;
  // Names come from files; text that is not UTF-8 must not stop a report.
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Returns "12.35 MB" for 12345678 and "B".
static std::string human(double amount, const char *unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t i = 0;
  for (; amount >= 1000 && i + 1 < std::size(prefixes); ++i)
    amount /= 1000;
  std::string out;
  llvm::raw_string_ostream stream(out);
  stream << llvm::format(i == 0 ? "%.0f %s%s" : "%.2f %s%s", amount,
                         prefixes[i], unit);
  return out;
}

std::string formatSeconds(double seconds) {
  double size = std::abs(seconds);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (seconds < 0 ? "-" : "");
  if (size >= 1)
    os << llvm::format("%.2f s", size);
  else if (size >= 1e-3)
    os << llvm::format("%.2f ms", size * 1e3);
  else
    os << llvm::format("%.1f us", size * 1e6);
  return text;
}

std::string formatBytes(int64_t bytes) {
  return human(static_cast<double>(bytes), "B");
}

/// Returns "1 device" or "2 devices".
static std::string counted(int64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun +
         (count == 1           ? ""
          : noun.back() == 'h' ? "es"
                               : "s");
}

std::string formatOffloaded(const OffloadedValues &offloaded) {
  std::string text;
  if (offloaded.states > 0)
    text = std::to_string(offloaded.states) + " of the optimizer's state";
  if (offloaded.residuals > 0)
    text += (text.empty() ? "" : " and ") +
            counted(offloaded.residuals, "residual");
  return text + ", " + formatBytes(offloaded.bytes);
}

std::string formatFlops(double flops) { return human(flops, "flop"); }

std::vector<RepeatedText> formatRepeated(const dist::StepWork &work) {
  struct Sum {
    double flops = 0;
    std::vector<std::string> places; // each once, most first
  };
  std::map<std::string, Sum> sums;
  for (const dist::StepWork::Repeated &own : work.largest) {
    std::string axes;
    for (const std::string &axis : own.axes)
      axes += (axes.empty() ? "" : "+") + axis;
    Sum &sum = sums[axes];
    sum.flops += own.flops;
    std::string place = own.op + (own.value.empty() ? "" : " at " + own.value);
    if (!llvm::is_contained(sum.places, place))
      sum.places.push_back(place);
  }
  constexpr size_t most = 3;
  std::vector<RepeatedText> out;
  for (const auto &[axes, sum] : sums) {
    std::string text = formatFlops(sum.flops) + " over " + axes + ": ";
    for (size_t i = 0; i < std::min(most, sum.places.size()); ++i)
      text += (i ? ", " : "") + sum.places[i];
    if (sum.places.size() > most)
      text += " and " + std::to_string(sum.places.size() - most) + " more";
    out.push_back({sum.flops, std::move(text)});
  }
  llvm::sort(out, [](const RepeatedText &a, const RepeatedText &b) {
    return a.flops != b.flops ? a.flops > b.flops : a.text < b.text;
  });
  return out;
}

/// Returns the shares that add up to the peak.
static std::vector<std::pair<const char *, int64_t>>
sharesOf(const MemoryReport &memory) {
  const MemoryShares &shares = memory.atPeak;
  return {{"parameters", shares.parameters},
          {"gradients", shares.gradients},
          {"optimizer", shares.optimizer},
          {"residuals", shares.residuals},
          {"temporary", shares.temporary},
          {"workspace", shares.workspace},
          {"library", shares.library},
          {"host", shares.host},
          {"waste", memory.waste}};
}

std::string formatShares(const MemoryReport &memory) {
  std::string out;
  for (const auto &[name, bytes] : sharesOf(memory))
    if (bytes != 0)
      out += (out.empty() ? "" : ", ") + std::string(name) + " " +
             formatBytes(bytes);
  return out;
}

// Returns "sm_90: 12 kernels of 16 to 40 registers, occupancy 75 % at least".
static std::string formatKernels(const DeviceKernels &own) {
  unsigned least = ~0u, most = 0, local = 0;
  double occupancy = 1;
  for (const DeviceKernels::Kernel &kernel : own.kernels) {
    least = std::min(least, kernel.use.registers);
    most = std::max(most, kernel.use.registers);
    occupancy = std::min(occupancy, kernel.use.occupancy);
    local += kernel.use.stack != 0;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << own.device << ": "
         << counted(static_cast<int64_t>(own.kernels.size()), "kernel")
         << " of " << least << " to " << most << " registers"
         << llvm::format(", occupancy %.0f %% at least", occupancy * 100);
  if (local)
    stream << ", " << local << " with local memory";
  return text;
}

std::string formatReport(const Report &report) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  auto row = [&](llvm::StringRef name, const std::string &value) {
    stream << llvm::left_justify(name, 16) << value << "\n";
  };
  if (!report.mesh.empty()) {
    std::string mesh;
    for (const auto &[name, size] : report.mesh)
      mesh += (mesh.empty() ? "" : ", ") + name + "=" + std::to_string(size);
    row("mesh", mesh + " (" + counted(report.devices, "device") +
                    (report.machine.empty() ? "" : ", " + report.machine) +
                    (report.machineByDefault ? " by default" : "") + ")");
  }
  std::string plan = report.precision;
  if (report.zero)
    plan += ", ZeRO " + std::to_string(*report.zero);
  if (report.kept)
    plan += " (" + formatBytes(report.kept) + " kept once gathered)";
  if (report.microbatches)
    plan += ", " + counted(*report.microbatches, "microbatch");
  if (report.schedule)
    plan += ", " + *report.schedule;
  if (report.considered > 1)
    plan += "; chosen among " + std::to_string(report.considered);
  row("plan", plan);
  if (const MemoryReport *worst = report.worst()) {
    row("memory", human(worst->peak, "B") + " a device (lower bound " +
                      human(worst->lowerBound, "B") + ")");
    for (const auto &[name, bytes] : sharesOf(*worst))
      if (bytes != 0)
        row("  " + std::string(name), human(bytes, "B"));
    if (worst->most.library != 0)
      row("  libraries", human(worst->most.library, "B") + " besides");
    if (worst->most.host != 0)
      row("  host", human(worst->most.host, "B") + " of the host's memory");
  }
  for (const auto &[form, sum] : sumCompressed(report))
    row("compressed", counted(sum[0], "residual") + " as " + form + ": " +
                          human(sum[1], "B") + " a microbatch instead of " +
                          human(sum[2], "B"));
  if (report.offloaded)
    row("offloaded", formatOffloaded(*report.offloaded));
  if (report.executedFlops) {
    double model = report.modelFlops.value_or(*report.executedFlops);
    row("arithmetic", human(model, "flop") + " a step, " +
                          human(*report.executedFlops, "flop") + " executed");
  }
  // The least share of the model's operations that gets a line.
  constexpr double leastShare = 0.01;
  if (report.work)
    for (const RepeatedText &own : formatRepeated(*report.work))
      if (own.flops >= leastShare * report.work->model)
        row("repeated", own.text);
  if (report.predicted) {
    const Prediction &predicted = *report.predicted;
    std::string text;
    llvm::raw_string_ostream line(text);
    double ms = predicted.stepSeconds * 1e3;
    if (ms < 0.1)
      line << llvm::format("%.1f us", ms * 1e3);
    else
      line << llvm::format(ms < 10 ? "%.2f ms" : "%.0f ms", ms);
    line << llvm::format(" a step, MFU %.0f %%", predicted.mfu * 100);
    if (predicted.exposedCommunication > 0)
      line << llvm::format(", exposed communication %.1f %%",
                           predicted.exposedCommunication * 100);
    if (predicted.stages.size() > 1)
      line << llvm::format(", bubble %.1f %%", predicted.bubble * 100);
    if (predicted.host > 0)
      line << llvm::format(", waits for the host %.1f %%",
                           predicted.host * 100);
    row("predicted", text);
  }
  // The volumes are summed by kind and axes.
  std::map<std::string, std::pair<double, int64_t>> volumes;
  for (const CollectiveReport &one : report.collectives) {
    std::string key = one.kind() + " over ";
    for (size_t i = 0; i < one.axes.size(); ++i)
      key += (i ? "+" : "") + one.axes[i];
    auto &[bytes, times] = volumes[key];
    bytes += static_cast<double>(one.bytes()) * static_cast<double>(one.times);
    times += one.times;
  }
  for (const AttentionLeft &left : report.attentionsLeft)
    row("attention",
        "no kernel at " + left.place + ": " + left.why +
            (left.op.empty() ? "" : " (" + left.op + " at " + left.at + ")"));
  for (const std::string &waste : report.waste)
    row("padding", waste);
  for (const auto &[key, volume] : volumes)
    row("communication", key + ": " + human(volume.first, "B") + " in " +
                             counted(volume.second, "operation"));
  for (const DeviceKernels &own : report.devicesOfKernels)
    row("kernels", formatKernels(own));
  if (report.totalSeconds > 0)
    stream << llvm::left_justify("compiled in", 16)
           << llvm::format("%.1f s\n", report.totalSeconds);
  return out;
}

} // namespace zcc
