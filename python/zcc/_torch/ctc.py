# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CTC loss in ops that any axis of the batch divides.

torch's own op has a size that depends on the lengths of the labels. Here the sums over all alignments are those of the longest
labels, in log space, step by step; samples that end earlier keep theirs. The derivative is that of the loss by its log-probabilities.
torch's own is another one, which gives the same behind the log-softmax that it assumes.
"""
import contextlib

import torch

from .._errors import Error
from .replacing import replaced

_NONE = -1e30  # the logarithm of the probability 0; infinite numbers would have NaN as derivatives


def _by_sample(targets, count, lengths):
    """Returns the labels as [samples, longest]."""
    selected = getattr(targets, "_zcc_selected", None)
    if selected is not None:  # labels.masked_select(mask), as transformers does: those of a sample come first, in order
        labels, mask = selected
        return labels.gather(1, torch.sort((~mask).to(torch.int32), dim=1, stable=True).indices)
    if targets.ndim == 2:
        return targets
    if count == 1:
        return targets.unsqueeze(0)
    if isinstance(lengths, torch.Tensor):
        raise Error("ctc_loss of labels in one row, whose lengths are a tensor: expected labels [samples, longest]")
    longest = max(lengths, default=0)
    return torch.stack([torch.nn.functional.pad(row, (0, longest - len(row))) for row in targets.split(list(lengths))])


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """As torch.nn.functional.ctc_loss. log_probs [time, samples, classes] or [time, classes]."""
    alone = log_probs.ndim == 2
    if alone:
        log_probs = log_probs.unsqueeze(1)
    steps, count, _ = log_probs.shape
    labels = _by_sample(targets, count, target_lengths).long()
    ends, sizes = (torch.as_tensor(n, device=labels.device).long().reshape(count) for n in (input_lengths, target_lengths))
    width = labels.shape[1]
    places = torch.arange(width, device=labels.device)
    empty = torch.full_like(labels, blank)
    labels = torch.where(places < sizes.unsqueeze(1), labels, empty)
    # Blanks stand between labels and around them: [samples, 2 width + 1].
    path = torch.cat([torch.stack([empty, labels], 2).flatten(1), torch.full_like(sizes, blank).unsqueeze(1)], 1)
    wide = log_probs.float() if log_probs.dtype in (torch.float16, torch.bfloat16) else log_probs
    found = wide.gather(2, path.expand(steps, -1, -1))
    # A blank may be left out between two labels that differ.
    leaps = torch.nn.functional.pad((path[:, 2:] != path[:, :-2]) & (path[:, 2:] != blank), (2, 0), value=False)[:, :path.shape[1]]
    none = torch.full_like(found[0], _NONE)
    sums = torch.where(torch.arange(path.shape[1], device=labels.device) < 2, found[0], none)
    for t in range(1, steps):
        one = torch.nn.functional.pad(sums, (1, 0), value=_NONE)[:, :-1]
        two = torch.where(leaps, torch.nn.functional.pad(sums, (2, 0), value=_NONE)[:, :-2], none)
        new = torch.logsumexp(torch.stack([sums, one, two]), 0) + found[t]
        sums = torch.where((t < ends).unsqueeze(1), new, sums)
    last = sums.gather(1, 2 * sizes.unsqueeze(1))
    label = torch.where(sizes.unsqueeze(1) > 0, sums.gather(1, (2 * sizes.unsqueeze(1) - 1).clamp(min=0)), torch.full_like(last, _NONE))
    loss = -torch.logsumexp(torch.cat([last, label], 1), 1)
    # A sample without frames has only the path without labels.
    bare = torch.where(sizes == 0, torch.zeros_like(loss), torch.full_like(loss, -_NONE))
    loss = torch.where(ends > 0, loss, bare)
    loss = torch.where(loss > -_NONE / 2, torch.full_like(loss, 0 if zero_infinity else torch.inf), loss)
    if reduction == "mean":
        loss = (loss / sizes.clamp(min=1).to(loss.dtype)).mean()
    elif reduction == "sum":
        loss = loss.sum()
    elif alone:
        loss = loss.squeeze(0)
    return loss.to(log_probs.dtype)


@contextlib.contextmanager
def step_by_step():
    """While it lasts, torch's CTC loss is computed as above."""
    select = torch.Tensor.masked_select

    def masked_select(x, mask):
        found = select(x, mask)
        if x.ndim == 2 and x.shape == mask.shape:
            found._zcc_selected = x, mask
        return found
    with replaced(torch.nn.functional, "ctc_loss", ctc_loss), replaced(torch.Tensor, "masked_select", masked_select):
        yield
