// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Exec/Arenas.h"
#include "dialects/Exec/AttributeNames.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zcc {

std::optional<int64_t> exec::getArenaBytes(dist::ScheduleOp table,
                                           MemorySpace space) {
  auto arenas = table->getAttrOfType<DictionaryAttr>(arenasAttrName);
  auto bytes =
      arenas ? arenas.getAs<IntegerAttr>(nameOf(space)) : IntegerAttr();
  if (!bytes)
    return std::nullopt;
  return bytes.getInt();
}

void exec::setArenaBytes(dist::ScheduleOp table, MemorySpace space,
                         int64_t bytes) {
  Builder b(table.getContext());
  NamedAttrList arenas(table->getAttrOfType<DictionaryAttr>(arenasAttrName));
  arenas.set(StringRef(nameOf(space)), b.getI64IntegerAttr(bytes));
  table->setAttr(arenasAttrName, arenas.getDictionary(table.getContext()));
}

int64_t exec::getCallerBytes(dist::ScheduleOp table) {
  auto bytes = table->getAttrOfType<IntegerAttr>(callerBytesAttrName);
  return bytes ? bytes.getInt() : 0;
}

FailureOr<int64_t> exec::expectPlanned(dist::ScheduleOp table) {
  if (std::optional<int64_t> bytes = getArenaBytes(table))
    return *bytes;
  return table.emitError() << "is not planned: '" << arenasAttrName
                           << "' has no '"
                           << StringRef(nameOf(MemorySpace::Device)) << "'";
}

LogicalResult exec::verifyArenas(Operation *op, Attribute arenas) {
  auto isArena = [](NamedAttribute entry) {
    auto bytes = dyn_cast<IntegerAttr>(entry.getValue());
    return findMemorySpace(entry.getName().getValue()) && bytes &&
           bytes.getType().isSignlessInteger(64) && bytes.getInt() >= 0;
  };
  auto entries = dyn_cast<DictionaryAttr>(arenas);
  if (entries && llvm::all_of(entries, isArena))
    return success();
  std::string names;
  for (const MemorySpaceInfo &row : memorySpaces)
    names.append(names.empty() ? "" : ", ").append(row.name);
  return op->emitError() << "'" << arenasAttrName
                         << "' expects bytes (i64, not negative) for spaces of "
                         << names << ", found " << arenas;
}

} // namespace zcc
