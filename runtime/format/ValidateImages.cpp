// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of GPUs: the images of it, and how its kernels are launched. What an
// image holds is checked by who loads it.

#include "runtime/format/Checker.h"

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
  bool isUsed =
      std::any_of(executable.kernels().begin(), executable.kernels().end(),
                  [&](const format::Kernel &kernel) {
                    return kernel.code() == uint32_t(index);
                  });
  if (code.images_size() == 0)
    return code.target() != "cuda" || fail("code for cuda has no image");
  if (!code.object().empty() || !code.device().empty())
    return fail("code for ", code.target(), " has images and an object");
  std::set<std::pair<std::string, bool>> seen;
  for (const format::Image &image : code.images()) {
    const std::string &object = image.object();
    bool isHost = image.device() == "host";
    if (!isHost && !isChip(image.device()))
      return fail("an image is for ", jsonText(image.device()),
                  ", expected sm_ and a number, or host");
    if (object.empty() && isUsed)
      return fail("the image for ", image.device(), " is empty");
    if (isHost && !object.empty() && !isElf(object))
      return fail("the image for ", image.device(), " is no ELF object");
    // Whoever loads a text reads up to its end, which is a zero.
    if (!isElf(object) && object.find('\0') != std::string::npos)
      return fail("the image for ", image.device(),
                  " is no ELF object, and no text");
    if (!seen.insert({image.device(), isElf(object)}).second)
      return fail("two images for ", image.device());
  }
  return true;
}

bool Checker::checkLaunch(const format::Kernel &kernel) {
  if (kernel.items() > uint64_t(INT32_MAX))
    return fail("kernel \"", kernel.symbol(), "\": ", kernel.items(),
                " blocks, at most ", INT32_MAX);
  if (kernel.threads() == 0 || kernel.threads() > 1024)
    return fail("kernel \"", kernel.symbol(), "\": ", kernel.threads(),
                " threads a block, expected 1 to 1024");
  // No chip has more than 228 KiB, a kilobyte of which is the system's.
  return kernel.shared() <= 227u << 10 ||
         fail("kernel \"", kernel.symbol(), "\": ", kernel.shared(),
              " bytes of shared memory, at most ", 227u << 10);
}

} // namespace zcc::rt
