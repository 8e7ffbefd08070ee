"""The configuration that realises a training answer, and what nvidia-smi should show in its first steps."""

from __future__ import annotations

from bot.answer import Recipe, say
from bot.estimator.data import EstimatorData
from bot.estimator.estimate import TrainingEstimate
from bot.estimator.training_setup import Setup, resolve_training
from bot.estimator.workload import TrainingWorkload

# Template by framework; frameworks without one of their own get the file that is the most used for the method.
_TEMPLATES = {
    "llama-factory": "llama-factory",
    "torchtune": "torchtune",
    "hf-deepspeed": "deepspeed",
    "openrlhf": "deepspeed",
    "hf-trainer": "accelerate",
    "hf-peft": "accelerate",
    "trl": "accelerate",
    "fsdp-qlora": "accelerate",
    "axolotl": "axolotl",
    "megatron-lm": "megatron",
    "megatron-bridge": "megatron",
    "megatron-deepspeed": "megatron",
    "nemo": "megatron",
    "pretraining": "megatron",
}
_FILES = {
    "llama-factory": "train.yaml",
    "torchtune": "train.sh",
    "deepspeed": "ds_config.json",
    "accelerate": "fsdp.yaml",
    "axolotl": "train.yaml",
    "megatron": "train.sh",
}
_OPTIMIZERS = {"adamw": "adamw_torch_fused", "adamw_8bit": "adamw_bnb_8bit", "paged_adamw_8bit": "paged_adamw_8bit",
               "adafactor": "adafactor", "sgd": "sgd", "lion": "lion_32bit"}  # fmt: skip


def training_recipe(workload: TrainingWorkload, estimate: TrainingEstimate, data: EstimatorData | None = None) -> Recipe:
    """Settings for `templates/recipe/{kind}.j2`. Without `data` only what the workload and its assumptions say is used."""
    assumed = {item.slot: item.value for item in estimate.assumptions}
    setup = resolve_training(workload, data) if data else None
    kind = _kind(workload, setup)
    settings = {**_model(workload), **_run(workload, assumed), **_layout(workload, setup)}
    device = estimate.memory_device_gib_per_gpu or estimate.memory_gib_per_gpu
    check = say("training.check_memory", memory=device, speed=estimate.tokens_per_s_per_gpu)
    return Recipe(kind, _FILES[kind], settings, check)


def _kind(workload: TrainingWorkload, setup: Setup | None) -> str:
    name = setup.framework.name if setup else workload.framework or ("pretraining" if workload.method == "pretrain" else "")
    return _TEMPLATES.get(name, "llama-factory")


def _model(workload: TrainingWorkload) -> dict[str, object]:
    model = workload.model
    return {
        "model": model.hf_id or model.name,
        "layers": model.layers,
        "hidden": model.hidden,
        "ffn": model.intermediate,
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "size": f"{model.params_b:g}B",
    }


def _run(workload: TrainingWorkload, assumed: dict[str, object]) -> dict[str, object]:
    def chosen(name: str, otherwise: object) -> object:
        value = getattr(workload, name)
        return value if value not in (None, ()) else assumed.get(name, otherwise)

    dtype = workload.precision if workload.precision in ("bf16", "fp16", "fp32") else "bf16"
    return {
        "method": workload.method,
        "adapter": workload.method in ("lora", "qlora", "dora", "adalora"),
        "quant": workload.method == "qlora",
        "double_quant": workload.quant != "nf4",
        "dora": workload.method == "dora",
        "rank": chosen("lora_rank", 16),
        "targets": tuple(workload.lora_targets or ()),
        "seq_len": chosen("seq_len", 2048),
        "micro_batch": chosen("micro_batch", 1),
        "grad_accum": workload.grad_accum or 8,
        "packing": workload.packing is not False,
        "checkpointing": chosen("checkpointing", "full") != "none",
        "flash": chosen("attention", "flash") == "flash",
        "liger": bool(workload.fused_loss),
        "dtype": dtype,
        "pure": workload.master_weights == "none",
        "optimizer": _OPTIMIZERS.get(workload.optimizer or "adamw", "adamw_torch_fused"),
    }


def _layout(workload: TrainingWorkload, setup: Setup | None) -> dict[str, object]:
    p, n = workload.parallelism, workload.hardware.n_gpus or 1
    per_node = min(n, setup.layout.gpus_per_node if setup else 8)
    zero = p.zero_stage if p.zero_stage is not None else 3 if p.fsdp or n > 1 else 0
    return {
        "cards": n,
        "per_node": per_node,
        "nodes": -(-n // per_node),
        "tp": p.tp or 1,
        "pp": p.pp or 1,
        "cp": p.cp or 1,
        "ep": p.ep or 1,
        "zero": zero,
        "fsdp": p.fsdp or ("full_shard" if zero == 3 else None),
        "offload_optimizer": "optimizer" in workload.offload,
        "offload_param": "param" in workload.offload,
    }
