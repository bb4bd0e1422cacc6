// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun's command line. Values are checked here, so that a wrong one is named
// before anything is read.

#include "tools/zrun/Options.h"

#include "runtime/core/Error.h"
#include "runtime/train/Values.h"
#include "tools/completion/Completion.h"
#include "tools/completion/Manual.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>

namespace zcc::rt {

namespace {

struct Unit {
  const char *name;
  double factor;
};

/// A number and its unit, in the unit of factor 1; nothing if it is neither.
std::optional<double> readQuantity(const std::string &value,
                                   const std::vector<Unit> &units) {
  double number = 0;
  const char *end = value.data() + value.size();
  auto result = std::from_chars(value.data(), end, number);
  for (const Unit &unit : units)
    if (result.ec == std::errc() && std::string_view(result.ptr) == unit.name)
      return number * unit.factor;
  return std::nullopt;
}

/// "2ms" or "2ms,100MB/s".
LinkDelay parseLinkDelay(const std::string &value) {
  LinkDelay delay;
  size_t comma = std::min(value.find(','), value.size());
  std::string latency = value.substr(0, comma);
  auto seconds = readQuantity(
      latency, {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}});
  if (!seconds || !(*seconds >= 0 && *seconds <= 3600))
    badInput("--link-delay: expected a latency from 0s to 3600s in ns, us, ms "
             "or s, found '",
             latency, "'");
  delay.latency = *seconds;
  if (comma == value.size())
    return delay;
  std::string bandwidth = value.substr(comma + 1);
  auto rate = readQuantity(bandwidth, {{"B/s", 1},
                                       {"kB/s", 1e3},
                                       {"MB/s", 1e6},
                                       {"GB/s", 1e9},
                                       {"TB/s", 1e12},
                                       {"KiB/s", 1024.},
                                       {"MiB/s", 1048576.},
                                       {"GiB/s", 1073741824.}});
  if (!rate || !(*rate >= 1e3 && *rate <= 1e15))
    badInput("--link-delay: expected a bandwidth from 1kB/s to 1000TB/s, as in "
             "100MB/s, 2GB/s or 1GiB/s, found '",
             bandwidth, "'");
  delay.bandwidth = *rate;
  return delay;
}

void checkEvaluation(const CLI::App &app, const Options &options) {
  const bool tokens = !options.evalTokens.empty();
  const bool batches = !options.evalBatches.empty();
  if (options.evalExecutable.empty()) {
    for (const char *name : {"--eval-tokens", "--eval-batches", "--eval-every",
                             "--eval-steps", "--eval-ema"})
      if (app.count(name))
        badInput(name, " needs --eval-executable");
    return;
  }
  if (tokens == batches)
    badInput("--eval-executable needs ", tokens ? "one of " : "",
             "--eval-tokens or --eval-batches");
  if (options.evalBatches == "-")
    badInput("--eval-batches: expected files, found -");
}

/// --export and --import run nothing.
void checkTransfer(const CLI::App &app, const Options &options) {
  bool exports = !options.exportFrom.empty();
  if (options.withMoments && !exports)
    badInput("--with-moments needs --export");
  if (exports && options.output.empty())
    badInput("--export needs -o FILE.safetensors");
  if (exports + !options.importFrom.empty() + !options.plot.empty() > 1)
    badInput("--export, --import and --plot exclude each other");
  if (!options.importFrom.empty() && options.checkpoint.empty())
    badInput("--import needs --checkpoint DIR");
}

void checkPlot(const CLI::App &app, Options &options) {
  if (options.plot.empty()) {
    if (app.count("-o") && options.exportFrom.empty())
      badInput("-o needs --plot or --export");
    if (options.logScale)
      badInput("--log-scale needs --plot");
    return;
  }
  if (options.output.empty())
    options.output = "loss.svg";
}

/// The options and how their values are read. CLI11 reads numbers, paths and
/// lists; values with bounds of their own come as text and are read after all
/// are known.
class Declarations {
public:
  explicit Declarations(CLI::App &app) : app(app) {}

  template <typename T>
  CLI::Option *add(const char *name, T &target, const char *type,
                   const char *help) {
    return app.add_option(name, target, help)->type_name(type);
  }
  void list(const char *name, std::vector<std::string> &target,
            const char *type, const char *help) {
    add(name, target, type, help)->delimiter(',');
  }
  void real(const char *name, double &target, Bounds bounds, const char *help) {
    add(name, target, "X", help);
    readers.push_back([=, &target] { checkNumber(name, target, bounds); });
  }
  void setting(const UpdateSetting &info, std::map<int, double> &given) {
    double &value = numbers.emplace_back();
    const std::string &name = names.emplace_back("--" + std::string(info.name));
    CLI::Option *option = add(name.c_str(), value, "X", info.help);
    readers.push_back([=, &name, &value, &given] {
      if (!option->count())
        return;
      checkNumber(name.c_str(), value,
                  {0, info.high, false, info.highExcluded});
      given[info.which] = value;
    });
  }
  void word(const char *name, const std::string &type, const char *help,
            std::function<void(const std::string &)> read) {
    std::string &value = words.emplace_back();
    CLI::Option *option = add(name, value, type.c_str(), help);
    readers.push_back([=, &value] {
      if (option->count())
        read(value);
    });
  }
  template <typename T, typename Target>
  void integer(const char *name, Target &target, T low, T high,
               const char *help) {
    word(name, "N", help, [=, &target](const std::string &value) {
      target = parseInteger<T>(name, value, low, high);
    });
  }
  template <typename T>
  void choice(const char *name, T &target,
              std::vector<std::pair<const char *, T>> values,
              const char *help) {
    std::string type, words;
    for (size_t i = 0; i < values.size(); ++i) {
      type += text(i == 0 ? "" : "|", values[i].first);
      words += text(i == 0                  ? ""
                    : i + 1 < values.size() ? ", "
                                            : " or ",
                    values[i].first);
    }
    word(name, type, help, [=, &target](const std::string &given) {
      for (const auto &[name, value] : values)
        if (given == name) {
          target = value;
          return;
        }
      badInput(name, ": expected ", words, ", found ", given);
    });
  }
  /// After CLI11's own reading.
  void read() const {
    for (const auto &reader : readers)
      reader();
  }

private:
  CLI::App &app;
  std::deque<std::string> names, words;
  std::deque<double> numbers;
  std::vector<std::function<void()>> readers;
};

constexpr double infinity = HUGE_VAL;

void declareInputs(Declarations &d, Options &options) {
  d.add("executable", options.executable, "", "MODEL.zexe");
  d.add("--params", options.params, "FILE-OR-DIR",
        "parameters: FILE.safetensors, FILE.index.json, the folder of a "
        "checkpoint or one with model.safetensors");
  d.add("--rename", options.rename, "FILE",
        "where each parameter is found among those of --params");
  d.integer<uint64_t>("--init-seed", options.initSeed, 0, UINT64_MAX,
                      "start from the compiled-in initialization");
  d.add("--batches", options.batches, "FILE-OR-DIR",
        "inputs: FILE.safetensors, a folder of them, or - for a stream");
  d.list("--tokens", options.tokens, "FILE,...", "inputs x and y: FILE,...");
  d.choice<ElementType>("--token-type", options.tokenType,
                        {{"u8", ElementType::U8},
                         {"u16", ElementType::U16},
                         {"u32", ElementType::U32}},
                        "u8, u16 or u32 [u16]");
  d.integer<uint64_t>("--seed", options.seed, 0, UINT64_MAX,
                      "order of the token windows [0]");
  d.integer<uint64_t>("--key-seed", options.keySeed, 0, UINT64_MAX,
                      "the key of random numbers in step t is "
                      "fold_in(key(N), t), for an input that is one [0]");
  d.integer<int64_t>("--steps", options.steps, 1, INT64_MAX, "steps in all");
}

void declareUpdates(Declarations &d, Options &options) {
  d.real("--lr", options.lr, {0, infinity}, "learning rate [1e-3]");
  d.integer<int64_t>("--warmup", options.warmup, 0, INT64_MAX,
                     "steps of linear warmup [0]");
  d.choice<Decay>("--decay", options.decay,
                  {{"none", Decay::None},
                   {"linear", Decay::Linear},
                   {"cosine", Decay::Cosine}},
                  "none, linear or cosine [none]");
  d.real("--min-lr", options.minLr, {0, infinity},
         "learning rate at --steps [0]");
  d.add("--lr-file", options.lrFile, "FILE", "lines of step and rate");
  for (const UpdateSetting &own : updateSettings())
    d.setting(own, options.settings);
  d.real("--clip-norm", options.clipNorm, {0, infinity},
         "largest norm of the gradient [0: off]");
  d.word("--loss-scale", "X|dynamic|dynamic:INIT",
         "a number, dynamic or dynamic:INIT [dynamic in f16, else 1]",
         [&options](const std::string &value) {
           parseLossScale("--loss-scale", value, options);
         });
  d.choice<OnNan>("--on-nan", options.onNan,
                  {{"stop", OnNan::Stop},
                   {"find", OnNan::Find},
                   {"continue", OnNan::Continue}},
                  "stop; find: stop and name the kernels that made the first "
                  "NaN, on CPUs; or continue [stop]");
}

void declareReports(CLI::App &app, Declarations &d, Options &options) {
  d.add("--log", options.log, "FILE", "one JSON line a step");
  d.add("--tensorboard", options.tensorboard, "DIR",
        "the log as TensorBoard events");
  d.add("--eval-executable", options.evalExecutable, "FILE",
        "the model compiled with --optimizer forward, to be run on "
        "held-out data");
  d.list("--eval-tokens", options.evalTokens, "FILE,...", "held-out tokens");
  d.add("--eval-batches", options.evalBatches, "FILE-OR-DIR",
        "held-out inputs, as --batches");
  d.integer<int64_t>("--eval-every", options.evalEvery, 1, INT64_MAX,
                     "steps between evaluations [one at the end]");
  d.integer<int64_t>("--eval-steps", options.evalSteps, 1, INT64_MAX,
                     "batches of an evaluation [all, once]");
  app.add_flag("--eval-ema", options.evalEma,
               "evaluate the averages of the parameters (zcc --ema)");
}

void declareCheckpoints(CLI::App &app, Declarations &d, Options &options) {
  d.add("--checkpoint", options.checkpoint, "DIR",
        "the folder of the run's checkpoints");
  d.integer<int64_t>("--checkpoint-every", options.checkpointEvery, 1,
                     INT64_MAX,
                     "steps between checkpoints [one at Ctrl-C or SIGTERM]");
  d.integer<int>("--keep", options.keep, 1, INT32_MAX,
                 "checkpoints that are kept [2]");
  app.add_flag("--resume", options.resume,
               "go on from the newest whole checkpoint, if there is one");
  d.add("--save-params", options.saveParams, "FILE",
        "parameters at the end, FILE.safetensors");
  d.add("--save-ema", options.saveEma, "FILE",
        "averages of the parameters at the end, FILE.safetensors (zcc --ema)");
  d.add("--save-grads", options.saveGrads, "FILE",
        "gradients of the first step, FILE.safetensors");
  d.add("--save-outputs", options.saveOutputs, "FILE",
        "the arrays that a forward program returns, FILE.safetensors: of all "
        "steps, which are the first dim");
  d.add("--trace", options.trace, "FILE",
        "when the steps of the last step ran, Chrome/Perfetto JSON");
}

void declareRanks(CLI::App &app, Declarations &d, Options &options) {
  d.integer<int>("--threads", options.threads, 1, 4096,
                 "threads a rank [the cores shared out]");
  d.add("--cuda-driver", options.cudaDriver, "FILE",
        "the library of the CUDA driver [libcuda.so.1]");
  d.add("--cublaslt", options.cublasLt, "FILE",
        "the library for products on GPUs [libcublasLt.so.13, else .12]");
  d.add("--cuda-libraries", options.cudaLibraries, "DIR:...",
        "where cuBLASLt, cuDNN and NCCL are looked for before the system's "
        "folders, such as nvidia/*/lib of Python's packages");
  d.add("--tune", options.tune, "FILE",
        "algorithms of products on GPUs: those that are there not yet are "
        "timed, once for all ranks, and kept");
  d.add("--cudnn", options.cudnn, "FILE",
        "the library for convolutions and attention on GPUs [libcudnn.so.9]");
  app.add_flag("--no-cuda-graphs", options.noCudaGraphs,
               "launch kernels one by one");
  d.choice<GpuCollectives>(
      "--collectives", options.collectives,
      {{"device", GpuCollectives::Device},
       {"nccl", GpuCollectives::Nccl},
       {"host", GpuCollectives::Host}},
      "how GPUs exchange: over their memory, by NCCL, or through the host "
      "[nccl where each rank has a GPU of its own, else device]");
  d.add("--nccl", options.nccl, "FILE",
        "the library for collectives between GPUs [libnccl.so.2]");
  d.word("--gpus", "N,...",
         "the GPUs of this machine that its ranks take in turn; ranks of one "
         "process may share one [all]",
         [&options](const std::string &given) {
           options.gpus = parseGpus("--gpus", given);
         });
  std::string type;
  for (const std::string &name : rankKinds())
    type += text(type.empty() ? "" : "|", name);
  d.word("--ranks", type,
         "local: threads of this process; mpi: processes of mpirun or srun; "
         "env: processes that RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT "
         "describe [found from the environment]",
         [&options](const std::string &given) {
           options.ranks = parseRanks("--ranks", given);
         });
  d.real("--watchdog", options.watchdog, {0, infinity, true},
         "seconds until a rank that holds up others is named [10]");
  d.word("--link-delay", "LATENCY[,BANDWIDTH]",
         "slow the transport down, as in 2ms,100MB/s: what the program moves "
         "takes no less than LATENCY + bytes sent / BANDWIDTH, one at a time "
         "on a rank's link",
         [&options](const std::string &value) {
           options.linkDelay = parseLinkDelay(value);
         });
  d.integer<uint64_t>("--random-delays", options.delaySeed, 0, UINT64_MAX,
                      "all workers wait now and then, drawn from this seed, to "
                      "test the order of what they do [never]");
  app.add_flag("--check", options.check,
               "validate the executable, say what it needs, run nothing");
  app.add_flag("--quiet", options.quiet,
               "no progress and no results on stdout");
}

/// Options with which nothing is run.
void declareTools(CLI::App &app, Declarations &d, Options &options) {
  d.list("--plot", options.plot, "FILE,...",
         "draw the losses of these logs, run nothing");
  d.add("--export", options.exportFrom, "DIR",
        "write the parameters of a checkpoint as one safetensors "
        "file, run nothing");
  app.add_flag("--with-moments", options.withMoments,
               "--export: all that --import needs to make a checkpoint of it");
  d.add("--import", options.importFrom, "FILE",
        "make a checkpoint in --checkpoint of such a file, run nothing");
  d.add("-o", options.output, "FILE",
        "what --export writes, or the picture of --plot [loss.svg]");
  app.add_flag("--log-scale", options.logScale,
               "the losses of --plot on a logarithmic axis");
}

/// Reads the command line; returns false if there is nothing left to do.
bool parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
  } catch (const CLI::CallForVersion &) {
    std::printf("zrun %s\n", programVersion);
  } catch (const CLI::ExtrasError &) {
    badInput(tellUnknown(app, app.remaining()), " (see zrun --help)");
  } catch (const CLI::ParseError &error) {
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.'))
      what.pop_back();
    badInput(what, " (see zrun --help)");
  }
  return false;
}

std::string manualOf(const CLI::App &app) {
  ManualText about;
  about.name = "zrun";
  about.summary = "runs an executable of zcc";
  about.usage = "[OPTIONS] MODEL.zexe";
  about.description =
      "Trains the model that zcc compiled, or evaluates it. The ranks of its "
      "mesh are threads of one process, or the processes of mpirun, srun or "
      "torchrun. Values in brackets are defaults.";
  about.examples = {
      "zrun model.zexe --params init.safetensors --tokens text.bin "
      "--token-type "
      "u8 --steps 1000",
      "mpirun -np 4 zrun model.zexe --init-seed 42 --batches data --steps 100"};
  about.references = {"zcc(1)"};
  return writeManual(app, about);
}

/// Options that need or exclude each other.
void checkTogether(const CLI::App &app, const Options &options) {
  if (options.checkpoint.empty())
    for (const char *name : {"--checkpoint-every", "--keep", "--resume"})
      if (app.count(name))
        badInput(name, " needs --checkpoint");
  if (!options.rename.empty() && options.params.empty())
    badInput("--rename needs --params");
  if (!options.lrFile.empty())
    for (const char *name : {"--lr", "--warmup", "--decay", "--min-lr"})
      if (app.count(name))
        badInput("--lr-file excludes ", name);
  if (!options.params.empty() && options.initSeed)
    badInput("--params and --init-seed exclude each other");
  if (!options.batches.empty() && !options.tokens.empty())
    badInput("--batches and --tokens exclude each other");
  checkEvaluation(app, options);
  if (app.count("--min-lr") && options.decay == Decay::None)
    badInput("--min-lr needs --decay linear or cosine");
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  Options options;
  CLI::App app("Runs an executable of zcc.", "zrun");
  app.set_version_flag("--version", std::string("zrun ") + programVersion);
  app.option_defaults()->always_capture_default(false);
  Declarations declarations(app);
  declareInputs(declarations, options);
  declareUpdates(declarations, options);
  declareReports(app, declarations, options);
  declareCheckpoints(app, declarations, options);
  declareRanks(app, declarations, options);
  declareTools(app, declarations, options);
  std::string completion;
  declarations.add("--completion", completion, "bash|zsh|fish",
                   "a script that completes command lines in this shell");

  bool manual = false;
  app.add_flag("--manual", manual, "the manual page, as man reads it");

  if (!parse(app, argc, argv))
    return std::nullopt;
  if (manual) {
    std::fputs(manualOf(app).c_str(), stdout);
    return std::nullopt;
  }
  if (!completion.empty()) {
    std::string script = zcc::writeCompletion(completion, "zrun", "*.zexe",
                                              zcc::collectOptions(app));
    if (script.empty())
      badInput("--completion: expected bash, zsh or fish, found ", completion);
    std::fputs(script.c_str(), stdout);
    return std::nullopt;
  }
  checkPlot(app, options);
  checkTransfer(app, options);
  if (options.executable.empty() && !options.runsNothing())
    badInput("executable is required (see zrun --help)");
  declarations.read();
  checkTogether(app, options);
  return options;
}

} // namespace zcc::rt
