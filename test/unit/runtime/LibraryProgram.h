// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of one kernel that a library does, on the stand-in.

#ifndef ZCC_TEST_UNIT_RUNTIME_LIBRARYPROGRAM_H
#define ZCC_TEST_UNIT_RUNTIME_LIBRARYPROGRAM_H

#include "CudaStandIn.h"
#include "Toy.h"

#include "runtime/core/Float.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/executable.pb.h"
#include "runtime/launch/RankHost.h"

#include <cstring>
#include <random>

namespace zcc::rt::test {

inline size_t widthOf(format::Type type) {
  return type == format::F64 ? 8 : type == format::F32 ? 4 : 2;
}

inline float loadFloat(format::Type type, const std::string &bytes, size_t at) {
  const char *place = bytes.data() + at * widthOf(type);
  if (type == format::F32) {
    float value;
    return std::memcpy(&value, place, 4), value;
  }
  uint16_t half;
  std::memcpy(&half, place, 2);
  return type == format::F16 ? f16ToFloat(half) : bf16ToFloat(half);
}

inline void storeFloat(format::Type type, std::string &bytes, size_t at,
                       float value) {
  char *place = bytes.data() + at * widthOf(type);
  uint16_t half = type == format::F16 ? floatToF16(value) : floatToBf16(value);
  if (type == format::F32)
    std::memcpy(place, &value, 4);
  else
    std::memcpy(place, &half, 2);
}

/// Operands of those sizes, one behind the other, of which `reads` are read.
inline format::Executable programOf(const format::Kernel &kernel,
                                    const std::vector<size_t> &bytes,
                                    uint32_t reads) {
  ToyOptions toy;
  toy.data = toy.stages = toy.microbatches = 1;
  toy.cuda = true;
  format::Executable out = makeToy(toy);
  out.set_optimizer("forward");
  out.clear_kernels();
  out.clear_parameters();
  out.clear_states();
  out.clear_settings();
  out.clear_stages();
  format::Kernel &own = *out.add_kernels();
  own = kernel;
  own.set_symbol("call");
  own.set_buffers(uint32_t(bytes.size()));
  format::Stage &stage = *out.add_stages();
  stage.add_actions()->mutable_run()->set_task(0);
  format::Task &task = *stage.add_tasks();
  task.set_kind(format::Task::FORWARD);
  task.set_name("forward");
  format::Step &step = *task.add_steps();
  step.set_name("the call");
  step.mutable_kernel()->set_reads(reads);
  uint64_t end = 0;
  for (uint32_t i = 0; i < bytes.size(); ++i) {
    format::Operand &operand = *task.add_operands();
    operand.set_offset(end);
    operand.set_size(bytes[i]);
    operand.set_written(i >= reads);
    operand.set_name(std::string(1, char('a' + i)));
    step.mutable_kernel()->add_operands(i);
    end += (bytes[i] + 63) / 64 * 64;
  }
  setArenaBytes(stage, end);
  addWorkspaces(out);
  return out;
}

/// Runs the step once on what `memory` has, and leaves there what it makes.
inline void runProgram(const format::Executable &program,
                       std::vector<std::string> &memory,
                       const char *words = "seed=3") {
  const format::Task &task = program.stages(0).tasks(0);
  StandIn standIn(words);
  auto backend = standIn.backend();
  RankHost host(program, *backend, {});
  host.onAllRanks([&](int rank) {
    Device &device = host.device(rank);
    Stream &stream = device.mainStream();
    for (size_t i = 0; i < memory.size(); ++i)
      device.copyIn(stream, device.at(task.operands(int(i)).offset()),
                    memory[i].data(), memory[i].size());
    host.runStep(rank, false);
    for (size_t i = 0; i < memory.size(); ++i)
      device.copyOut(stream, memory[i].data(),
                     device.at(task.operands(int(i)).offset()),
                     memory[i].size());
    device.wait(stream);
  });
}

/// Eighths from -2 to 2.
inline std::string drawFloats(format::Type type, size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string out(count * widthOf(type), 0);
  for (size_t i = 0; i < count; ++i)
    storeFloat(type, out, i, float(int(random() % 33) - 16) / 8);
  return out;
}

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_LIBRARYPROGRAM_H
