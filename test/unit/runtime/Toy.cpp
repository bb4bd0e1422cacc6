// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables made by hand.

#include "Toy.h"

#include "runtime/format/Arenas.h"
#include "runtime/format/InputParts.h"
#include "runtime/format/KernelTables.h"

#include <fstream>
#include <sstream>

namespace zcc::rt::test {

namespace {

std::string readObject(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// Builds one stage: a bump allocator for the arena, tasks, steps.
class StageBuilder {
public:
  StageBuilder(format::Executable &executable, format::Stage &stage)
      : executable(executable), stage(stage) {}

  uint64_t allocate(uint64_t bytes) {
    uint64_t offset = top;
    top += (bytes + 63) / 64 * 64;
    setArenaBytes(stage, top);
    return offset;
  }

  format::Task *task(format::Task::Kind kind, const std::string &name) {
    format::Task *task = stage.add_tasks();
    task->set_kind(kind);
    task->set_name(name);
    return task;
  }

  static uint32_t operand(format::Task *task, uint64_t offset, uint64_t size,
                          bool written = false, bool slot = false) {
    format::Operand *operand = task->add_operands();
    operand->set_offset(offset);
    operand->set_size(size);
    operand->set_written(written);
    operand->set_slot(slot);
    operand->set_name("o" + std::to_string(task->operands_size() - 1));
    return task->operands_size() - 1;
  }

  void kernel(format::Task *task, const std::string &symbol, int64_t items,
              std::vector<uint32_t> operands, uint32_t reads) {
    format::Kernel *kernel = executable.add_kernels();
    kernel->set_symbol(symbol);
    kernel->set_items(items);
    kernel->set_buffers(operands.size());
    for (size_t i = 0; i < operands.size(); ++i)
      kernel->add_types(format::F32);
    kernel->set_scratch(64);
    kernel->set_item_cost(100000); // so that the pool is used
    format::Step *step = task->add_steps();
    step->set_name(symbol);
    step->mutable_kernel()->set_kernel(executable.kernels_size() - 1);
    for (uint32_t index : operands)
      step->mutable_kernel()->add_operands(index);
    step->mutable_kernel()->set_reads(reads);
  }

  static void fill(format::Task *task, uint32_t target, uint32_t value) {
    format::Step *step = task->add_steps();
    step->set_name("fill");
    step->mutable_fill()->set_target(target);
    step->mutable_fill()->set_value(value);
  }

  static format::CollectiveStep *collective(format::Task *task,
                                            format::CollectiveStep::Kind kind,
                                            uint32_t source, uint32_t target,
                                            uint64_t n, uint32_t axis) {
    format::Step *step = task->add_steps();
    step->set_name("collective");
    format::CollectiveStep *c = step->mutable_collective();
    c->set_kind(kind);
    c->set_type(format::F32);
    c->add_axes(axis);
    c->set_source(source);
    c->set_target(target);
    c->set_outer(1);
    c->set_n(n);
    c->set_inner(1);
    return c;
  }

  void run(int task, int microbatch, std::vector<uint64_t> slots) {
    format::Run *run = stage.add_actions()->mutable_run();
    run->set_task(task);
    run->set_microbatch(microbatch);
    for (uint64_t slot : slots)
      run->add_slots(slot);
  }

  format::Executable &executable;
  format::Stage &stage;
  uint64_t top = 0;
};

enum MeshAxes { Micro = 0, Pipe = 1, Data = 2 };

} // namespace

static void putOnStreams(format::Stage &stage) {
  std::vector<format::Step *> steps;
  for (format::Task &task : *stage.mutable_tasks())
    for (format::Step &step : *task.mutable_steps())
      steps.push_back(&step);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i]->set_event(uint32_t(i) + 1);
    steps[i]->set_stream(steps[i]->has_collective() ? 1 : 0);
    for (size_t k = 0; k < steps.size(); ++k)
      steps[i]->add_waits(uint32_t(k));
  }
  stage.set_streams(2);
  stage.set_events(uint32_t(steps.size()));
}

/// A block of one thread for an item.
static void putOnGpus(format::Executable &e) {
  e.set_target("cuda");
  format::Code &code = *e.mutable_codes(0);
  code.Clear();
  code.set_target("cuda");
  format::Image &image = *code.add_images();
  image.set_device("host");
  image.set_object(readObject(CUDA_TOY_KERNELS));
  for (format::Kernel &kernel : *e.mutable_kernels()) {
    kernel.set_threads(1);
    kernel.set_scratch(64 * kernel.items());
    kernel.clear_item_cost();
  }
  format::ReductionKernel &sum = *e.add_reductions();
  sum.set_reduction(format::CollectiveStep::SUM);
  sum.set_type(format::F32);
  sum.set_symbol("toy_collective_sum");
  sum.set_threads(32);
}

format::Executable makeToy(const ToyOptions &o) {
  format::Executable e;
  e.set_producer("toy");
  e.set_target("cpu");
  e.set_optimizer(o.forward ? "forward" : "sgd");
  e.set_precision(o.precision);
  format::Code *code = e.add_codes();
  code->set_target("cpu");
  code->set_device("x86-64");
  code->set_object(readObject(TOY_KERNELS));
  e.set_key_type(format::U32);
  e.set_model_flops(1000);
  e.set_peak_flops(1e9);
  auto axis = [&](const char *name, int size, bool temporal) {
    format::Axis *a = e.add_mesh();
    a->set_name(name);
    a->set_size(size);
    a->set_temporal(temporal);
  };
  for (const char *words : {"", "scalar", "loss", "it is logged", "toy.py:3"})
    e.add_texts(words);
  axis("micro", o.microbatches, true);
  axis("pipe", o.stages, false);
  axis("data", o.data, false);
  e.set_pipe_axis(o.stages > 1 ? int(Pipe) : -1);
  int rows = toyBatch / o.data / o.microbatches;
  uint64_t rowBytes = rows * 16;
  for (int s = 0; s < o.stages; ++s) {
    format::Tensor *w = e.add_parameters();
    w->set_name("w" + std::to_string(s + 1));
    w->set_type(format::F32);
    w->add_shape(4);
    w->add_shape(4);
    format::StateTensor *tensor = e.add_states();
    tensor->set_parameter(s);
    tensor->set_file(s);
    *tensor->mutable_shape() = w->shape();
  }

  for (int s = 0; s < o.stages; ++s) {
    bool first = s == 0, last = s == o.stages - 1;
    StageBuilder b(e, *e.add_stages());
    format::Stage &stage = b.stage;
    stage.set_hyper_offset(b.allocate(64));
    stage.set_coordinates_offset(b.allocate(12));
    stage.set_key_offset(b.allocate(8));
    uint64_t shards = o.shardWeights ? o.data : 1;
    uint64_t weightBytes = 64 / shards;
    uint64_t weights = b.allocate(weightBytes);
    // Gathered where they are sharded, else the weights themselves.
    uint64_t whole = o.shardWeights ? b.allocate(64) : weights;
    format::State *state = stage.add_states();
    state->set_tensor(s);
    for (int d = 0; d < 2; ++d) {
      state->add_start(0);
      state->add_extent(4);
      state->add_sharding();
    }
    if (o.shardWeights)
      state->mutable_sharding(0)->add_axes(Data);
    state->set_type(format::F32);
    state->set_offset(weights);

    std::vector<uint64_t> x, t, h, dx, y, dy;
    auto addInput = [&](const char *name, std::vector<uint64_t> &offsets) {
      format::Input *input = stage.add_inputs();
      input->mutable_tensor()->set_name(name);
      input->mutable_tensor()->set_type(format::F32);
      input->mutable_tensor()->add_shape(toyBatch);
      input->mutable_tensor()->add_shape(4);
      input->add_sharding()->add_axes(Micro);
      input->mutable_sharding(0)->add_axes(Data);
      input->add_sharding();
      for (int m = 0; m < o.microbatches; ++m) {
        offsets.push_back(b.allocate(rowBytes));
        input->add_offsets(offsets.back());
      }
    };
    for (int m = 0; m < o.microbatches; ++m) {
      y.push_back(b.allocate(rowBytes));
      dy.push_back(b.allocate(rowBytes));
      dx.push_back(b.allocate(rowBytes));
      if (!first)
        h.push_back(b.allocate(rowBytes));
    }
    if (first)
      addInput("x", x);
    else
      x = h;
    if (last)
      addInput("t", t);
    uint64_t loss = b.allocate(4), gradient = b.allocate(64),
             squares = b.allocate(4), norm = b.allocate(4),
             finite = b.allocate(1), count = b.allocate(1);
    uint64_t hyper = stage.hyper_offset();
    auto output = [&](format::Output::Kind kind, const char *name,
                      format::Type type, uint64_t offset) {
      format::Output *out = stage.add_outputs();
      out->set_kind(kind);
      out->set_name(name);
      out->set_type(type);
      out->set_offset(offset);
      return out;
    };
    if (last)
      output(format::Output::LOSS, "loss", format::F32, loss);
    if (last)
      output(format::Output::METRIC, "twin", format::F32, loss);
    if (!o.forward) {
      output(format::Output::GRADIENT_NORM, "norm", format::F32, norm);
      output(format::Output::FINITE, "finite", format::I1, finite);
      output(format::Output::GRADIENT_SQUARES, "squares", format::F32, squares)
          ->add_names("w" + std::to_string(s + 1));
    }

    // Before the microbatches: accumulators to zero, weights gathered.
    format::Task *before = b.task(format::Task::PROLOGUE, "before");
    b.fill(before, b.operand(before, loss, 4, true), 0);
    b.fill(before, b.operand(before, gradient, 64, true), 0);
    b.fill(before, b.operand(before, count, 1, true), rows);
    if (o.shardWeights)
      b.collective(before, format::CollectiveStep::ALL_GATHER,
                   b.operand(before, weights, weightBytes),
                   b.operand(before, whole, 64, true), 16 / shards, Data);

    // Slots: 0 input, 1 prediction, 2 target, 3 its gradient, 4 input gradient.
    format::Task *forward = b.task(format::Task::FORWARD, "forward");
    {
      uint32_t in = b.operand(forward, 0, rowBytes, false, true);
      uint32_t w = b.operand(forward, whole, 64);
      uint32_t out = b.operand(forward, 1, rowBytes, true, true);
      b.kernel(forward, "toy_matmul", rows, {in, w, out}, 2);
      if (last)
        b.kernel(forward, "toy_loss", 1,
                 {out, b.operand(forward, 2, rowBytes, false, true),
                  b.operand(forward, count, 1), b.operand(forward, hyper, 64),
                  b.operand(forward, loss, 4, true),
                  b.operand(forward, 3, rowBytes, true, true)},
                 4);
    }
    format::Task *backward = b.task(format::Task::BACKWARD, "backward");
    {
      uint32_t in = b.operand(backward, 0, rowBytes, false, true);
      uint32_t g = b.operand(backward, 3, rowBytes, false, true);
      b.kernel(backward, "toy_weight_gradient", 4,
               {in, g, b.operand(backward, count, 1),
                b.operand(backward, gradient, 64, true)},
               3);
      b.kernel(backward, "toy_input_gradient", rows,
               {g, b.operand(backward, whole, 64),
                b.operand(backward, 4, rowBytes, true, true)},
               2);
    }
    format::Task *after = b.task(format::Task::EPILOGUE, "after");
    {
      uint32_t l = b.operand(after, loss, 4, true);
      format::CollectiveStep *sum = b.collective(
          after, format::CollectiveStep::ALL_REDUCE, l, l, 1, Data);
      after->mutable_steps(0)->set_name("after: all_reduce loss");
      sum->set_what(1);
      sum->set_value(2);
      sum->set_why(3);
      sum->set_place(4);
    }
    if (!o.forward) {
      uint32_t g = b.operand(after, gradient, 64, true);
      uint32_t hy = b.operand(after, hyper, 64);
      b.collective(after, format::CollectiveStep::ALL_REDUCE, g, g, 16, Data);
      format::Step *observe = after->add_steps();
      observe->set_name("observe");
      observe->mutable_observe()->add_operands(g);
      observe->mutable_observe()->set_scaled(true);
      format::State *place = observe->mutable_observe()->add_states();
      *place = *state;
      place->clear_offset();
      place->mutable_sharding(0)->clear_axes();
      uint32_t f = b.operand(after, finite, 1, true);
      b.kernel(after, "toy_norm", 1,
               {g, hy, b.operand(after, squares, 4, true),
                b.operand(after, norm, 4, true), f},
               2);
      if (o.shardWeights) {
        // The rank's rows of the gradient: an all-to-all of equal copies, whose
        // first block is kept, is the plainest way without rank arithmetic.
        uint64_t own = b.allocate(64);
        uint32_t mine = b.operand(after, own, 64, true);
        b.collective(after, format::CollectiveStep::ALL_TO_ALL, g, mine, 16,
                     Data);
        b.kernel(after, "toy_sgd", 16 / shards,
                 {mine, hy, f, b.operand(after, weights, weightBytes, true)},
                 3);
      } else {
        b.kernel(after, "toy_sgd", 16,
                 {g, hy, f, b.operand(after, weights, 64, true)}, 3);
      }
      format::Task *init = stage.mutable_init();
      init->set_kind(format::Task::INIT);
      b.kernel(init, "toy_init", 16 / shards,
               {b.operand(init, stage.key_offset(), 8),
                b.operand(init, weights, weightBytes, true)},
               1);
    }

    auto slots = [&](int m) {
      return std::vector<uint64_t>{x[m], y[m], last ? t[m] : 0, dy[m], dx[m]};
    };
    auto transfer = [&](bool send, int peer, uint64_t offset, uint64_t tag) {
      format::Action *action = stage.add_actions();
      format::Transfer *t =
          send ? action->mutable_send() : action->mutable_receive();
      t->set_peer(peer);
      t->set_offset(offset);
      t->set_size(rowBytes);
      t->set_tag(tag);
      t->set_name("transfer");
      t->set_microbatch(uint32_t(tag % 100));
    };
    b.run(0, 0, {});
    for (int m = 0; m < o.microbatches; ++m) {
      if (!first)
        transfer(false, s - 1, x[m], m);
      b.run(1, m, slots(m));
      if (!last)
        transfer(true, s + 1, y[m], m);
    }
    for (int m = 0; m < o.microbatches && !o.forward; ++m) {
      if (!last)
        transfer(false, s + 1, dy[m], 100 + m);
      b.run(2, m, slots(m));
      if (!first)
        transfer(true, s - 1, dx[m], 100 + m);
    }
    b.run(3, 0, {});
  }
  if (o.cuda)
    putOnGpus(e);
  if (o.streams)
    for (format::Stage &each : *e.mutable_stages())
      putOnStreams(each);
  if (o.cuda)
    addWorkspaces(e);
  return e;
}

void giveInputsToCaller(format::Executable &executable) {
  Mesh mesh(executable);
  for (int s = 0; s < executable.stages_size(); ++s) {
    format::Stage &stage = *executable.mutable_stages(s);
    const uint64_t arena = arenaBytes(stage);
    uint64_t end = arena;
    std::map<uint64_t, uint64_t> moved; // offsets: what they were
    for (const InputPart &part : inputParts(stage, mesh, mesh.inStage(0, s))) {
      moved[part.offset] = end;
      end += (part.bytes + 63) / 64 * 64;
    }
    auto move = [&](uint64_t offset) {
      auto found = moved.find(offset);
      return found == moved.end() ? offset : found->second;
    };
    for (format::Input &input : *stage.mutable_inputs())
      for (uint64_t &offset : *input.mutable_offsets())
        offset = move(offset);
    for (format::Task &task : *stage.mutable_tasks())
      for (format::Operand &operand : *task.mutable_operands())
        if (!operand.slot())
          operand.set_offset(move(operand.offset()));
    for (format::Action &action : *stage.mutable_actions())
      if (action.has_run())
        for (uint64_t &slot : *action.mutable_run()->mutable_slots())
          slot = move(slot);
    stage.set_caller_bytes(end - arena);
  }
}

std::vector<double> toyReference(const ToyOptions &options,
                                 std::map<std::string, std::vector<float>> &w,
                                 const std::vector<float> &x,
                                 const std::vector<float> &t, int steps,
                                 double lr) {
  using Matrix = std::vector<double>;
  auto multiply = [](const Matrix &a, const Matrix &b, int rows) {
    Matrix out(rows * 4, 0.0);
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j)
          out[r * 4 + j] += a[r * 4 + k] * b[k * 4 + j];
    return out;
  };
  auto transpose = [](const Matrix &a, int rows) {
    Matrix out(a.size());
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < 4; ++c)
        out[c * rows + r] = a[r * 4 + c];
    return out;
  };
  auto weightGradient = [&](const Matrix &in, const Matrix &dy) {
    Matrix out(16, 0.0);
    for (int r = 0; r < toyBatch; ++r)
      for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j)
          out[k * 4 + j] += in[r * 4 + k] * dy[r * 4 + j];
    return out;
  };
  Matrix w1(w["w1"].begin(), w["w1"].end()), w2(w["w2"].begin(), w["w2"].end());
  Matrix in(x.begin(), x.end());
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    Matrix h = multiply(in, w1, toyBatch);
    Matrix p = options.stages == 2 ? multiply(h, w2, toyBatch) : h;
    double loss = 0;
    Matrix dp(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      loss += (p[i] - t[i]) * (p[i] - t[i]) / 32;
      dp[i] = 2 * (p[i] - t[i]) / 32;
    }
    losses.push_back(loss);
    Matrix dh =
        options.stages == 2 ? multiply(dp, transpose(w2, 4), toyBatch) : dp;
    Matrix g1 = weightGradient(in, dh);
    Matrix g2 = weightGradient(h, dp);
    for (int i = 0; i < 16; ++i) {
      w1[i] -= lr * g1[i];
      if (options.stages == 2)
        w2[i] -= lr * g2[i];
    }
  }
  w["w1"].assign(w1.begin(), w1.end());
  if (options.stages == 2)
    w["w2"].assign(w2.begin(), w2.end());
  return losses;
}

} // namespace zcc::rt::test
