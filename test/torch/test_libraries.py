# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways of libraries that torch.export does not take by itself: conversions, masks of ones, loops over experts, selections by constants."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from habits import Base, batch_of, compare, made, refusal  # noqa: E402
import zcc  # noqa: E402

SMALL = dict(vocab_size=48, pad_token_id=0, bos_token_id=1, eos_token_id=2)


def tokens(rows=8, length=8, seed=0):
    x = np.random.default_rng(seed).integers(0, 48, (rows, length))
    return {"input_ids": x, "labels": x}


class LossOf(torch.nn.Module):
    """A module of transformers, of which only the loss is returned."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, **batch):
        return self.model(**batch).loss


def test_conversions_to_the_type_that_a_module_has():
    def forward(self, x, y):
        self.a = self.a.to(x.dtype)
        return self.head(self.a.to(x.device)(x), y)
    compare(made(forward))


def test_conversions_to_another_type_are_refused():
    def forward(self, x, y):
        return self.head(self.a.half()(x.half()).float(), y)
    module = made(forward)
    said = refusal(module)
    assert "the forward pass converts the parameters of a Linear: 'weight' is float32 on cpu, and would be float16 on cpu" in said
    assert "convert the module before it is compiled" in said and module.a.weight.dtype == torch.float32


def test_selections_by_constants():
    def forward(self, x, y):
        kept = torch.ones(12, dtype=torch.bool)
        kept[torch.arange(3, 5)] = False
        rows = torch.nonzero(torch.ones(len(x), device=x.device)).flatten()
        (columns,) = torch.where(torch.arange(12) % 2 == 0)
        h = self.a(x)[rows]
        return self.head(h, y) + h[:, columns].sum() / 64 + (h[:, torch.arange(32) > 20] ** 2).mean() + h[torch.ones(8, 32) > 0][3]
    compare(made(forward))


def test_indices_in_a_list():
    """torch takes a list of tensors for a tuple, and a list of numbers for a tensor."""
    def forward(self, x, y):
        h, late = self.a(x), torch.arange(8) > 4
        numbers = [torch.tensor([0, 1]), torch.tensor([2, 3])]
        return self.head(h, y) + h[numbers].sum() + h[[1, 2]].mean() + h[[late]].square().mean() + h[[late, 2]].sum() + h[[late, torch.tensor([4, 0, 9])]].sum()
    compare(made(forward))


def test_choices_between_numbers_by_constants():
    """torch.where with three arguments chooses between numbers, and selects nothing."""
    def forward(self, x, y):
        late = torch.arange(32) > 20
        h = self.a(x) * torch.where(late, 0.5, 1.25) * torch.where(late, torch.tensor(2.5), 1.5)
        return self.head(h + torch.where(late, -0.75, torch.tensor(0.25)), y) + h.softmax(1)[:, torch.nonzero(input=late)[:, 0]].mean()
    compare(made(forward))


def test_selections_by_the_batch():
    def forward(self, x, y):
        return self.head(self.a(x)[torch.nonzero(y > 2).flatten()], y[torch.nonzero(y > 2).flatten()])
    compare(made(forward))


def test_selections_by_a_buffer_that_changes_are_refused():
    class Counting(Base):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.ones(8, dtype=torch.int64))

        def forward(self, x, y):
            rows = torch.nonzero(self.seen).flatten()
            self.seen += 1
            return self.head(self.a(x)[rows], y)
    assert "asks for the value of its buffer 'seen', which its forward pass changes: use torch.where or torch.cond, and, to write at a place that moves, a tensor of places" in refusal(Counting())


def test_masks_of_ones():
    """transformers drops a mask of ones where it is not traced, and this attention has no place for one."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.NystromformerConfig(**SMALL, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_landmarks=4,
                                              segment_means_seq_len=8, conv_kernel_size=3, hidden_dropout_prob=0, attention_probs_dropout_prob=0,
                                              max_position_embeddings=16)
    compare(LossOf(transformers.NystromformerForMaskedLM(config)), tokens(), bar=1e-5)


def test_a_mask_of_the_batch_is_kept_where_masks_of_ones_are_dropped():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.SwitchTransformersConfig(**SMALL, d_model=16, d_kv=8, d_ff=16, num_layers=2, num_decoder_layers=1, num_heads=2, dropout_rate=0,
                                                   decoder_start_token_id=0, num_experts=3, num_sparse_encoder_layers=1, num_sparse_decoder_layers=0,
                                                   expert_capacity=4, router_jitter_noise=0.0, use_cache=False)
    module = LossOf(transformers.SwitchTransformersForConditionalGeneration(config)).train()
    for batch in tokens(), tokens() | {"attention_mask": (np.arange(8) < np.arange(1, 9)[:, None]).astype(np.int64)}:
        module.zero_grad()
        loss = module(**{k: torch.tensor(v) for k, v in batch.items()})
        loss.backward()
        with zcc.compile(module, batch, mesh="data=2", optimizer=zcc.SGD(lr=0.0), quiet=True) as step:
            assert abs(step(batch).loss - float(loss)) < 1e-5
            found = step.gradients(batch)
        for n, p in module.named_parameters():
            if p.grad is not None:  # capacity leaves tokens, and so gradients, out
                assert np.abs(np.asarray(found[n]) - p.grad.numpy()).max() <= 1e-4 * max(float(p.grad.abs().max()), 1e-2), n


def test_experts_in_a_loop():
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.DbrxConfig(**SMALL, d_model=16, n_heads=2, n_layers=1, max_seq_len=16, resid_pdrop=0.0, use_cache=False,
                                     attn_config={"kv_n_heads": 1, "rope_theta": 1e4, "clip_qkv": 8.0},
                                     ffn_config={"ffn_hidden_size": 8, "moe_num_experts": 3, "moe_top_k": 2})
    compare(LossOf(transformers.DbrxForCausalLM(config)), tokens(), bar=1e-5)


def test_functions_of_libraries_are_put_back():
    masks = pytest.importorskip("transformers.masking_utils")
    before = masks.is_tracing, torch.nn.Module._apply
    compare(made(lambda self, x, y: self.head(self.a(x), y)), batch_of(), meshes=[{}])
    assert (masks.is_tracing, torch.nn.Module._apply) == before
