# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training by PyTorch in float64, with which zcc's is compared."""
import copy

import torch


def train(module, data, training):
    """Returns losses and gradient norms of AdamW, by step. Parameters of rank above 1 decay.

    data: batches, dictionaries of arrays of numpy. training: lr, b1, b2, eps, weight_decay, clip_norm (0: none).
    """
    module = copy.deepcopy(module).double()
    trained = [p for p in module.parameters() if p.requires_grad]
    groups = [{"params": [p for p in trained if p.ndim > 1], "weight_decay": training["weight_decay"]},
              {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=training["lr"], betas=(training["b1"], training["b2"]), eps=training["eps"])
    losses, norms = [], []
    for batch in data:
        optimizer.zero_grad()
        found = module(**{k: torch.tensor(v) for k, v in batch.items()})
        loss = found if isinstance(found, torch.Tensor) else found.loss
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(trained, training["clip_norm"] or torch.inf)))
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses, norms
