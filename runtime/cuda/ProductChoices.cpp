// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/ProductChoices.h"

#include "runtime/cuda/Gpu.h"
#include "runtime/cuda/ProductCall.h"
#include "runtime/cuda/ProductSteps.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace zcc::rt::cuda {

namespace {

constexpr const char *firstLine = "zcc-tune 1";
/// The most algorithms that are tried, and how often each is timed, not
/// counting the first run.
constexpr int mostAlgorithms = 16, rounds = 3;

/// Everything that the algorithm may depend on, on one line.
std::string keyOf(const format::Kernel &kernel) {
  const format::Product &p = kernel.product();
  auto matrix = [](const format::Product::Matrix &m) {
    return text(format::Type_Name(m.type()), " ", m.batch_stride(), " ",
                m.row_stride(), " ", m.column_stride());
  };
  return text(p.batches(), " x ", p.rows(), " x ", p.columns(), " x ",
              p.steps(), ", ", matrix(p.left()), ", ", matrix(p.right()), ", ",
              matrix(p.result()), p.has_bias() ? ", bias" : "",
              p.tf32() ? ", tf32" : "", ", workspace ", kernel.scratch());
}

std::string hexOf(const lt::Algorithm &algorithm) {
  std::string out;
  for (uint64_t word : algorithm.data)
    for (int shift = 60; shift >= 0; shift -= 4)
      out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

bool fromHex(const std::string &hex, lt::Algorithm &algorithm) {
  constexpr size_t digits = 16;
  if (hex.size() != digits * std::size(algorithm.data) ||
      hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    return false;
  for (size_t i = 0; i < std::size(algorithm.data); ++i)
    algorithm.data[i] =
        std::stoull(hex.substr(i * digits, digits), nullptr, 16);
  return true;
}

std::string checksumLine(const std::string &lines) {
  return text("checksum ", XXH3_64bits(lines.data(), lines.size()), "\n");
}

uint64_t widthOf(format::Type type) {
  return type == format::F64 ? 8 : type == format::F32 ? 4 : 2;
}

uint64_t bytesOf(const format::Product &product,
                 const format::Product::Matrix &matrix, uint64_t rows,
                 uint64_t columns) {
  return ((product.batches() - 1) * matrix.batch_stride() +
          (rows - 1) * matrix.row_stride() +
          (columns - 1) * matrix.column_stride() + 1) *
         widthOf(matrix.type());
}

/// A stream, two events and memory, for one product after the other.
class Bench {
public:
  explicit Bench(const Driver &driver) : driver(driver) {
    driver.require(driver.createStream(&stream, streamNonBlocking, 0),
                   "make a stream");
    for (EventHandle &event : events)
      driver.require(driver.createEvent(&event, 0), "make an event");
  }
  ~Bench() {
    release();
    for (EventHandle event : events)
      (void)driver.destroyEvent(event);
    (void)driver.destroyStream(stream);
  }
  Bench(const Bench &) = delete;

  /// Allocates the kernel's operands, filled with small numbers.
  ProductCall::Operands allocate(const format::Kernel &kernel) {
    const format::Product &p = kernel.product();
    const uint64_t sizes[] = {
        bytesOf(p, p.left(), p.rows(), p.steps()),
        bytesOf(p, p.right(), p.steps(), p.columns()),
        p.has_bias() ? bytesOf(p, p.result(), 1, p.columns()) : 0,
        bytesOf(p, p.result(), p.rows(), p.columns()), kernel.scratch()};
    uint64_t offsets[5], end = 0;
    for (size_t i = 0; i < 5; ++i) {
      offsets[i] = end;
      end += (sizes[i] + 255) / 256 * 256;
    }
    release();
    // This takes no more than the arena, which is not allocated yet.
    driver.require(driver.allocate(&memory, end), "take ", end,
                   " bytes to time kernel \"", kernel.symbol(), "\"");
    driver.require(driver.fill8(memory, 0x3c, end, stream), "fill memory");
    auto at = [&](size_t i) {
      return reinterpret_cast<void *>(uintptr_t(memory + offsets[i]));
    };
    return {at(0), at(1), p.has_bias() ? at(2) : nullptr, at(3), at(4)};
  }

  /// Microseconds of the fastest of some runs.
  float time(const ProductCall &call, const ProductCall::Operands &operands,
             const lt::Algorithm &algorithm) {
    float best = 0;
    for (int round = 0; round <= rounds; ++round) {
      driver.require(driver.recordEvent(events[0], stream), "record an event");
      call.enqueue(operands, algorithm, stream);
      driver.require(driver.recordEvent(events[1], stream), "record an event");
      driver.require(driver.synchronizeStream(stream), "time a product");
      float milliseconds = 0;
      driver.require(driver.elapsed(&milliseconds, events[0], events[1]),
                     "time a product");
      float own = milliseconds * 1000;
      best = round <= 1 ? own : std::min(best, own);
    }
    return best;
  }

private:
  void release() {
    if (memory)
      (void)driver.release(memory);
    memory = 0;
  }

  const Driver &driver;
  StreamHandle stream = nullptr;
  EventHandle events[2] = {};
  DevicePointer memory = 0;
};

} // namespace

ProductChoices::ProductChoices(const std::string &name, const CublasLt &library,
                               const Gpu &gpu)
    : name(name), library(library), gpu(gpu),
      where(text("cuBLASLt ", library.versionText(), " on ", gpu.facts.name,
                 ", ", chipName(gpu.facts.capability))) {}

void ProductChoices::read(const std::string &given) {
  size_t last = given.rfind("checksum ");
  if (given.compare(0, std::strlen(firstLine), firstLine) != 0)
    badInput("--tune: ", name, " begins otherwise than with \"", firstLine,
             "\"");
  if (last == std::string::npos ||
      given.substr(last) != checksumLine(given.substr(0, last)))
    badInput("--tune: ", name,
             " is damaged: its checksum is not that of its "
             "lines");
  std::istringstream lines(given.substr(0, last));
  std::string line;
  std::getline(lines, line); // the first
  std::getline(lines, line);
  if (line != where)
    badInput("--tune: ", name, " has algorithms of ", line, ", this is ", where,
             "; they are chosen anew where there is no such file");
  while (std::getline(lines, line)) {
    // KEY = ALGORITHM, MICROSECONDS us
    size_t equals = line.find(" = "), comma = line.find(", ", equals);
    Choice choice;
    if (comma == std::string::npos ||
        !fromHex(line.substr(equals + 3, comma - equals - 3),
                 choice.algorithm) ||
        !(std::istringstream(line.substr(comma + 2)) >> choice.microseconds))
      badInput("--tune: ", name,
               ": expected a product and its algorithm, "
               "found ",
               jsonText(line));
    all[line.substr(0, equals)] = choice;
  }
}

std::string ProductChoices::toText() const {
  std::string lines = text(firstLine, "\n", where, "\n");
  for (const auto &[key, choice] : all)
    lines += text(key, " = ", hexOf(choice.algorithm), ", ",
                  choice.microseconds, " us\n");
  return lines + checksumLine(lines);
}

bool ProductChoices::tune(const format::Executable &executable) {
  bool isNew = false;
  std::optional<Products> products;
  for (const format::Kernel &kernel : executable.kernels()) {
    if (!kernel.has_product() || all.count(keyOf(kernel)))
      continue;
    if (!products)
      products.emplace(library);
    isNew = true;
    std::string what = text("time kernel \"", kernel.symbol(), "\"");
    ProductCall call(kernel, library, products->handle(), what);
    Bench bench(gpu.driver);
    ProductCall::Operands operands = bench.allocate(kernel);
    Choice best = {};
    bool isFirst = true;
    for (const lt::Algorithm &algorithm : call.algorithms(mostAlgorithms)) {
      float own = bench.time(call, operands, algorithm);
      if (isFirst || own < best.microseconds)
        best = {algorithm, own};
      isFirst = false;
    }
    all[keyOf(kernel)] = best;
  }
  return isNew;
}

const lt::Algorithm &ProductChoices::of(const format::Kernel &kernel,
                                        const ProductCall &call) const {
  auto found = all.find(keyOf(kernel));
  if (found == all.end())
    fail("--tune: ", name, " has no algorithm for ", keyOf(kernel));
  if (!call.takes(found->second.algorithm))
    badInput("--tune: ", name, ": the algorithm for ", keyOf(kernel),
             " is none that ", where, " takes");
  return found->second.algorithm;
}

} // namespace zcc::rt::cuda
