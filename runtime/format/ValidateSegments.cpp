// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do others by a table, and the launches of batches by them.

#include "runtime/format/Checker.h"

#include <set>

namespace zcc::rt {

bool Checker::checkSegments(const format::Kernel &kernel) {
  std::string where = text("kernel \"", kernel.symbol(), "\"");
  if (executable.codes(int(kernel.code())).images_size() == 0)
    return fail(where, ": segments, in code without images");
  if (kernel.has_program() || kernel.has_product() || kernel.items() != 0 ||
      kernel.buffers() != 0 || kernel.scratch() != 0)
    return fail(where, ": segments beside items, buffers, scratch, a program "
                       "or a product");
  if (kernel.segments().kernels_size() == 0)
    return fail(where, ": segments of no kernel");
  int64_t last = -1;
  for (uint32_t index : kernel.segments().kernels()) {
    if (index >= uint32_t(executable.kernels_size()))
      return fail(where, ": segments of kernel ", index, " of ",
                  executable.kernels_size());
    if (int64_t(index) <= last)
      return fail(where, ": segments of kernel ", index, " after ", last,
                  ", expected ascending ones");
    last = index;
    const format::Kernel &own = executable.kernels(int(index));
    if (own.has_segments() || own.has_product() || own.scratch() != 0 ||
        own.code() != kernel.code())
      return fail(where, ": segments of kernel \"", own.symbol(),
                  "\", which has segments, scratch, a product or other code");
    if (own.threads() > kernel.threads() || own.shared() > kernel.shared())
      return fail(where, ": ", kernel.threads(), " threads and ",
                  kernel.shared(), " bytes of shared memory for segments of \"",
                  own.symbol(), "\", which has ", own.threads(), " and ",
                  own.shared());
  }
  return true;
}

bool Checker::checkLaunches(const std::string &where,
                            const format::KernelBatch &batch) {
  std::set<uint32_t> launched;
  for (int i = 0; i < batch.launches_size(); ++i) {
    const format::BatchLaunch &launch = batch.launches(i);
    std::string what = text(where, ", launch ", i);
    if (launch.kernel() >= uint32_t(executable.kernels_size()))
      return fail(what, ": kernel ", launch.kernel(), " of ",
                  executable.kernels_size());
    const format::Kernel &kernel = executable.kernels(int(launch.kernel()));
    if (!kernel.has_segments())
      return fail(what, ": kernel \"", kernel.symbol(), "\" has no segments");
    if (launch.blocks() == 0)
      return fail(what, ": segments of no blocks");
    std::set<uint32_t> own(kernel.segments().kernels().begin(),
                           kernel.segments().kernels().end());
    for (uint32_t index : own)
      if (!launched.insert(index).second)
        return fail(what, ": kernel \"",
                    executable.kernels(int(index)).symbol(),
                    "\" is in another launch");
    uint64_t segments = 0, words = 0;
    for (const format::KernelStep &member : batch.members()) {
      words += uint64_t(member.operands_size());
      if (own.count(member.kernel())) {
        uint64_t items = executable.kernels(int(member.kernel())).items();
        segments += items / launch.blocks() + (items % launch.blocks() != 0);
      }
    }
    if (segments == 0)
      return fail(what, ": does no block of a member");
    if (segments > uint64_t(INT32_MAX) || words > uint64_t(UINT32_MAX))
      return fail(what, ": ", segments, " blocks, ", words,
                  " operands, at most ", INT32_MAX, " and ", UINT32_MAX);
  }
  return true;
}

} // namespace zcc::rt
