// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints machine descriptions. Rules that protobuf cannot express
// (ranges, names, order, required fields) are checked here, and each error
// names the field's place. The ranges exclude figures in other units (GB for
// bytes, TFLOP/s for FLOP/s) and figures that no machine of the next ten years
// reaches.
#include "planning/Machine.h"
#include "planning/TextErrors.h"
#include "planning/machine.pb.h"
#include <google/protobuf/text_format.h>
#include <limits>
#include <set>
#include <sstream>

namespace zcc::planning {
namespace {

namespace pb = google::protobuf;

/// The range of a device's operations per second: less than a processor for
/// watches has, more than a wafer will have.
constexpr double leastFlops = 1e9, mostFlops = 5e17;

/// Reads a message and knows the places of its fields.
class MachineReader {
public:
  MachineReader(const pb::Message &message,
                pb::TextFormat::ParseInfoTree *places, std::string path,
                pb::TextFormat::ParseLocation own, TextErrors &errors)
      : message(message), places(places), path(std::move(path)), own(own),
        errors(errors) {}

  bool has(const char *name) const {
    return message.GetReflection()->HasField(message, field(name));
  }

  void fail(const char *name, const std::string &text) {
    pb::TextFormat::ParseLocation at = own;
    if (name && places) {
      auto found =
          places->GetLocation(field(name), field(name)->is_repeated() ? 0 : -1);
      if (found.line >= 0)
        at = found;
    }
    errors.add(at.line, at.column,
               path + (path.empty() || !name ? "" : ".") + (name ? name : "") +
                   ": " + text);
  }

  /// Returns a figure in [low, high], or `fallback` if it is left out; NaN
  /// means that it is required.
  double number(const char *name, double low, double high, const char *unit,
                double fallback = std::numeric_limits<double>::quiet_NaN()) {
    auto range = [&] {
      std::ostringstream out;
      out << "expected " << unit << " between " << low << " and " << high;
      return out.str();
    };
    if (!has(name)) {
      if (fallback != fallback) {
        fail(name, range() + ", found none");
        return low;
      }
      return fallback;
    }
    const pb::Reflection *reflection = message.GetReflection();
    bool integer =
        field(name)->cpp_type() == pb::FieldDescriptor::CPPTYPE_INT64;
    double value =
        integer
            ? static_cast<double>(reflection->GetInt64(message, field(name)))
            : reflection->GetDouble(message, field(name));
    if (!(value >= low && value <= high)) {
      std::ostringstream out;
      out << range() << ", found " << value;
      fail(name, out.str());
      return low; // an integer can represent it
    }
    return value;
  }

  double efficiency() {
    return number("efficiency", 1e-3, 1, "a share of the figure", 1);
  }

  /// Returns the name, which must be one of `choices` and not in `seen`.
  std::string name(const char *name, const std::vector<std::string> &choices,
                   std::set<std::string> &seen) {
    std::string value =
        message.GetReflection()->GetString(message, field(name));
    std::string list;
    bool known = choices.size() == 0 && !value.empty();
    for (const std::string &choice : choices) {
      known |= value == choice;
      list += (list.empty() ? "one of " : ", ") + choice;
    }
    if (!known)
      fail(name, "expected " + (list.empty() ? "a name" : list) + ", found '" +
                     value + "'");
    else if (!seen.insert(value).second)
      fail(name, "'" + value + "' stands twice");
    return value;
  }

  /// Returns the reader of a message; `index` is that in a repeated field.
  MachineReader nested(const char *name, int index = -1) {
    const pb::Reflection *reflection = message.GetReflection();
    const pb::Message &child =
        index < 0 ? reflection->GetMessage(message, field(name))
                  : reflection->GetRepeatedMessage(message, field(name), index);
    return {child,
            places ? places->GetTreeForNested(field(name), index) : nullptr,
            name,
            places ? places->GetLocation(field(name), index)
                   : pb::TextFormat::ParseLocation(),
            errors};
  }

private:
  const pb::FieldDescriptor *field(const char *name) const {
    return message.GetDescriptor()->FindFieldByName(name);
  }

  const pb::Message &message;
  pb::TextFormat::ParseInfoTree *places;
  std::string path;
  pb::TextFormat::ParseLocation own;
  TextErrors &errors;
};

/// Adds a sample, which must have more bytes than those before it.
void readRate(MachineReader reader, const char *unit,
              std::vector<RateSample> &samples) {
  RateSample sample;
  sample.bytes = reader.number("bytes", 1, 1e15, "bytes");
  sample.rate = reader.number("rate", 1e5, mostFlops, unit);
  if (!samples.empty() && sample.bytes <= samples.back().bytes)
    reader.fail("bytes", "expected more than those of the sample before, "
                         "found no more");
  samples.push_back(sample);
}

/// Returns the text of an error: a figure is above the one that bounds it.
std::string contradicts(const char *bound, const char *unit, double most,
                        double found) {
  std::ostringstream out;
  out << "expected no more " << unit << " than " << bound << ", which is "
      << most << ", found " << found;
  return out.str();
}

/// Devices reach no more than their peaks. On CPUs a peak is a measured rate,
/// which other measurements may exceed.
bool hasFirmPeaks(const Machine &machine) { return !machine.ranksShareNode; }

void readPeaks(const proto::Machine &message, MachineReader &top,
               Machine &machine) {
  std::set<std::string> seen;
  for (int i = 0; i < message.peaks_size(); ++i) {
    MachineReader reader = top.nested("peaks", i);
    MachinePeak peak;
    peak.type = reader.name(
        "type", {"f64", "f32", "tf32", "bf16", "f16", "f8", "i8"}, seen);
    const char *unit = "operations a second";
    peak.flops = reader.number("flops", leastFlops, mostFlops, unit);
    peak.efficiency = reader.efficiency();
    // The default is the rate of products, if that is a number.
    double same = peak.flops == peak.flops ? peak.flops : 0;
    peak.vectorFlops =
        reader.number("vector_flops", leastFlops / 10, mostFlops, unit, same);
    if (hasFirmPeaks(machine) && peak.vectorFlops > peak.flops)
      reader.fail("vector_flops", contradicts("flops", "operations a second",
                                              peak.flops, peak.vectorFlops));
    const char *share = "a share of flops";
    peak.sustained = reader.number("sustained", 0.05, 1, share, 1);
    peak.attention = reader.number("attention", 1e-3, 1, share, 0);
    peak.attentionBackward =
        reader.number("attention_backward", 1e-3, 1, share, 0);
    if ((peak.attention != 0) != (peak.attentionBackward != 0))
      reader.fail(peak.attention != 0 ? "attention" : "attention_backward",
                  "expected both attention and attention_backward, found one");
    peak.transcendentals = reader.number("transcendentals", 1e5, mostFlops,
                                         "functions a second", 0);
    peak.prologues =
        reader.number("prologues", 1e5, mostFlops, "elements a second", 0);
    for (int j = 0; j < message.peaks(i).transposed_prologues_size(); ++j)
      readRate(reader.nested("transposed_prologues", j), "elements a second",
               peak.transposedPrologues);
    for (int j = 0; j < message.peaks(i).products_size(); ++j) {
      MachineReader one = reader.nested("products", j);
      ProductSample sample;
      auto extent = [&](const char *name, double fallback) {
        return static_cast<int64_t>(
            one.number(name, 1, 1 << 30, "elements", fallback));
      };
      double none = std::numeric_limits<double>::quiet_NaN();
      sample.batch = extent("batch", 1);
      sample.m = extent("m", none);
      sample.n = extent("n", none);
      sample.k = extent("k", none);
      sample.efficiency =
          one.number("efficiency", 1e-6, hasFirmPeaks(machine) ? 1 : 2,
                     "a share of the peak");
      peak.products.push_back(sample);
    }
    machine.peaks.push_back(peak);
  }
  bool unknown = machine.ranksShareNode && machine.peaks.empty();
  if (!unknown && !machine.findPeak("f32"))
    top.fail("peaks", "expected one of type f32, found none");
}

void readMemories(const proto::Machine &message, MachineReader &top,
                  Machine &machine) {
  std::set<std::string> seen;
  std::vector<std::string> spaces;
  for (const MemorySpaceInfo &row : memorySpaces)
    spaces.emplace_back(row.name);
  for (int i = 0; i < message.memories_size(); ++i) {
    const proto::Memory &one = message.memories(i);
    MachineReader reader = top.nested("memories", i);
    MachineMemory memory;
    std::string name = reader.name("name", spaces, seen);
    memory.space = findMemorySpace(name).value_or(MemorySpace::Device);
    // Storage may be larger than a processor's own memory.
    memory.bytes = reader.number(
        "bytes", 1e6, isAddressable(memory.space) ? 1e15 : 1e17, "bytes");
    memory.perNode = one.per_node();
    const char *unit = "bytes a second";
    memory.bandwidth =
        machine.ranksShareNode && memory.space == MemorySpace::Device
            ? reader.number("bandwidth", 1e6, 1e15, unit, 0)
            : reader.number("bandwidth", 1e6, 1e15, unit);
    memory.bandwidthPerNode = one.bandwidth_per_node();
    memory.latency = reader.number("latency", 0, 0.1, "seconds", 0);
    memory.efficiency = reader.efficiency();
    memory.localBandwidth =
        reader.number("local_bandwidth", 1e6, 1e15, unit, 0);
    if (memory.localBandwidth != 0 && memory.space != MemorySpace::Host)
      reader.fail("local_bandwidth", "expected none: only 'host' has cores");
    for (int j = 0; j < one.samples_size(); ++j)
      readRate(reader.nested("samples", j), unit, memory.samples);
    if (!memory.samples.empty() && memory.space != MemorySpace::Device)
      reader.fail("samples", "expected none: only 'device' has caches");
    // Fewer bytes may be in caches, which are faster than the memory.
    else if (!memory.samples.empty() && hasFirmPeaks(machine) &&
             memory.samples.back().rate > memory.bandwidth)
      reader.nested("samples", one.samples_size() - 1)
          .fail("rate", contradicts("bandwidth", unit, memory.bandwidth,
                                    memory.samples.back().rate));
    if (i == 0 && name != nameOf(MemorySpace::Device))
      reader.fail("name", "expected 'device' first, found '" + name + "'");
    machine.memories.push_back(memory);
  }
  if (machine.memories.empty())
    top.fail("memories", "expected one named device, found none");
}

void readLinks(const proto::Machine &message, MachineReader &top,
               Machine &machine) {
  std::set<std::string> seen;
  int64_t inner = 1;
  for (int i = 0; i < message.links_size(); ++i) {
    MachineReader reader = top.nested("links", i);
    MachineLink link;
    link.name = reader.name("name", {}, seen);
    link.latency = reader.number("latency", 0, 0.1, "seconds");
    link.bandwidth = reader.number("bandwidth", 1e6, 1e15, "bytes a second");
    link.efficiency = reader.efficiency();
    link.treeEfficiency = reader.number("tree_efficiency", 0.01, 1,
                                        "a share of the ring's bandwidth", 0);
    if (reader.has("units"))
      link.units = static_cast<int64_t>(
          reader.number("units", 0, static_cast<double>(machine.units) / 2,
                        "units, at most half of a device's,"));
    link.sharers =
        static_cast<int64_t>(reader.number("sharers", 1, 65536, "devices", 1));
    link.scaleEfficiency = reader.number(
        "scale_efficiency", 0.5, 1, "a share of the bandwidth, a doubling,", 1);
    bool last = i + 1 == message.links_size();
    if (last && reader.has("devices"))
      reader.fail("devices",
                  "expected none: the last link connects all devices");
    if (!last) {
      link.devices =
          static_cast<int64_t>(reader.number("devices", 2, 1 << 24, "devices"));
      if (link.devices <= inner)
        reader.fail("devices", "expected more than the " +
                                   std::to_string(inner) +
                                   " of the level before, found " +
                                   std::to_string(link.devices));
      else if (link.devices % inner != 0)
        reader.fail("devices", "expected a multiple of the " +
                                   std::to_string(inner) +
                                   " of the level before, found " +
                                   std::to_string(link.devices));
      inner = std::max(link.devices, int64_t(1));
    }
    machine.links.push_back(link);
  }
  if (machine.links.empty() && !machine.ranksShareNode &&
      machine.devicesPerNode > 1)
    top.fail("devices_per_node", "expected a link that connects the " +
                                     std::to_string(machine.devicesPerNode) +
                                     " devices, found no links");
}

void readPublished(const proto::Machine &message, MachineReader &top,
                   Machine &machine) {
  if (!message.has_published())
    return;
  MachineReader reader = top.nested("published");
  PublishedSteps &own = machine.published;
  own.rows =
      static_cast<int64_t>(reader.number("rows", 1, 1e6, "measured steps"));
  const char *unit = "an error relative to the measured step";
  own.low = reader.number("low", -0.99, 100, unit);
  own.high = reader.number("high", -0.99, 100, unit);
  if (reader.has("low") && reader.has("high") && own.low > own.high)
    reader.fail("low", "expected no more than high, found more");
}

void readMultiprocessor(const proto::Machine &message, MachineReader &top,
                        Machine &machine) {
  if (!message.has_multiprocessor())
    return;
  MachineReader reader = top.nested("multiprocessor");
  if (machine.ranksShareNode)
    reader.fail(nullptr, "expected none: ranks on cores have no "
                         "multiprocessors");
  else if (machine.units == 0)
    reader.fail(nullptr, "expected their number, units, too, found none");
  Multiprocessor &own = machine.multiprocessor;
  auto whole = [&](const char *name, double low, double high,
                   const char *unit) {
    return static_cast<int64_t>(reader.number(name, low, high, unit));
  };
  own.clock = reader.number("clock", 1e8, 1e11, "cycles a second");
  own.issue = reader.number("issue", 0.25, 64, "instructions a cycle");
  own.threads = whole("threads", 32, 1 << 16, "threads");
  own.blocks = whole("blocks", 1, 1 << 12, "blocks");
  own.registers = whole("registers", 1 << 10, 1 << 24, "registers");
  own.sharedBytes = reader.number("shared_bytes", 1e3, 1e9, "bytes");
  own.memoryLatency = reader.number("memory_latency", 1e-9, 1e-4, "seconds");
  own.cacheLatency = reader.number("cache_latency", 1e-9, 1e-4, "seconds");
  if (own.cacheLatency > own.memoryLatency)
    reader.fail("cache_latency",
                contradicts("memory_latency", "seconds", own.memoryLatency,
                            own.cacheLatency));
}

} // namespace

std::string parseMachine(std::string_view text, const std::string &file,
                         Machine &machine) {
  machine = Machine();
  TextErrors errors(file);
  proto::Machine message;
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(std::string(text), &message)) {
    if (errors.text.empty())
      errors.add(0, 0, "expected a machine description");
    return errors.text;
  }
  for (proto::Memory &memory : *message.mutable_memories())
    if (memory.name() == "nvme") // as older files call it
      memory.set_name(std::string(nameOf(MemorySpace::Disk)));
  MachineReader top(message, &places, "", {}, errors);
  std::set<std::string> names;
  machine.name = top.name("name", {}, names);
  machine.device = message.device();
  machine.ranksShareNode = message.ranks_share_node();
  bool optional = machine.ranksShareNode;
  machine.devicesPerNode = static_cast<int64_t>(
      optional ? top.number("devices_per_node", 1, 65536, "devices", 0)
               : top.number("devices_per_node", 1, 65536, "devices"));
  readPeaks(message, top, machine);
  readMemories(message, top, machine);
  machine.units =
      static_cast<int64_t>(top.number("units", 1, 65536, "units", 0));
  readLinks(message, top, machine);
  machine.launchSeconds = top.number("launch_seconds", 0, 0.1, "seconds", 0);
  double most = machine.memories.empty() ? 1e15 : machine.memories[0].bytes / 2;
  machine.libraryBytes = top.number("library_bytes", 0, most, "bytes", 0);
  machine.forkSeconds = top.number("fork_seconds", 0, 0.1, "seconds", 0);
  machine.switchSeconds = top.number("switch_seconds", 0, 0.1, "seconds", 0);
  machine.dispatchSeconds =
      top.number("dispatch_seconds", 0, 0.1, "seconds", 0);
  machine.skewSeconds = top.number("skew_seconds", 0, 0.1, "seconds", 0);
  readPublished(message, top, machine);
  readMultiprocessor(message, top, machine);
  return errors.text;
}

static proto::Machine toMessage(const Machine &machine) {
  proto::Machine message;
  message.set_name(machine.name);
  message.set_device(machine.device);
  if (machine.devicesPerNode != 0)
    message.set_devices_per_node(machine.devicesPerNode);
  message.set_ranks_share_node(machine.ranksShareNode);
  for (const MachinePeak &peak : machine.peaks) {
    proto::Peak *out = message.add_peaks();
    out->set_type(peak.type);
    out->set_flops(peak.flops);
    out->set_efficiency(peak.efficiency);
    out->set_vector_flops(peak.vectorFlops);
    if (peak.transcendentals != 0)
      out->set_transcendentals(peak.transcendentals);
    if (peak.sustained != 1)
      out->set_sustained(peak.sustained);
    if (peak.attention != 0) {
      out->set_attention(peak.attention);
      out->set_attention_backward(peak.attentionBackward);
    }
    if (peak.prologues != 0)
      out->set_prologues(peak.prologues);
    for (const RateSample &sample : peak.transposedPrologues) {
      proto::RateSample *rate = out->add_transposed_prologues();
      rate->set_bytes(sample.bytes);
      rate->set_rate(sample.rate);
    }
    for (const ProductSample &sample : peak.products) {
      proto::ProductSample *product = out->add_products();
      if (sample.batch != 1)
        product->set_batch(sample.batch);
      product->set_m(sample.m);
      product->set_n(sample.n);
      product->set_k(sample.k);
      product->set_efficiency(sample.efficiency);
    }
  }
  for (const MachineMemory &memory : machine.memories) {
    proto::Memory *out = message.add_memories();
    out->set_name(std::string(nameOf(memory.space)));
    out->set_bytes(memory.bytes);
    out->set_per_node(memory.perNode);
    if (memory.bandwidth != 0)
      out->set_bandwidth(memory.bandwidth);
    out->set_bandwidth_per_node(memory.bandwidthPerNode);
    out->set_latency(memory.latency);
    out->set_efficiency(memory.efficiency);
    if (memory.localBandwidth != 0)
      out->set_local_bandwidth(memory.localBandwidth);
    for (const RateSample &sample : memory.samples) {
      proto::RateSample *rate = out->add_samples();
      rate->set_bytes(sample.bytes);
      rate->set_rate(sample.rate);
    }
  }
  for (const MachineLink &link : machine.links) {
    proto::Link *out = message.add_links();
    out->set_name(link.name);
    if (link.devices != 0)
      out->set_devices(link.devices);
    out->set_latency(link.latency);
    out->set_bandwidth(link.bandwidth);
    out->set_efficiency(link.efficiency);
    if (link.treeEfficiency != 0)
      out->set_tree_efficiency(link.treeEfficiency);
    if (link.units != 0)
      out->set_units(link.units);
    if (link.sharers != 1)
      out->set_sharers(link.sharers);
    if (link.scaleEfficiency != 1)
      out->set_scale_efficiency(link.scaleEfficiency);
  }
  message.set_launch_seconds(machine.launchSeconds);
  message.set_library_bytes(machine.libraryBytes);
  if (machine.units != 0)
    message.set_units(machine.units);
  if (machine.forkSeconds != 0)
    message.set_fork_seconds(machine.forkSeconds);
  if (machine.switchSeconds != 0)
    message.set_switch_seconds(machine.switchSeconds);
  if (machine.dispatchSeconds != 0)
    message.set_dispatch_seconds(machine.dispatchSeconds);
  if (machine.skewSeconds != 0)
    message.set_skew_seconds(machine.skewSeconds);
  if (machine.published.rows != 0) {
    message.mutable_published()->set_rows(machine.published.rows);
    message.mutable_published()->set_low(machine.published.low);
    message.mutable_published()->set_high(machine.published.high);
  }
  if (const Multiprocessor &own = machine.multiprocessor; own.isKnown()) {
    proto::Multiprocessor &out = *message.mutable_multiprocessor();
    out.set_clock(own.clock);
    out.set_issue(own.issue);
    out.set_threads(own.threads);
    out.set_blocks(own.blocks);
    out.set_registers(own.registers);
    out.set_shared_bytes(own.sharedBytes);
    out.set_memory_latency(own.memoryLatency);
    out.set_cache_latency(own.cacheLatency);
  }
  return message;
}

std::string printMachine(const Machine &machine) {
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(toMessage(machine), &text);
  while (!text.empty() && text.back() == ' ')
    text.pop_back();
  return text;
}

std::string formatMachine(const Machine &machine) {
  pb::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(toMessage(machine), &text);
  return text;
}

} // namespace zcc::planning
