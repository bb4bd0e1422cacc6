// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/KernelCases.h"
#include "compiler/reference/Program.h"
#include "runtime/format/Validate.h"
#include "runtime/launch/RankHost.h"
#include "runtime/reference/Interpreter.h"
#include "runtime/reference/Types.h"
#include <cmath>
#include <random>

using namespace mlir;

namespace zcc::conformance {

namespace format = rt::format;
namespace reference = rt::reference;
using reference::TensorType;

namespace {

// Floats in [-4, 4) with some equal ones, in [1/8, 4) where negative ones have
// no meaning (hyperparameters); signed integers, which may be places, in [-2,
// 40]; unsigned ones with all their bits.
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

// An executable of one task that runs every kernel once, each on memory of its
// own.
class Builder {
public:
  Builder(const std::vector<KernelCase> &cases, const CompiledKernels &kernels,
          Form form = Form::Steps)
      : cases(cases) {
    out.set_producer("conformance");
    out.set_target(kernels.codes.front().target);
    out.set_pipe_axis(-1);
    out.set_optimizer("forward");
    out.set_precision("f32");
    for (const TargetCode &code : kernels.codes) {
      format::Code &message = *out.add_codes();
      message.set_target(code.target);
      message.set_device(code.device);
      for (const std::string &feature : code.features)
        message.add_features(feature);
      message.set_object(code.object);
      for (const CodeImage &image : code.images) {
        format::Image &own = *message.add_images();
        own.set_device(image.device);
        own.set_object(image.object);
      }
    }
    format::Stage &stage = *out.add_stages();
    stage.add_actions()->mutable_run()->set_task(0);
    format::Task &task = *stage.add_tasks();
    task.set_kind(format::Task::FORWARD);
    for (size_t i = 0; i < cases.size(); ++i)
      addKernel(cases[i].program, kernels.kernels[i], task, form);
    stage.set_device_bytes(end);
  }

  Results run(const rt::Backend &backend) {
    if (std::string wrong = rt::validate(out); !wrong.empty())
      rt::fail("the cases' executable is not valid: ", wrong);
    rt::RankHost host(out, backend, {});
    Results results(cases.size());
    host.onAllRanks([&](int rank) {
      rt::Device &device = host.device(rank);
      rt::Stream &stream = device.mainStream();
      device.fill(stream, device.at(0), 0xff, 1, end);
      for (size_t i = 0; i < cases.size(); ++i)
        for (size_t k = 0; k < cases[i].inputs.size(); ++k)
          device.copyIn(stream, device.at(places[i][k]),
                        cases[i].inputs[k].data(), cases[i].inputs[k].size());
      host.runStep(rank, false);
      for (size_t i = 0; i < cases.size(); ++i) {
        size_t inputs = cases[i].inputs.size();
        for (size_t k = inputs; k < places[i].size(); ++k) {
          size_t bytes = cases[i].expected[k - inputs].size();
          results[i].emplace_back(bytes, 0);
          device.copyOut(stream, results[i].back().data(),
                         device.at(places[i][k]), bytes);
          device.wait(stream);
        }
      }
      device.wait(stream);
    });
    return results;
  }

private:
  void addKernel(const format::Program &program, const KernelInfo &info,
                 format::Task &task, Form form) {
    format::Kernel &kernel = *out.add_kernels();
    kernel.set_symbol(info.symbol);
    kernel.set_code(info.code);
    kernel.set_items(info.items);
    kernel.set_scratch(info.scratchBytes);
    kernel.set_threads(info.threads);
    kernel.set_shared(uint32_t(info.shared));
    kernel.set_item_cost(info.itemNanoseconds);
    if (!info.program.empty())
      kernel.mutable_program()->ParseFromString(info.program);
    kernel.set_buffers(program.arguments() + uint32_t(program.results_size()));
    bool isMember = form == Form::Batch && task.steps_size() > 0;
    format::Step &step = isMember ? *task.mutable_steps(0) : *task.add_steps();
    step.set_name(info.symbol);
    format::KernelStep &run = form == Form::Batch
                                  ? *step.mutable_batch()->add_members()
                                  : *step.mutable_kernel();
    run.set_kernel(uint32_t(out.kernels_size() - 1));
    run.set_reads(program.arguments());
    places.emplace_back();
    for (uint32_t i = 0; i < kernel.buffers(); ++i) {
      bool isResult = i >= program.arguments();
      uint32_t value =
          isResult ? program.results(int(i - program.arguments())) : i;
      format::Operand &operand = *task.add_operands();
      operand.set_offset(end);
      operand.set_size(typeOf(program, value).bytes());
      operand.set_written(isResult);
      places.back().push_back(end);
      end += (operand.size() + 63) / 64 * 64;
      run.add_operands(uint32_t(task.operands_size() - 1));
    }
  }

  const std::vector<KernelCase> &cases;
  format::Executable out;
  std::vector<std::vector<uint64_t>> places; // by case, by buffer
  uint64_t end = 0;
};

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

std::vector<KernelCase> makeCases(ModuleOp module, std::string &error) {
  std::vector<KernelCase> cases;
  uint64_t seed = 1;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<format::Program> program = buildProgram(function);
    if (failed(program)) {
      error = function.getSymName().str() + ": not a program";
      return {};
    }
    KernelCase one{function, std::move(*program), {}, {}};
    std::mt19937_64 random(seed++);
    for (uint32_t i = 0; i < one.program.arguments(); ++i)
      one.inputs.push_back(makeInput(typeOf(one.program, i), random));
    try {
      one.expected = interpret(one.program, one.inputs);
    } catch (const std::exception &thrown) {
      error = function.getSymName().str() + ": " + thrown.what();
      return {};
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

Results runCases(const std::vector<KernelCase> &cases, const Target &target,
                 const rt::Backend &backend, Form form) {
  SmallVector<func::FuncOp> functions;
  for (const KernelCase &one : cases)
    functions.push_back(one.function);
  FailureOr<CompiledKernels> kernels = target.compile(functions, 2);
  if (failed(kernels))
    rt::fail("the cases do not compile");
  return Builder(cases, *kernels, form).run(backend);
}

Results runPrograms(const std::vector<KernelCase> &cases,
                    const std::vector<format::Program> &programs,
                    const rt::Backend &backend) {
  CompiledKernels kernels;
  kernels.codes.push_back({backend.name(), "", {}, ""});
  for (size_t i = 0; i < cases.size(); ++i) {
    KernelInfo &info = kernels.kernels.emplace_back();
    info.symbol = "k" + std::to_string(i);
    info.items = 1;
    info.program = programs[i].SerializeAsString();
  }
  return Builder(cases, kernels).run(backend);
}

std::string compare(const KernelCase &one,
                    const std::vector<std::string> &results) {
  // What the ops permit, seen at the results.
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
    std::string where = rt::text(one.function.getSymName().str(), ", result ",
                                 k, " of ", reference::describe(type));
    if (!rt::isFloat(type.type)) {
      if (results[k] != one.expected[k] && moved == 0)
        return where + ": other bits";
      // Where a float decided, only those that all decisions agree on.
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
        // No number is what it is near to.
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
      // Of several ops that may be off, not all were moved the worst way; and
      // what they are added to is rounded otherwise.
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
    // -0 is not 0 where bits are meant; NaNs have no particular ones.
    if (moved == 0)
      for (size_t i = 0; i < found.size(); ++i)
        if (std::signbit(found[i]) != std::signbit(expected[i]) &&
            !std::isnan(found[i]))
          return rt::text(where, ": element ", i, " has another sign");
  }
  return "";
}

} // namespace zcc::conformance
