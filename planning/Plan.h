// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan: how a step is distributed, whoever decided it. Options fill what they
// say, a search (compiler/planner/search) or a file the rest; passes read it.
// plan.proto is its text, PlanValues.h the short texts of its parts.
//
// A new field also stands in parts() below; in plan.proto and PlanText.cpp, for
// files; in compiler/phases/OptionValues.cpp, where an option says it; in
// passes/Distribute/PlanAttribute.cpp, for the texts of phases. Choose/ tries
// values of it; what it means is for the pass to say that reads it.
#ifndef ZCC_PLANNING_PLAN_H
#define ZCC_PLANNING_PLAN_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace zcc::planning {

/// What the name of an axis, or of a part of one, says that it does.
enum class AxisRole { None, Data, Expert, Tensor, Context, Pipe };
AxisRole roleOf(std::string_view axis);

struct PlanAxis {
  std::string name; // "": for a search to name
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

/// For each dim of what a glob names, the axes that shard it.
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

/// What is said of the state of the parameters that a glob names.
struct PlanState {
  enum class Fact { Stage, Kept, Gathered };
  std::string glob;
  Fact fact = Fact::Stage;
  int stage = 0; // of ZeRO, where that is the fact

  auto parts() const { return std::tie(glob, fact, stage); }
};

/// How a dim of a value or a factor of an op is sharded.
struct PlanShards {
  std::vector<std::string> axes; // major to minor
  int64_t extent = 0;            // with padding

  auto parts() const { return std::tie(axes, extent); }
};

struct PlanPin {
  int64_t number = 0; // of an op: among those of the name
  std::string name;
  std::vector<PlanShards> shards;
  int line = 0, column = 0; // in the text, from 1; 0: in none

  auto parts() const { return std::tie(number, name, shards); }
};

/// What becomes of forward values that the backward pass reads.
struct PlanResidual {
  enum class Fate {
    Keep,
    Recompute,
    RecomputeBlocks, // from the values between repeated blocks
  };
  std::string glob;
  Fate fate = Fate::Keep;

  auto parts() const { return std::tie(glob, fate); }
};

/// What was decided of a value that the backward pass reads, or of several.
struct PlanDecision {
  std::string name; // of the op, as pins have it
  /// Among the ops of that name, ascending; none: all.
  std::vector<int64_t> numbers;
  PlanResidual::Fate fate = PlanResidual::Fate::Keep; // or Recompute
  int line = 0, column = 0; // in the text, from 1; 0: in none

  auto parts() const { return std::tie(name, numbers, fate); }
};

/// The actions of a stage (ActionText.h).
struct PlanRow {
  std::string text;
  int line = 0, column = 0; // in the plan's text, from 1; 0: in none

  auto parts() const { return std::tie(text); }
};

struct Plan {
  /// Where it was read; "": in no file.
  std::string file;
  std::vector<PlanValue> values;
  /// Axes of devices, major to minor. None: the text's, or one device.
  std::vector<PlanAxis> mesh;
  int64_t microbatches = 0;          // 0: open
  int zero = -1;                     // stage, 0 to 3; -1: open
  std::vector<std::string> zeroAxes; // none: all that shard the batch
  std::vector<PlanAnnotation> shard;
  std::vector<PlanState> state; // of several for a parameter the first holds
  /// The sequence is not split between sums over `tensor`.
  bool wholeSequence = false;
  std::vector<PlanPin> arguments, ops;
  std::string schedule; // "": open
  /// By stage, in place of a schedule; none: by the schedule.
  std::vector<PlanRow> actions;
  int64_t stages = 1;
  std::vector<PlanResidual> residuals; // none: open
  /// Of those that are kept, as --compress takes it; "": not said.
  std::string compress;
  double memory = 0; // bytes a device; 0: the machine's
  /// Bytes a device that a microbatch may keep of what the backward pass reads
  /// and could compute again; negative: all, or as much as the memory leaves.
  double residualBytes = -1;
  /// What lives in the host's memory, of the names of PlanValues.h; "auto":
  /// what must, by its price.
  std::vector<std::string> offload;
  bool offloadsByPrice() const {
    return offload.size() == 1 && offload.front() == "auto";
  }
  /// Under auto, bytes a device that do; negative: open.
  double offloadBytes = -1;
  /// Where residuals are open: of single values; none: open, too.
  std::vector<PlanDecision> decisions;

  int64_t countDevices() const;
  std::vector<std::string> listRows() const; // the texts of `actions`
  /// More than one device, and no axis has a name: a search chooses.
  bool isBare() const;
  /// Or its axes have names, but microbatches are open, or how they pass
  /// through its stages.
  bool isOpen() const;
  bool hasPins() const { return !arguments.empty() || !ops.empty(); }

  auto parts() const {
    return std::tie(values, mesh, microbatches, zero, zeroAxes, shard, state,
                    wholeSequence, arguments, ops, schedule, stages, residuals,
                    memory, residualBytes, offload, offloadBytes, compress,
                    decisions, actions);
  }
};

template <typename T>
auto operator==(const T &a, const T &b) -> decltype(a.parts() == b.parts()) {
  return a.parts() == b.parts();
}
template <typename T>
auto operator!=(const T &a, const T &b) -> decltype(a.parts() != b.parts()) {
  return a.parts() != b.parts();
}
/// Some order, for maps.
template <typename T>
auto operator<(const T &a, const T &b) -> decltype(a.parts() < b.parts()) {
  return a.parts() < b.parts();
}

/// The axes as the user wrote them: parts of an axis as that axis.
std::vector<PlanAxis> joinAxes(const std::vector<PlanAxis> &mesh);
/// Product of the sizes of the axes of these roles.
int64_t sizeOf(const std::vector<PlanAxis> &mesh,
               std::initializer_list<AxisRole> roles);

/// Reads a plan. Returns the errors, a line `FILE:LINE:COL: error: ...` each,
/// or
/// "".
std::string parsePlan(std::string_view text, const std::string &file,
                      Plan &plan);
/// parsePlan reads it back equal.
std::string printPlan(const Plan &plan);

/// What of the model a plan was made for is not so here; "" if all is.
std::string compareValues(const Plan &plan,
                          const std::vector<PlanValue> &values);

} // namespace zcc::planning

#endif
