// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of a plan as a protobuf message (plan.proto). The text of a plan
// and the attribute of a module are both made from the message, so that a field
// is converted and checked in one place.
#ifndef ZCC_PLANNING_PLANMESSAGE_H
#define ZCC_PLANNING_PLANMESSAGE_H

#include "planning/Plan.h"
#include "planning/TextErrors.h"
#include "planning/plan.pb.h"
#include <google/protobuf/text_format.h>

namespace zcc::planning {

enum class PlanCheck {
  Fields, // each field by itself
  Whole,  // and values that refer to the plan's mesh
};

/// Reports the values that a field cannot have, which protobuf cannot say.
/// `places`: where fields stand in a text; empty if there is none.
void checkMessage(const proto::Plan &message, PlanCheck check,
                  google::protobuf::TextFormat::ParseInfoTree &places,
                  TextErrors &errors);

/// The plan of a message that was checked.
Plan readMessage(const proto::Plan &message,
                 const google::protobuf::TextFormat::ParseInfoTree &places);

/// readMessage() reads it back equal.
proto::Plan writeMessage(const Plan &plan);

} // namespace zcc::planning

#endif
