// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that the kernels and copies of a program read and write in its
// device's memory. They are those of the cost model (backend/KernelCost.h).
#ifndef ZCC_COMPILER_EMISSION_TRAFFIC_H
#define ZCC_COMPILER_EMISSION_TRAFFIC_H

#include "mlir/IR/BuiltinOps.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zcc {

/// Traffic is added up by these groups. `Update` is all that runs once a step,
/// after the gradients are known.
enum class TrafficGroup { Product, Attention, Update, Copy, Collective, Other };

llvm::StringRef getName(TrafficGroup group);

/// The equal runs of a kernel, or copies of one size, in a stage's step.
struct KernelTraffic {
  std::string name;  // of the kernel; "copy", "fill" or the collective's kind
  std::string tasks; // forward, backward or update
  TrafficGroup group = TrafficGroup::Other;
  int64_t stage = 0;
  int64_t times = 0;            // runs in a step of a device
  double read = 0, written = 0; // bytes of one run

  double each() const { return read + written; }
  double all() const { return each() * static_cast<double>(times); }
};

/// Returns the traffic of a module in phase `scheduled` or later, the most
/// bytes of a step first; nothing for others.
std::vector<KernelTraffic> measureTraffic(mlir::ModuleOp module);

/// The traffic of what a model does once a layer.
struct LayerTraffic {
  int64_t layers = 0; // runs in a step; 0: nothing repeats
  /// The entries of measureTraffic() that belong to a layer, with `times` of
  /// one layer.
  std::vector<KernelTraffic> kernels;

  double bytes(TrafficGroup group) const;
};

/// Returns the traffic of one layer in the middle of the model: of what runs as
/// often as that kernel of group `Other` which moves most bytes among those
/// that run several times, or a multiple of that. Kernels of the first and the
/// last layer may be others. Updates are not counted.
LayerTraffic findLayer(const std::vector<KernelTraffic> &traffic);

/// Writes a table for people, of each stage (`--explain traffic`).
std::string formatTraffic(const std::vector<KernelTraffic> &traffic);

} // namespace zcc

#endif
