// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/WindowBytes.h"

using namespace mlir;

namespace zcc::dist {

int64_t getWindowBytes(MeshOp mesh, const Boxes &boxes, int64_t width) {
  auto shardsOf = [&](ArrayRef<StringRef> axes) {
    int64_t shards = 1;
    for (StringRef axis : axes)
      shards *= mesh.getAxisSize(axis).value_or(1);
    return shards;
  };
  int64_t needed = width, held = width;
  for (auto [d, extent] : llvm::enumerate(boxes.shape)) {
    ArrayRef<int64_t> own = boxes.windows->slice(5 * d, 5);
    SmallVector<StringRef> has = boxes.from.getAxes(d),
                           wants = boxes.to.getAxes(d);
    int64_t parts = shardsOf(has), count = shardsOf(wants),
            part = boxes.from.getPaddedExtent(d, extent) / parts;
    int64_t most = 0, mostHeld = 0;
    // Considers the device that has shard `j` and gets box `i`.
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
      // The boxes in between differ only by their alignment.
      for (int64_t i :
           {int64_t(0), int64_t(1), count / 2, count - 2, count - 1})
        if (i >= 0 && i < count)
          look(i, i);
    } else {
      for (int64_t i : {int64_t(0), count - 1})
        for (int64_t j : {int64_t(0), parts - 1})
          look(i, j);
    }
    needed *= most;
    held *= mostHeld;
  }
  return needed - held;
}

} // namespace zcc::dist
