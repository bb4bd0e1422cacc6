// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/PeelRun.h"

#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

exec::TaskOp peelRun(ModuleOp module, exec::TaskOp task, dist::RunOp run,
                     StringRef suffix) {
  const std::string base = (task.getSymName() + "_" + suffix).str();
  std::string name = base;
  for (unsigned i = 2; module.lookupSymbol(name); ++i)
    name = base + std::to_string(i);
  OpBuilder b(task);
  b.setInsertionPointAfter(task);
  auto own = cast<exec::TaskOp>(b.clone(*task));
  own.setSymName(name);
  run.setTask(name);
  return own;
}

bool asksForMicrobatch(Operation *step) {
  auto launch = dyn_cast<exec::LaunchOp>(step);
  auto isCoordinates = [](Value source) {
    return source.getDefiningOp<exec::BufferOp>().getSpace() ==
           exec::BufferSpace::Coordinates;
  };
  if (!launch || llvm::none_of(launch.getSources(), isCoordinates))
    return false;
  auto module = step->getParentOfType<ModuleOp>();
  dist::MeshOp mesh = dist::getMesh(module);
  auto kernel = module.lookupSymbol<func::FuncOp>(launch.getKernel());
  if (!mesh || !kernel)
    return false;
  const auto *temporal = llvm::find_if(mesh.getAxes(), [](Attribute axis) {
    return cast<dist::AxisAttr>(axis).getTemporal();
  });
  if (temporal == mesh.getAxes().end())
    return false;
  int64_t axis = temporal - mesh.getAxes().begin();
  for (auto [i, source] : llvm::enumerate(launch.getSources())) {
    if (!isCoordinates(source))
      continue;
    for (Operation *user : kernel.getArgument(i).getUsers()) {
      auto slice = dyn_cast<train::SliceOp>(user);
      if (!slice || (slice.getStart()[0] <= axis && axis < slice.getLimit()[0]))
        return true;
    }
  }
  return false;
}

} // namespace zcc
