"""GPUs and models by any of their names. Offers and prices are in `offers`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from bot.catalog.records import GpuFamily, GpuSpec, ModelSpec
from bot.errors import KnowledgeError, UnknownName
from bot.folder import Folder, validate_rows

_VARIANT_SUFFIX = re.compile(r"[-_ ]?(chat|instruct|it|base|hf)$", re.IGNORECASE)


def normal_key(name: str) -> str:
    """Spelling without case, spaces, hyphens, underscores and slashes: `A100 80G-SXM` and `a100_80g_sxm` agree."""
    return re.sub(r"[\s\-_/()]+", "", name.casefold())


@dataclass(frozen=True)
class Specs:
    """The hardware and the models that are known, in file order."""

    gpus: tuple[GpuSpec, ...]
    families: tuple[GpuFamily, ...]
    models: tuple[ModelSpec, ...]

    @cached_property
    def gpu_by_id(self) -> dict[str, GpuSpec]:
        return {gpu.id: gpu for gpu in self.gpus}

    @cached_property
    def family_by_key(self) -> dict[str, GpuFamily]:
        return {normal_key(n): f for f in self.families for n in (f.name, *f.aliases)}

    @cached_property
    def _gpu_keys(self) -> dict[str, GpuSpec]:
        keys = {normal_key(n): self.gpu_by_id[f.default] for f in self.families for n in (*f.aliases, f.name)}
        keys.update({normal_key(n): gpu for gpu in self.gpus for n in (*gpu.aliases, gpu.id, gpu.title, gpu.name)})
        return keys

    @cached_property
    def _model_keys(self) -> dict[str, ModelSpec]:
        keys: dict[str, ModelSpec] = {}
        for model in self.models:
            for name in (
                model.name,
                *model.aliases,
                *((model.hf_id, model.hf_id.split("/")[-1]) if model.hf_id else ()),
            ):
                keys.setdefault(normal_key(name), model)
        return keys

    def find_gpu(self, name: str) -> GpuSpec | None:
        """The variant of any spelling; a family (`A100`) gives its default variant."""
        return self._gpu_keys.get(normal_key(name))

    def family_name(self, name: str) -> str | None:
        """`H100` for `h100-80gb`; None for the name of one variant."""
        family = self.family_by_key.get(normal_key(name))
        return family.name if family else None

    def members(self, name: str) -> list[GpuSpec]:
        """Every variant that a family name covers: `A100-80G` is SXM and PCIe. One card for the name of one variant."""
        family = self.family_by_key.get(normal_key(name))
        if family is None:
            found = self.find_gpu(name)
            return [found] if found else []
        stem = family.name.casefold() + "-"
        default = self.gpu_by_id[family.default]
        parts = set(family.name.casefold().split("-"))
        return [
            gpu
            for gpu in self.gpus
            if gpu is default or gpu.name.casefold().startswith(stem) or parts <= set(gpu.name.casefold().split("-"))
        ]

    def gpu(self, name: str) -> GpuSpec:
        found = self.find_gpu(name)
        if found is None:
            raise UnknownName("gpu", name, tuple(self._near(name, [g.name for g in self.gpus])))
        return found

    def find_model(self, name: str) -> ModelSpec | None:
        """The model of any spelling; `-Chat`, `-Instruct` and the like have the base model's shape."""
        found = self._model_keys.get(normal_key(name))
        if found is None:
            base = _VARIANT_SUFFIX.sub("", name)
            found = self._model_keys.get(normal_key(base)) if base != name else None
        return found

    def model(self, name: str) -> ModelSpec:
        found = self.find_model(name)
        if found is None:
            raise UnknownName("model", name, tuple(self._near(name, [m.name for m in self.models])))
        return found

    @staticmethod
    def _near(name: str, names: list[str]) -> list[str]:
        from rapidfuzz import process

        return [match[0] for match in process.extract(name, names, limit=2, score_cutoff=70)]


def load_specs(folder: Folder) -> Specs:
    """`gpus.csv`, `gpu_families.csv` and `models.csv`. Raises KnowledgeError with every problem found."""
    problems: list[str] = []
    parts: list[list[object]] = []
    for name, key, model in (
        ("gpus.csv", "id", GpuSpec),
        ("gpu_families.csv", "name", GpuFamily),
        ("models.csv", "name", ModelSpec),
    ):
        try:
            parts.append(list(validate_rows(folder.csv(name, key), model, lists=("aliases",))))
        except KnowledgeError as exc:
            problems += exc.problems
            parts.append([])
    specs = Specs(*(tuple(part) for part in parts))  # type: ignore[arg-type]
    problems += [
        f"knowledge/gpu_families.csv {f.name} default: no GPU has the id {f.default!r}"
        for f in specs.families
        if specs.gpus and f.default not in specs.gpu_by_id
    ]
    if problems:
        raise KnowledgeError(problems)
    return specs
