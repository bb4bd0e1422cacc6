// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says how a training step is distributed, whoever decided it. Options
// fill in the fields that they set; a search (compiler/planner/search) or a
// file fills in the rest; passes read it. plan.proto is its text format,
// PlanValues.h has the short texts of its parts.
//
// A new field also stands in listFields() below, in plan.proto, and in
// readMessage(), writeMessage() and checkMessage() (PlanMessage.cpp): the text,
// the attribute of a module, comparison and merging follow. The option that
// sets it, if there is one, is a row of compiler/phases/Options.cpp and a line
// of OptionValues.cpp; compareOptions()
// (compiler/planner/search/PlanChoice.cpp) refuses an option that contradicts a
// plan from a file. The search tries values of it; the pass that reads it
// documents its meaning.
#ifndef ZCC_PLANNING_PLAN_H
#define ZCC_PLANNING_PLAN_H

#include "planning/AxisRole.h"
#include "planning/Fate.h"
#include "planning/NamedSchedule.h"
#include "planning/NumberFormat.h"
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace zcc::planning {

struct PlanAxis {
  std::string name; // "" if a search shall name it
  int64_t size = 1;

  AxisRole role() const { return roleOf(name); }
  auto parts() const { return std::tie(name, size); }
};

/// A parameter or an input of the model that a plan was made for.
struct PlanValue {
  std::string name;
  std::vector<int64_t> shape;
  bool input = false;

  auto parts() const { return std::tie(name, shape, input); }
};

/// The axes that shard each dim of the values whose names match a glob.
struct PlanAnnotation {
  struct Dim {
    std::vector<std::string> axes; // major to minor
    bool open = false;             // may take further axes
    auto parts() const { return std::tie(axes, open); }
  };
  std::string glob;
  std::vector<Dim> dims;

  auto parts() const { return std::tie(glob, dims); }
};

/// A fact about the optimizer state of the parameters whose names match a glob.
struct PlanState {
  enum class Fact { Stage, Kept, Gathered };
  std::string glob;
  Fact fact = Fact::Stage;
  int stage = 0; // the ZeRO stage, if `fact` is Stage

  auto parts() const { return std::tie(glob, fact, stage); }
};

/// The sharding of a dim of a value or of a factor of an op.
struct PlanShards {
  std::vector<std::string> axes; // major to minor
  int64_t extent = 0;            // the size of the dim, with padding

  auto parts() const { return std::tie(axes, extent); }
};

struct PlanPin {
  int64_t number = 0; // an op's number among those of its name
  std::string name;
  std::vector<PlanShards> shards;
  int line = 0, column = 0; // position in the text, from 1; 0: none

  auto parts() const { return std::tie(number, name, shards); }
};

/// A user asks for a policy of many values at once. Passes then decide on the
/// fate of each single value.
enum class RematPolicy : uint8_t {
  Keep,
  Recompute,
  RecomputeBlocks, // from the values between repeated blocks
};

/// A residual policy: whether forward values that the backward pass reads, and
/// whose names match a glob, are kept or computed again.
struct PlanResidual {
  std::string glob;
  RematPolicy policy = RematPolicy::Keep;

  auto parts() const { return std::tie(glob, policy); }
};

/// The format in which residuals are kept.
struct PlanCompression {
  /// The format that `isAuto` takes if the plan does not fit otherwise.
  static constexpr NumberFormat autoFormat = NumberFormat::BF16;
  bool isAuto = false;
  /// None under `isAuto`, and if they are whole.
  std::optional<NumberFormat> format;

  auto parts() const { return std::tie(isAuto, format); }
};

/// The kinds of values that may live in the host's memory.
enum class OffloadKind : uint8_t {
  Optimizer,   // optimizer moments and master weights
  Activations, // residuals
  Parameters,
};

/// The values that live in the host's memory.
struct PlanOffload {
  /// As many bytes move as must be moved, the cheapest values first.
  bool isAuto = false;
  /// In the order of the enum, each once; none under `isAuto`.
  std::vector<OffloadKind> kinds;

  bool empty() const { return !isAuto && kinds.empty(); }
  auto parts() const { return std::tie(isAuto, kinds); }
};

/// The place where the model is cut before one part of a pipeline: its first
/// op. The first part has none.
struct PlanCut {
  std::string name;         // of the op, as in PlanDecision
  int64_t number = 0;       // among the forward pass's ops of that name
  int line = 0, column = 0; // position in the text, from 1; 0: none

  auto parts() const { return std::tie(name, number); }
};

/// The decision to keep or to recompute one or several residuals.
struct PlanDecision {
  std::string name; // of the op, as in PlanPin
  /// Numbers among the ops of that name, ascending; if empty, all of them.
  std::vector<int64_t> numbers;
  Fate fate = Fate::Kept;   // or Recomputed, or HandedOver
  int line = 0, column = 0; // position in the text, from 1; 0: none

  auto parts() const { return std::tie(name, numbers, fate); }
};

/// The actions of a stage (ActionText.h).
struct PlanRow {
  std::string text;
  int line = 0, column = 0; // position in the plan's text, from 1; 0: none

  auto parts() const { return std::tie(text); }
};

struct Plan {
  /// The file that it was read from; "" if none.
  std::string file;
  std::vector<PlanValue> values;
  /// The axes of the device mesh, major to minor. If empty, those of the
  /// program, or one device.
  std::vector<PlanAxis> mesh;
  int64_t microbatches = 0;          // 0: open
  int zero = -1;                     // stage, 0 to 3; -1: open
  std::vector<std::string> zeroAxes; // if empty, all that shard the batch
  /// The axes that shard experts besides the axis `expert`, major to minor.
  /// They keep their own roles everywhere else (parallel folding: MoE Parallel
  /// Folding, Liu et al. 2025).
  std::vector<std::string> expertAxes;
  std::vector<PlanAnnotation> shard;
  std::vector<PlanState> state; // the first that matches applies
  /// The sequence is not split between sums over `tensor`.
  bool wholeSequence = false;
  std::vector<PlanPin> arguments, ops;
  NamedSchedule schedule; // none: open
  /// The actions of each stage, which replace the schedule; if empty, the
  /// schedule gives them.
  std::vector<PlanRow> actions;
  std::vector<PlanResidual> residuals; // none: open
  /// The format in which residuals are kept; none if open.
  std::optional<PlanCompression> compress;
  bool compressesWhereNeeded() const { return compress && compress->isAuto; }
  double memory = 0; // bytes per device; 0: those of the machine
  /// The bytes per device that a microbatch may keep of the residuals that the
  /// backward pass could compute again. Negative: all, or as many as the memory
  /// allows.
  double residualBytes = -1;
  PlanOffload offload; // none if it is empty
  bool offloadsByPrice() const { return offload.isAuto; }
  /// Under `offload.isAuto`: the bytes per device that live in the host's
  /// memory; negative: open.
  double offloadBytes = -1;
  /// Decisions on single residuals, for plans with open `residuals`; if empty,
  /// these are open too.
  std::vector<PlanDecision> decisions;
  /// The places where the model is cut into the parts of a pipeline, in its
  /// order; if empty, they are open.
  std::vector<PlanCut> cuts;

  int64_t countDevices() const;
  std::vector<std::string> listRows() const;
  /// Returns true if there are several devices and no axis has a name: then a
  /// search chooses the axes.
  bool isBare() const;
  /// Returns true if the plan is bare, or if its axes have names but the number
  /// of microbatches, or their order in the pipeline stages, is open.
  bool isOpen() const;
  bool hasPins() const { return !arguments.empty() || !ops.empty(); }

  /// Takes each field of `other` that is open here. A field that says more of
  /// another one (residualBytes of residuals) goes with it.
  void fillOpen(const Plan &other);

  /// The fields that comparisons, the text, the attribute and fillOpen() are
  /// of.
  template <typename Self> static auto listFields(Self &plan) {
    return std::tie(plan.values, plan.mesh, plan.microbatches, plan.zero,
                    plan.zeroAxes, plan.expertAxes, plan.shard, plan.state,
                    plan.wholeSequence, plan.arguments, plan.ops, plan.schedule,
                    plan.residuals, plan.memory, plan.residualBytes,
                    plan.offload, plan.offloadBytes, plan.compress,
                    plan.decisions, plan.actions, plan.cuts);
  }
  auto parts() const { return listFields(*this); }
  auto parts() { return listFields(*this); }
};

template <typename T>
auto operator==(const T &a, const T &b) -> decltype(a.parts() == b.parts()) {
  return a.parts() == b.parts();
}
template <typename T>
auto operator!=(const T &a, const T &b) -> decltype(a.parts() != b.parts()) {
  return a.parts() != b.parts();
}
/// An arbitrary order, so that maps can have these types as keys.
template <typename T>
auto operator<(const T &a, const T &b) -> decltype(a.parts() < b.parts()) {
  return a.parts() < b.parts();
}

/// Returns the axes as the user wrote them: parts of an axis are joined into
/// that axis.
std::vector<PlanAxis> joinAxes(const std::vector<PlanAxis> &mesh);
/// Returns the product of the sizes of the axes that have one of these roles.
int64_t sizeOf(const std::vector<PlanAxis> &mesh,
               std::initializer_list<AxisRole> roles);

/// Reads a plan. Returns the errors, one line `FILE:LINE:COL: error: ...` each,
/// or "".
std::string parsePlan(std::string_view text, const std::string &file,
                      Plan &plan);
/// Returns the plan as text, from which parsePlan reads an equal plan.
std::string printPlan(const Plan &plan);

/// Returns how `values` differ from those that the plan was made for; "" if
/// they do not.
std::string compareValues(const Plan &plan,
                          const std::vector<PlanValue> &values);

} // namespace zcc::planning

#endif
