"""The tokenizers: what each makes of a line, and that whole chunks come out as single lines do."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

import golden
import pytest
import regex
from conftest import read_json, shared
from random_text import WHITE_SPACE, RandomText, codes_in, settled, unsettled
from sacrebleu.metrics.bleu import BLEU as Oracle  # noqa: N811  # a class, whatever its name looks like

from mtscore.errors import MissingExtraError, UsageError
from mtscore.tokenizers import TOKENIZERS, default_tokenizer, tokenizer
from mtscore.tokenizers.base import WHITE_SPACE as SPLITTING
from mtscore.tokenizers.categories import NUMBER, PUNCTUATION, SYMBOL
from mtscore.vocabulary import tokenise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

BUILT_IN = ["13a", "intl", "zh", "char", "none"]
DATA = Path(__file__).parent / "data"
TOKENS: dict[str, list[tuple[str, list[str]]]] = json.loads((DATA / "tokens.json").read_text("utf-8"))
"""Lines with the tokens that sacreBLEU 2.6.0 finds in them, by tokenizer."""


def as_arrays(name: str, lines: Sequence[str], *, lowercase: bool = False) -> list[list[str]]:
    """Return the tokens of lines that go through the tokenizer as one chunk."""
    tokens = tokenise(lines, tokenizer(name), lowercase=lowercase)
    text = tokens.text.tobytes()
    flat = [
        text[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    ]
    offsets = tokens.offsets.tolist()
    return [flat[start:end] for start, end in pairwise(offsets)]


def one_by_one(name: str, lines: Iterable[str], *, lowercase: bool = False) -> list[list[str]]:
    """Return the tokens of lines by the definition of the tokenizer."""
    define = tokenizer(name)
    return [define((line.lower() if lowercase else line).rstrip()) for line in lines]


@cache
def oracle(name: str) -> Callable[[str], str]:
    """Return sacreBLEU's tokenizer, which joins its tokens with spaces."""
    return cast("Callable[[str], str]", Oracle(tokenize=name).tokenizer)


def by_the_oracle(name: str, lines: Iterable[str], *, lowercase: bool = False) -> list[list[str]]:
    """Return the tokens that sacreBLEU finds."""
    ask = oracle(name)
    return [ask((line.lower() if lowercase else line).rstrip()).split() for line in lines]


def differences(
    lines: Sequence[str], found: Sequence[list[str]], wanted: Sequence[list[str]]
) -> list[tuple[str, list[str], list[str]]]:
    """Return the first lines that do not come out the same."""
    return [row for row in zip(lines, found, wanted, strict=True) if row[1] != row[2]][:3]


@pytest.mark.parametrize("case", TOKENS)
def test_golden_lines(case: str) -> None:
    """Every line of the tables has the tokens that the field's scorer gives it, alone and in a chunk."""
    name, _, lowercase = case.partition(" ")
    lines, tokens = zip(*TOKENS[case], strict=True)
    assert differences(lines, one_by_one(name, lines, lowercase=bool(lowercase)), tokens) == []
    assert differences(lines, as_arrays(name, lines, lowercase=bool(lowercase)), tokens) == []
    for line, wanted in TOKENS[case]:
        assert as_arrays(name, [line], lowercase=bool(lowercase)) == [wanted]


@pytest.mark.parametrize("name", ["13a", "intl", "char", "zh"])
def test_adversarial_corpus(name: str) -> None:
    """The 304 adversarial pairs of lines are cut as sacreBLEU 2.6.0 cuts them."""
    pairs = {row["id"]: row for row in map(json.loads, lines_of(shared("hard", "lines.jsonl")))}
    expected = [json.loads(row) for row in lines_of(shared("hard", "expected.jsonl"))]
    cells = [
        (pairs[row["id"]][side], row["tok"][name][side].split())
        for row in expected
        for side in ("hyp", "ref")
        if isinstance(row["tok"][name][side], str)
    ]
    assert len(cells) > 590
    lines, tokens = zip(*cells, strict=True)
    assert differences(lines, one_by_one(name, lines), tokens) == []
    assert differences(lines, as_arrays(name, lines), tokens) == []


def lines_of(path: Path) -> list[str]:
    """Return the lines of an ASCII file."""
    return path.read_text("ascii").splitlines()


@pytest.mark.parametrize("name", BUILT_IN)
def test_chunks_of_ordinary_lines(name: str) -> None:
    """Chunks of lines without newlines inside, as files have them, come out as their lines one by one."""
    for seed in range(20):
        lines = [line.replace("\n", " ") for line in RandomText(seed).lines(150)]
        assert differences(lines, as_arrays(name, lines), one_by_one(name, lines)) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_white_space_in_chunks(name: str) -> None:
    """White space of every kind parts tokens wherever it stands, and its neighbours in Unicode do not."""
    characters = {chr(ord(space) + step) for space in WHITE_SPACE for step in (-1, 0, 1)} - {"\n"}
    lines = [
        line.replace("_", c) for c in sorted(characters) for line in ("_a_b._", "__", "1_.5,_", "ü_中_é.")
    ]
    assert differences(lines, as_arrays(name, lines), one_by_one(name, lines)) == []


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", BUILT_IN)
def test_chunks_equal_definition_equal_oracle(name: str, lowercase: bool) -> None:
    """Thousands of random lines come out the same as a chunk, one by one, and from sacreBLEU."""
    lines = RandomText(len(name) + lowercase).lines(12_000)
    found = [
        tokens
        for start in range(0, len(lines), 1500)
        for tokens in as_arrays(name, lines[start : start + 1500], lowercase=lowercase)
    ]
    wanted = one_by_one(name, lines, lowercase=lowercase)
    assert differences(lines, found, wanted) == []
    lines = [
        line for line in lines if not regex.search(r"\p{Cn}", line)
    ]  # those move with the oracle's regex
    assert len(lines) > 6000
    wanted = one_by_one(name, lines, lowercase=lowercase)
    assert differences(lines, wanted, by_the_oracle(name, lines, lowercase=lowercase)) == []


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", BUILT_IN)
def test_newlines_and_surrogates(name: str, lowercase: bool) -> None:
    """Lines with newlines and lone surrogates inside, which files never have, come out the same, too."""
    lines = RandomText(100 + len(name)).lines(4000, newlines=True, surrogates=True)
    wanted = one_by_one(name, lines, lowercase=lowercase)
    assert sum("\n" in line for line in lines) > 1000
    assert differences(lines, as_arrays(name, lines, lowercase=lowercase), wanted) == []
    lines = settled(lines)
    wanted = one_by_one(name, lines, lowercase=lowercase)
    assert differences(lines, wanted, by_the_oracle(name, lines, lowercase=lowercase)) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_short_lines_exhaustively(name: str) -> None:
    """All lines of up to five of the characters that the context rules speak of come out the same."""
    alphabet = "5.-a" if name in {"13a", "zh"} else "5.( "
    lines = [""]
    for _ in range(5):
        lines += [line + character for line in lines if len(line) == len(lines[-1]) for character in alphabet]
    assert len(lines) == 1 + 4 + 16 + 64 + 256 + 1024
    wanted = by_the_oracle(name, lines)
    assert differences(lines, one_by_one(name, lines), wanted) == []
    assert differences(lines, as_arrays(name, lines), wanted) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_assigned_code_point(name: str) -> None:
    """Every assigned code point between letters and between digits is cut as sacreBLEU cuts it."""
    alike = [range(0x3500, 0x9F00), range(0xAC20, 0xD7A0), range(0xE010, 0xF8F0), range(0x20010, 0xE0000)]
    codes = [code for code in range(0xE0200) if not any(code in block for block in alike)]
    lines = settled(f"a{chr(code)}b 5{chr(code)}5" for code in codes if code != ord("\n"))
    wanted = by_the_oracle(name, lines)
    assert len(lines) > 20_000
    assert differences(lines, as_arrays(name, lines), wanted) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_edge_of_a_line_is_the_edge(name: str) -> None:
    """A line's tokens do not depend on the lines before and behind it."""
    lines = ["5.", ".5", "", " 5", "(5", "5)", ".", "...", "-", "5-", "中", "x", "5.", "5.", ".5", "\t", ",5"]
    alone = [as_arrays(name, [line])[0] for line in lines]
    assert as_arrays(name, lines) == alone
    assert as_arrays(name, lines[::-1]) == alone[::-1]


def test_white_space() -> None:
    """Exactly the 29 characters at which `str.split` splits separate tokens, and no other."""
    assert sorted(SPLITTING) == sorted(map(ord, WHITE_SPACE))
    assert len(set(WHITE_SPACE)) == 29
    others = "\u180e\u200b\u200c\u200d\u2060\ufeff\xad\u2800\0"
    for name in ("13a", "none"):
        assert as_arrays(name, [f"a{space}b" for space in WHITE_SPACE]) == [["a", "b"]] * 29
        assert as_arrays(name, [f"a{other}b" for other in others]) == [[f"a{other}b"] for other in others]


@pytest.mark.parametrize("name", BUILT_IN)
def test_tokens_hold_all_visible_text(name: str) -> None:
    """Where 13a has nothing to decode or delete, tokens are the line's characters without white space."""
    lines = [line for line in RandomText(7).lines(2000) if "&" not in line and "<skip" not in line]
    for line, tokens in zip(lines, as_arrays(name, lines), strict=True):
        assert "".join(tokens) == "".join(line.split())


def test_13a_acts_within_words() -> None:
    """13a makes of a line what it makes of its words one by one."""
    lines = RandomText(8).lines(3000)
    for line, tokens in zip(lines, one_by_one("13a", lines), strict=True):
        words = one_by_one("13a", line.split())
        assert tokens == [token for word in words for token in word]


def test_intl_and_zh_look_beyond_words() -> None:
    """Both intl and zh tell the edge of a line from a space, so words alone do not decide."""
    assert as_arrays("intl", ["8, a", "8,", "a (5", "(5"]) == [
        ["8", ",", "a"],
        ["8,"],
        ["a", "(", "5"],
        ["(5"],
    ]
    assert as_arrays("zh", ["B .5", ".5", "5. B", "5."]) == [["B", ".", "5"], [".5"], ["5", ".", "B"], ["5."]]


def test_leading_space_matters_to_intl_only() -> None:
    """White space before the first word is kept: for intl it is a character that does not block a cut."""
    assert as_arrays("intl", [" (5", "(5"]) == [["(", "5"], ["(5"]]
    assert as_arrays("zh", [" .5", ".5"]) == [[".5"], [".5"]]


def test_lowercase_comes_first() -> None:
    """Lower-casing sees the whole line before it is cut: a capital sigma inside a word stays medial."""
    assert as_arrays("13a", ["ΑΣ.Β", "ΑΣ. Β"], lowercase=True) == [["ασ", ".", "β"], ["ας", ".", "β"]]
    assert as_arrays("13a", ["A<SKIPPED>B", "&LT;"], lowercase=True) == [["ab"], ["<"]]
    assert as_arrays("13a", ["A<SKIPPED>B", "&LT;"]) == [["A", "<", "SKIPPED", ">", "B"], ["&", "LT", ";"]]
    assert as_arrays("none", ["İX\nΑΣ"], lowercase=True) == [["i̇x", "ας"]]


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_lines_and_empty_lines(name: str) -> None:
    """Empty chunks and chunks of empty lines have no tokens, and a place for every line."""
    assert as_arrays(name, ["", " ", "\u3000\n"]) == [[], [], []]
    assert as_arrays(name, [""]) == [[]]


def test_long_lines() -> None:
    """A line of 20,000 tokens and a token of 12,000 characters are no different from others."""
    lines = ["a. " * 20_000, "ß" * 12_000, "5." * 10_001]
    for name in BUILT_IN:
        assert as_arrays(name, lines) == by_the_oracle(name, lines)


@pytest.mark.parametrize("name", golden.NAMES)
def test_golden_digest(name: str) -> None:
    """What this version of the tokenizer makes of the golden lines is what it has always made of them."""
    try:
        define = tokenizer(name)
    except MissingExtraError as missing:
        pytest.skip(str(missing))
    versions = golden.recorded().get(define.identity, {})
    if define.identity != define.name and not versions:
        pytest.skip(f"another library than the recorded ones: {define.identity}")
    assert str(define.version) in versions, "a new version: run `python tests/golden.py`"
    lines = golden.lines()
    assert golden.digest(define, lines) == versions[str(define.version)], "raise the tokenizer's version"
    assert as_arrays(name, lines) == one_by_one(name, lines)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("13a", "3.5", "3 . 5"),
        ("13a", "<", "&lt;"),
        ("13a", "- 5", "-5"),
        ("intl", "№", "<№>"),
        ("intl", "٣.٥", "٣ . ٥"),
        ("zh", "…", "<…>"),
        ("zh", "5 .", "5."),
        ("char", "\u0301", ""),
        ("none", "\u200b", ""),
    ],
)
def test_golden_lines_would_tell(name: str, old: str, new: str) -> None:
    """A small change to what a tokenizer makes of some line changes its digest."""

    class Changed(type(tokenizer(name))):  # type: ignore[misc]
        def __call__(self, line: str) -> list[str]:
            return " ".join(super().__call__(line)).replace(old, new).split()

    lines = golden.lines()
    assert golden.digest(Changed(), lines) != golden.recorded()[name]["1"]


def test_golden_digests_are_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that records digests adds what is missing and leaves what is there."""
    file = tmp_path / "digests.json"
    file.write_text('{"13a": {"1": "as it was"}}', "ascii")
    monkeypatch.setattr(golden, "DIGESTS", file)
    monkeypatch.setattr(golden, "NAMES", ["13a", "none"])
    everything = json.loads((DATA / "golden_digests.json").read_text("ascii"))
    golden.main()
    assert golden.recorded() == {"13a": {"1": "as it was"}, "none": everything["none"]}


def test_frozen_categories(record_property: Callable[[str, object], None]) -> None:
    """The categories of intl are those of the installed `regex`, but for characters new to one of them."""
    text = "".join(chr(code) for code in range(0x110000))
    tables = {"P": PUNCTUATION, "S": SYMBOL, "N": NUMBER}
    frozen = {code: name for name, table in tables.items() for code in codes_in(table)}
    current = {ord(match): name for name in tables for match in regex.findall(rf"\p{{{name}}}", text)}
    differing = sorted(
        code for code in frozen.keys() | current.keys() if frozen.get(code) != current.get(code)
    )
    record_property("differing code points", named(differing, current))
    moved = [code for code in differing if code not in unsettled()]
    assert named(moved, current) == [], "these were assigned when the tables were made"


def named(codes: Iterable[int], current: dict[int, str]) -> list[str]:
    """Return code points as Unicode writes them, with their category now."""
    return [f"U+{code:04X} ({current.get(code, 'other')})" for code in codes]


def test_frozen_categories_are_disjoint() -> None:
    """No code point is in two of the tables, and none of them is white space."""
    tables = [codes_in(table) for table in (PUNCTUATION, SYMBOL, NUMBER)]
    assert sum(map(len, tables)) == len(set().union(*tables))
    assert not set().union(*tables) & set(SPLITTING)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("de", "13a"),
        ("", "13a"),
        ("zh", "zh"),
        ("zh_CN", "zh"),
        ("zh-TW", "zh"),
        ("zho", "zh"),
        ("cmn_Hans", "zh"),
        ("ZH", "zh"),
        ("yue", "zh"),
        ("ja", "ja-mecab"),
        ("jpn_Jpan", "ja-mecab"),
        ("ko", "ko-mecab"),
        ("kor_Hang", "ko-mecab"),
        ("pt-BR", "13a"),
        ("zhx", "13a"),
        ("jam", "13a"),
    ],
)
def test_default_by_language(language: str, name: str) -> None:
    """A language code, with or without script and region, chooses its language's tokenizer."""
    assert default_tokenizer(language) == name


@pytest.mark.parametrize(
    ("typo", "meant"), [("13b", "13a"), ("int", "intl"), ("flores", "flores200"), ("", "13a")]
)
def test_unknown_name(typo: str, meant: str) -> None:
    """An unknown tokenizer is an error that names the closest known ones."""
    with pytest.raises(UsageError, match=f"unknown tokenizer {typo!r} .*{meant}"):
        tokenizer(typo)


def test_registry() -> None:
    """Every built-in tokenizer goes by its own name, needs no extra and says what it is for."""
    for name in BUILT_IN:
        assert (tokenizer(name).name, TOKENIZERS[name].extra, tokenizer(name).version) == (name, None, 1)
        assert tokenizer(name).label == name
        assert TOKENIZERS[name].about
    assert tokenizer("13a") is tokenizer("13a")


def test_expected_entries_name_known_tokenizers() -> None:
    """Every tokenizer that the field's expected values were computed with is in the registry."""
    entries = read_json(shared("data", "expected.json"))["entries"]
    names = {entry["options"].get("tokenize") for entry in entries if "options" in entry}
    assert names - {None} <= set(TOKENIZERS)
