#!/usr/bin/env python3
"""Lints the schema bundle: the grain profile of bridge-protocol §12 and the secrets rule of §10.

Usage: lint_schemas.py [DIR]      (DIR holds v1/; default: Schemas of this repository)
Exit status: 0 clean, 1 something to mend, 2 the bundle could not be read.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing.exceptions import Unresolvable

from bundle import DEFAULT, ROOT, Bundle

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LARGEST = 2**53 - 1
PROFILE = {
    "type", "properties", "required", "enum", "const", "items", "$ref", "$defs", "oneOf",
    "additionalProperties", "minimum", "maximum", "minLength", "maxLength", "pattern", "maxItems",
    "maxProperties", "format", "description", "deprecated", "x-grain-sensitive", "x-grain-open",
    "x-grain-collection", "x-grain-feature", "x-grain-since", "x-grain-reserved",
}  # fmt: skip
AT_THE_ROOT = PROFILE | {"$schema", "$id"}
SECRET_NAME = re.compile(
    r"token|secret|verifier|passw|cookie|authoriz|callback|private|jwk|dpop|nonce|^code$|^state$",
    re.IGNORECASE,
)
# "none" is for a name that only sounds like a secret; the description says what it is.
SENSITIVE = {"secret", "private", "none"}
# JSON-RPC's own shapes travel both ways, and its readers ignore members they do not know.
BOTH_WAYS = {"v1/protocol/envelope.json"}
TO_CORE, TO_SHELL = "shell to core", "core to shell"


class Linter:
    """One pass over one bundle."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._directions: dict[tuple[str, str], set[str]] = {}

    def findings(self) -> Iterator[str]:
        """Everything to mend, as ``file#place: reason``."""
        for name, schema in self._bundle.schemas.items():
            yield from self._file(name, schema)
        yield from self._manifest()
        yield from self._errors()
        self._walk_directions()
        yield from self._openness()

    # MARK: One file

    def _file(self, name: str, schema: dict[str, Any]) -> Iterator[str]:
        if schema.get("$schema") != DIALECT:
            yield f"{name}: $schema is not the 2020-12 dialect"
        if schema.get("$id") != ROOT + name:
            yield f"{name}: $id is not {ROOT}{name}"
        fault = _dialect_fault(json.dumps(schema))
        if fault is not None:
            yield f"{name}: is no schema: {fault}"
            return
        for keyword in schema.keys() - AT_THE_ROOT:
            yield f"{name}: {keyword} is not in the grain profile"
        if schema.get("type") == "object":
            yield f"{name}: an object is a named $defs entry"
        for label, definition in schema.get("$defs", {}).items():
            yield from self._schema(name, f"#/$defs/{label}", definition, is_named=True)

    def _schema(self, name: str, at: str, schema: Any, is_named: bool = False) -> Iterator[str]:
        if isinstance(schema, bool):
            if not at.endswith("/additionalProperties"):
                yield f"{name}{at}: says nothing"
            return
        for keyword in sorted(schema.keys() - PROFILE):
            yield f"{name}{at}: {keyword} is not in the grain profile"
        if schema.get("type") == "object" and not is_named:
            yield f"{name}{at}: an object is a named $defs entry"
        if "properties" in schema and schema.get("type") != "object":
            yield f"{name}{at}: has properties and is no object"
        yield from self._reference(name, at, schema)
        yield from self._range(name, at, schema)
        yield from self._tagged(name, at, schema)
        yield from self._members(name, at, schema)
        for keyword in ("items", "additionalProperties"):
            if keyword in schema:
                yield from self._schema(name, f"{at}/{keyword}", schema[keyword])
        for index, branch in enumerate(schema.get("oneOf", [])):
            yield from self._schema(name, f"{at}/oneOf/{index}", branch)

    def _reference(self, name: str, at: str, schema: dict[str, Any]) -> Iterator[str]:
        if "$ref" not in schema:
            return
        try:
            self._bundle.resolve(name, schema["$ref"])
        except Unresolvable:
            yield f"{name}{at}: {schema['$ref']} leads nowhere"

    def _range(self, name: str, at: str, schema: dict[str, Any]) -> Iterator[str]:
        kinds = schema.get("type", [])
        if "integer" not in ([kinds] if isinstance(kinds, str) else kinds):
            return
        least, most = schema.get("minimum"), schema.get("maximum")
        if least is None or most is None or least < -LARGEST or most > LARGEST or least > most:
            yield f"{name}{at}: an integer has a minimum and a maximum within ±(2^53-1)"

    def _tagged(self, name: str, at: str, schema: dict[str, Any]) -> Iterator[str]:
        if "oneOf" not in schema:
            return
        tags: list[set[tuple[str, Any]]] = []
        for branch in schema["oneOf"]:
            target = self._target(name, branch)[1]
            required = target.get("required", [])
            members = target.get("properties", {}).items()
            tags.append({(n, m["const"]) for n, m in members if "const" in m and n in required})
        names = [{tag for tag, _ in branch} for branch in tags]
        shared = set.intersection(*names) if names else set()
        if not any(len({v for b in tags for n, v in b if n == s}) == len(tags) for s in shared):
            yield f"{name}{at}: the branches of oneOf have no const tag of their own"

    def _members(self, name: str, at: str, schema: dict[str, Any]) -> Iterator[str]:
        members: dict[str, Any] = schema.get("properties", {})
        for label in schema.get("required", []):
            if label not in members:
                yield f"{name}{at}: {label} is required and not described"
        for label in schema.get("x-grain-reserved", []):
            if label in members:
                yield f"{name}{at}: {label} is a retired name"
        for label, member in members.items():
            place = f"{at}/properties/{label}"
            yield from self._schema(name, place, member)
            yield from self._secret(name, place, label, member)
            target = self._target(name, member)[1]
            if "x-grain-collection" in target:
                yield from self._collection(name, place, label, schema, target)
        feature = schema.get("x-grain-feature")
        if feature is not None and feature not in self._bundle.manifest["features"]:
            yield f"{name}{at}: the manifest has no feature {feature}"

    def _secret(self, name: str, at: str, label: str, member: dict[str, Any]) -> Iterator[str]:
        target = self._target(name, member)[1]
        kinds = target.get("type", [])
        is_text = "string" in ([kinds] if isinstance(kinds, str) else kinds)
        mark = member.get("x-grain-sensitive", target.get("x-grain-sensitive"))
        if is_text and SECRET_NAME.search(label) and mark is None:
            yield f"{name}{at}: is named like a secret and is not annotated x-grain-sensitive"
        if mark is not None and mark not in SENSITIVE:
            yield f"{name}{at}: x-grain-sensitive is one of {', '.join(sorted(SENSITIVE))}"
        if mark is not None and not member.get("description", target.get("description")):
            yield f"{name}{at}: x-grain-sensitive needs a description that gives the reason"
        if mark == "secret" and not name.startswith("v1/intents/"):
            yield f"{name}{at}: only an intent may carry a secret"

    def _collection(
        self, name: str, at: str, label: str, owner: dict[str, Any], target: dict[str, Any]
    ) -> Iterator[str]:
        order = target["x-grain-collection"]
        sibling = owner["properties"].get(order)
        if order != label + "Order" or sibling is None:
            yield f"{name}{at}: its order {label}Order is missing"
            return
        if sibling.get("type") != "array" or sibling.get("items", {}).get("type") != "string":
            yield f"{name}{at}: its order is an array of keys"
        required = owner.get("required", [])
        if (label in required) != (order in required):
            yield f"{name}{at}: the map and its order are required together or not at all"
        if not isinstance(target.get("additionalProperties"), dict):
            yield f"{name}{at}: a collection is a map"

    # MARK: Manifest and registry

    def _manifest(self) -> Iterator[str]:
        manifest = self._bundle.manifest
        named = {entry["schema"] for entry in manifest["models"].values()}
        named |= {entry["schema"] for entry in manifest["intents"].values()}
        named |= {entry["schema"] for entry in manifest["effects"].values()}
        named |= {
            *manifest["common"],
            manifest["envelope"],
            manifest["log"],
            "v1/protocol/error.json",
        }
        for _, _, schema in self._method_schemas():
            named.add(schema.split("#")[0])
        for name in sorted(named - self._bundle.schemas.keys()):
            yield f"v1/manifest.json: {name} is missing"
        for name in sorted(self._bundle.schemas.keys() - named):
            yield f"v1/manifest.json: {name} is listed nowhere"
        for kind, parts in (("models", ("state", "args")), ("intents", ("params", "result")),
                            ("effects", ("args", "result"))):  # fmt: skip
            for label, entry in manifest[kind].items():
                definitions = self._bundle.schemas.get(entry["schema"], {}).get("$defs", {})
                for part in parts:
                    if part not in definitions:
                        yield f"{entry['schema']}: {label} has no {part}"

    def _method_schemas(self) -> Iterator[tuple[str, str, str]]:
        """Direction, part and schema of every method's parts."""
        for way, other, table in (
            (TO_CORE, TO_SHELL, self._bundle.manifest["methods"]["shellToCore"]),
            (TO_SHELL, TO_CORE, self._bundle.manifest["methods"]["coreToShell"]),
        ):
            for entries in table.values():
                for entry in entries.values():
                    yield way, "params", entry["params"]
                    if "result" in entry:
                        yield other, "result", entry["result"]

    def _errors(self) -> Iterator[str]:
        keys: set[str] = set()
        for kind, entry in self._bundle.errors.items():
            message = entry["message"]
            if message["key"] in keys:
                yield f"v1/errors.json: {message['key']} is the key of two kinds"
            keys.add(message["key"])
            mentioned = set(re.findall(r"\{(\w+)\}", message["fallback"]))
            if mentioned != set(message["params"]):
                yield f"v1/errors.json: {kind} does not list what its fallback mentions"
            is_reserved = -32801 <= entry["code"] <= -32000
            if not is_reserved and not 1000 <= entry["code"] <= 6999:
                yield f"v1/errors.json: {kind} has a code outside both blocks"

    # MARK: Direction decides who is open

    def _walk_directions(self) -> None:
        manifest = self._bundle.manifest
        for entry in manifest["models"].values():
            self._visit(TO_SHELL, entry["schema"], "#/$defs/state")
            self._visit(TO_CORE, entry["schema"], "#/$defs/args")
        for entry in manifest["intents"].values():
            self._visit(TO_CORE, entry["schema"], "#/$defs/params")
            self._visit(TO_SHELL, entry["schema"], "#/$defs/result")
        for entry in manifest["effects"].values():
            self._visit(TO_SHELL, entry["schema"], "#/$defs/args")
            self._visit(TO_CORE, entry["schema"], "#/$defs/result")
        for way, part, schema in self._method_schemas():
            name, _, place = schema.partition("#")
            self._visit(way, name, "#" + place if place else f"#/$defs/{part}")
        self._visit(TO_SHELL, "v1/protocol/error.json", "#/$defs/error")
        self._visit(TO_SHELL, manifest["log"], "#/$defs/line")

    def _visit(self, way: str, name: str, reference: str) -> None:
        self._spread(way, *self._target(name, {"$ref": reference}))

    def _spread(self, way: str, name: str, schema: dict[str, Any]) -> None:
        """Notes the direction of an object and of everything it holds."""
        seen = self._directions.setdefault((name, _place(self._bundle, name, schema)), set())
        if way in seen:
            return
        seen.add(way)
        parts = [*schema.get("properties", {}).values(), *schema.get("oneOf", [])]
        parts += [schema[k] for k in ("items", "additionalProperties") if k in schema]
        for part in parts:
            while isinstance(part, dict) and "items" in part:
                part = part["items"]
            if isinstance(part, dict) and "$ref" in part:
                self._visit(way, name, part["$ref"])

    def _openness(self) -> Iterator[str]:
        for (name, place), ways in sorted(self._directions.items()):
            schema = self._bundle.schemas.get(name, {}).get("$defs", {}).get(place, {})
            if schema.get("type") != "object" or name in BOTH_WAYS:
                continue
            is_map = isinstance(schema.get("additionalProperties"), dict)
            is_closed = schema.get("additionalProperties") is False
            if len(ways) == 2 and not is_map:
                yield f"{name}#/$defs/{place}: travels both ways, so it is neither open nor closed"
            elif ways == {TO_CORE} and not is_closed and not is_map:
                yield f"{name}#/$defs/{place}: goes to the core and is not closed"
            elif ways == {TO_SHELL} and is_closed:
                yield f"{name}#/$defs/{place}: goes to the shell and is closed"

    def _target(self, name: str, schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Follows ``$ref`` to the schema itself, and names the file it stands in.

        One that leads nowhere is reported where it stands; here it is an empty schema.
        """
        while "$ref" in schema:
            reference: str = schema["$ref"]
            try:
                schema = self._bundle.resolve(name, reference)
            except Unresolvable:
                return name, {}
            path = reference.split("#")[0]
            if path:
                name = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        return name, schema


@cache
def _dialect_fault(text: str) -> str | None:
    """What the 2020-12 dialect says against a schema; slow, so remembered."""
    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError as error:
        return str(error.message)
    return None


def _place(bundle: Bundle, name: str, schema: dict[str, Any]) -> str:
    for label, definition in bundle.schemas.get(name, {}).get("$defs", {}).items():
        if definition is schema:
            return str(label)
    return "?"


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Lints the schema bundle.")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, metavar="DIR")
    try:
        bundle = Bundle(parser.parse_args(arguments).folder)
    except (OSError, ValueError, KeyError) as error:
        print(f"lint_schemas: {error}", file=sys.stderr)
        return 2
    found = list(Linter(bundle).findings())
    for finding in found:
        print(finding)
    print(f"{len(bundle.schemas)} schemas, {len(found)} to mend")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
