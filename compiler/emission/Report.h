// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a compilation, as JSON and as a table. Fields that the phase
// that was reached does not know are absent.
#ifndef ZCC_COMPILER_EMISSION_REPORT_H
#define ZCC_COMPILER_EMISSION_REPORT_H

#include "compiler/backend/Target.h"
#include "planning/Collective.h"
#include "compiler/simulator/Prediction.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Distribute/StepWork.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

/// Bytes by category.
struct MemoryShares {
  int64_t parameters = 0, gradients = 0, optimizer = 0, residuals = 0,
          temporary = 0, workspace = 0, library = 0, host = 0;

  /// Of what is in an arena of the device.
  int64_t total() const {
    return parameters + gradients + optimizer + residuals + temporary +
           workspace;
  }
};

/// A value that is live where most memory is in use.
struct LargeValue {
  std::string name, category;
  int64_t bytes = 0;
};

/// Memory of a device of one stage. Each category is its own maximum over the
/// step; `atPeak` and `waste` add up to `peak`.
struct MemoryReport {
  int64_t peak = 0, lowerBound = 0, waste = 0;
  MemoryShares most, atPeak;
  std::vector<LargeValue> largest; // at the peak, largest first
};

struct CollectiveReport {
  planning::Collective account;
  std::vector<std::string> axes; // or parts of them, `x:(2)2`
  int64_t times = 0;
  std::string what, tasks, value, why;
  int64_t stage = 0;
  int64_t bucket = -1; // of a stage: those with one number run as one step

  std::string kind() const {
    return std::string(planning::getName(account.kind));
  }
  int64_t bytes() const { return static_cast<int64_t>(account.bytes); }
};

/// An attention that is computed as products and a softmax.
struct AttentionLeft {
  std::string place, why;
  std::string op, at; // that is in the way, and its place; or empty
};

/// What waits for the backward pass in a narrower form, bytes of a microbatch
/// on a device; `whole`: of the value itself.
struct CompressedResidual {
  std::string value, form; // bf16, f8 or int8
  int64_t bytes = 0, whole = 0;
};

/// What the kernels take of one kind of device, as its assembler says.
struct DeviceKernels {
  std::string device;
  struct Kernel {
    std::string name;
    unsigned threads = 0;
    KernelUse use;
  };
  std::vector<Kernel> kernels;
};

/// What lives in the host's memory of a device, where that was chosen by its
/// price; seconds of a step, by estimate.
struct OffloadedValues {
  int64_t bytes = 0, residuals = 0, states = 0;
  double seconds = 0;
};

struct Report {
  // Facts of the options, which the caller fills.
  std::string machine, precision = "f32";
  bool machineByDefault = false; // named neither by an option nor the text
  std::optional<std::string> schedule;
  size_t considered = 0; // plans, where one was chosen
  std::vector<std::pair<std::string, double>> compileSeconds; // by phase
  double totalSeconds = 0;
  std::optional<Prediction> predicted;

  // Facts of the module, from addFacts().
  std::vector<std::pair<std::string, int64_t>> mesh; // axes of devices
  int64_t devices = 1;
  std::optional<int64_t> zero; // the stage that is used
  int64_t kept = 0; // bytes of gathered parameters, kept by zcc's choice
  std::optional<int64_t> microbatches;
  // Of all devices; of the model each operation counts once.
  std::optional<double> modelFlops, executedFlops;
  std::optional<dist::StepWork> work; // what of them devices repeat
  int64_t attentions = 0;             // that were recognized
  std::vector<AttentionLeft> attentionsLeft;
  std::vector<CompressedResidual> compressed;
  std::optional<OffloadedValues> offloaded;
  std::vector<std::string> waste;   // by padding, a sentence each
  std::vector<MemoryReport> stages; // empty before phase `planned`
  std::vector<CollectiveReport> collectives;

  // From addKernels(); empty where nobody has assembled them.
  std::vector<DeviceKernels> devicesOfKernels;

  /// The stage with the largest peak.
  const MemoryReport *worst() const;
};

/// Counts the operations of @step at phase `step`.
void recordModelFlops(mlir::ModuleOp module);

/// Counts those that partitioning has added, at phase `partitioned`.
void recordAddedWork(mlir::ModuleOp module);

/// Fills the fields that can be read from the module, whatever its phase.
mlir::LogicalResult addFacts(mlir::ModuleOp module, Report &report);

/// What the kernels' devices say of them.
void addKernels(const CompiledKernels &kernels, Report &report);

std::string writeReport(const Report &report);  // JSON
std::string formatReport(const Report &report); // a table for people
/// 12345678 as "12.35 MB".
std::string formatBytes(int64_t bytes);
// "1.23 ms", "-4.5 us".
std::string formatSeconds(double seconds);
/// 12345678 operations as "12.35 Mflop".
std::string formatFlops(double flops);
/// For each set of axes over which devices repeat work, those that repeat most
/// first: the work, and the largest of it: "7.47 Mflop over data:
/// train.dot_general at m.py:12, ... and 11 more".
struct RepeatedText {
  double flops;
  std::string text;
};
std::vector<RepeatedText> formatRepeated(const dist::StepWork &work);
/// "2 of the optimizer's state and 3 residuals, 1.20 GB".
std::string formatOffloaded(const OffloadedValues &offloaded);
/// "parameters 1.20 GB, ..., waste 1.00 MB": the shares that are not 0.
std::string formatShares(const MemoryReport &memory);

} // namespace zcc

#endif
