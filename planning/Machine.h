// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine descriptions (machine.proto) as plain structures, and their reader.
// Seconds, bytes, bytes a second, operations a second.
#ifndef ZCC_PLANNING_MACHINE_H
#define ZCC_PLANNING_MACHINE_H

#include "planning/MachineFacts.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::planning {

/// A product that was timed: `batch` of an m x k by a k x n matrix.
struct ProductSample {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  double efficiency = 1; // share of the peak
};

/// A rate that depends on a size, a second.
struct RateSample {
  double bytes = 0, rate = 0;
};

struct MachinePeak {
  std::string type; // f64, f32, tf32, bf16, f16, f8, i8
  double flops = 0, efficiency = 1;
  double vectorFlops = 0;     // of other arithmetic than products
  double transcendentals = 0; // functions a second; 0: unknown
  double prologues = 0; // computed elements of operands a second; 0: unknown
  // The same of operands that are contracted over another dim than their last,
  // by the bytes of a row.
  std::vector<RateSample> transposedPrologues;
  std::vector<ProductSample> products;
};

struct MachineMemory {
  std::string name; // device, host, cxl, nvme
  double bytes = 0; // of a device; of a node if `perNode`
  bool perNode = false;
  double bandwidth = 0; // 0: unknown
  bool bandwidthPerNode = false;
  double latency = 0, efficiency = 1;
  double localBandwidth = 0;       // of the host's cores, a node; 0: unknown
  std::vector<RateSample> samples; // bandwidth of kernels by their bytes
};

struct MachineLink {
  std::string name;
  int64_t devices = 0; // consecutive ones that it connects; 0: all
  double latency = 0, bandwidth = 0, efficiency = 1;
  double treeEfficiency = 0; // of a ring's bandwidth; 0: unknown
  int64_t units = 0;         // of a device's, that a collective takes
};

struct Machine {
  std::string name, device;
  int64_t devicesPerNode = 0; // 0: all ranks are on one node
  // Peaks, capacities and bandwidths of memory and links are those of a node,
  // whose ranks share them.
  bool ranksShareNode = false;
  std::vector<MachinePeak> peaks;
  std::vector<MachineMemory> memories; // the first is `device`
  std::vector<MachineLink> links;      // inner to outer, the last connects all
  double launchSeconds = 0, libraryBytes = 0;
  int64_t units = 0;      // SMs of a device, cores of a node; 0: unknown
  double forkSeconds = 0; // of a kernel on several cores, beyond the launch
  // Of a collective where ranks outnumber cores, beyond the latency.
  double switchSeconds = 0;
  double dispatchSeconds = 0; // of a host, for each kernel and collective
  double skewSeconds = 0;     // of a collective's crossing, for each doubling

  /// Whether it is described at all.
  bool isKnown() const { return !memories.empty() || !links.empty(); }
  const MachinePeak *findPeak(std::string_view type) const;
  const MachineMemory *findMemory(std::string_view name) const;
  /// Ranks on the fullest node, of `ranks` in all.
  int64_t ranksOnNode(int64_t ranks) const;
  /// Bytes of one of `ranks` devices that programs may use: what libraries hold
  /// is not theirs.
  double bytesPerDevice(int64_t ranks) const;
  /// Bytes of the host's memory for one of `ranks` devices; of ranks on CPUs
  /// those that it has at all, for both. 0: it has none.
  double hostBytesPerDevice(int64_t ranks) const;
  /// Operations a second of one of `ranks` devices, in products of `type`;
  /// those of f32 where there is no figure; 0: unknown.
  double flopsPerDevice(std::string_view type, int64_t ranks) const;
  /// What decisions about memory read.
  MachineFacts getFacts(int64_t ranks) const;
};

/// Reads a description. Returns the errors, a line `FILE:LINE:COL: error: ...`
/// each, or "".
std::string parseMachine(std::string_view text, const std::string &file,
                         Machine &machine);

/// The description as one line of text, which parseMachine reads back equal.
std::string printMachine(const Machine &machine);
/// The same, a line a field.
std::string formatMachine(const Machine &machine);

/// Those that zcc knows by name.
std::vector<std::string> getMachineNames();
/// The text of the machine of that name; empty if there is none.
std::string_view getMachineText(std::string_view name);

} // namespace zcc::planning

#endif
