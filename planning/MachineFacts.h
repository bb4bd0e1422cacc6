// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about a machine that decisions about memory depend on. They are
// plain numbers, so that passes need neither the schema nor its reader.
#ifndef ZCC_PLANNING_MACHINEFACTS_H
#define ZCC_PLANNING_MACHINEFACTS_H

namespace zcc::planning {

struct MachineFacts {
  double deviceMemory = 0; // bytes that a device may use; 0: unknown
};

} // namespace zcc::planning

#endif
