// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/WindowBytes.h"
#include "dialects/Dist/Dist.h"

using namespace mlir;

namespace zcc::dist {

int64_t getWindowBytes(Operation *op, int64_t width) {
  auto shape = op->getAttrOfType<DenseI64ArrayAttr>("shape");
  auto windows = op->getAttrOfType<DenseI64ArrayAttr>("windows");
  auto from = op->getAttrOfType<ShardingAttr>("from");
  auto to = op->getAttrOfType<ShardingAttr>("to");
  auto module = op->getParentOfType<ModuleOp>();
  MeshOp mesh = module ? getMesh(module) : MeshOp();
  if (!shape || !windows || !from || !to || !mesh)
    return 0;
  auto shardsOf = [&](ArrayRef<StringRef> axes) {
    int64_t shards = 1;
    for (StringRef axis : axes)
      shards *= mesh.getAxisSize(axis).value_or(1);
    return shards;
  };
  int64_t needed = width, held = width;
  for (auto [d, extent] : llvm::enumerate(shape.asArrayRef())) {
    ArrayRef<int64_t> own = windows.asArrayRef().slice(5 * d, 5);
    SmallVector<StringRef> has = from.getAxes(d), wants = to.getAxes(d);
    int64_t parts = shardsOf(has), boxes = shardsOf(wants),
            part = from.getPaddedExtent(d, extent) / parts;
    int64_t most = 0, mostHeld = 0;
    // The device that has shard `j` and gets box `i`.
    auto look = [&, whole = extent](int64_t i, int64_t j) {
      int64_t start = i * own[0] / own[1] * own[2] + own[3];
      int64_t begin = std::max<int64_t>(0, start),
              end = std::max(begin, std::min(whole, start + own[4]));
      int64_t common = std::max<int64_t>(0, std::min(end, (j + 1) * part) -
                                                std::max(begin, j * part));
      if (end - begin - common >= most - mostHeld) {
        most = end - begin;
        mostHeld = common;
      }
    };
    if (has == wants) {
      // Boxes in between differ by their alignment alone.
      for (int64_t i :
           {int64_t(0), int64_t(1), boxes / 2, boxes - 2, boxes - 1})
        if (i >= 0 && i < boxes)
          look(i, i);
    } else {
      for (int64_t i : {int64_t(0), boxes - 1})
        for (int64_t j : {int64_t(0), parts - 1})
          look(i, j);
    }
    needed *= most;
    held *= mostHeld;
  }
  return needed - held;
}

} // namespace zcc::dist
