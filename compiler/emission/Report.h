// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts known about a compilation, as JSON and as a table. Fields that are
// unknown in the phase that was reached are absent.
#ifndef ZCC_COMPILER_EMISSION_REPORT_H
#define ZCC_COMPILER_EMISSION_REPORT_H

#include "compiler/backend/Target.h"
#include "compiler/emission/Traffic.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Distribute/Sharding/StepWork.h"
#include "planning/Collective.h"
#include "planning/MemorySpace.h"
#include "planning/NumberFormat.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

/// Bytes of a device by category; `host` is in the host's memory.
struct MemoryShares {
  int64_t parameters = 0, gradients = 0, optimizer = 0, residuals = 0,
          temporary = 0, workspace = 0, library = 0;
  BySpace<int64_t> away; // of whole arenas in spaces other than the device's

  /// Returns the bytes in the device's arenas.
  int64_t total() const {
    return parameters + gradients + optimizer + residuals + temporary +
           workspace;
  }
};

/// A value that is live at the peak.
struct LargeValue {
  std::string name, category;
  int64_t bytes = 0;
};

/// Values of one size that are live there and whose names differ only in
/// numbers.
struct LargeValues {
  std::string names; // as NameGroup writes them
  std::string category;
  int64_t count = 0, bytes = 0; // bytes of all of them
};

/// Memory of a device of one stage. Each category is its own maximum over the
/// step; `atPeak` and `waste` add up to `peak`.
struct MemoryReport {
  int64_t peak = 0, lowerBound = 0, waste = 0;
  // Bytes of inputs that are read from the memory of the step's caller, beside
  // the peak; 0: inputs are copied to the arena.
  int64_t callerInputs = 0;
  MemoryShares most, atPeak;
  std::vector<LargeValue> largest; // at the peak, largest first
  std::vector<LargeValues> alike;  // the same, with values alike as one
};

struct CollectiveReport {
  planning::Collective account;
  std::vector<std::string> axes; // or parts of axes, `x:(2)2`
  int64_t times = 0;
  std::string what, tasks, value, why;
  int64_t stage = 0;
  int64_t bucket = -1; // collectives of a stage with equal numbers are one step

  std::string kind() const {
    return std::string(planning::getName(account.kind));
  }
  int64_t bytes() const { return static_cast<int64_t>(account.bytes); }
};

/// Attentions of one place, as those of a model's layers, that are computed as
/// products and a softmax for the same reason.
struct AttentionLeft {
  std::string place, why;
  std::string op, at; // that is in the way, and its place; or empty
  int64_t times = 1;
};

/// A dim that is padded, of arguments that differ only in the numbers of their
/// names.
struct PaddedDim {
  std::string values; // as NameGroup writes them
  int64_t count = 1;  // of names
  int64_t dim = 0, extent = 0, padded = 0;
  std::vector<std::string> axes;
  int64_t bytes = 0; // that this adds to the whole arrays, of all of them
};

/// A residual that is kept in a narrower format. Bytes are per microbatch and
/// device; `whole` are those of the uncompressed value.
struct CompressedResidual {
  std::string value;
  planning::NumberFormat format;
  int64_t bytes = 0, whole = 0;
};

/// All residuals that are kept in one format, as CompressedResidual has each.
struct CompressedSum {
  int64_t values = 0, bytes = 0, whole = 0;
};

/// The resources that kernels use on one kind of device, as its assembler
/// reports them.
struct DeviceKernels {
  std::string device;
  struct Kernel {
    std::string name;
    unsigned threads = 0;
    KernelUse use;
  };
  std::vector<Kernel> kernels;
};

/// Values in the host's memory that zcc chose to offload: bytes per device,
/// numbers of values, and the estimated seconds per step.
struct OffloadedValues {
  int64_t bytes = 0, residuals = 0, states = 0;
  double seconds = 0;
};

/// The batch of a step, over all devices: rows of the inputs, and the tokens in
/// them; 0 if no input has tokens, which are integers of shape [rows, length].
struct BatchSize {
  int64_t samples = 0, tokens = 0;
};

struct Report {
  // Facts of the options, which the caller fills.
  std::string machine, precision = "f32";
  bool machineByDefault = false; // neither an option nor the program names it
  std::optional<std::string> schedule;
  size_t considered = 0; // plans that the search considered
  std::vector<std::pair<std::string, double>> compileSeconds; // by phase
  double totalSeconds = 0;
  std::optional<Prediction> predicted;

  // Facts of the module, from addFacts().
  std::vector<std::pair<std::string, int64_t>> mesh; // axes of devices
  int64_t devices = 1;
  std::optional<int64_t> zero; // the ZeRO stage
  int64_t kept = 0;            // bytes of gathered parameters that zcc keeps
  std::optional<int64_t> microbatches;
  BatchSize batch; // 0 before phase `tasks`, and if there are no inputs
  // Operations of a step over all devices. `modelFlops` counts each operation
  // of the model once.
  std::optional<double> modelFlops, executedFlops;
  // The operations that several devices repeat.
  std::optional<distribute::StepWork> work;
  int64_t attentions = 0; // recognized attentions
  std::vector<AttentionLeft> attentionsLeft;
  std::vector<CompressedResidual> compressed;
  std::optional<OffloadedValues> offloaded;
  std::vector<PaddedDim> waste;     // most bytes first
  std::vector<MemoryReport> stages; // empty before phase `planned`
  std::vector<CollectiveReport> collectives;
  std::vector<KernelTraffic> traffic; // empty before phase `scheduled`

  // From addKernels(); empty if the kernels were not assembled.
  std::vector<DeviceKernels> devicesOfKernels;

  /// Predicted tokens a second, or samples where there are no tokens; there
  /// must be a prediction.
  double perSecond() const {
    return static_cast<double>(batch.tokens ? batch.tokens : batch.samples) /
           predicted->stepSeconds;
  }
  /// The stage with the largest peak.
  const MemoryReport *worst() const;
  /// The most bytes of inputs that a device of any stage reads from the
  /// caller's memory: the fullest stage may read none.
  int64_t mostCallerInputs() const;
};

/// Counts the operations of @step in phase `step` and records them in the
/// module.
void recordModelFlops(mlir::ModuleOp module);

/// Counts the operations that partitioning added, in phase `partitioned`, and
/// records them.
void recordAddedWork(mlir::ModuleOp module);

/// Fills the fields that can be read from the module, whatever its phase.
mlir::LogicalResult addFacts(mlir::ModuleOp module, Report &report);

/// Returns what is kept in each format.
std::map<planning::NumberFormat, CompressedSum>
sumCompressed(const Report &report);

/// Adds the resources that the kernels use on their devices to the report.
void addKernels(const CompiledKernels &kernels, Report &report);

std::string writeReport(const Report &report); // JSON
/// A table for people, of at most 45 lines of at most 120 columns: lists show
/// the largest entries and what the others come to.
std::string formatReport(const Report &report);
/// "data=2, pipe=2 (4 devices, cpu)".
std::string formatMesh(const Report &report);
/// "loss.mlir on data=2, pipe=2 (4 devices, cpu)": the title of a picture.
/// `model` is the file of the text.
std::string formatProgram(const std::string &model, const Report &report);
/// "42 ms a step, MFU 43 %, bubble 17.0 %".
std::string formatPrediction(const Prediction &predicted);
/// "blocks.{0-3}.attn.wqkv: dim 2 of 4 over tensor is padded to 6, 4 times,
/// 1.20 MB in all".
std::string formatPadded(const PaddedDim &padded);
/// "1.20 GB  parameters  blocks.{0-3}.mlp.wi, 4 times".
std::string formatAlike(const LargeValues &values);
/// 12345678 as "12.35 MB".
std::string formatBytes(int64_t bytes);
// Returns "1.23 ms" or "-4.5 us".
std::string formatSeconds(double seconds);
/// Returns "12.35 Mflop" for 12345678 operations.
std::string formatFlops(double flops);
/// A description of the work that devices repeat over a set of axes, with its
/// largest ops: "7.47 Mflop over data: train.dot_general at m.py:12, ... and 11
/// more". formatRepeated() returns those with most work first.
struct RepeatedText {
  double flops;
  std::string text;
};
std::vector<RepeatedText> formatRepeated(const distribute::StepWork &work);
/// Returns "2 of the optimizer's state and 3 residuals, 1.20 GB".
std::string formatOffloaded(const OffloadedValues &offloaded);
/// Returns the shares that are not 0: "parameters 1.20 GB, ..., waste 1.00 MB".
std::string formatShares(const MemoryReport &memory);

} // namespace zcc

#endif
