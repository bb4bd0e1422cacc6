// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in words.

#include "runtime/format/CollectiveText.h"

#include "runtime/format/Text.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

std::string kindText(const format::CollectiveStep &step) {
  switch (step.kind()) {
  case format::CollectiveStep::ALL_REDUCE:
    return "all-reduce";
  case format::CollectiveStep::ALL_GATHER:
    return "all-gather";
  case format::CollectiveStep::REDUCE_SCATTER:
    return "reduce-scatter";
  case format::CollectiveStep::ALL_TO_ALL:
    return "all-to-all";
  case format::CollectiveStep::PERMUTE:
    return "permute";
  case format::CollectiveStep::EXCHANGE_BOXES:
    return "exchange";
  default: // the validator refuses it
    return text("collective ", int(step.kind()));
  }
}

std::vector<std::string> axisNames(const format::Executable &executable,
                                   const format::CollectiveStep &step) {
  std::vector<std::string> out;
  for (uint32_t axis : step.axes())
    out.push_back(axis < uint32_t(executable.mesh_size())
                      ? executable.mesh(int(axis)).name()
                      : text("axis ", axis));
  return out;
}

const std::string &textAt(const format::Executable &executable,
                          unsigned index) {
  static const std::string none;
  return index < unsigned(executable.texts_size())
             ? executable.texts(int(index))
             : none;
}

/// "gradient of blocks.0.attn.wo (model.py:12)", or "a part of" that.
static std::string describeValue(const format::Executable &executable,
                                 const format::CollectiveStep &step) {
  const std::string &what = textAt(executable, step.what()),
                    &value = textAt(executable, step.value()),
                    &place = textAt(executable, step.place());
  std::string out = what;
  if (what == "optimizer")
    out += " state";
  if (!value.empty()) {
    bool owned = what == "gradient" || what == "optimizer";
    out += text(out.empty() ? "" : owned ? " of " : " ", value);
  }
  // A value without a name is called by its place.
  if (!place.empty() && value.compare(0, place.size(), place) != 0)
    out += text(out.empty() ? "(" : " (", place, ")");
  bool isPart = step.has_source_rows() || step.has_target_rows();
  return isPart && !out.empty() ? "a part of " + out : out;
}

const format::CollectiveStep *collectiveOf(const format::Step &step) {
  if (step.has_collective())
    return &step.collective();
  return step.has_bucket() ? &step.bucket().members(0) : nullptr;
}

std::string describeCollective(const format::Executable &executable,
                               const format::Step &step) {
  const format::CollectiveStep *own = collectiveOf(step);
  if (!own)
    return "";
  const format::CollectiveStep &first = *own;
  std::string out = kindText(first);
  std::vector<std::string> axes = axisNames(executable, first);
  if (!axes.empty())
    out += " over " + listText(axes);
  if (step.has_collective()) {
    std::string value = describeValue(executable, first);
    return value.empty() ? out : out + " of " + value;
  }
  std::vector<std::string> members;
  for (const format::CollectiveStep &member : step.bucket().members())
    members.push_back(describeValue(executable, member));
  return text(out, " of ", members.size(), " values: ", listText(members, 2));
}

} // namespace zcc::rt
