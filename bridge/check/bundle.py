"""The schema bundle ``Schemas/v1``: loading, references, and judging one value by one schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

import strict_json

ROOT = "https://grain-core.invalid/"
DEFAULT = Path(__file__).resolve().parents[2] / "Schemas"


@dataclass(frozen=True)
class Refusal:
    """One reason why a value is refused.

    Attributes:
        at: JSON Pointer into the value.
        reason: what is wrong there, in words.
        keyword: the schema keyword that refused it, or ``rule`` for what no schema can say.
        instance: the refused part of the value.
    """

    at: str
    reason: str
    keyword: str = "rule"
    instance: Any = None

    def below(self, prefix: str) -> Refusal:
        """The same refusal, for a value that sits at `prefix` of a larger one."""
        return Refusal(prefix + self.at, self.reason, self.keyword, self.instance)

    def __str__(self) -> str:
        return f"{self.at or '(whole)'}: {self.reason}"


class Bundle:
    """All schemas of version 1, and the two data files beside them."""

    def __init__(self, folder: Path = DEFAULT) -> None:
        """Reads ``folder/v1``.

        Raises:
            OSError: a file cannot be read.
            ValueError: a file is not JSON.
        """
        self.folder = folder
        self.manifest: dict[str, Any] = self._read("v1/manifest.json")
        registry = self._read("v1/errors.json")
        self.errors: dict[str, dict[str, Any]] = {e["kind"]: e for e in registry["errors"]}
        self.schemas: dict[str, dict[str, Any]] = {
            name: self._read(name) for name in sorted(self._schema_names())
        }
        self._registry: Registry[Any] = Registry().with_resources(
            (ROOT + name, Resource.from_contents(schema)) for name, schema in self.schemas.items()
        )
        self.collections: dict[str, str] = dict(self._collections())
        self._validator = lru_cache(maxsize=None)(self._make_validator)

    def resolve(self, name: str, reference: str) -> Any:
        """The subschema a ``$ref`` in schema `name` points to.

        Raises:
            referencing.exceptions.Unresolvable: there is no such place.
        """
        return self._registry.resolver(ROOT + name).lookup(reference).contents

    def has(self, schema: str) -> bool:
        """Whether there is a schema with this id below the root."""
        return schema.split("#")[0] in self.schemas

    def refusals(self, schema: str, value: Any) -> list[Refusal]:
        """What a schema says against a value; named like ``v1/models/login.json#/$defs/args``."""
        found = self._validator(schema).iter_errors(value)
        return [_refusal(error) for error in sorted(found, key=lambda e: str(e.json_path))]

    def examples(self, invalid: bool = False) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Every example outside the recorded sessions, with the file it stands in."""
        root = self.folder / "v1/examples"
        for path in sorted(root.rglob("*.json")):
            if path.relative_to(root).parts[0].startswith("invalid") is invalid:
                for example in strict_json.loads(path.read_text("utf-8")):
                    yield path, example

    def _schema_names(self) -> Iterator[str]:
        for part in ("common", "models", "intents", "effects", "protocol"):
            for path in (self.folder / "v1" / part).glob("*.json"):
                yield f"v1/{part}/{path.name}"

    def _read(self, name: str) -> Any:
        try:
            return strict_json.loads((self.folder / name).read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error

    def _collections(self) -> Iterator[tuple[str, str]]:
        for schema in self.schemas.values():
            for definition in schema.get("$defs", {}).values():
                order = definition.get("x-grain-collection")
                if order:
                    yield order.removesuffix("Order"), order

    def _make_validator(self, schema: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": ROOT + schema}, registry=self._registry)


def _refusal(error: ValidationError) -> Refusal:
    at = strict_json.pointer(list(error.absolute_path))
    return Refusal(at, error.message, str(error.validator), error.instance)
