"""Signatures: the settings behind a score as one line that others can repeat.

`Signature` is a value: it writes itself in two styles, and reads these and everything that sacreBLEU 1.x and
2.x print, also as papers quote it. `Claim` is a whole score line. Which keys exist and what they mean is in
`keys`; whether two signatures are comparable is in `comparability`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from mtscore.errors import SignatureError
from mtscore.keys import (
    KEYS,
    Family,
    Key,
    Style,
    Value,
    canonical,
    canonical_name,
    family,
    find_key,
    keys_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SEPARATORS: dict[Style, tuple[str, str]] = {"plus": ("+", "."), "pipe": ("|", ":")}


@dataclass(frozen=True, slots=True, init=False)
class Signature:
    """Hold a metric's name and the settings behind a score; equality is by meaning.

    `fields` are in alphabetical order, the version last, without those that have their default.

    Raises:
        SignatureError: if a key is unknown, or cannot have its value.
    """

    name: str
    fields: tuple[tuple[str, Value], ...]

    def __init__(self, name: str, fields: Mapping[str, object]) -> None:
        proper = canonical_name(name)
        values = _canonical_fields(proper, fields)
        order = sorted(values, key=lambda key: (key == "version", key))
        object.__setattr__(self, "name", proper)
        object.__setattr__(self, "fields", tuple((key, values[key]) for key in order))

    @property
    def settings(self) -> dict[str, Value]:
        """Return the fields as the JSON row has them."""
        return dict(self.fields)

    @property
    def family(self) -> Family:
        """Return the group of metrics that shares its keys."""
        return family(self.name)

    def get(self, key: str) -> Value | None:
        """Return a setting by its long name, the default where the signature leaves it out, else None."""
        row = find_key(key, self.family)
        return self.settings.get(row.name, row.defaults.get(self.family))

    def extend(self, **facts: Value | None) -> Signature:
        """Return the signature with further settings; None leaves a key as it is."""
        return Signature(self.name, self.settings | {k: v for k, v in facts.items() if v is not None})

    def format(self, style: Style = "plus", *, short: bool = False) -> str:
        """Return the signature with the metric's name, in our plus style or sacreBLEU 2's pipe style."""
        separator, joint = SEPARATORS[style]
        return separator.join(
            [
                self.name,
                *(
                    f"{key.spelling(style, short=short)}{joint}{_encode(str(value))}"
                    for key, value in self._written(style)
                ),
            ]
        )

    def __str__(self) -> str:
        return self.format()

    def _written(self, style: Style) -> list[tuple[Key, Value]]:
        values = self.settings
        if style == "plus":
            return [(find_key(key, self.family), value) for key, value in values.items()]
        filled = {
            key.name: key.defaults[self.family]
            for key in keys_of(self.family)
            if key.always_in_pipe and self.family in key.defaults
        }
        return [(key, (filled | values)[key.name]) for key in KEYS if key.name in filled | values]


def _canonical_fields(name: str, fields: Mapping[str, object]) -> dict[str, Value]:
    group = family(name)
    values: dict[str, Value] = {}
    for word, value in fields.items():
        if value is not None:
            key = find_key(word, group)
            values[key.name] = canonical(key, value)
    if group == "chrF":
        words = name.count("+")
        if values.setdefault("numwords", words) != words:
            raise SignatureError(f"{name} has word n-grams up to {words}, not {values['numwords']}")
    return {key: value for key, value in values.items() if value != find_key(key, group).defaults.get(group)}


UNSAFE = re.compile(r"[%|+\\{}]|\s")


def _encode(value: str) -> str:
    """Percent-encode what separates fields, and what reading drops as an artefact of typesetting."""
    return "".join(
        quote(c, safe="", errors="surrogatepass") if UNSAFE.match(c) or not c.isprintable() else c
        for c in value
    )
