// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the memory that a GPU's kernels use beside their operands: it is in
// the arena and large enough, and nothing else lies there.

#include "runtime/format/Checker.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/StepExtent.h"
#include "runtime/format/Targets.h"

#include <map>

namespace zcc::rt {

bool Checker::checkWorkspaces(int index) {
  const format::Stage &stage = executable.stages(index);
  std::string where = text("stage ", index);
  if (!isCuda(executable))
    return (stage.workspaces_size() == 0 && !stage.has_tables()) ||
           fail(where, ": workspaces in a program for ",
                jsonText(executable.target()));
  WorkspaceBytes needed = workspaceBytes(executable, stage);
  std::map<uint64_t, std::pair<uint64_t, std::string>> regions; // by begin
  auto check = [&](const std::string &what, const format::Workspace &own,
                   uint64_t bytes) {
    if (!checkRange(text(where, ", ", what), own.offset(), own.bytes(),
                    arenaBytes(stage), workspaceAlignment))
      return false;
    if (own.bytes() < bytes)
      return fail(where, ", ", what, ": ", own.bytes(), " bytes, it needs ",
                  bytes);
    return own.bytes() == 0 ||
           regions.insert({own.offset(), {own.bytes(), what}}).second ||
           fail(where, ", ", what, ": lies where another one does");
  };
  for (size_t i = 0;
       i < needed.streams.size() || i < size_t(stage.workspaces_size()); ++i)
    if (!check(text("workspace ", i),
               i < size_t(stage.workspaces_size())
                   ? stage.workspaces(int(i))
                   : format::Workspace::default_instance(),
               i < needed.streams.size() ? needed.streams[i] : 0))
      return false;
  if (!check("tables", stage.tables(), needed.tables))
    return false;
  auto checkFree = [&](const std::string &what, uint64_t begin,
                       uint64_t bytes) {
    auto after = regions.lower_bound(begin + bytes);
    if (bytes == 0 || after == regions.begin())
      return true;
    auto last = std::prev(after);
    return last->first + last->second.first <= begin ||
           fail(where, ": ", what, " at byte ", begin, " overlaps the ",
                last->second.second);
  };
  for (auto own = regions.begin(); own != regions.end(); ++own)
    if (auto next = std::next(own);
        next != regions.end() && own->first + own->second.first > next->first)
      return fail(where, ": ", own->second.second, " overlaps ",
                  next->second.second);
  for (const OperandPlace &place : operandPlaces(stage))
    if (place.memory == format::DEVICE &&
        !checkFree("an operand", place.offset, place.bytes))
      return false;
  for (const format::Action &action : stage.actions())
    for (const format::Transfer *own : {&action.send(), &action.receive()})
      if (!checkFree("a transfer", own->offset(), own->size()))
        return false;
  return (isForward(executable) ||
          checkFree("hyperparameters", stage.hyper_offset(),
                    4 * format::HYPER_COUNT)) &&
         (!mesh->hasCoordinates() ||
          checkFree("coordinates", stage.coordinates_offset(),
                    4 * mesh->axes().size()));
}

} // namespace zcc::rt
