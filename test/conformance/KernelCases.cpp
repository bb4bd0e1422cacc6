// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/KernelCases.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/KernelTables.h"
#include "runtime/format/Validate.h"
#include "runtime/launch/RankHost.h"
#include "runtime/reference/Interpreter.h"
#include "runtime/reference/Types.h"
#include <cmath>
#include <iostream>
#include <random>

namespace zcc::conformance {

namespace format = rt::format;
namespace reference = rt::reference;
using reference::TensorType;

namespace {

// Draws an input: floats in [-4, 4) with some equal ones, or in [1/8, 4) if
// negative ones have no meaning (hyperparameters); signed integers, which may
// be places, in [-2, 40]; unsigned ones with all their bits.
std::string makeInput(const TensorType &type, std::mt19937_64 &random) {
  std::string bytes(type.bytes(), 0);
  bool isHyper = type.shape == reference::Shape{format::HYPER_COUNT};
  reference::dispatch(type.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto *out = reinterpret_cast<T *>(bytes.data());
    for (int64_t i = 0; i < type.count(); ++i) {
      uint64_t draw = random();
      if constexpr (reference::isFloatElement<T>) {
        double x = double(draw >> 11) * 0x1p-50 - 4;
        if (draw % 8 == 0)
          x = double(draw >> 8 & 3) - 1;
        out[i] = reference::store<T>(isHyper ? std::abs(x) + .125 : x);
      } else if constexpr (reference::isUnsignedElement<T>) {
        out[i] = reference::store<T>(int64_t(draw >> 7));
      } else {
        out[i] = reference::store<T>(int64_t(draw % 43) - 2);
      }
    }
  });
  return bytes;
}

std::vector<std::string> interpret(const format::Program &program,
                                   const std::vector<std::string> &inputs) {
  reference::Interpreter interpreter(program, "case");
  std::vector<std::string> memory = inputs;
  for (size_t i = inputs.size(); i < interpreter.buffers().size(); ++i)
    memory.emplace_back(interpreter.buffers()[i].bytes(), 0);
  std::vector<void *> pointers;
  for (std::string &buffer : memory)
    pointers.push_back(buffer.data());
  interpreter.run(pointers.data());
  return {memory.begin() + int64_t(inputs.size()), memory.end()};
}

TensorType typeOf(const format::Program &program, uint32_t value) {
  const format::ProgramValue &type = program.values(int(value));
  return {static_cast<rt::ElementType>(type.type()),
          {type.shape().begin(), type.shape().end()}};
}

} // namespace

format::Executable buildExecutable(const std::vector<KernelCase> &cases,
                                   const CaseCode &code, Form form) {
  format::Executable out;
  out.set_producer("conformance");
  out.set_target(code.target);
  out.set_pipe_axis(-1);
  out.set_optimizer("forward");
  out.set_precision("f32");
  for (const format::Code &own : code.codes)
    *out.add_codes() = own;
  format::Stage &stage = *out.add_stages();
  stage.add_actions()->mutable_run()->set_task(0);
  format::Task &task = *stage.add_tasks();
  task.set_kind(format::Task::FORWARD);
  uint64_t end = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const format::Program &program = cases[i].program;
    format::Kernel &kernel = *out.add_kernels();
    kernel = code.kernels[i];
    kernel.set_buffers(program.arguments() + uint32_t(program.results_size()));
    bool isMember = form == Form::Batch && i > 0;
    format::Step &step = isMember ? *task.mutable_steps(0) : *task.add_steps();
    step.set_name(cases[i].name);
    format::KernelStep &run = form == Form::Batch
                                  ? *step.mutable_batch()->add_members()
                                  : *step.mutable_kernel();
    run.set_kernel(uint32_t(i));
    run.set_reads(program.arguments());
    for (uint32_t k = 0; k < kernel.buffers(); ++k) {
      bool isResult = k >= program.arguments();
      uint32_t value =
          isResult ? program.results(int(k - program.arguments())) : k;
      format::Operand &operand = *task.add_operands();
      operand.set_offset(end);
      operand.set_size(typeOf(program, value).bytes());
      operand.set_written(isResult);
      end += (operand.size() + 63) / 64 * 64;
      run.add_operands(uint32_t(task.operands_size() - 1));
    }
  }
  for (const format::Kernel &segmented : code.segmented)
    *out.add_kernels() = segmented;
  if (form == Form::Batch)
    for (const format::BatchLaunch &launch : code.launches) {
      format::BatchLaunch &own =
          *task.mutable_steps(0)->mutable_batch()->add_launches();
      own = launch;
      own.set_kernel(uint32_t(cases.size()) + launch.kernel());
    }
  rt::setArenaBytes(stage, end);
  if (code.target == "cuda")
    rt::addWorkspaces(out);
  return out;
}

Results runCases(const std::vector<KernelCase> &cases, const CaseCode &code,
                 const rt::Backend &backend, Form form) {
  format::Executable program = buildExecutable(cases, code, form);
  if (std::string wrong = rt::validate(program); !wrong.empty())
    rt::fail("the cases' executable is not valid: ", wrong);
  backend.check(program);
  const format::Task &task = program.stages(0).tasks(0);
  auto placeOf = [&](size_t i, size_t k) {
    const format::KernelStep &run = form == Form::Batch
                                        ? task.steps(0).batch().members(int(i))
                                        : task.steps(int(i)).kernel();
    return task.operands(int(run.operands(int(k)))).offset();
  };
  rt::RankHost host(program, backend, {});
  Results results(cases.size());
  host.onAllRanks([&](int rank) {
    rt::Device &device = host.device(rank);
    rt::Stream &stream = device.mainStream();
    for (const format::Operand &operand : task.operands())
      device.fill(stream, device.at(operand.offset()), 0xff, 1, operand.size());
    for (size_t i = 0; i < cases.size(); ++i)
      for (size_t k = 0; k < cases[i].inputs.size(); ++k)
        device.copyIn(stream, device.at(placeOf(i, k)),
                      cases[i].inputs[k].data(), cases[i].inputs[k].size());
    host.runStep(rank, false);
    for (size_t i = 0; i < cases.size(); ++i)
      for (size_t k = 0; k < cases[i].expected.size(); ++k) {
        size_t bytes = cases[i].expected[k].size();
        results[i].emplace_back(bytes, 0);
        device.copyOut(stream, results[i].back().data(),
                       device.at(placeOf(i, cases[i].inputs.size() + k)),
                       bytes);
        device.wait(stream);
      }
    device.wait(stream);
  });
  return results;
}

namespace {

double smallest(rt::ElementType type) {
  return type == rt::ElementType::F16   ? 0x1p-24
         : type == rt::ElementType::F64 ? 0x1p-1074
                                        : 0x1p-149;
}

double epsilonOf(rt::ElementType type) {
  return type == rt::ElementType::F16    ? 0x1p-10
         : type == rt::ElementType::BF16 ? 0x1p-7
         : type == rt::ElementType::F32  ? 0x1p-23
                                         : 0x1p-52;
}

std::vector<double> numbers(const TensorType &type, const std::string &bytes) {
  std::vector<double> out;
  reference::dispatchFloat(type.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *in = reinterpret_cast<const T *>(bytes.data());
    for (int64_t i = 0; i < type.count(); ++i)
      out.push_back(double(reference::load(in[i])));
  });
  return out;
}

} // namespace

KernelCase makeCase(std::string name, format::Program program,
                    uint64_t number) {
  KernelCase one{std::move(name), std::move(program), {}, {}};
  std::mt19937_64 random(number);
  for (uint32_t i = 0; i < one.program.arguments(); ++i)
    one.inputs.push_back(makeInput(typeOf(one.program, i), random));
  one.expected = interpret(one.program, one.inputs);
  return one;
}

CaseCode codeOf(const std::vector<format::Program> &programs,
                const std::string &target) {
  CaseCode code{target, std::vector<format::Code>(1), {}, {}, {}};
  code.codes[0].set_target(target);
  for (size_t i = 0; i < programs.size(); ++i) {
    format::Kernel &kernel = code.kernels.emplace_back();
    kernel.set_symbol("k" + std::to_string(i));
    kernel.set_items(1);
    *kernel.mutable_program() = programs[i];
  }
  return code;
}

std::string compare(const KernelCase &one,
                    const std::vector<std::string> &results) {
  // Moves the results of ops as far as they may be off, to see the effect on
  // the kernel's results.
  int moved = 0;
  std::vector<std::vector<std::string>> others;
  for (unsigned pattern : {0u, 1u, 2u, 3u}) {
    Perturbation how;
    how.pattern = pattern;
    format::Program program = perturb(one.program, how, moved);
    if (moved == 0)
      break;
    others.push_back(interpret(program, one.inputs));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    TensorType type = typeOf(one.program, one.program.results(int(k)));
    std::string where =
        rt::text(one.name, ", result ", k, " of ", reference::describe(type));
    if (!rt::isFloat(type.type)) {
      if (results[k] != one.expected[k] && moved == 0)
        return where + ": other bits";
      // If a float decides the result, only bytes that all decisions agree on
      // are compared.
      for (size_t i = 0; i < results[k].size(); ++i) {
        bool isSure = true;
        for (const auto &other : others)
          isSure &= other[k][i] == one.expected[k][i];
        if (isSure && results[k][i] != one.expected[k][i])
          return rt::text(where, ": byte ", i, " differs");
      }
      continue;
    }
    std::vector<double> found = numbers(type, results[k]),
                        expected = numbers(type, one.expected[k]), limit;
    limit.assign(found.size(), 0);
    double largest = 0;
    for (double x : expected)
      if (std::isfinite(x))
        largest = std::max(largest, std::abs(x));
    for (const auto &other : others) {
      std::vector<double> values = numbers(type, other[k]);
      for (size_t i = 0; i < limit.size(); ++i) {
        double distance = std::abs(values[i] - expected[i]);
        // NaN has no distance to any number.
        if (values[i] != expected[i] &&
            !(std::isnan(values[i]) && std::isnan(expected[i])))
          limit[i] =
              std::isnan(distance) ? HUGE_VAL : std::max(limit[i], distance);
      }
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[i] ||
          (std::isnan(found[i]) && std::isnan(expected[i])))
        continue;
      // With several inexact ops, not all were moved the worst way, and sums
      // that they are added to are rounded differently.
      double permitted =
          moved == 0 ? 0
          : moved == 1
              ? limit[i] + 4 * smallest(type.type)
              : 4 * limit[i] + 4 * smallest(type.type) +
                    epsilonOf(type.type) * (std::abs(expected[i]) + largest);
      if (!(std::abs(found[i] - expected[i]) <= permitted))
        return rt::text(where, ": element ", i, " is ", found[i], ", expected ",
                        expected[i], " within ", permitted);
    }
    // If results must have the same bits, -0 is not 0; NaNs may have any bits.
    if (moved == 0)
      for (size_t i = 0; i < found.size(); ++i)
        if (std::signbit(found[i]) != std::signbit(expected[i]) &&
            !std::isnan(found[i]))
          return rt::text(where, ": element ", i, " has another sign");
  }
  return "";
}

int checkCases(const std::vector<KernelCase> &kernels, const CaseCode &code,
               const StepCases &steps, const rt::Backend &backend) {
  int wrong = 0;
  auto report = [&](const std::string &message) {
    if (message.empty())
      return;
    ++wrong;
    std::cout << "error: " << message << "\n";
  };
  Results results = runCases(kernels, code, backend);
  for (size_t i = 0; i < kernels.size(); ++i)
    report(compare(kernels[i], results[i]));
  if (runCases(kernels, code, backend, Form::Batch) != results)
    report("kernels give other bits as a batch");
  for (const std::string &message : steps.run(backend))
    report(message);
  std::cout << kernels.size() << " kernels, " << steps.size() << " steps, "
            << wrong << " wrong" << std::endl;
  return wrong;
}

} // namespace zcc::conformance
