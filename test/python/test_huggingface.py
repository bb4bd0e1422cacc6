# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of Hugging Face, without its packages: names, types, sharded sets, what is put back, and what is refused."""
import json
import os

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import zcc
from zcc import _huggingface
from zcc._huggingface import Naming

SHAPES = {"embed.weight": (6, 4), "layer.LayerNorm.weight": (4,), "layer.proj.weight": (4, 6)}
BATCH = {"x": np.arange(12, dtype=np.int32).reshape(2, 6) % 6}


def loss(params, batch):
    hidden = params["embed.weight"][batch["x"]] * params["layer.LayerNorm.weight"]
    return jnp.mean((hidden @ params["layer.proj.weight"]) ** 2)


def values(seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return {n: rng.standard_normal(s).astype(dtype) for n, s in SHAPES.items()}


def make(naming=None, **options):
    step = zcc.compile(loss, values(9), BATCH, optimizer=zcc.SGD(lr=0.1), **options)
    if naming:
        step._model.naming = naming
    return step


def folder_of(path, tensors, **files):
    path.mkdir(exist_ok=True)
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    (path / "config.json").write_text('{"model_type": "toy"}')
    return path


def same(found, expected):
    assert found.keys() == expected.keys()
    for n in expected:
        assert found[n].dtype == expected[n].dtype, n
        np.testing.assert_array_equal(found[n].astype(np.float32), expected[n].astype(np.float32), err_msg=n)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.float64])
@pytest.mark.parametrize("options", [{}, {"mesh": "data=2", "zero": 3}], ids=["alone", "zero"])
def test_what_was_loaded_is_saved(tmp_path, dtype, options, capfd):
    given = values(1, dtype)
    given["surplus"] = np.arange(5, dtype=np.int64)
    source = folder_of(tmp_path / "in", given)
    (source / "tokenizer.json").write_text("{}")
    (source / "README.md").write_text("of the source")
    with make(**options).load(source) as step:
        assert "surplus" in capfd.readouterr().err
        for n in SHAPES:
            np.testing.assert_array_equal(step.params[n], given[n].astype(np.float32))
        step.save(tmp_path / "out", format="hf")
        same(load_file(tmp_path / "out/model.safetensors"), given)
        assert sorted(os.listdir(tmp_path / "out")) == ["config.json", "model.safetensors", "tokenizer.json"]
        assert step.count == 0
        step(BATCH)
        trained = step.params
        step.save(source, format="hf")  # over what was loaded
        found = load_file(source / "model.safetensors")
        for n in SHAPES:
            np.testing.assert_array_equal(found[n], np.asarray(trained[n]).astype(dtype))
        np.testing.assert_array_equal(found["surplus"], np.arange(5))
        assert (source / "README.md").read_text() == "of the source"
        # Moments and the number of steps begin anew.
        assert step.load(source).count == 0


def test_without_files_names_and_types_are_those_of_the_parameters(tmp_path):
    with make() as step:
        step.save(tmp_path / "out", format="hf")
        same(load_file(tmp_path / "out/model.safetensors"), values(9))
    with make(Naming({n: (n,) for n in SHAPES}, types={"embed.weight": "bfloat16"},
                     constants={"scale": np.float32([3])})) as step:
        step._model.naming.names["scale"] = ("scale",)
        step.save(tmp_path / "typed", format="hf")
        expected = values(9)
        expected["embed.weight"] = expected["embed.weight"].astype(ml_dtypes.bfloat16)
        same(load_file(tmp_path / "typed/model.safetensors"), {**expected, "scale": np.float32([3])})


def test_sharded_sets(tmp_path, monkeypatch):
    given = values(2)
    monkeypatch.setattr(_huggingface, "SHARD_BYTES", 100)
    source = folder_of(tmp_path / "in", given)
    with make().load(source) as step:
        for _ in range(2):  # the second time over the first
            step.save(tmp_path / "out", format="hf")
            index = json.loads((tmp_path / "out/model.safetensors.index.json").read_text())
            assert sorted(set(index["weight_map"].values())) == [f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)]
            assert index["metadata"]["total_size"] == 4 * (24 + 4 + 24)
            assert not (tmp_path / "out/model.safetensors").exists()
    with make().load(tmp_path / "out") as step:
        same({n: np.asarray(v) for n, v in step.params.items()}, given)
        monkeypatch.setattr(_huggingface, "SHARD_BYTES", 1000)
        step.save(tmp_path / "out", format="hf")  # in the place of the shards
        assert sorted(os.listdir(tmp_path / "out")) == ["config.json", "model.safetensors"]
        same(load_file(tmp_path / "out/model.safetensors"), given)


def test_names_of_ties_prefixes_and_older_versions(tmp_path):
    names = {"embed.weight": ("embed.weight", "head.weight"), "layer.LayerNorm.weight": ("layer.LayerNorm.weight",),
             "layer.proj.weight": ("layer.proj.weight",)}
    given = values(3)
    own = list(given.values())
    forms = [dict(zip(form, own)) for form in (
        ("head.weight", "layer.LayerNorm.gamma", "layer.proj.weight"),
        ("toy.embed.weight", "toy.layer.LayerNorm.gamma", "toy.layer.proj.weight"),
    )]
    forms.append({**given, "head.weight": given["embed.weight"]})  # there twice: both are written
    for i, form in enumerate(forms):
        source = folder_of(tmp_path / f"in{i}", form)
        with make(Naming(names, prefix="toy")).load(source) as step:
            same({n: np.asarray(v) for n, v in step.params.items()}, given)
            step.params = {n: v + 1 for n, v in given.items()}
            step.save(tmp_path / f"out{i}", format="hf")
            same(load_file(tmp_path / f"out{i}/model.safetensors"), {n: v + 1 for n, v in form.items()})
    headed = {n: (f"toy.{n}",) for n in SHAPES}
    with make(Naming(headed, prefix="toy")).load(folder_of(tmp_path / "base", given)) as step:
        same({n: np.asarray(v) for n, v in step.params.items()}, given)


def test_adapters_apart(tmp_path):
    naming = Naming({"embed.weight": ("embed.weight",), "layer.LayerNorm.weight": (), "layer.proj.weight": ("proj.weight",)},
                    adapters={"layer.LayerNorm.weight": "model.ia3"},
                    write_config=lambda folder: open(os.path.join(folder, "adapter_config.json"), "w").write("{}"))
    given = values(4)
    base = folder_of(tmp_path / "base", {"embed.weight": given["embed.weight"], "proj.weight": given["layer.proj.weight"]})
    with make(naming).load(base) as step:
        step.save(tmp_path / "out", format="hf")
        assert sorted(os.listdir(tmp_path / "out")) == ["adapter_config.json", "adapter_model.safetensors"]
        same(load_file(tmp_path / "out/adapter_model.safetensors"), {"model.ia3": values(9)["layer.LayerNorm.weight"]})
        (tmp_path / "adapter").mkdir()
        save_file({"model.ia3": given["layer.LayerNorm.weight"].astype(np.float16)}, tmp_path / "adapter/adapter_model.safetensors")
        step.load(tmp_path / "adapter")  # the base's weights stay
        for n in ("embed.weight", "layer.proj.weight"):
            np.testing.assert_array_equal(step.params[n], given[n])
        step.save(tmp_path / "again", format="hf")
        same(load_file(tmp_path / "again/adapter_model.safetensors"), {"model.ia3": given["layer.LayerNorm.weight"].astype(np.float16)})
    with make() as step, pytest.raises(zcc.Error, match="weights of adapters, and the module has none"):
        step.load(tmp_path / "adapter")


def test_refusals(tmp_path, monkeypatch):
    with make() as step:
        before = {n: np.asarray(v) for n, v in step.params.items()}

        def refused(pattern, path):
            with pytest.raises(zcc.Error, match=pattern):
                step.load(path)
            same({n: np.asarray(v) for n, v in step.params.items()}, before)

        given = values(5)
        del given["embed.weight"]
        given["other"] = np.zeros(3, np.float32)
        given["layer.proj.weight"] = given["layer.proj.weight"].T.copy()
        refused(r"missing: embed.weight; other shapes: layer.proj.weight \(expected \[4, 6\], found \[6, 4\]\); .*: other",
                folder_of(tmp_path / "in", given))
        refused("expected float|misshapen.*embed", folder_of(tmp_path / "types", {**values(), "embed.weight": np.zeros((6, 4), np.int32)}))
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin/pytorch_model.bin").write_bytes(b"x")
        refused("pytorch_model.bin.*save_pretrained", tmp_path / "bin")
        cut = folder_of(tmp_path / "cut", values())
        content = (cut / "model.safetensors").read_bytes()
        for size in (0, 5, 40):
            (cut / "model.safetensors").write_bytes(content[:size])
            refused("truncated", cut)
        (cut / "model.safetensors").write_bytes(content[:-4])
        refused("outside of the data", cut)
        index = tmp_path / "index"
        index.mkdir()
        (index / "model.safetensors.index.json").write_text('{"weight_map": {"embed.weight": "model-1.safetensors"}}')
        refused("model-1.safetensors: No such file", index)
        (index / "model.safetensors.index.json").write_text("[]")
        refused("weight_map", index)
        with pytest.raises(zcc.Error, match="format='pt': expected None"):
            step.save(tmp_path / "out", format="pt")
        (tmp_path / "file").write_text("")
        with pytest.raises(zcc.Error, match="save: .*file"):
            step.save(tmp_path / "file", format="hf")


def test_a_save_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    with make() as step:
        step.save(tmp_path, format="hf")
        before = (tmp_path / "model.safetensors").read_bytes()
        step(BATCH)

        def full(file):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(_huggingface, "_settle", full)
        with pytest.raises(zcc.Error, match="No space left.*unchanged"):
            step.save(tmp_path, format="hf")
        assert os.listdir(tmp_path) == ["model.safetensors"]
        assert (tmp_path / "model.safetensors").read_bytes() == before
        monkeypatch.undo()
        (tmp_path / ".zcc-writing-killed").mkdir()
        step.save(tmp_path, format="hf")
        assert os.listdir(tmp_path) == ["model.safetensors"]
        assert (tmp_path / "model.safetensors").read_bytes() != before
