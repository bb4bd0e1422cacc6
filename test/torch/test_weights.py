# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of modules of transformers and peft: save_pretrained, load, save, from_pretrained."""
import copy
import json
import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import zcc  # noqa: E402
from zcc import _huggingface  # noqa: E402
from zcc._arrays import is_torch  # noqa: E402
from zcc._huggingface import Naming  # noqa: E402

BATCH = {"x": np.ones((2, 3), np.float32)}
BERT = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12, max_position_embeddings=10)
LLAMA = dict(vocab_size=20, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, intermediate_size=12)
GPT2 = dict(vocab_size=20, n_embd=8, n_layer=2, n_head=2, n_positions=10)


def bert(kind="ForSequenceClassification", **more):
    return getattr(transformers, f"Bert{kind}")(transformers.BertConfig(**BERT, **more))


def llama(**more):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA, **more))


def gpt2(**more):
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**GPT2, **more))


MODULES = {
    "bert": bert, "bert base": lambda: bert("Model"), "bert mlm": lambda: bert("ForMaskedLM"), "llama": llama,
    "llama tied": lambda: llama(tie_word_embeddings=True), "gpt2": gpt2, "gpt2 untied": lambda: gpt2(tie_word_embeddings=False),
}


def loss(params, batch):
    return sum(jnp.mean(p.astype(jnp.float32) ** 2) for p in params.values()) + jnp.mean(batch["x"])


def step_of(module, **options):
    """Returns a step of another loss of the module's parameters, other values, and the module's names."""
    given = {n: p.detach() + 1 for n, p in module.named_parameters()}
    step = zcc.compile(loss, given, BATCH, optimizer=zcc.SGD(lr=0.5), **options)
    step._model.naming = Naming.of_module(module)
    return step


def numbers(value):
    value = value.detach() if is_torch(value) else torch.from_numpy(np.array(value).astype(np.float32))
    return value.to(torch.float32)


def check_parameters(step, module):
    found, expected = step.params, dict(module.named_parameters())
    assert found.keys() == expected.keys()
    for n in expected:
        assert torch.equal(numbers(found[n]), numbers(expected[n])), n


def check_modules(found, expected):
    a, b = found.state_dict(), expected.state_dict()
    assert list(a) == list(b)
    for n in b:
        assert a[n].dtype == b[n].dtype and torch.equal(a[n], b[n]), n


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("shards", ["5GB", "1KB"])
@pytest.mark.parametrize("name", MODULES)
def test_there_and_back(tmp_path, monkeypatch, name, shards, dtype):
    module = MODULES[name]().to(dtype)
    module.save_pretrained(tmp_path / "in", max_shard_size=shards)
    if shards == "1KB":
        assert (tmp_path / "in/model.safetensors.index.json").exists()
        monkeypatch.setattr(_huggingface, "SHARD_BYTES", 1000)
    with step_of(module, mesh="data=2", zero=3).load(tmp_path / "in") as step:
        check_parameters(step, module)
        step.save(tmp_path / "out", format="hf")
        assert (tmp_path / "out/config.json").read_text() == (tmp_path / "in/config.json").read_text()
        check_modules(type(module).from_pretrained(tmp_path / "out", dtype=dtype), module)
        step(BATCH)
        step.save(tmp_path / "out", format="hf")
        trained = type(module).from_pretrained(tmp_path / "out", dtype=dtype)
        moved = 0
        for n, p in trained.named_parameters():
            assert torch.equal(numbers(p), numbers(step.params[n]).to(dtype).to(torch.float32)), n
            moved += not torch.equal(p, dict(module.named_parameters())[n])
        assert moved > 5


@pytest.mark.parametrize("name", MODULES)
def test_a_module_without_a_folder(tmp_path, name):
    module = MODULES[name]()
    with step_of(module) as step:
        step.save(tmp_path, format="hf")
        found, info = type(module).from_pretrained(tmp_path, output_loading_info=True)
        assert not any(info[k] for k in ("missing_keys", "unexpected_keys", "mismatched_keys"))
        expected = copy.deepcopy(module)
        with torch.no_grad():
            for p in expected.parameters():
                p += 1
        check_modules(found, expected)
        assert transformers.AutoConfig.from_pretrained(tmp_path).architectures == [type(module).__name__]


def test_base_models_and_models_with_heads(tmp_path):
    headed = bert()
    headed.save_pretrained(tmp_path / "headed")
    with step_of(bert("Model")).load(tmp_path / "headed") as step:
        check_parameters(step, headed.bert)
        step.save(tmp_path / "out", format="hf")  # the head is put back
        check_modules(transformers.BertForSequenceClassification.from_pretrained(tmp_path / "out"), headed)
    headed.bert.save_pretrained(tmp_path / "base")
    with step_of(headed) as step, pytest.raises(zcc.Error, match="missing: classifier.bias, classifier.weight$"):
        step.load(tmp_path / "base")


def test_buffers_of_a_plain_module(tmp_path):
    from safetensors.torch import load_file

    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    module[1].running_mean += 2
    module[1].register_buffer("none", torch.ones(2), persistent=False)
    with step_of(module) as step:
        step.save(tmp_path, format="hf")
        found = load_file(tmp_path / "model.safetensors")
        assert set(found) == set(module.state_dict())
        assert torch.equal(found["1.running_mean"], torch.full((4,), 2.0))
        assert found["1.num_batches_tracked"].dtype == torch.int64
        step.load(tmp_path)
        step.save(tmp_path / "again", format="hf")
        assert load_file(tmp_path / "again/model.safetensors").keys() == found.keys()


def adapters(kind, **more):
    peft = pytest.importorskip("peft")
    torch.manual_seed(0)
    if kind == "ia3":
        return peft.IA3Config(target_modules=["query", "value", "output.dense"], feedforward_modules=["output.dense"], **more)
    return peft.LoraConfig(r=2, target_modules=["query", "value"], use_dora=kind == "dora", init_lora_weights=False, **more)


@pytest.mark.parametrize("more", [{}, {"modules_to_save": ["classifier"]}, {"task_type": "SEQ_CLS"}], ids=str)
@pytest.mark.parametrize("kind", ["lora", "dora", "ia3"])
def test_adapters(tmp_path, kind, more):
    peft = pytest.importorskip("peft")
    base = bert()
    base.save_pretrained(tmp_path / "base")
    module = peft.get_peft_model(copy.deepcopy(base), adapters(kind, **more))
    module.save_pretrained(tmp_path / "in")
    with step_of(module).load(tmp_path / "base") as step:
        # The base's weights are loaded, the adapters are still others.
        for n, p in module.named_parameters():
            loaded = n not in step._model.naming.adapters or "modules_to_save" in n
            assert torch.equal(numbers(step.params[n]), numbers(p)) == loaded, n
        step.save(tmp_path / "own", format="hf")
        step.load(tmp_path / "in")
        check_parameters(step, module)
        step.save(tmp_path / "out", format="hf")
    assert sorted(os.listdir(tmp_path / "out")) == ["adapter_config.json", "adapter_model.safetensors"]
    from safetensors.torch import load_file

    expected = load_file(tmp_path / "in/adapter_model.safetensors")
    configs = [json.loads((tmp_path / f / "adapter_config.json").read_text()) for f in ("in", "own", "out")]
    for config in configs:  # peft writes sets in any order
        config.update({k: sorted(v) for k, v in config.items() if isinstance(v, list)})
    assert configs[1] == configs[0] and configs[2] == configs[0]
    for folder in ("out", "own"):
        found = load_file(tmp_path / folder / "adapter_model.safetensors")
        assert {n: t.shape for n, t in found.items()} == {n: t.shape for n, t in expected.items()}
        again = peft.PeftModel.from_pretrained(copy.deepcopy(base), tmp_path / folder)
        if folder == "out":
            check_modules(again, module)


def test_several_adapters(tmp_path):
    peft = pytest.importorskip("peft")
    base = bert()
    base.save_pretrained(tmp_path / "base")
    module = peft.get_peft_model(base, adapters("lora"))
    module.add_adapter("second", adapters("lora"))
    module.set_adapter("second")
    with step_of(module).load(tmp_path / "base") as step:
        step.save(tmp_path / "out", format="hf")
        from safetensors.torch import load_file

        found = load_file(tmp_path / "out/adapter_model.safetensors")
        name = "base_model.model.bert.encoder.layer.0.attention.self.query.lora_A.weight"
        own = dict(module.named_parameters())[name.replace("lora_A.", "lora_A.second.")]
        assert torch.equal(found[name], own.detach() + 1)


def test_prompts(tmp_path):
    """peft saves the one parameter of a prompt under a name of its own."""
    peft = pytest.importorskip("peft")
    base = bert()
    module = peft.get_peft_model(copy.deepcopy(base), peft.PromptTuningConfig(task_type="SEQ_CLS", num_virtual_tokens=2))
    with step_of(module) as step:
        step.save(tmp_path / "out", format="hf")
        own = numbers(step.params["prompt_encoder.default.embedding.weight"])
    from safetensors.torch import load_file

    assert torch.equal(load_file(tmp_path / "out/adapter_model.safetensors")["prompt_embeddings"], own)
    again = peft.PeftModel.from_pretrained(base, tmp_path / "out")
    assert torch.equal(again.prompt_encoder["default"].embedding.weight.detach(), own)


def test_adapters_that_are_computed_when_they_are_saved(tmp_path):
    """Their module is trained, but no folder of adapters is written or read."""
    peft = pytest.importorskip("peft")
    module = peft.get_peft_model(bert(), peft.PromptEncoderConfig(task_type="SEQ_CLS", num_virtual_tokens=2, encoder_hidden_size=8))
    module.save_pretrained(tmp_path / "peft")
    with step_of(module) as step:
        why = "the adapter 'default' of kind P_TUNING computes its tensor 'prompt_embeddings' when it is saved"
        with pytest.raises(zcc.Error, match="save: " + why):
            step.save(tmp_path / "out", format="hf")
        with pytest.raises(zcc.Error, match=why):
            step.load(tmp_path / "peft")
    assert not (tmp_path / "out").exists()
