# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of random numbers, as jax.random has them (Threefry-2x32; Salmon et al., 2011)."""
import numpy as np

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def _threefry(key, x):
    """Returns two words, hashed with a key of two words in twenty rounds."""
    mask = 0xFFFFFFFF
    keys = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    a, b = (x[0] + keys[0]) & mask, (x[1] + keys[1]) & mask
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            a = (a + b) & mask
            b = a ^ ((b << r | b >> (32 - r)) & mask)
        a, b = (a + keys[(i + 1) % 3]) & mask, (b + keys[(i + 2) % 3] + i + 1) & mask
    return a, b


def key_of(seed, step):
    """Returns the key of a step, a uint32[2]: jax.random.fold_in(jax.random.key(seed), step)."""
    key = (seed >> 32 & 0xFFFFFFFF, seed & 0xFFFFFFFF)
    return np.array(_threefry(key, (0, step & 0xFFFFFFFF)), np.uint32)
