r"""Tab-separated values: the rows below a header, for spreadsheets and `cut`.

Columns are the keys of the JSON rows that hold one value each: `settings` and lists stay with JSON. A column
stands there only if some row has a value for it. Groups have a column a key, `group.origlang`. When every
pair was tested, each row is a line of the matrix: `delta.NAME`, `p_value.NAME` and `p_holm.NAME` against each
other system. Backslash, tab and line ends in a value are written `\\`, `\t`, `\n`, `\r`, and other control
characters with their numbers, such as `\x1b`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mtscore.report import escaping
from mtscore.report.rows import flat

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report

FIRST, LAST = ("system", "metric", "score"), ("signature",)


def render(report: Report, style: Style) -> str:
    """Return a header and a line a row."""
    records = [_record(flat(row, style.width, report.pairs)) for row in report.rows]
    keys = dict.fromkeys(key for record in records for key in record)
    header = [*FIRST, *(key for key in keys if key not in FIRST + LAST), *LAST]
    lines: list[list[Any]] = [header, *([record.get(key) for key in header] for record in records)]
    return "".join("\t".join(map(_field, line)) + "\n" for line in lines)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row's fields by column."""
    record = {"metric": row.pop("name")}
    record |= {key: value for key, value in row.items() if not isinstance(value, dict | list)}
    record |= {f"group.{key}": value for key, value in row.get("group", {}).items()}
    for other, facts in row.get("pairs", {}).items():
        record |= {f"{key}.{other}": value for key, value in facts.items()}
    return record


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return escaping.tsv(str(value))
