// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun's command line. Values are checked here, so that a wrong one is named
// before anything is read.

#include "tools/zrun/Options.h"

#include "runtime/core/Error.h"
#include "tools/completion/Completion.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace zcc::rt {

namespace {

struct Bounds {
  double low, high;
  bool lowOpen = false, highOpen = false;
};

void checkNumber(const char *option, double value, Bounds bounds) {
  bool low = bounds.lowOpen ? value > bounds.low : value >= bounds.low;
  bool high = bounds.highOpen ? value < bounds.high : value <= bounds.high;
  if (std::isfinite(value) && low && high)
    return;
  if (std::isinf(bounds.high))
    badInput(option, ": expected a number ",
             bounds.lowOpen ? "above " : "of at least ", bounds.low, ", found ",
             value);
  badInput(option, ": expected a number from ", bounds.low, " to ",
           bounds.highOpen ? "below " : "", bounds.high, ", found ", value);
}

/// CLI11 takes "-1" for a large unsigned number, and cuts off what is too
/// large.
template <typename T>
T parseInteger(const char *option, const std::string &value, T low, T high) {
  T number = 0;
  const char *end = value.data() + value.size();
  auto result = std::from_chars(value.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || number < low ||
      number > high)
    badInput(option, ": expected an integer from ", low, " to ", high,
             ", found ", value);
  return number;
}

/// "65536", "dynamic" or "dynamic:1024".
void parseLossScale(const std::string &value, Options &options) {
  std::string number = value;
  options.dynamicScale = value.compare(0, 7, "dynamic") == 0;
  if (*options.dynamicScale) {
    if (value == "dynamic")
      return;
    number = value[7] == ':' ? value.substr(8) : "";
  }
  char *end;
  options.lossScale = std::strtod(number.c_str(), &end);
  if (number.empty() || *end || !std::isfinite(options.lossScale) ||
      options.lossScale <= 0)
    badInput(
        "--loss-scale: expected a number above 0, dynamic or dynamic:INIT, "
        "found ",
        value);
  if (*options.dynamicScale && options.lossScale < 1)
    badInput("--loss-scale: a dynamic scale begins at 1 or more, found ",
             value);
}

void checkEvaluation(const CLI::App &app, const Options &options) {
  const bool tokens = !options.evalTokens.empty();
  const bool batches = !options.evalBatches.empty();
  if (options.evalExecutable.empty()) {
    for (const char *name :
         {"--eval-tokens", "--eval-batches", "--eval-every", "--eval-steps"})
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

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  Options options;
  CLI::App app("Runs an executable of zcc.", "zrun");
  app.set_version_flag("--version", "zrun 0.1");
  app.option_defaults()->always_capture_default(false);

  std::string tokenType = "u16", decay = "none", lossScale, onNan = "stop",
              initSeed, seed, steps, warmup, threads, evalEvery, evalSteps,
              completion, checkpointEvery, keep;
  app.add_option("executable", options.executable, "MODEL.zexe")->type_name("");
  app.add_option("--params", options.params,
                 "parameters: FILE.safetensors, FILE.index.json or the folder "
                 "of a checkpoint")
      ->type_name("FILE-OR-DIR");
  app.add_option("--rename", options.rename,
                 "where each parameter is found among those of --params")
      ->type_name("FILE");
  app.add_option("--init-seed", initSeed,
                 "start from the compiled-in initialization")
      ->type_name("N");
  app.add_option(
         "--batches", options.batches,
         "inputs: FILE.safetensors, a folder of them, or - for a stream")
      ->type_name("FILE-OR-DIR");
  app.add_option("--tokens", options.tokens, "inputs x and y: FILE,...")
      ->delimiter(',')
      ->type_name("FILE,...");
  app.add_option("--token-type", tokenType, "u8, u16 or u32 [u16]")
      ->type_name("u8|u16|u32");
  app.add_option("--seed", seed, "order of the token windows [0]")
      ->type_name("N");
  app.add_option("--steps", steps, "steps in all")->type_name("N");
  app.add_option("--lr", options.lr, "learning rate [1e-3]")->type_name("X");
  app.add_option("--warmup", warmup, "steps of linear warmup [0]")
      ->type_name("N");
  app.add_option("--decay", decay, "none, linear or cosine [none]")
      ->type_name("none|linear|cosine");
  app.add_option("--min-lr", options.minLr, "learning rate at --steps [0]")
      ->type_name("X");
  app.add_option("--lr-file", options.lrFile, "lines of step and rate")
      ->type_name("FILE");
  app.add_option("--b1", options.beta1, "Adam's first decay rate [0.9]")
      ->type_name("X");
  app.add_option("--b2", options.beta2, "Adam's second decay rate [0.95]")
      ->type_name("X");
  app.add_option("--eps", options.epsilon, "Adam's epsilon [1e-8]")
      ->type_name("X");
  app.add_option("--weight-decay", options.weightDecay, "[0]")->type_name("X");
  app.add_option("--momentum", options.momentum, "SGD's momentum [0]")
      ->type_name("X");
  app.add_option("--clip-norm", options.clipNorm,
                 "largest norm of the gradient [0: off]")
      ->type_name("X");
  app.add_option("--loss-scale", lossScale,
                 "a number, dynamic or dynamic:INIT [dynamic in f16, else 1]")
      ->type_name("X|dynamic|dynamic:INIT");
  app.add_option("--on-nan", onNan, "stop or continue [stop]")
      ->type_name("stop|continue");
  app.add_option("--log", options.log, "one JSON line a step")
      ->type_name("FILE");
  app.add_option("--tensorboard", options.tensorboard,
                 "the log as TensorBoard events")
      ->type_name("DIR");
  app.add_option("--eval-executable", options.evalExecutable,
                 "the model compiled with --optimizer forward, to be run on "
                 "held-out data")
      ->type_name("FILE");
  app.add_option("--eval-tokens", options.evalTokens, "held-out tokens")
      ->delimiter(',')
      ->type_name("FILE,...");
  app.add_option("--eval-batches", options.evalBatches,
                 "held-out inputs, as --batches")
      ->type_name("FILE-OR-DIR");
  app.add_option("--eval-every", evalEvery,
                 "steps between evaluations [one at the end]")
      ->type_name("N");
  app.add_option("--eval-steps", evalSteps,
                 "batches of an evaluation [all, once]")
      ->type_name("N");
  app.add_option("--checkpoint", options.checkpoint,
                 "the folder of the run's checkpoints")
      ->type_name("DIR");
  app.add_option("--checkpoint-every", checkpointEvery,
                 "steps between checkpoints [one at SIGTERM]")
      ->type_name("N");
  app.add_option("--keep", keep, "checkpoints that are kept [2]")
      ->type_name("N");
  app.add_flag("--resume", options.resume,
               "go on from the newest whole checkpoint, if there is one");
  app.add_option("--save-params", options.saveParams,
                 "parameters at the end, FILE.safetensors")
      ->type_name("FILE");
  app.add_option("--save-grads", options.saveGrads,
                 "gradients of the first step, FILE.safetensors")
      ->type_name("FILE");
  app.add_option("--trace", options.trace,
                 "when the steps of the last step ran, Chrome/Perfetto JSON")
      ->type_name("FILE");
  app.add_option("--threads", threads, "threads a rank [the cores shared out]")
      ->type_name("N");
  app.add_option("--ranks", options.ranks,
                 "local: threads of this process; mpi: processes of mpirun or "
                 "srun; env: processes that RANK, WORLD_SIZE, MASTER_ADDR and "
                 "MASTER_PORT describe [found from the environment]")
      ->type_name("local|mpi|env");
  app.add_option("--watchdog", options.watchdog,
                 "seconds until a rank that holds up others is named [10]")
      ->type_name("X");
  app.add_flag("--check", options.check,
               "validate the executable, say what it needs, run nothing");
  app.add_flag("--quiet", options.quiet,
               "no progress and no results on stdout");
  app.add_option("--plot", options.plot,
                 "draw the losses of these logs, run nothing")
      ->delimiter(',')
      ->type_name("FILE,...");
  app.add_option("--export", options.exportFrom,
                 "write the parameters of a checkpoint as one safetensors "
                 "file, run nothing")
      ->type_name("DIR");
  app.add_flag("--with-moments", options.withMoments,
               "--export: all that --import needs to make a checkpoint of it");
  app.add_option(
         "--import", options.importFrom,
         "make a checkpoint in --checkpoint of such a file, run nothing")
      ->type_name("FILE");
  app.add_option("-o", options.output,
                 "what --export writes, or the picture of --plot [loss.svg]")
      ->type_name("FILE");
  app.add_flag("--log-scale", options.logScale,
               "the losses of --plot on a logarithmic axis");
  app.add_option("--completion", completion,
                 "a script that completes command lines in this shell")
      ->type_name("bash|zsh|fish");

  // Known, and refused by name.
  const char *later[] = {"--nvme"};
  std::string ignored;
  for (const char *name : later)
    app.add_option(name, ignored)->group("");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::CallForVersion &) {
    std::puts("zrun 0.1");
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.'))
      what.pop_back();
    badInput(what, " (see zrun --help)");
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
  for (const char *name : later)
    if (app.count(name))
      badInput(name, " not yet");
  if (!options.ranks.empty() && options.ranks != "local" &&
      options.ranks != "mpi" && options.ranks != "env")
    badInput("--ranks: expected local, mpi or env, found ", options.ranks);

  if (app.count("--init-seed"))
    options.initSeed =
        parseInteger<uint64_t>("--init-seed", initSeed, 0, UINT64_MAX);
  if (app.count("--seed"))
    options.seed = parseInteger<uint64_t>("--seed", seed, 0, UINT64_MAX);
  if (app.count("--steps"))
    options.steps = parseInteger<int64_t>("--steps", steps, 1, INT64_MAX);
  if (app.count("--warmup"))
    options.warmup = parseInteger<int64_t>("--warmup", warmup, 0, INT64_MAX);
  if (app.count("--checkpoint-every"))
    options.checkpointEvery = parseInteger<int64_t>(
        "--checkpoint-every", checkpointEvery, 1, INT64_MAX);
  if (app.count("--keep"))
    options.keep = parseInteger<int>("--keep", keep, 1, INT32_MAX);
  if (options.checkpoint.empty())
    for (const char *name : {"--checkpoint-every", "--keep", "--resume"})
      if (app.count(name))
        badInput(name, " needs --checkpoint");
  if (!options.rename.empty() && options.params.empty())
    badInput("--rename needs --params");
  if (app.count("--eval-every"))
    options.evalEvery =
        parseInteger<int64_t>("--eval-every", evalEvery, 1, INT64_MAX);
  if (app.count("--eval-steps"))
    options.evalSteps =
        parseInteger<int64_t>("--eval-steps", evalSteps, 1, INT64_MAX);
  if (app.count("--threads"))
    options.threads = parseInteger<int>("--threads", threads, 1, 4096);
  if (tokenType == "u8")
    options.tokenType = ElementType::U8;
  else if (tokenType == "u16")
    options.tokenType = ElementType::U16;
  else if (tokenType == "u32")
    options.tokenType = ElementType::U32;
  else
    badInput("--token-type: expected u8, u16 or u32, found ", tokenType);
  if (decay == "linear")
    options.decay = Decay::Linear;
  else if (decay == "cosine")
    options.decay = Decay::Cosine;
  else if (decay != "none")
    badInput("--decay: expected none, linear or cosine, found ", decay);
  if (onNan != "stop" && onNan != "continue")
    badInput("--on-nan: expected stop or continue, found ", onNan);
  options.stopOnNan = onNan == "stop";
  if (!lossScale.empty())
    parseLossScale(lossScale, options);

  constexpr double infinity = HUGE_VAL;
  checkNumber("--lr", options.lr, {0, infinity});
  checkNumber("--min-lr", options.minLr, {0, infinity});
  checkNumber("--b1", options.beta1, {0, 1, false, true});
  checkNumber("--b2", options.beta2, {0, 1, false, true});
  checkNumber("--eps", options.epsilon, {0, infinity});
  checkNumber("--weight-decay", options.weightDecay, {0, infinity});
  checkNumber("--momentum", options.momentum, {0, infinity});
  checkNumber("--clip-norm", options.clipNorm, {0, infinity});
  checkNumber("--watchdog", options.watchdog, {0, infinity, true});
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
  return options;
}

} // namespace zcc::rt
