# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loggers, for zcc.compile(..., logger=...): functions that get the Metrics of each step."""
import json
import weakref


class JsonLines:
    """Writes a line of JSON a step to a file, as zrun --log does."""

    def __init__(self, file):
        self._file = open(file, "w", encoding="utf-8")

    def __call__(self, metrics):
        self._file.write(json.dumps(metrics) + "\n")
        self._file.flush()


class TensorBoard:
    """Writes scalars for TensorBoard. Needs the package tensorboardX, or torch and tensorboard."""

    def __init__(self, folder):
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            from torch.utils.tensorboard import SummaryWriter
        self._writer = SummaryWriter(folder)
        weakref.finalize(self, self._writer.close)  # at the end of the process, too: it keeps the last minutes in memory

    def __call__(self, metrics):
        for name, value in metrics.items():
            if name != "step":
                self._writer.add_scalar(name, value, metrics["step"])


class WeightsAndBiases:
    """Logs to Weights & Biases; keywords are those of wandb.init(). Needs the package wandb."""

    def __init__(self, **keywords):
        import wandb

        self._run = wandb.init(**keywords)

    def __call__(self, metrics):
        self._run.log(dict(metrics), step=metrics["step"])
