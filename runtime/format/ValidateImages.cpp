// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks code of GPUs: its images, and how its kernels are launched. The
// contents of an image are checked when it is loaded.

#include "runtime/format/Checker.h"
#include "runtime/format/Targets.h"

#include <set>

namespace zcc::rt {

static bool isElf(const std::string &object) {
  return object.compare(0, 4, "\177ELF") == 0;
}

/// "sm_" and a number of two or three digits.
static bool isChip(const std::string &name) {
  return name.compare(0, 3, "sm_") == 0 && name.size() >= 5 &&
         name.size() <= 6 &&
         std::all_of(name.begin() + 3, name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

bool Checker::checkImages(int index) {
  const format::Code &code = executable.codes(index);
  auto isOfIt = [&](const auto &kernel) {
    return kernel.code() == uint32_t(index);
  };
  bool isUsed = std::any_of(executable.kernels().begin(),
                            executable.kernels().end(), isOfIt) ||
                std::any_of(executable.reductions().begin(),
                            executable.reductions().end(), isOfIt);
  if (code.images_size() == 0)
    return !isCuda(code) || fail("code for cuda has no image");
  if (!code.object().empty() || !code.device().empty())
    return fail("code for ", code.target(), " has images and an object");
  std::set<std::pair<std::string, bool>> seen;
  for (const format::Image &image : code.images()) {
    const std::string &object = image.object();
    bool isHost = isOfHost(image);
    if (!isHost && !isChip(image.device()))
      return fail("an image is for ", jsonText(image.device()),
                  ", expected sm_ and a number, or host");
    if (object.empty() && isUsed)
      return fail("the image for ", image.device(), " is empty");
    if (isHost && !object.empty() && !isElf(object))
      return fail("the image for ", image.device(), " is no ELF object");
    // The driver reads a text up to its end, which is a zero.
    if (!isElf(object) && object.find('\0') != std::string::npos)
      return fail("the image for ", image.device(),
                  " is no ELF object, and no text");
    if (!seen.insert({image.device(), isElf(object)}).second)
      return fail("two images for ", image.device());
  }
  return true;
}

bool Checker::checkLaunch(const format::Kernel &kernel) {
  auto check = [&](const std::string &symbol, uint64_t blocks, uint32_t threads,
                   uint32_t shared) {
    std::string where = text("kernel \"", symbol, "\": ");
    if (blocks > uint64_t(INT32_MAX))
      return fail(where, blocks, " blocks, at most ", INT32_MAX);
    if (threads == 0 || threads > 1024)
      return fail(where, threads, " threads a block, expected 1 to 1024");
    // No chip has more than 228 KiB, a kilobyte of which is the system's.
    return shared <= 227u << 10 ||
           fail(where, shared, " bytes of shared memory, at most ", 227u << 10);
  };
  if (!check(kernel.symbol(), kernel.items(), kernel.threads(),
             kernel.shared()))
    return false;
  if (!kernel.has_second())
    return true;
  const format::Launch &second = kernel.second();
  if (second.symbol().empty() ||
      second.symbol().find('\0') != std::string::npos)
    return fail("kernel \"", kernel.symbol(),
                "\": its second launch has no usable symbol");
  if (kernel.items() == 0 || second.blocks() == 0 || kernel.has_segments())
    return fail("kernel \"", kernel.symbol(),
                "\": a second launch of no blocks, or after one of none or "
                "of segments");
  return check(second.symbol(), second.blocks(), second.threads(),
               second.shared());
}

bool Checker::checkReductions() {
  std::set<std::pair<int, int>> seen;
  for (const format::ReductionKernel &kernel : executable.reductions()) {
    const std::string &symbol = kernel.symbol();
    if (symbol.empty() || symbol.find('\0') != std::string::npos)
      return fail("a reduction of collectives has no usable symbol");
    std::string where = text("reduction \"", symbol, "\"");
    if (!checkType(where, kernel.type()))
      return false;
    ElementType type = toElementType(kernel.type());
    bool isLogical = kernel.reduction() == format::CollectiveStep::AND ||
                     kernel.reduction() == format::CollectiveStep::OR;
    if (!format::CollectiveStep::Reduction_IsValid(kernel.reduction()) ||
        isOnlyStored(type) || (isLogical && isFloat(type)))
      return fail(where, ": no collective reduces ", typeName(type), " by ",
                  int(kernel.reduction()));
    if (!seen.insert({kernel.reduction(), kernel.type()}).second)
      return fail(where, ": the second of ", typeName(type), " by ",
                  int(kernel.reduction()));
    if (kernel.code() >= uint32_t(executable.codes_size()))
      return fail(where, " is of code ", kernel.code(), " of ",
                  executable.codes_size());
    const format::Code &code = executable.codes(int(kernel.code()));
    if (!isCuda(code))
      return fail(where, " is code for ", jsonText(code.target()),
                  ", expected cuda");
    if (kernel.threads() == 0 || kernel.threads() > 1024)
      return fail(where, ": ", kernel.threads(),
                  " threads a block, expected 1 to 1024");
  }
  return true;
}

} // namespace zcc::rt
