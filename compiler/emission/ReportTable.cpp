// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as a table, and its figures as texts.
#include "compiler/emission/NameGroup.h"
#include "compiler/emission/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <set>

namespace zcc {

/// 12345678 as "12.35 MB".
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

/// "1 device", "2 devices".
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

std::vector<RepeatedText> formatRepeated(const distribute::StepWork &work) {
  struct Sum {
    double flops = 0;
    std::vector<std::string> places; // each once, most first
  };
  std::map<std::string, Sum> sums;
  for (const distribute::StepWork::Repeated &own : work.largest) {
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

// "sm_90: 12 kernels of 16 to 40 registers, occupancy 75 % at least".
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

std::string formatPadded(const PaddedDim &padded) {
  constexpr size_t mostOfName = 36;
  std::string out = shorten(padded.values, mostOfName) + ": dim " +
                    std::to_string(padded.dim) + " of " +
                    std::to_string(padded.extent) + " over " +
                    llvm::join(padded.axes, "+") + " is padded to " +
                    std::to_string(padded.padded);
  if (padded.count > 1)
    out += ", " + std::to_string(padded.count) + " times";
  return out + ", " + formatBytes(padded.bytes) + " in all";
}

std::string formatAlike(const LargeValues &values) {
  return formatBytes(values.bytes) + "  " + values.category + "  " +
         values.names +
         (values.count > 1 ? ", " + std::to_string(values.count) + " times"
                           : "");
}

namespace {

/// Writes rows of a name and a value, none wider than a page.
class Table {
public:
  /// Writes one line, or two if the value is too long and has a blank to break
  /// it at.
  void row(llvm::StringRef name, llvm::StringRef value) {
    size_t end = llvm::StringRef::npos;
    if (value.size() > width)
      end = value.take_front(width + 1).rfind(' ');
    if (end == llvm::StringRef::npos)
      return line(name, value);
    line(name, value.take_front(end));
    line("", value.drop_front(end + 1));
  }

  /// Writes one line, and cuts what is too long out of its middle.
  void line(llvm::StringRef name, llvm::StringRef value) {
    llvm::raw_string_ostream stream(out);
    stream << llvm::left_justify(name, margin) << shorten(value, width) << "\n";
  }

  /// Writes a line for each text; if there are over `most`,
  /// the last says how many others there are.
  void list(llvm::StringRef name, llvm::ArrayRef<std::string> texts,
            size_t most) {
    size_t shown = texts.size() > most ? most - 1 : texts.size();
    for (const std::string &text : texts.take_front(shown))
      line(name, text);
    if (shown < texts.size())
      line(name, "and " + std::to_string(texts.size() - shown) + " more");
  }

  std::string take() { return std::move(out); }

private:
  static constexpr size_t columns = 120, margin = 16, width = columns - margin;

  std::string out;
};

} // namespace

std::string formatMesh(const Report &report) {
  std::string mesh;
  for (const auto &[name, size] : report.mesh)
    mesh += (mesh.empty() ? "" : ", ") + name + "=" + std::to_string(size);
  return mesh + " (" + counted(report.devices, "device") +
         (report.machine.empty() ? "" : ", " + report.machine) +
         (report.machineByDefault ? " by default" : "") + ")";
}

std::string formatProgram(const std::string &model, const Report &report) {
  constexpr size_t most = 60;
  // The file and its folder are enough to know it.
  llvm::StringRef own(model);
  size_t file = own.rfind('/');
  if (file != llvm::StringRef::npos && file > 0)
    if (size_t folder = own.rfind('/', file); folder != llvm::StringRef::npos)
      own = own.drop_front(folder + 1);
  std::string name = own == "-" ? "standard input" : shorten(own, most);
  return report.mesh.empty() ? name : name + " on " + formatMesh(report);
}

static void addOptions(const Report &report, Table &table) {
  if (!report.mesh.empty())
    table.row("mesh", formatMesh(report));
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
  table.row("plan", plan);
}

static void addMemory(const Report &report, Table &table) {
  if (const MemoryReport *worst = report.worst()) {
    table.row("memory", formatBytes(worst->peak) + " a device (lower bound " +
                            formatBytes(worst->lowerBound) + ")");
    for (const auto &[name, bytes] : sharesOf(*worst))
      if (bytes != 0)
        table.row("  " + std::string(name), formatBytes(bytes));
    if (int64_t bytes = report.mostCallerInputs())
      table.row("  inputs",
                formatBytes(bytes) + " besides, in the caller's memory");
    if (worst->most.library != 0)
      table.row("  libraries", formatBytes(worst->most.library) + " besides");
    for (const MemorySpaceInfo &space : memorySpaces)
      if (int64_t bytes = worst->most.away[space.space])
        table.row("  " + std::string(space.name),
                  formatBytes(bytes) + " of the " + std::string(space.name) +
                      "'s memory");
  }
  for (const auto &[format, sum] : sumCompressed(report))
    table.row("compressed", counted(sum.values, "residual") + " as " +
                                  std::string(planning::getName(format)) +
                                ": " + formatBytes(sum.bytes) +
                                " a microbatch instead of " +
                                formatBytes(sum.whole));
  if (report.offloaded)
    table.row("offloaded", formatOffloaded(*report.offloaded));
}

static void addArithmetic(const Report &report, Table &table) {
  if (report.executedFlops) {
    double model = report.modelFlops.value_or(*report.executedFlops);
    table.row("arithmetic", formatFlops(model) + " a step, " +
                                formatFlops(*report.executedFlops) +
                                " executed");
  }
  if (!report.work)
    return;
  constexpr double leastShare = 0.01; // of the model's, to be worth a line
  constexpr size_t most = 2;          // of two lines each
  std::vector<RepeatedText> repeated = formatRepeated(*report.work);
  llvm::erase_if(repeated, [&](const RepeatedText &own) {
    return own.flops < leastShare * report.work->model;
  });
  for (const RepeatedText &own : llvm::ArrayRef(repeated).take_front(most))
    table.row("repeated", own.text);
  if (repeated.size() > most)
    table.row("repeated", "over " + std::to_string(repeated.size() - most) +
                              " more sets of axes");
}

/// Returns "42 ms": steps have no more digits than estimates are good for.
static std::string formatStep(double seconds) {
  double ms = seconds * 1e3;
  if (ms < 0.1 || ms >= 1e3)
    return formatSeconds(seconds);
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(ms < 10 ? "%.2f ms" : "%.0f ms", ms);
  return text;
}

std::string formatPrediction(const Prediction &predicted) {
  std::string text;
  llvm::raw_string_ostream line(text);
  line << formatStep(predicted.stepSeconds);
  line << llvm::format(" a step, MFU %.0f %%", predicted.mfu * 100);
  if (predicted.exposedCommunication > 0)
    line << llvm::format(", exposed communication %.1f %%",
                         predicted.exposedCommunication * 100);
  if (predicted.stages.size() > 1)
    line << llvm::format(", bubble %.1f %%", predicted.bubble * 100);
  if (predicted.host > 0)
    line << llvm::format(", waits for the host %.1f %%", predicted.host * 100);
  if (predicted.publishedRows > 0)
    line << "; " << formatStep(predicted.least) << " to "
         << formatStep(predicted.most) << " by "
         << counted(predicted.publishedRows, "published row");
  else
    line << "; no published rows";
  return text;
}

// "16 x 64 tokens, 24.38k tokens/s predicted".
static std::string formatBatch(const Report &report) {
  const BatchSize &batch = report.batch;
  std::string unit = batch.tokens ? "tokens" : "samples",
              text = std::to_string(batch.samples) +
                     (batch.tokens
                          ? " x " + std::to_string(batch.tokens / batch.samples)
                          : "") +
                     " " + unit;
  if (!report.predicted || report.predicted->stepSeconds <= 0)
    return text;
  std::string rate = human(report.perSecond(), "");
  llvm::erase(rate, ' ');
  return text + ", " + rate + " " + unit + "/s predicted";
}

static void addAttention(const Report &report, Table &table) {
  constexpr size_t most = 3;
  std::vector<std::string> texts;
  for (const AttentionLeft &left : report.attentionsLeft)
    texts.push_back(
        "no kernel at " + left.place +
        (left.times > 1 ? ", " + std::to_string(left.times) + " times" : "") +
        ": " + left.why +
        (left.op.empty() ? "" : " (" + left.op + " at " + left.at + ")"));
  if (texts.size() == 1)
    table.row("attention", texts.front());
  else
    table.list("attention", texts, most);
}

static void addPadding(const Report &report, Table &table) {
  constexpr size_t most = 4;
  llvm::ArrayRef<PaddedDim> all(report.waste);
  size_t shown = all.size() > most ? most - 1 : all.size();
  for (const PaddedDim &padded : all.take_front(shown))
    table.line("padding", formatPadded(padded));
  int64_t count = 0, bytes = 0;
  for (const PaddedDim &padded : all.drop_front(shown)) {
    count += padded.count;
    bytes += padded.bytes;
  }
  if (count)
    table.row("padding", "of " + counted(count, "other dim") + ", " +
                             formatBytes(bytes) + " in all");
}

/// Adds volumes by kind and axes. If there are too many, those of fewest bytes
/// are one row.
static void addCommunication(const Report &report, Table &table) {
  constexpr size_t most = 8;
  struct Volume {
    double bytes = 0;
    int64_t times = 0;
  };
  std::map<std::string, Volume> volumes;
  for (const CollectiveReport &one : report.collectives) {
    Volume &volume = volumes[one.kind() + " over " + llvm::join(one.axes, "+")];
    volume.bytes +=
        static_cast<double>(one.bytes()) * static_cast<double>(one.times);
    volume.times += one.times;
  }
  std::vector<std::string> bySize;
  for (const auto &[key, volume] : volumes)
    bySize.push_back(key);
  llvm::stable_sort(bySize, [&](const std::string &a, const std::string &b) {
    return volumes.at(a).bytes > volumes.at(b).bytes;
  });
  std::set<std::string> small;
  if (bySize.size() > most)
    small.insert(bySize.begin() + (most - 1), bySize.end());
  auto format = [](const Volume &volume) {
    return human(volume.bytes, "B") + " in " +
           counted(volume.times, "operation");
  };
  Volume rest;
  for (const auto &[key, volume] : volumes) {
    if (!small.count(key)) {
      table.line("communication", key + ": " + format(volume));
      continue;
    }
    rest.bytes += volume.bytes;
    rest.times += volume.times;
  }
  if (!small.empty())
    table.row("communication",
              std::to_string(small.size()) + " other kinds: " + format(rest));
}

std::string formatReport(const Report &report) {
  Table table;
  addOptions(report, table);
  addMemory(report, table);
  addArithmetic(report, table);
  if (report.predicted)
    table.row("predicted", formatPrediction(*report.predicted));
  if (report.batch.samples > 0)
    table.row("batch", formatBatch(report));
  addAttention(report, table);
  addPadding(report, table);
  addCommunication(report, table);
  constexpr size_t mostDevices = 3;
  std::vector<std::string> kernels;
  for (const DeviceKernels &own : report.devicesOfKernels)
    kernels.push_back(formatKernels(own));
  table.list("kernels", kernels, mostDevices);
  if (report.totalSeconds > 0) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("%.1f s", report.totalSeconds);
    table.row("compiled in", text);
  }
  return table.take();
}

} // namespace zcc
