# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models of transformers that read and write one text."""
import numpy as np

from . import B, S, V, WHOLE_BATCH, ids, module


def causal(name, config, cls, attention=2, why="", **options):
    """A causal language model of transformers, with its own loss of shifted labels."""
    @module(f"transformers/{name}", "text", attention, why)
    def make():
        import transformers

        model = getattr(transformers, cls)(getattr(transformers, config)(vocab_size=V, use_cache=False, **options))

        def batch(rng):
            x = ids(rng)
            return {"input_ids": x, "labels": x}
        return model, batch


SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=32,
             pad_token_id=0, bos_token_id=1, eos_token_id=2)
GROUPED = dict(SMALL, num_key_value_heads=2)
causal("llama", "LlamaConfig", "LlamaForCausalLM", **GROUPED)
causal("gpt2", "GPT2Config", "GPT2LMHeadModel", n_layer=2, n_embd=32, n_head=4, n_positions=32, resid_pdrop=0, embd_pdrop=0,
       attn_pdrop=0, bos_token_id=1, eos_token_id=2)
causal("qwen3", "Qwen3Config", "Qwen3ForCausalLM", **GROUPED, head_dim=8, tie_word_embeddings=True)
causal("gemma3", "Gemma3TextConfig", "Gemma3ForCausalLM", **GROUPED, head_dim=8, sliding_window=8,
       layer_types=["sliding_attention", "full_attention"])
causal("phi3", "Phi3Config", "Phi3ForCausalLM", **GROUPED)
causal("opt", "OPTConfig", "OPTForCausalLM", hidden_size=32, word_embed_proj_dim=32, num_hidden_layers=2, num_attention_heads=4, ffn_dim=64,
       max_position_embeddings=32, dropout=0, layerdrop=0, pad_token_id=1, bos_token_id=2, eos_token_id=2)
causal("mamba2", "Mamba2Config", "Mamba2ForCausalLM", 0, hidden_size=32, num_hidden_layers=2, num_heads=4, head_dim=16, state_size=8,
       n_groups=1, expand=2, chunk_size=8, pad_token_id=0, bos_token_id=1, eos_token_id=2)
causal("mixtral", "MixtralConfig", "MixtralForCausalLM", **GROUPED, num_local_experts=4, num_experts_per_tok=2)
causal("qwen3-moe", "Qwen3MoeConfig", "Qwen3MoeForCausalLM", **GROUPED, head_dim=8, num_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=32, decoder_sparse_step=1)
causal("deepseek-v3", "DeepseekV3Config", "DeepseekV3ForCausalLM", **SMALL, num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=16, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=8,
       v_head_dim=8, n_group=2, topk_group=1)
causal("gpt-oss", "GptOssConfig", "GptOssForCausalLM", why="the softmax has one more column than there are keys, a learned sink", **GROUPED,
       head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=8,
       layer_types=["sliding_attention", "full_attention"])

causal("llama4", "Llama4TextConfig", "Llama4ForCausalLM", **GROUPED, head_dim=8, intermediate_size_mlp=64, num_local_experts=4,
       num_experts_per_tok=1, attention_chunk_size=8)
causal("rwkv", "RwkvConfig", "RwkvForCausalLM", 0, context_length=32, hidden_size=32, num_hidden_layers=2, attention_hidden_size=32,
       intermediate_size=64, bos_token_id=1, eos_token_id=2)
causal("qwen3-next", "Qwen3NextConfig", "Qwen3NextForCausalLM", 1, **GROUPED, head_dim=8, linear_num_value_heads=4, linear_num_key_heads=2,
       linear_key_head_dim=8, linear_value_head_dim=8, linear_conv_kernel_dim=4, num_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=16, shared_expert_intermediate_size=16, layer_types=["linear_attention", "full_attention"])
causal("recurrent-gemma", "RecurrentGemmaConfig", "RecurrentGemmaForCausalLM", 1, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
       intermediate_size=64, lru_width=32, attention_window_size=8, block_types=["recurrent", "attention"], pad_token_id=0, bos_token_id=1,
       eos_token_id=2)
causal("xlstm", "xLSTMConfig", "xLSTMForCausalLM", 0, hidden_size=32, num_hidden_layers=2, num_blocks=2, num_heads=2, chunk_size=8,
       pad_token_id=0, bos_token_id=1, eos_token_id=2)
causal("bloom", "BloomConfig", "BloomForCausalLM", 2, hidden_size=32, n_layer=2, n_head=4, hidden_dropout=0, attention_dropout=0,
       pad_token_id=0, bos_token_id=1, eos_token_id=2)


@module("transformers/bert", "text", 2)
def bert():
    import transformers

    config = transformers.BertConfig(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, **SMALL)

    def batch(rng):
        x = ids(rng)
        return {"input_ids": x, "attention_mask": (rng.integers(S // 2, S + 1, (B, 1)) > np.arange(S)).astype(np.int64),
                "labels": np.where(rng.random((B, S)) < .3, x, -100)}
    return transformers.BertForMaskedLM(config), batch


@module("transformers/modernbert", "text", 2)
def modernbert():
    import transformers

    config = transformers.ModernBertConfig(vocab_size=V, **SMALL, local_attention=8, global_attn_every_n_layers=2, cls_token_id=1,
                                           sep_token_id=2, num_labels=5)
    return transformers.ModernBertForSequenceClassification(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, below=5)}


@module("transformers/deberta-v2", "text", 2, "relative positions are added to the scores as gathered products")
def deberta():
    import transformers

    config = transformers.DebertaV2Config(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, relative_attention=True,
                                          pos_att_type=["p2c", "c2p"], **SMALL)
    return transformers.DebertaV2ForMaskedLM(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng)}


def labeled(name, config, cls, attention=2, why="", refused=None, **options):
    """A model of transformers that gives each token a label."""
    @module(f"transformers/{name}", "text", attention, why, refused)
    def make():
        import transformers

        model = getattr(transformers, cls)(getattr(transformers, config)(vocab_size=V, **options))
        return model, lambda rng: {"input_ids": ids(rng), "labels": ids(rng)}


WITHOUT_DROPOUT = dict(hidden_dropout_prob=0, attention_probs_dropout_prob=0)
labeled("xlnet", "XLNetConfig", "XLNetForTokenClassification", num_labels=V, d_model=32, n_layer=2, n_head=4, d_inner=64, dropout=0,
        summary_last_dropout=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
labeled("fnet", "FNetConfig", "FNetForMaskedLM", 0, hidden_size=32, num_hidden_layers=2, intermediate_size=64, max_position_embeddings=32,
        hidden_dropout_prob=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
labeled("bigbird", "BigBirdConfig", "BigBirdForMaskedLM", **dict(SMALL, max_position_embeddings=64), **WITHOUT_DROPOUT,
        attention_type="block_sparse", block_size=2, num_random_blocks=1)
labeled("perceiver", "PerceiverConfig", "PerceiverForMaskedLM", 3, d_model=32, d_latents=32, num_latents=8, num_blocks=1,
        num_self_attends_per_block=2, num_self_attention_heads=4, num_cross_attention_heads=4, max_position_embeddings=S,
        attention_probs_dropout_prob=0)


# ---------------------------------------------------------------- more causal language models

GPT = dict(n_layer=2, n_embd=32, n_head=4, n_positions=32, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=1, eos_token_id=2)
for name, prefix in {"mistral": "Mistral", "qwen2": "Qwen2", "granite": "Granite", "olmo2": "Olmo2", "cohere": "Cohere", "starcoder2": "Starcoder2",
                     "smollm3": "SmolLM3", "olmo": "Olmo", "nemotron": "Nemotron", "stablelm": "StableLm", "persimmon": "Persimmon", "phi": "Phi",
                     "arcee": "Arcee", "bitnet": "BitNet", "doge": "Doge", "nanochat": "NanoChat", "olmo3": "Olmo3"}.items():
    causal(name, f"{prefix}Config", f"{prefix}ForCausalLM", **GROUPED)
for name, prefix in {"gemma": "Gemma", "glm": "Glm", "glm4": "Glm4", "helium": "Helium", "ernie4-5": "Ernie4_5", "seed-oss": "SeedOss",
                     "apertus": "Apertus", "vaultgemma": "VaultGemma",
                     "hunyuan": "HunYuanDenseV1", "exaone4": "Exaone4"}.items():
    causal(name, f"{prefix}Config", f"{prefix}ForCausalLM", **GROUPED, head_dim=8, attention_dropout=0.0,
    **({"residual_dropout": 0.0} if name == "seed-oss" else {}))
causal("gemma2", "Gemma2Config", "Gemma2ForCausalLM", **GROUPED, head_dim=8, sliding_window=8)
causal("cohere2", "Cohere2Config", "Cohere2ForCausalLM", **GROUPED, sliding_window=8, layer_types=["sliding_attention", "full_attention"])
causal("gpt-neox", "GPTNeoXConfig", "GPTNeoXForCausalLM", **SMALL)
causal("gptj", "GPTJConfig", "GPTJForCausalLM", **GPT, rotary_dim=4)
causal("codegen", "CodeGenConfig", "CodeGenForCausalLM", **GPT, n_ctx=32, rotary_dim=4)
causal("gpt-neo", "GPTNeoConfig", "GPTNeoForCausalLM", hidden_size=32, num_layers=2, num_heads=4, attention_types=[[["global", "local"], 1]],
       window_size=8, max_position_embeddings=32, bos_token_id=1, eos_token_id=2)
causal("gpt-bigcode", "GPTBigCodeConfig", "GPTBigCodeForCausalLM", **GPT)
causal("openai-gpt", "OpenAIGPTConfig", "OpenAIGPTLMHeadModel", n_layer=2, n_embd=32, n_head=4, n_positions=32, resid_pdrop=0, embd_pdrop=0,
       attn_pdrop=0)
causal("ctrl", "CTRLConfig", "CTRLLMHeadModel", n_layer=2, n_embd=32, n_head=4, n_positions=32, dff=64, resid_pdrop=0, embd_pdrop=0)
causal("falcon", "FalconConfig", "FalconForCausalLM", hidden_size=32, num_hidden_layers=2, num_attention_heads=4, pad_token_id=0, bos_token_id=1,
       eos_token_id=2)
causal("mpt", "MptConfig", "MptForCausalLM", d_model=32, n_heads=4, n_layers=2, max_seq_len=32, expansion_ratio=2)
causal("biogpt", "BioGptConfig", "BioGptForCausalLM", **SMALL, hidden_dropout_prob=0, attention_probs_dropout_prob=0, layerdrop=0)
causal("xglm", "XGLMConfig", "XGLMForCausalLM", d_model=32, ffn_dim=64, num_layers=2, attention_heads=4, max_position_embeddings=32, dropout=0,
       attention_dropout=0, layerdrop=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
causal("mamba", "MambaConfig", "MambaForCausalLM", 0, hidden_size=32, num_hidden_layers=2, state_size=8, pad_token_id=0, bos_token_id=1,
       eos_token_id=2)
causal("falcon-mamba", "FalconMambaConfig", "FalconMambaForCausalLM", 0, hidden_size=32, num_hidden_layers=2, state_size=8, pad_token_id=0,
       bos_token_id=1, eos_token_id=2)
causal("bamba", "BambaConfig", "BambaForCausalLM", 1, **GROUPED, mamba_n_heads=4, mamba_d_head=16, mamba_d_state=8, mamba_n_groups=1,
       mamba_chunk_size=8,
       attn_layer_indices=[1])
causal("jamba", "JambaConfig", "JambaForCausalLM", 1, **GROUPED, attn_layer_period=2, attn_layer_offset=1, expert_layer_period=2,
       expert_layer_offset=1,
       num_experts=4, num_experts_per_tok=2, mamba_d_state=8, use_mamba_kernels=False)
causal("zamba2", "Zamba2Config", "Zamba2ForCausalLM", 1, **GROUPED, n_mamba_heads=4, mamba_d_state=8, mamba_ngroups=1, chunk_size=8,
       layers_block_type=["mamba", "hybrid"], num_mem_blocks=1, use_mem_rope=False)
causal("nemotron-h", "NemotronHConfig", "NemotronHForCausalLM", 1, **GROUPED, head_dim=8, layers_block_type=["mamba", "attention"], mamba_num_heads=4,
       mamba_head_dim=16, ssm_state_size=8, n_groups=1, chunk_size=8)
causal("lfm2", "Lfm2Config", "Lfm2ForCausalLM", 1, **GROUPED, layer_types=["conv", "full_attention"], block_ff_dim=64, block_multiple_of=8)
causal("olmoe", "OlmoeConfig", "OlmoeForCausalLM", **GROUPED, num_experts=4, num_experts_per_tok=2)
causal("flex-olmo", "FlexOlmoConfig", "FlexOlmoForCausalLM", **GROUPED, num_experts=4, num_experts_per_tok=2)
causal("granite-moe", "GraniteMoeConfig", "GraniteMoeForCausalLM", **GROUPED, num_local_experts=4, num_experts_per_tok=2)
causal("phimoe", "PhimoeConfig", "PhimoeForCausalLM", **GROUPED, num_local_experts=4, num_experts_per_tok=2)
causal("qwen2-moe", "Qwen2MoeConfig", "Qwen2MoeForCausalLM", **GROUPED, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16,
       shared_expert_intermediate_size=16)
causal("deepseek-v2", "DeepseekV2Config", "DeepseekV2ForCausalLM", **SMALL, num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2,
       moe_intermediate_size=16, first_k_dense_replace=1, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4, qk_nope_head_dim=8, v_head_dim=8,
       n_group=2, topk_group=1)
causal("dots1", "Dots1Config", "Dots1ForCausalLM", **GROUPED, head_dim=8, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=16,
       first_k_dense_replace=1, n_group=2, topk_group=1, n_shared_experts=1)
causal("glm4-moe", "Glm4MoeConfig", "Glm4MoeForCausalLM", **GROUPED, head_dim=8, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=16,
       first_k_dense_replace=1, n_group=2, topk_group=1, n_shared_experts=1)
causal("ernie4-5-moe", "Ernie4_5_MoeConfig", "Ernie4_5_MoeForCausalLM", **GROUPED, moe_num_experts=4, moe_k=2, moe_intermediate_size=16,
       moe_layer_start_index=1, moe_num_shared_experts=1)
causal("minimax", "MiniMaxConfig", "MiniMaxForCausalLM", 1, **GROUPED, head_dim=8, num_local_experts=4, num_experts_per_tok=2, block_size=8,
       layer_types=["linear_attention", "full_attention"])
causal("dbrx", "DbrxConfig", "DbrxForCausalLM", resid_pdrop=0.0, d_model=32, n_heads=4, n_layers=2, max_seq_len=32, attn_config={"kv_n_heads": 2,
       "rope_theta": 1e4, "clip_qkv": 8.0},
       ffn_config={"ffn_hidden_size": 32, "moe_num_experts": 4, "moe_top_k": 2}, pad_token_id=0, bos_token_id=1, eos_token_id=2)


# ---------------------------------------------------------------- more models with a label for each token

for name, prefix in {"roberta": "Roberta", "electra": "Electra", "albert": "Albert", "xlm-roberta": "XLMRoberta", "camembert": "Camembert",
                     "rembert": "RemBert", "megatron-bert": "MegatronBert", "layoutlm": "LayoutLM", "ernie": "Ernie", "mobilebert": "MobileBert",
                     "convbert": "ConvBert", "roformer": "RoFormer", "data2vec-text": "Data2VecText", "squeezebert": "SqueezeBert",  "mpnet": "MPNet",
                     "bert-tokens": "Bert", "deberta": "Deberta"}.items():
    extra = {"electra": dict(embedding_size=16), "albert": dict(embedding_size=16, classifier_dropout_prob=0), "squeezebert": dict(embedding_size=32),
             "mobilebert": dict(embedding_size=16, true_hidden_size=32, intra_bottleneck_size=32, use_bottleneck=True),
             "roformer": dict(embedding_size=16), "convbert": dict(embedding_size=16, conv_kernel_size=3), "rembert": dict(input_embedding_size=16,
             output_embedding_size=16, classifier_dropout_prob=0)}.get(name, {})
    labeled(name, f"{prefix}Config", f"{prefix}ForTokenClassification", **dict(SMALL, **WITHOUT_DROPOUT, num_labels=V, **extra))
for name, prefix in {"mra": "Mra", "yoso": "Yoso"}.items():  # They approximate attention by products of their own.
    labeled(name, f"{prefix}Config", f"{prefix}ForTokenClassification", 0, **dict(SMALL, **WITHOUT_DROPOUT, num_labels=V))
# Its inverse begins with the largest sum of the whole batch. Each of its attentions is a product of several.
labeled("nystromformer", "NystromformerConfig", "NystromformerForTokenClassification", 4, refused=WHOLE_BATCH, **SMALL, **WITHOUT_DROPOUT,
        num_labels=V, num_landmarks=4, conv_kernel_size=3, segment_means_seq_len=S)
labeled("distilbert", "DistilBertConfig", "DistilBertForMaskedLM", dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=32,
        dropout=0,
        attention_dropout=0, seq_classif_dropout=0)
labeled("funnel", "FunnelConfig", "FunnelForMaskedLM", 4, block_sizes=[1, 1], num_decoder_layers=2, d_model=32, n_head=4, d_head=8, d_inner=64,
        hidden_dropout=0,
        attention_dropout=0, activation_dropout=0)
labeled("flaubert", "FlaubertConfig", "FlaubertForTokenClassification", num_labels=V, emb_dim=32, n_layers=2, n_heads=4, dropout=0,
        attention_dropout=0, max_position_embeddings=32)
labeled("canine", "CanineConfig", "CanineForTokenClassification", 5, **SMALL, **WITHOUT_DROPOUT, num_labels=V, downsampling_rate=2,
        num_hash_buckets=64, num_hash_functions=4, local_transformer_stride=8, upsampling_kernel_size=4)
labeled("eurobert", "EuroBertConfig", "EuroBertForMaskedLM", **GROUPED)
labeled("lilt", "LiltConfig", "LiltForTokenClassification", **dict(SMALL, hidden_size=48), **WITHOUT_DROPOUT, num_labels=V)
labeled("esm", "EsmConfig", "EsmForTokenClassification", **SMALL, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=V)
