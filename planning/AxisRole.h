// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of mesh axes that mean something.

#ifndef ZCC_PLANNING_AXISROLE_H
#define ZCC_PLANNING_AXISROLE_H

#include <string_view>

namespace zcc::planning {

/// The role of a mesh axis, which its name implies.
enum class AxisRole { None, Data, Expert, Tensor, Context, Pipe };

/// Returns the name of the axis with a role; "" for None.
constexpr const char *axisName(AxisRole role) {
  constexpr const char *names[] = {"",       "data",    "expert",
                                   "tensor", "context", "pipe"};
  return names[static_cast<int>(role)];
}

/// Returns the role of an axis by its name, or by that of a part of it
/// ("data:(2)4").
constexpr AxisRole roleOf(std::string_view axis) {
  axis = axis.substr(0, axis.find(':'));
  for (AxisRole role : {AxisRole::Data, AxisRole::Expert, AxisRole::Tensor,
                        AxisRole::Context, AxisRole::Pipe})
    if (axis == axisName(role))
      return role;
  return AxisRole::None;
}

/// The axis of the microbatches, which is temporal.
inline constexpr const char *microAxisName = "micro";

} // namespace zcc::planning

#endif
