// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains or evaluates an executable one step at a time on the ranks of this
// process: all of them as threads, or one of a run of several processes. Errors
// are thrown as an Error; nothing is printed, and the program is never ended.

#ifndef ZCC_RUNTIME_TRAIN_TRAINER_H
#define ZCC_RUNTIME_TRAIN_TRAINER_H

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/core/Span.h"
#include "runtime/data/InputFeed.h"
#include "runtime/data/Parameters.h"
#include "runtime/launch/RankHost.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Results.h"
#include "runtime/train/Schedule.h"
#include "runtime/train/Settings.h"

namespace zcc::rt {

class GradientCollector;
class NanOrigins;
class ParameterMove;

struct TrainerSettings {
  UpdateSettings updates;
  RankSettings ranks;
  Processes *processes = nullptr; // null: all ranks are threads of this one
  uint64_t keySeed = 0;           // of the keys that batches lack
  /// Batches have only the slices that the rank of this process reads. Without
  /// processes that is the whole batch.
  bool localBatch = false;
  /// Get lines of text while steps run, from any thread: the watchdog's
  /// messages, and anything that is done in an unexpected way. May be empty.
  Say warn, note;
};

/// A step that has run.
struct StepReport {
  int64_t number = 0;                     // from 1
  double learningRate = 0, lossScale = 1; // with which it ran
  Results results;
  /// The reason why training should not go on, by the rule `onNan`, or
  /// because gradients overflow at the smallest loss scale; empty if it may.
  std::string problem;
};

/// Writes the values of resultNames(), in that order, to `to`. `seconds` is the
/// time of the step.
void writeResults(const format::Executable &executable,
                  const StepReport &report, double seconds, double *to);

/// All calls come from one thread. From start() on it is the thread of a rank:
/// it may be bound to that rank's cores until the trainer is destroyed.
class Trainer {
public:
  /// Checks the settings; allocates nothing. `executable` is valid (validate)
  /// and outlives this, as do the processes. An executable for a target that is
  /// not here is bad input.
  Trainer(const format::Executable &executable,
          const TrainerSettings &settings);
  ~Trainer();
  Trainer(const Trainer &) = delete;

  const format::Executable &executable() const { return theExecutable; }
  /// The arrays that a step returns, by name, with their whole shapes.
  std::vector<OutputSpec> outputs() const { return outputSpecs(theExecutable); }
  /// Inputs by name, with the shape of the whole batch of a step; or, with
  /// `localBatch`, those that this process's rank reads, with the shape of its
  /// slice (the slices of all microbatches one after the other).
  const std::vector<InputSpec> &inputs() const { return specs; }
  /// True if the executable computes results only: it has no gradients.
  bool isForward() const { return forward; }
  const Backend &backend() const { return *theBackend; }

  /// The steps that were done, of earlier runs too.
  int64_t done() const { return steps; }
  double lossScale() const { return scale.value(); }
  /// The progress, as checkpoints have it.
  Standing standing() const;
  /// Goes on where another run was.
  void restore(const Standing &standing);

  /// Allocates the arenas and starts the ranks. All calls below follow it.
  void start();
  RankHost &ranks() { return *host; }

  /// The message of the failure after which the ranks cannot go on; empty if
  /// there was none. Every call on ranks then throws a failure that repeats it.
  /// Bad input that is found before the ranks are used changes nothing.
  const std::string &failure() const { return theFailure; }

  /// Fills all parameters, which were checked (checkParameters); slots of the
  /// optimizer get their initial values.
  void load(const WeightSet &weights);
  /// Fills parameters and slots, and goes on where the checkpoint was written.
  /// It was checked (checkFits).
  void load(const Checkpoint &checkpoint);
  /// Fills all parameters by the compiled-in initialization (Stage.init).
  void initialize(uint64_t seed);
  /// Parameters from a safetensors file or an index of such files, or a
  /// checkpoint: its own folder, or the newest whole one in a folder of
  /// several, of which an executable that trains takes slots and progress, too.
  struct Start {
    std::optional<Checkpoint> checkpoint; // else there are only parameters
    WeightSet parameters;
  };
  /// Opens and checks it; throws bad input. With processes all call it, each
  /// after finishSave().
  Start open(const std::string &path) const;
  /// Fills parameters from it, and slots. Steps count from 0 unless it is a
  /// checkpoint of this optimizer.
  void load(const Start &start);
  void load(const std::string &path) { load(open(path)); }
  /// Begins to write a checkpoint to the folder, which is made if need be;
  /// other checkpoints there stay. It returns when the values are copied, and a
  /// thread writes them: finishSave() and the next save() wait for it, and
  /// throw its error, after which the trainer is as it was. Throws bad input if
  /// the executable does not train. With processes all call it, and fail alike.
  void save(const std::string &folder);
  /// Waits for the checkpoint that is being written, if one is. Each process
  /// may call it for itself. It needs no ranks, and works after a failure, too.
  void finishSave();
  /// The folder of the newest checkpoint of this run: of the last that was
  /// written, or of the one that was loaded; empty if there is none.
  const std::string &lastCheckpoint() const { return newest; }
  /// Gives the slots of the optimizer their initial values.
  void initializeSlots();
  /// Fills the parameters that `weights` has, and leaves the others and the
  /// slots as they are. Their averages begin anew before the first step, and
  /// stay as they are after it. Unknown names and other shapes are bad input.
  void writeParameters(const WeightSet &weights);
  /// Throws the bad input that writeParameters() would.
  void checkWritable(const WeightSet &weights) const;
  /// Fills the averages of the parameters that `weights` has. Throws the bad
  /// input of writeParameters(), and for parameters without an average.
  void writeAverages(const WeightSet &weights);
  /// Throws the bad input that writeAverages() would.
  void checkAveragesWritable(const WeightSet &weights) const;
  /// Writes whole parameters, or their averages, unsharded and row-major in the
  /// type of Executable.parameters, to memory with room for them.
  void readParameters(const std::map<std::string, void *> &targets,
                      ParameterValues values = ParameterValues::Trained);
  /// Writes all parameters, or their averages, whole, to a safetensors file. A
  /// disk that is full is no failure of the ranks.
  void saveParameters(const std::string &path,
                      ParameterValues values = ParameterValues::Trained);
  /// Writes the arrays that the last step returned (outputSpecs), whole and
  /// row-major in their types, to memory with room for them; those without a
  /// target are not wanted. A step has run.
  void readOutputs(const std::map<std::string, void *> &targets,
                   bool everywhere);
  /// Copies the parameters of another trainer, as they are now, into this one's
  /// arenas. `move` was made for the two executables and this trainer's ranks.
  void takeParameters(Trainer &from, const ParameterMove &move);

  /// Matches arrays in memory, by name, with the inputs. Throws bad input
  /// unless all inputs are there, with their types and shapes, and nothing
  /// else, and integers are in the bounds of the tables that they index. Keys
  /// may be missing, and a key `key` (U32 [2]) may be there that no stage
  /// reads. The batch refers to the arrays.
  Batch batchOf(const TensorMap &arrays) const;

  /// Makes the following steps hand their gradients to `collector`, which
  /// outlives them; null ends it.
  void observe(GradientCollector *collector);

  /// Makes the following steps be measured, or no longer. On GPUs each kernel
  /// of such a step is started by itself.
  void measure(bool wanted);
  /// Returns the trace of the last step that was measured (traceOf), the same
  /// in all processes, which all call it; empty if there was none.
  std::string trace();
  bool isMeasured() const { return !spans.empty(); }

  /// A parameter where it lies.
  struct View {
    const void *data;
    ElementType type;
    std::vector<int64_t> shape;
  };
  /// Finds the whole parameter in memory of a rank of this process, from master
  /// weights if there are any. It stays there; steps and loads change it.
  /// Throws bad input that says where the parameter is, if it is nowhere whole
  /// in the host's memory.
  View view(const std::string &parameter);

  /// Begins a step: copies each rank's slices of the batch to its arena, with
  /// conversion. `batch` has the inputs in the order of inputs(), in their
  /// shapes; its memory is free again when this returns, unless
  /// readsCallers(): then ranks read it where it lies, until finish(), and
  /// Batch::owner is kept until then. A key that it lacks is fold_in(key(
  /// keySeed), number of the step); that of step 0 if the executable computes
  /// results only.
  void begin(const Batch &batch, double learningRate);
  /// Returns true if steps read the batch in the caller's memory (--inputs).
  bool readsCallers() const;
  /// Returns true if the next step's batch can be brought ahead while a step
  /// runs, and brings it. The next begin() must then have the same batch.
  bool takesAhead() const;
  void bringAhead(const Batch &batch);
  /// Waits for the step's end.
  StepReport finish();
  StepReport step(const Batch &batch, double learningRate) {
    begin(batch, learningRate);
    return finish();
  }

private:
  template <typename Work> auto onRanks(Work work);
  /// Fills state of the kinds that are written from those tensors of `weights`.
  void writeStates(const WeightSet &weights,
                   const std::function<bool(StateKind)> &isWritten);
  RunOptions runOptions() const;
  bool takesSlices() const { return settings.localBatch && settings.processes; }
  std::vector<InputPart> partsOf(int rank) const;
  std::vector<InputSpec> findSpecs() const;
  RandomKey keyOfStep(int64_t step) const;
  std::string drawConsequences(const Results &results);
  struct Saving;
  std::unique_ptr<Saving> startSaving(const std::string &folder,
                                      const Readers &readers);

  const format::Executable &theExecutable;
  const TrainerSettings settings;
  const std::shared_ptr<const Backend> theBackend;
  const bool forward;
  const std::vector<InputSpec> specs;
  LossScale scale;
  int64_t steps = 0;   // done
  int64_t updates = 0; // steps so far that changed parameters
  Batch lent;          // the batch that the running step reads with its caller
  std::unique_ptr<NanOrigins> nanOrigins; // null: nobody looks
  std::unique_ptr<RankHost> host;
  std::vector<std::unique_ptr<InputFeed>> feeds; // by rank; null: elsewhere
  std::unique_ptr<Saving> saving; // where checkpoints go; null until then
  std::string newest;             // of lastCheckpoint()
  GradientCollector *collector = nullptr;
  bool measuring = false;
  std::vector<std::vector<Span>> spans; // by rank, of the step last measured
  RandomKey key{}; // of the step that runs, which may read it from here
  double rate = 0; // the learning rate of the step that runs
  std::string theFailure;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_TRAINER_H
