"""Records of the catalog: one GPU variant, one model, one instance type, one dated offer. Units are in the names.

Every record validates itself; `knowledge check` reports what pydantic refuses by file, line and field.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from bot.answer import Source, Standing

GB = 10**9
GIB = 2**30


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))


class GpuSpec(Record):
    """One GPU variant. Peaks are dense TFLOP/s of the tensor cores (fp32: of the shader cores); None: not supported."""

    id: str  # h100-sxm
    name: str  # H100-SXM, the normalised name that questions use
    title: str  # as people write it: "H100 SXM5 80GB"
    aliases: tuple[str, ...] = ()  # every other spelling, those of price feeds too
    vendor: str
    arch: str  # Ampere, Hopper, Ada, CDNA3, Da Vinci, Apple …
    memory_gb: float = Field(gt=0, le=1024)  # as sold
    memory_by_name: bool = True  # sold in one size, so that the name alone tells it
    usable_gib: float = Field(gt=0, le=1024)  # what software can use of it
    bandwidth_gbs: float | None = Field(default=None, gt=0, le=20000)
    fp32_tflops: float | None = None
    tf32_tflops: float | None = None
    fp16_tflops: float | None = None
    bf16_tflops: float | None = None
    fp8_tflops: float | None = None
    int8_tops: float | None = None
    fp4_tflops: float | None = None
    sparse_doubles: bool = False
    link: str | None = None  # NVLink4, Infinity Fabric …; None: PCIe only
    link_gbs: float | None = None  # a GPU, both directions together
    link_domain: int = 1  # GPUs joined by that link (8 in an HGX, 72 in an NVL72, 2 with a bridge)
    pcie: str | None = None
    form: str | None = None  # SXM, PCIe, NVL, OAM, GeForce …
    tdp_w: float | None = None
    mig_max: int = 0
    compute_capability: str | None = None
    launched: str | None = None
    datacenter: bool = True
    rare: bool = False  # not on general sale: told only when named in full
    standing: Standing = "recalled"
    source: str | None = None
    read_on: date | None = None
    crosscheck: str | None = None
    notes: str = ""

    def peak_tflops(self, precision: str) -> float | None:
        """Dense peak for a precision of matrix products, None where the card has none. H100 SXM, bf16: 989.4."""
        return {
            "fp32": self.fp32_tflops,
            "tf32": self.tf32_tflops,
            "fp16": self.fp16_tflops,
            "bf16": self.bf16_tflops,
            "fp8": self.fp8_tflops,
            "mxfp8": self.fp8_tflops if self.arch.startswith("Blackwell") else None,
            "int8": self.int8_tops,
            "fp4": self.fp4_tflops,
            "nvfp4": self.fp4_tflops,
        }.get(precision)

    def as_source(self) -> Source:
        kind: Literal["datasheet", "figures"] = "datasheet" if self.standing in ("datasheet", "recalled") else "figures"
        return Source(self.title, self.source, self.read_on, self.standing, kind)


class GpuFamily(Record):
    """A name that covers several variants (`A100`, `A100-80G`, `H100`) and the variant assumed when only it is said."""

    name: str
    default: str  # GpuSpec.id
    memory_gb: float | None = None  # what the name alone tells, if anything
    aliases: tuple[str, ...] = ()


class ModelSpec(Record):
    """The shape of one model. Counts are of layers, heads and so on; sizes in 1e9 parameters. None: not applicable."""

    name: str  # Qwen2.5-7B, as in the field's own spelling
    aliases: tuple[str, ...] = ()
    family: str
    hf_id: str | None = None
    kind: str = "text"
    params_b: float = Field(gt=0, le=100000)  # published total
    active_params_b: float | None = None  # mixtures of experts only
    layers: int | None = None
    hidden: int | None = None
    intermediate: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    vocab: int | None = None
    tied_embeddings: bool = False
    mlp_matrices: int = 3  # 3 gated, 2 plain
    attention: str = "GQA"
    full_attn_layers: int | None = None
    sliding_layers: int | None = None
    sliding_window: int | None = None
    linear_layers: int | None = None
    linear_state_spec: str | None = None
    moe_experts: int | None = None
    moe_topk: int | None = None
    moe_shared: int | None = None
    moe_intermediate: int | None = None
    dense_layers: int | None = None
    kv_lora_rank: int | None = None
    q_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    qk_nope_head_dim: int | None = None
    v_head_dim: int | None = None
    context_length: int | None = None
    encoder_decoder: bool = False
    native_weights: str | None = None
    license: str | None = None
    release_date: str | None = None
    shape_known: bool = True  # False: shape estimated from the size alone, so bands are wider
    standing: Standing = "secondary"
    source: str | None = None
    read_on: date | None = None
    notes: str = ""

    @property
    def is_moe(self) -> bool:
        return bool(self.moe_experts)


class Instance(Record):
    """A cloud instance type."""

    provider: str
    instance: str
    gpu: str  # GpuSpec.id
    gpu_count: int
    vcpus: float | None = None
    ram_gib: float | None = None
    network_gbps: float | None = None
    local_disk_gb: float | None = None
    region: str | None = None
    standing: Standing = "secondary"
    source: str | None = None
    read_on: date | None = None
    notes: str = ""


Billing = Literal["on-demand", "spot", "reserved", "community"]


class Offer(Record):
    """A price as listed on one day: money for one GPU for one hour, in the currency of the list."""

    provider: str
    gpu: str  # GpuSpec.id
    listed_as: str | None = None  # the name in the list, where it leaves the variant open: "h100"
    gpu_count: int = Field(default=1, ge=1, le=1024)  # GPUs sold together
    instance: str | None = None
    region: str | None = None  # None: the lowest listed, or the same everywhere
    currency: str = Field(default="USD", pattern="^[A-Z]{3}$")
    price_per_gpu_hour: Decimal = Field(gt=0, lt=1000)
    billing: Billing = "on-demand"
    read_on: date
    standing: Standing = "secondary"
    source: str
    notes: str = ""

    @property
    def key(self) -> OfferKey:
        """What makes two readings readings of one offer."""
        return OfferKey(
            self.provider, self.gpu, self.billing, self.gpu_count, self.instance, self.region, self.currency, self.listed_as
        )


class OfferKey(NamedTuple):
    """Provider, card, billing, how many are sold together, instance, region, currency, and an ambiguous listed name."""

    provider: str
    gpu: str
    billing: str
    gpu_count: int
    instance: str | None
    region: str | None
    currency: str
    listed_as: str | None


ProviderKind = Literal["hyperscaler", "cloud", "marketplace", "serverless", "market"]


class Provider(Record):
    """Who sells. `marketplace`: prices of many hosts, which move by the hour, so digests take their 7-day median."""

    id: str
    name: str
    name_zh: str | None = None
    kind: ProviderKind
    aliases: tuple[str, ...] = ()  # other spellings and earlier names
    url: str | None = None  # the price list
    note_en: str = ""
    note_zh: str = ""
