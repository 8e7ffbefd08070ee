"""Bytes of training values by format: moments of an optimizer, masters, and bits of a quantised base."""

from __future__ import annotations

MOMENTS = {"adamw": 2.0, "adamw_8bit": 2.0, "paged_adamw_8bit": 2.0, "lion": 1.0, "sgd": 1.0, "adafactor": 0.0, "muon": 1.0}
EIGHT_BIT = 1.016  # bytes of an 8-bit moment with its fp32 scale for each block of 256
# Bits of a frozen linear weight with its scales: NF4 absmax fp32 per 64 values, double quantised per 256; GPTQ group 128.
QUANT_BITS = {"nf4": 4.5, "nf4_dq": 4.127, "gptq_int4": 4.25, "awq_int4": 4.25, "gptq_int8": 8.25, "bnb_int8": 8.1}
MASTER_BYTES = 4
