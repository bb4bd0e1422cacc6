# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of which torch asks a value, or takes a size from values, spelled by others that a module can be exported with."""
import torch


def cov(x, *, correction=1, fweights=None, aweights=None):
    """As torch.cov: rows of x [variables, observations], or [observations], are variables."""
    x = x.view(1, -1) if x.ndim < 2 else x
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        total, centered = x.shape[1], x - x.mean(1, keepdim=True)
        weighted, norm = centered, max(total - correction, 0)
    else:
        weights = weights.to(x.real.dtype if x.is_complex() else x.dtype)
        total = weights.sum()
        centered = x - (x * weights).sum(1, keepdim=True) / total
        weighted = centered * weights
        lost = correction if aweights is None else correction * (weights * aweights).sum() / total
        norm = (total - lost).clamp(min=0)
    return (weighted @ centered.mH / norm).squeeze()


def corrcoef(x):
    """As torch.corrcoef."""
    found = cov(x)
    if not found.ndim:
        return found / found
    deviations = found.diagonal().real.sqrt() if found.is_complex() else found.diagonal().sqrt()
    found = found / deviations.unsqueeze(1) / deviations
    return torch.complex(found.real.clamp(-1, 1), found.imag.clamp(-1, 1)) if found.is_complex() else found.clamp(-1, 1)


def bincount(x, weights=None, minlength=0):
    """As torch.bincount of numbers below `minlength`: larger ones would make the result longer, and are not counted."""
    if weights is None:
        values = torch.ones_like(x, dtype=torch.int64)
    else:
        values = weights if weights.dtype == torch.float32 else weights.double()
    return torch.zeros(minlength, dtype=values.dtype, device=x.device).index_add(0, x, values)


_SPELLED = {torch.cov: cov, torch.Tensor.cov: cov, torch.corrcoef: corrcoef, torch.Tensor.corrcoef: corrcoef, torch.bincount: bincount,
            torch.Tensor.bincount: bincount}


def otherwise(function, args, kwargs):
    """Returns what stands for a function that is called with arguments, or None. A bincount without `minlength` has a size that values decide."""
    found = _SPELLED.get(function)
    return None if found is bincount and not (kwargs.get("minlength") or len(args) > 2 and args[2]) else found
