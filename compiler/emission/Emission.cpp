// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the executable: mesh, parameters and kernels of all stages, then for
// each stage its persistent state, its tasks and its action table. Everything
// comes from the planned module in program order, so that equal modules give
// equal bytes. The result is validated before it is returned.
#include "compiler/emission/Emission.h"

#include "compiler/emission/TaskMessages.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include "planning/AxisRole.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/Validate.h"
#include <map>

using namespace mlir;

namespace zcc {

namespace format = rt::format;

SmallVector<func::FuncOp> kernelsOf(ModuleOp module) {
  SmallVector<func::FuncOp> out;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(exec::kernelAttrName))
      out.push_back(function);
  return out;
}

std::vector<LaunchBatch> listLaunchBatches(ModuleOp module) {
  llvm::StringMap<unsigned> numbers;
  for (func::FuncOp kernel : kernelsOf(module))
    numbers.insert({kernel.getSymName(), numbers.size()});
  std::vector<LaunchBatch> out;
  for (auto task : module.getOps<exec::TaskOp>())
    for (auto batch : task.getOps<exec::BatchOp>()) {
      LaunchBatch &own = out.emplace_back();
      for (auto member : batch.getOps<exec::LaunchOp>())
        own.push_back(numbers.lookup(member.getKernel()));
    }
  return out;
}

std::vector<CollectiveReduction> reductionsOf(ModuleOp module) {
  std::map<std::pair<std::string, std::string>, CollectiveReduction> found;
  module.walk([&](exec::CollectiveOp op) {
    if (op.getKind() != dist::CollectiveKind::all_reduce &&
        op.getKind() != dist::CollectiveKind::reduce_scatter)
      return;
    std::string name =
                    op.getReduction().empty() ? "add" : op.getReduction().str(),
                type;
    Type element = cast<exec::BufferType>(op.getSource().getType())
                       .getTensor()
                       .getElementType();
    llvm::raw_string_ostream(type) << element;
    found.insert({{name, type}, {name, element}});
  });
  std::vector<CollectiveReduction> out;
  for (auto &[key, reduction] : found)
    out.push_back(reduction);
  return out;
}

namespace {

// The values of both enums are indices into the same buffer.
template <train::Hyper own, format::Hyper other>
constexpr bool same = static_cast<int>(own) == static_cast<int>(other);
static_assert(same<train::Hyper::LearningRate, format::LEARNING_RATE> &&
              same<train::Hyper::Beta1, format::BETA1> &&
              same<train::Hyper::Beta2, format::BETA2> &&
              same<train::Hyper::Epsilon, format::EPSILON> &&
              same<train::Hyper::WeightDecay, format::WEIGHT_DECAY> &&
              same<train::Hyper::Momentum, format::MOMENTUM> &&
              same<train::Hyper::ClipNorm, format::CLIP_NORM> &&
              same<train::Hyper::Bias1, format::BIAS1> &&
              same<train::Hyper::Bias2, format::BIAS2> &&
              same<train::Hyper::LossScale, format::LOSS_SCALE> &&
              same<train::Hyper::OneMinusBeta1, format::ONE_MINUS_BETA1> &&
              same<train::Hyper::OneMinusBeta2, format::ONE_MINUS_BETA2> &&
              train::hyperCount == format::HYPER_COUNT);
format::Hyper toHyper(train::Hyper which) {
  return static_cast<format::Hyper>(which);
}

class Emitter {
public:
  Emitter(ModuleOp module, const CompiledKernels &kernels,
          const EmissionOptions &options, const CompiledKernels &reductions)
      : module(module), kernels(kernels), reductions(reductions),
        options(options), mesh(dist::getMesh(module)) {}

  FailureOr<std::string> run() {
    if (!mesh)
      return module.emitError() << "the module has no dist.mesh";
    addHead();
    if (failed(addKernels()))
      return failure();
    addReductions();
    for (auto state : module.getOps<dist::StateOp>())
      if (failed(addParameter(state)) || failed(addTensor(state)))
        return failure();
    SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
    llvm::sort(tables, [](dist::ScheduleOp a, dist::ScheduleOp b) {
      return a.getStage() < b.getStage();
    });
    for (dist::ScheduleOp table : tables)
      if (failed(addStage(table)))
        return failure();
    for (const std::string &text : texts.texts())
      out.add_texts(text);
    if (std::string wrong = rt::validate(out); !wrong.empty())
      return module.emitError() << "the executable is not valid: " << wrong;
    std::string bytes;
    if (std::string wrong = rt::serializeExecutable(out, bytes); !wrong.empty())
      return module.emitError() << wrong;
    return bytes;
  }

private:
  void addHead() {
    out.set_producer(options.producer);
    out.set_target(kernels.codes.front().target);
    out.set_pipe_axis(-1);
    for (auto [i, attribute] : llvm::enumerate(mesh.getAxes())) {
      auto axis = cast<dist::AxisAttr>(attribute);
      format::Axis *message = out.add_mesh();
      message->set_name(axis.getName().str());
      message->set_size(axis.getSize());
      message->set_temporal(axis.getTemporal());
      axes[axis.getName()] = i;
      if (axis.getName() == planning::axisName(planning::AxisRole::Pipe))
        out.set_pipe_axis(i);
    }
    out.set_optimizer(options.optimizer);
    if (options.ema)
      out.set_ema(*options.ema);
    auto *dialect =
        module.getContext()->getOrLoadDialect<train::TrainDialect>();
    if (auto *optimizer = dialect->findOptimizer(options.optimizer))
      for (const train::Optimizer::Setting &setting : optimizer->settings()) {
        format::Setting *own = out.add_settings();
        own->set_which(toHyper(setting.which));
        own->set_fallback(setting.fallback);
      }
    out.set_precision(options.precision);
    out.set_model_flops(options.modelFlops > 0 ? options.modelFlops
                                               : executedFlops(module));
    out.set_peak_flops(options.peakFlops);
    out.set_library_bytes(options.libraryBytes);
    for (const std::string &name : options.frozen)
      out.add_frozen(name);
  }

  LogicalResult addKernels() {
    SmallVector<func::FuncOp> functions = kernelsOf(module);
    if (functions.size() != kernels.kernels.size())
      return module.emitError()
             << "the module has " << functions.size() << " kernels, "
             << kernels.kernels.size() << " were compiled";
    for (auto [function, info] : llvm::zip(functions, kernels.kernels)) {
      kernelIndex[function.getSymName()] = out.kernels_size();
      format::Kernel *message = out.add_kernels();
      fillKernel(info, *message);
      message->set_buffers(function.getNumArguments() +
                           function.getNumResults());
      for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                              TypeRange(function.getResultTypes())})
        for (Type type : types)
          message->add_types(
              toFormatType(cast<RankedTensorType>(type).getElementType()));
      if (!info.library.empty() && !message->MergeFromString(info.library))
        return function.emitError("what a library does cannot be read");
      if (!info.program.empty() &&
          !message->mutable_program()->ParseFromString(info.program))
        return function.emitError("its program cannot be read");
    }
    for (const SegmentedKernel &segmented : kernels.segmented) {
      format::Kernel *message = out.add_kernels();
      fillKernel(segmented.info, *message);
      for (unsigned kernel : segmented.kernels)
        message->mutable_segments()->add_kernels(kernel);
    }
    findLaunches();
    addCodes(kernels.codes);
    return success();
  }

  void addReductions() {
    uint32_t firstCode = out.codes_size();
    addCodes(reductions.codes);
    std::vector<CollectiveReduction> all = reductionsOf(module);
    assert(reductions.kernels.empty() ||
           reductions.kernels.size() == all.size());
    for (auto [own, info] : llvm::zip(all, reductions.kernels)) {
      format::ReductionKernel *message = out.add_reductions();
      message->set_reduction(*toFormatReduction(own.reduction));
      message->set_type(toFormatType(own.element));
      message->set_symbol(info.symbol);
      message->set_code(firstCode + info.code);
      message->set_threads(info.threads);
    }
  }

  void addCodes(ArrayRef<TargetCode> codes) {
    for (const TargetCode &code : codes) {
      format::Code *message = out.add_codes();
      message->set_target(code.target);
      message->set_device(code.device);
      for (const std::string &feature : code.features)
        message->add_features(feature);
      message->set_object(code.object);
      for (const CodeImage &image : code.images) {
        format::Image *own = message->add_images();
        own->set_device(image.device);
        own->set_object(image.object);
      }
    }
  }

  static void fillKernel(const KernelInfo &info, format::Kernel &out) {
    out.set_symbol(info.symbol);
    out.set_code(info.code);
    out.set_items(info.items);
    out.set_scratch(info.scratchBytes);
    out.set_item_cost(info.itemNanoseconds);
    out.set_threads(info.threads);
    out.set_shared(info.shared);
    if (info.second) {
      format::Launch &second = *out.mutable_second();
      second.set_symbol(info.second->symbol);
      second.set_blocks(info.second->blocks);
      second.set_threads(info.second->threads);
      second.set_shared(info.second->shared);
    }
  }

  // Finds the launches of batches, in the order of listLaunchBatches(), if the
  // target has any.
  void findLaunches() {
    auto next = kernels.launches.begin();
    for (auto task : module.getOps<exec::TaskOp>())
      for (auto batch : task.getOps<exec::BatchOp>()) {
        if (next == kernels.launches.end())
          return;
        for (const BatchLaunch &launch : *next++) {
          format::BatchLaunch &own = launches[batch].emplace_back();
          own.set_kernel(kernels.kernels.size() + launch.segmented);
          own.set_blocks(launch.segmentBlocks);
        }
      }
  }

  LogicalResult addParameter(dist::StateOp state) {
    auto [at, isNew] =
        parameterIndex.insert({state.getFileName(), out.parameters_size()});
    if (!isNew)
      return success();
    auto type = dyn_cast<RankedTensorType>(state.getFileType());
    if (!type)
      return state.emitError() << "its file type is not a tensor";
    format::Tensor *tensor = out.add_parameters();
    tensor->set_name(state.getFileName().str());
    tensor->set_type(toFormatType(type.getElementType()));
    for (int64_t extent : type.getShape())
      tensor->add_shape(extent);
    return success();
  }

  // Adds the tensor that a state belongs to, unless it is known. Parameters
  // come first, so they are known; their states, and those of their optimizer,
  // refer to them.
  LogicalResult addTensor(dist::StateOp state) {
    auto [at, isNew] =
        tensorIndex.insert({tensorKey(state), out.states_size()});
    auto type = dyn_cast<RankedTensorType>(state.getFileType());
    if (!type)
      return state.emitError() << "its file type is not a tensor";
    if (!isNew)
      return success();
    format::StateTensor *tensor = out.add_states();
    StateKind kind = state.getKind();
    tensor->set_kind(format::StateTensor::Kind(kind));
    tensor->set_rule(format::StateTensor::Rule(ruleOf(kind)));
    if (auto parameter = state.getParameter())
      tensor->set_parameter(parameterIndex.lookup(*parameter));
    if (isInFiles(kind))
      tensor->set_file(parameterIndex.lookup(state.getFileName()));
    else if (hasOwnName(kind))
      tensor->set_name(state.getOwnName()->str());
    for (int64_t extent : type.getShape())
      tensor->add_shape(extent);
    if (state.getInitial())
      tensor->set_initial(state.getInitialAttr().getValueAsDouble());
    return success();
  }

  LogicalResult addStage(dist::ScheduleOp table) {
    int64_t stage = table.getStage();
    if (failed(exec::expectPlanned(table)))
      return failure();
    if (stage != out.stages_size())
      return table.emitError()
             << "stage " << stage << ", expected " << out.stages_size();
    format::Stage &message = *out.add_stages();
    for (const MemorySpaceInfo &row : memorySpaces)
      rt::setArenaBytes(message,
                        exec::getArenaBytes(table, row.space).value_or(0),
                        row.space);
    message.set_caller_bytes(uint64_t(exec::getCallerBytes(table)));
    auto number = [&](Operation *op, StringRef name) -> uint64_t {
      auto value = op->getAttrOfType<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    message.set_hyper_offset(number(table, exec::hyperOffsetAttrName));
    message.set_coordinates_offset(
        number(table, exec::coordinatesOffsetAttrName));
    message.set_key_offset(number(table, exec::keyOffsetAttrName));
    if (auto streams =
            table->getAttrOfType<DenseI64ArrayAttr>(workspacesAttrName)) {
      uint64_t at = number(table, workspaceOffsetAttrName);
      auto add = [&](uint64_t bytes, format::Workspace &own) {
        own.set_offset(at);
        own.set_bytes(bytes);
        at += bytes;
      };
      for (int64_t bytes : streams.asArrayRef())
        add(bytes, *message.add_workspaces());
      add(number(table, tableBytesAttrName), *message.mutable_tables());
    }
    for (auto state : module.getOps<dist::StateOp>())
      if (static_cast<int64_t>(state.getStage()) == stage) {
        format::State *own = message.add_states();
        fillState(state, axes, tensorIndex.lookup(tensorKey(state)), *own);
        own->set_offset(number(state, exec::offsetAttrName));
        own->set_memory(rt::memoryOf(state.getMemorySpace()));
      }
    for (auto input : module.getOps<dist::InputOp>())
      if (static_cast<int64_t>(input.getStage()) == stage)
        fillInput(input, axes, *message.add_inputs());
    for (auto output : module.getOps<dist::OutputOp>())
      if (static_cast<int64_t>(output.getStage()) == stage) {
        fillOutput(output, axes, *message.add_outputs());
        message.mutable_outputs()->rbegin()->set_offset(
            number(output, exec::offsetAttrName));
      }
    return addTasks(table, message);
  }

  LogicalResult addTasks(dist::ScheduleOp table, format::Stage &message) {
    TaskMessages messages(module, axes, kernelIndex, launches, tensorIndex,
                          texts);
    for (auto task : module.getOps<exec::TaskOp>()) {
      if (task.getStage() != table.getStage())
        continue;
      bool init = task.getKind() == dist::TaskKind::Init;
      format::Task *own = init ? message.mutable_init() : message.add_tasks();
      if (failed(messages.fillTask(task, *own)))
        return failure();
      if (!init)
        continue;
      for (auto buffer : task.getOps<exec::BufferOp>())
        if (buffer.getSpace() == exec::BufferSpace::Key)
          out.set_key_type(
              toFormatType(buffer.getType().getTensor().getElementType()));
    }
    if (failed(messages.fillActions(table, message)))
      return failure();
    message.set_streams(messages.streams());
    message.set_events(messages.events());
    return success();
  }

  ModuleOp module;
  const CompiledKernels &kernels, &reductions;
  const EmissionOptions &options;
  dist::MeshOp mesh;
  format::Executable out;
  llvm::StringMap<unsigned> axes, kernelIndex, parameterIndex, tensorIndex;
  BatchLaunches launches;
  TextTable texts;
};

} // namespace

FailureOr<std::string> buildExecutable(ModuleOp planned,
                                       const CompiledKernels &kernels,
                                       const EmissionOptions &options,
                                       const CompiledKernels &reductions) {
  return Emitter(planned, kernels, options, reductions).run();
}

} // namespace zcc
