# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small Llama with adapters of peft."""
from . import V, ids, module
from .text import GROUPED


def adapter(name, config, **options):
    """A small Llama with an adapter."""
    @module(f"peft/{name}-llama", "text", 2)
    def make():
        import peft
        import transformers

        base = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=V, use_cache=False, **GROUPED))
        model = peft.get_peft_model(base, getattr(peft, config)(**options))

        def batch(rng):
            x = ids(rng)
            return {"input_ids": x, "labels": x}
        return model, batch


ADAPTED = ["q_proj", "v_proj", "down_proj"]
adapter("lora", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("loha", "LoHaConfig", r=4, alpha=8, target_modules=ADAPTED)
adapter("lokr", "LoKrConfig", r=4, alpha=8, target_modules=ADAPTED)
adapter("oft", "OFTConfig", oft_block_size=4, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("prompt", "PromptTuningConfig", num_virtual_tokens=4, task_type="CAUSAL_LM")
adapter("prefix", "PrefixTuningConfig", num_virtual_tokens=4, task_type="CAUSAL_LM")
adapter("dora", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, use_dora=True, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("rslora", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, use_rslora=True, target_modules="all-linear", task_type="CAUSAL_LM")
adapter("lora-embedding", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, target_modules=["embed_tokens", "q_proj"], task_type="CAUSAL_LM")
adapter("pissa", "LoraConfig", r=4, lora_alpha=8, lora_dropout=0, init_lora_weights="pissa", target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("ia3", "IA3Config", target_modules=["k_proj", "v_proj", "down_proj"], feedforward_modules=["down_proj"], task_type="CAUSAL_LM")
adapter("adalora", "AdaLoraConfig", init_r=4, target_r=2, lora_alpha=8, lora_dropout=0, total_step=10, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("vera", "VeraConfig", r=4, vera_dropout=0, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
adapter("hra", "HRAConfig", r=4, target_modules=ADAPTED, task_type="CAUSAL_LM")
adapter("miss", "MissConfig", r=4, miss_dropout=0, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
adapter("ln-tuning", "LNTuningConfig", target_modules=["input_layernorm", "norm"], task_type="CAUSAL_LM")
adapter("randlora", "RandLoraConfig", r=4, randlora_dropout=0, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
adapter("vblora", "VBLoRAConfig", r=4, num_vectors=16, vector_length=8, topk=2, vblora_dropout=0, target_modules=["q_proj", "o_proj"],
        task_type="CAUSAL_LM")
adapter("c3a", "C3AConfig", block_size=8, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
adapter("road", "RoadConfig", variant="road_4", group_size=8, target_modules=["q_proj", "o_proj"], task_type="CAUSAL_LM")
adapter("p-tuning", "PromptEncoderConfig", num_virtual_tokens=4, encoder_hidden_size=16, encoder_dropout=0, task_type="CAUSAL_LM")
adapter("trainable-tokens", "TrainableTokensConfig", token_indices=[3, 5], target_modules=["embed_tokens"], task_type="CAUSAL_LM")
adapter("adaption-prompt", "AdaptionPromptConfig", adapter_len=4, adapter_layers=1, task_type="CAUSAL_LM")
