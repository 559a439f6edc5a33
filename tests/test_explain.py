"""`mtscore explain`: the n-grams, the smoothing and the formula behind the BLEU of one segment."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sacrebleu
from conftest import read_lines, shared
from hypothesis import given
from hypothesis import strategies as st

from mtscore.cli import main, output
from mtscore.errors import UsageError
from mtscore.explain import Explanation, explain
from mtscore.kernels.multisets import ngrams
from mtscore.metrics.bleu import BLEU

if TYPE_CHECKING:
    from collections.abc import Sequence

MINI = Path(__file__).parents[1] / "testsets" / "mini"
CAT = "the cat the cat on the mat"
CAT_REFERENCES = ["The cat is on the mat", "There is a cat on the mat"]
CAT_PAGE = """\
hypothesis   the cat the cat on the mat          7 tokens (13a, lower case)
reference 1  the cat is on the mat               6
reference 2  there is a cat on the mat           7  <- closest length

2-grams        count  in a reference (max)  clipped
the cat            2  1                           1   one too many
cat the            1  0                           0   not in a reference
cat on             1  1                           1
on the             1  1                           1
the mat            1  1                           1
                   6                              4   p2 = 4/6 = 66.7
(1-grams 5/7, 3-grams 2/5, 4-grams 1/4: -n 1, -n 3, -n 4, -n all)

brevity penalty   7 >= 7: 1.000
BLEU = 1.000 × (5/7 × 4/6 × 2/5 × 1/4)^(1/4) = 46.71
"""
GATO = "el gato negro duerme en la alfombra roja de la casa"
GATO_REFERENCE = "el gato negro duerme sobre la alfombra roja de la casa"
SMOOTHING = [
    ("exp", None),
    ("floor", None),
    ("floor", 0.01),
    ("floor", 0.0),
    ("add-k", None),
    ("add-k", 0.5),
    ("add-k", 0.0),
    ("none", None),
]


def texts(hypothesis: str, references: Sequence[str]) -> list[str]:
    """Return the options that give texts."""
    return ["--hyp", hypothesis, *(word for reference in references for word in ("--ref", reference))]


def page(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run `mtscore explain`, which must succeed in silence, and return what it prints."""
    code = main(["explain", *arguments])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    return captured.out


def counts(found: Explanation, order: int) -> list[tuple[str, int, tuple[int, ...], int]]:
    """Return the n-grams of an order with their counts: hypothesis, references, clipped."""
    return [(" ".join(n.tokens), n.count, n.in_references, n.clipped) for n in found.orders[order - 1].ngrams]


def test_the_page_of_the_cat(capsys: pytest.CaptureFixture[str]) -> None:
    """The textbook's cat is explained to the last blank, by default at the order where something fails."""
    assert page(capsys, "-lc", *texts(CAT, CAT_REFERENCES)) == CAT_PAGE


def test_bigrams_of_the_cat() -> None:
    """Of the cat's five bigrams one stands there twice, four are in a reference, and 4 of 6 count."""
    found = explain(BLEU(lowercase=True), CAT, CAT_REFERENCES)
    assert counts(found, 2) == [
        ("the cat", 2, (1, 0), 1),
        ("cat the", 1, (0, 0), 0),
        ("cat on", 1, (0, 1), 1),
        ("on the", 1, (1, 1), 1),
        ("the mat", 1, (1, 1), 1),
    ]
    assert (found.score.counts, found.score.totals) == ([5, 4, 2, 1], [7, 6, 5, 4])
    assert found.score.score == pytest.approx(46.713797772819994, abs=1e-9)


def test_the_the_the() -> None:
    """Of seven `the` two count, as many as the one reference has that has most."""
    found = explain(
        BLEU(), "the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"]
    )
    assert counts(found, 1) == [("the", 7, (2, 1), 2)]
    assert str(found.orders[0].counted) == "2/7"


def test_the_black_cat() -> None:
    """One wrong word of eleven costs one, two, three and four n-grams: 10/11, 8/10, 6/9, 4/8, BLEU 70.2."""
    found = explain(BLEU(), GATO, [GATO_REFERENCE])
    assert [str(order.counted) for order in found.orders] == ["10/11", "8/10", "6/9", "4/8"]
    assert f"{found.score.score:.1f}" == "70.2"


@pytest.mark.parametrize(("words", "penalty"), [(4, "0.174"), (7, "0.565"), (11, "1.000")])
def test_brevity_penalty(words: int, penalty: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Four and seven words against eleven have brevity penalties of 0.174 and 0.565."""
    hypothesis = " ".join(GATO_REFERENCE.split()[:words])
    [line] = re.findall(
        "^brevity penalty.*", page(capsys, *texts(hypothesis, [GATO_REFERENCE])), re.MULTILINE
    )
    relation = f"{words} < 11: exp(1 - 11/{words}) =" if words < 11 else "11 >= 11:"
    assert line == f"brevity penalty   {relation} {penalty}"


def test_a_perfect_but_short_hypothesis(capsys: pytest.CaptureFixture[str]) -> None:
    """Two right words of six have precision 1 and score exp(1 - 6/2), over the two orders that exist."""
    assert page(capsys, *texts("the cat", ["the cat is on the mat"])).endswith(
        "effective order   2, not 4: 2 tokens have no 3-gram (as with -sl)\n"
        "brevity penalty   2 < 6: exp(1 - 6/2) = 0.135\n"
        "BLEU = 0.135 × (2/2 × 1/1)^(1/2) = 13.53\n"
    )


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            ("--hyp", "b a c e x d", "--ref", "a b c d e x"),
            ["p3 = 0/4 → 100/(2·4) = 12.5 (exp)", "p4 = 0/3 → 100/(4·3) = 8.33 (exp)"],
        ),
        (
            ("--hyp", "b a c e x d", "--ref", "a b c d e x", "-s", "floor"),
            ["p3 = 0/4 → 100·0.1/4 = 2.5 (floor)", "p4 = 0/3 → 100·0.1/3 = 3.33 (floor)"],
        ),
        (
            ("--hyp", "b a c e x d", "--ref", "a b c d e x", "-s", "add-k", "-sv", "0.5"),
            [
                "p2 = 1/5 → 100·(1+0.5)/(5+0.5) = 27.3 (add-k)",
                "p3 = 0/4 → 100·(0+0.5)/(4+0.5) = 11.1 (add-k)",
                "p4 = 0/3 → 100·(0+0.5)/(3+0.5) = 14.3 (add-k)",
            ],
        ),
        (
            ("--hyp", "b a c e x d", "--ref", "a b c d e x", "-s", "none"),
            ["p3 = 0/4 is not smoothed: BLEU is 0", "p4 = 0/3 is not smoothed: BLEU is 0"],
        ),
        (("--hyp", "x y", "--ref", "a b"), ["none, as no n-gram is in a reference: BLEU is 0"]),
        (("--hyp", "a b c d e", "--ref", "a b c d"), []),
    ],
)
def test_smoothing_lines(
    arguments: Sequence[str], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each precision that is smoothed, or is 0 and is not, has a line that says what becomes of it."""
    text = page(capsys, "-n", "1", *arguments)
    smoothing = re.search(r"^smoothing +(.*\n(?: +.*\n)*)", text, re.MULTILINE)
    found = [line.strip() for line in smoothing[1].splitlines()] if smoothing else []
    assert found == lines


def segments(count: int, seed: int) -> list[tuple[str, list[str]]]:
    """Return random hypotheses with one to three references: up to 9 words out of few, so much matches."""
    draw = random.Random(seed)  # noqa: S311  # as a test must be, the same every time
    words = ["a", "b", "c", "The", "the", "3.5", "x,", "«", "世"]

    def text() -> str:
        return " ".join(draw.choices(words[: draw.randint(2, 9)], k=draw.randint(0, 9)))

    return [(text(), [text() for _ in range(draw.randint(1, 3))]) for _ in range(count)]


def real_segments(count: int) -> list[tuple[str, list[str]]]:
    """Return the first segments of the embedded test set, with two references."""
    files = [read_lines(MINI / name) for name in ("hyp.poor.de", "ref.A.de", "ref.B.de")]
    return [
        (hypothesis, references)
        for hypothesis, *references in itertools.islice(zip(*files, strict=True), count)
    ]


@pytest.mark.parametrize(("method", "value"), SMOOTHING)
@pytest.mark.parametrize("effective", [True, False])
def test_the_score_is_the_metrics_own(method: str, value: float | None, *, effective: bool) -> None:
    """Score, details and signature are those of `sentence_score`, whatever the settings."""
    for number, (hypothesis, references) in enumerate(segments(150, 7) + real_segments(48)):
        metric = BLEU(
            smooth_method=method,
            smooth_value=value,
            effective_order=effective,
            max_ngram_order=(4, 1, 2, 6)[number % 4],
            tokenize=("13a", "intl", "zh", "char", "none")[number % 5],
            lowercase=number % 3 == 0,
        )
        assert explain(metric, hypothesis, references).score == metric.sentence_score(hypothesis, references)


@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_the_score_is_the_oracles(method: str, value: float | None) -> None:
    """Sentence scores with effective order are sacreBLEU's to 1e-9 relative, counts and totals exactly."""
    oracle = sacrebleu.BLEU(smooth_method=method, smooth_value=value, effective_order=True)
    metric = BLEU(smooth_method=method, smooth_value=value, effective_order=True)
    for hypothesis, references in segments(300, 11) + real_segments(48):
        ours, theirs = (
            explain(metric, hypothesis, references).score,
            oracle.sentence_score(hypothesis, references),
        )
        assert ours.score == pytest.approx(theirs.score, rel=1e-9)
        assert (ours.sys_len, ours.ref_len) == (theirs.sys_len, theirs.ref_len)
        if method != "add-k":
            assert (ours.counts, ours.totals) == (theirs.counts, theirs.totals)


def test_segments_of_a_shared_task() -> None:
    """On 300 segments of WMT 2017 every explained score is that of the whole file's segment scores."""
    hypotheses = read_lines(shared("data", "wmt17-en-de", "hyp.xmu.de"))[:300]
    references = read_lines(shared("data", "wmt17-en-de", "ref.de"))[:300]
    scores = BLEU().segment_scores(hypotheses, [references])
    metric = BLEU(effective_order=True)
    for hypothesis, reference, score in zip(hypotheses, references, scores, strict=True):
        assert explain(metric, hypothesis, [reference]).score.score == score


@pytest.mark.parametrize(("method", "value"), SMOOTHING)
def test_the_formula_gives_the_score(
    method: str, value: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the last line says, calculated with the penalty's own formula, is the score that it gives."""
    smoothing = ["-s", method, *([] if value is None else ["-sv", str(value)])]
    for hypothesis, references in segments(60, 3) + real_segments(10):
        text = page(capsys, *smoothing, *texts(hypothesis, references))
        if not hypothesis:
            assert text.endswith("BLEU = 0.00: the hypothesis has no tokens\n")
            continue
        [(product, score)] = re.findall(r"^BLEU = [0-9.]+ × (.*) = ([0-9.]+)$", text, re.MULTILINE)
        [penalty] = re.findall(r"^brevity penalty.*?: (?:exp\((.*)\)|1.000)", text, re.MULTILINE)
        exact = 2.718281828459045 ** calculate(penalty) if penalty else 1
        assert f"{100 * exact * calculate(product):.2f}" == score


def calculate(formula: str) -> float:
    """Return the value of a formula as it is printed."""
    python = formula.replace("×", "*").replace("·", "*").replace("^", "**")
    assert set(python) <= set("0123456789.+-*/() ")
    return float(eval(python))  # noqa: S307  # digits and operators only


def test_the_score_is_the_segment_score_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """`explain --line N` gives the score, signature and details of line N of `score -sl`."""
    files = [str(MINI / "ref.A.de"), str(MINI / "ref.B.de"), "-i", str(MINI / "hyp.poor.de")]
    main(["score", *files, "-sl", "-f", "jsonl"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in (1, 17, 48):
        explained = json.loads(page(capsys, *files, "--line", str(line), "-f", "json"))
        row = rows[line - 1]
        assert explained["segment"] == row["segment"] == line
        for key in ("name", "score", "signature", "verbose_score", "counts", "totals", "precisions", "bp"):
            assert explained[key] == row[key]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has the texts as tokens, the closest reference from 1, and all orders or the one asked for."""
    found = json.loads(page(capsys, "-lc", "-f", "json", *texts(CAT, CAT_REFERENCES)))
    assert found["hypothesis"] == ["the", "cat", "the", "cat", "on", "the", "mat"]
    assert found["references"][0] == ["the", "cat", "is", "on", "the", "mat"]
    assert (found["closest_reference"], found["effective_order"]) == (2, 4)
    assert [order["order"] for order in found["orders"]] == [1, 2, 3, 4]
    assert found["orders"][1]["ngrams"][0] == {
        "ngram": "the cat",
        "count": 2,
        "in_references": [1, 0],
        "clipped": 1,
    }
    one = json.loads(page(capsys, "-n", "3", "-f", "json", "-s", "floor", *texts("a b c", ["a b d"])))
    assert [(order["order"], order["smoothed"]) for order in one["orders"]] == [(3, "0.1/1")]
    assert "segment" not in one


@pytest.mark.parametrize(
    ("hypothesis", "references", "closest"),
    [
        ("a b c d", ["a b", "a b c d e f"], 0),
        ("a b c d", ["a b c d e f", "a b"], 1),
        ("a b c d", ["a b c d e f", "a b c"], 1),
        ("a b", ["x y", "a b"], 0),
        ("a", ["a b c d e", ""], 1),
    ],
)
def test_closest_reference(hypothesis: str, references: list[str], closest: int) -> None:
    """The reference of closest length is the shorter one of two, and the first of equally long ones."""
    found = explain(BLEU(tokenize="none"), hypothesis, references)
    assert found.closest == closest
    assert found.score.ref_len == len(references[closest].split())


def test_only_one_of_several_references_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """With one reference there is nothing to mark, with several one line is marked."""
    assert "closest" not in page(capsys, *texts("a b", ["a b"]))
    assert page(capsys, *texts("a b", ["x y", "a b", "b a"])).count("<- closest length") == 1


def test_default_orders(capsys: pytest.CaptureFixture[str]) -> None:
    """Few n-grams are all shown; else the lowest order with one that no reference has; 1 if there is none."""

    def shown(hypothesis: str, reference: str) -> list[str]:
        return re.findall("^([0-9])-grams ", page(capsys, *texts(hypothesis, [reference])), re.MULTILINE)

    assert shown("a b c d e", "a b c d e") == ["1", "2", "3", "4"]
    assert shown("a b c d e f", "a b c d e f") == ["1"]
    assert shown("a b c d e f", "a b c d e g") == ["1"]
    assert shown("a b c d e f", "a b c f d e") == ["2"]
    assert shown("a b c d e f", "a b c d f d e c d e f") == ["4"]


def test_an_order_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    """An order for which the hypothesis is too short has no table, and the effective order says why."""
    text = page(capsys, "-n", "3", *texts("a b", ["a b"]))
    assert "-grams" not in text
    assert "effective order   2, not 4: 2 tokens have no 3-gram (as with -sl)\n" in text
    assert "effective" not in page(capsys, "-s", "add-k", *texts("a b", ["a b"]))


def test_long_and_wide_texts_stay_in_their_column(capsys: pytest.CaptureFixture[str]) -> None:
    """Long texts go on below in their column, and wide characters count as two."""
    lines = page(capsys, *texts("word " * 20, ["word " * 9])).splitlines()
    assert (
        lines[0]
        == "hypothesis   word word word word word word word  20 tokens (13a)"[:13]
        + " ".join(["word"] * 7)
        + "  20 tokens (13a)"
    )
    assert lines[1] == " " * 13 + " ".join(["word"] * 7)
    assert lines[3] == "reference    word word word word word word word   9"
    wide = page(capsys, "-tok", "zh", "-n", "1", *texts("我们 ok", ["我们"])).splitlines()
    assert wide[0] == "hypothesis   我 们 ok                            3 tokens (zh)"
    assert wide[4] == "我                 1  1                           1"


def test_colours_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal tokens have the colour of their longest match, and the text is otherwise the same."""
    monkeypatch.setattr(output, "use_colour", lambda: True)
    coloured = page(capsys, "-lc", *texts(CAT, CAT_REFERENCES))
    assert coloured.startswith(
        "hypothesis   \x1b[36mthe\x1b[0m \x1b[36mcat\x1b[0m \x1b[33mthe\x1b[0m \x1b[32mcat\x1b[0m "
    )
    assert re.sub("\x1b\\[[0-9]+m", "", coloured) == CAT_PAGE


def test_longest_matches() -> None:
    """Each token has the order of its longest n-gram that counts; what is one too many does not count."""
    found = explain(BLEU(lowercase=True), f"{CAT} dog", CAT_REFERENCES)
    assert found.matched_orders() == [2, 2, 1, 4, 4, 4, 4, 0]


def test_untrusted_text_is_spelt_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters and what is not Unicode never reach the terminal."""
    text = page(capsys, "-tok", "none", *texts("a\x1b[31m \udcff", ["b"]))
    assert "\x1b" not in text
    assert r"a\x1b[31m \udcff " in text
    assert json.loads(page(capsys, "-f", "json", *texts("\udcff", ["b"])))["hypothesis"] == ["\udcff"]


def test_texts_may_begin_with_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    """A text is taken as it is, even if it looks like an option."""
    assert "--ref -n" in page(capsys, "--hyp", "--ref -n", "--ref", "-n")


def test_language_pair_chooses_the_tokenizer(capsys: pytest.CaptureFixture[str]) -> None:
    """`-l` chooses the target language's tokenizer, and `-tok` beats it."""
    assert "(zh)" in page(capsys, "-l", "en-zh", *texts("我", ["我"]))
    assert "(char)" in page(capsys, "-l", "en-zh", "-tok", "char", *texts("我", ["我"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to explain (--hyp TEXT --ref TEXT, or REFERENCE -i HYPOTHESES --line N)"),
        (["--hyp", "a"], "missing: --ref TEXT"),
        (["--ref", "a"], "missing: --hyp TEXT"),
        (["ref", "-i", "hyp"], "missing: --line N"),
        (["--line", "3"], "missing: a reference file and -i HYPOTHESES"),
        (
            ["--hyp", "a", "--ref", "b", "ref"],
            "either texts (--hyp, --ref) or files (REFERENCE -i HYPOTHESES --line N), not both",
        ),
        (["ref", "-i", "hyp", "--line", "0"], "--line: lines count from 1, there is no line 0"),
        (["ref", "-i", "hyp", "--line", "4"], "--line: there is no line 4: hyp has 3"),
        (["-", "-i", "-", "--line", "1"], "-: standard input can be read once only"),
        (["nowhere", "-i", "hyp", "--line", "1"], "nowhere: no such file"),
        (
            ["short", "-i", "hyp", "--line", "1"],
            "short has 2 lines, hyp has 3 lines (hypotheses and references go line by line)",
        ),
        (
            ["latin", "-i", "hyp", "--line", "1"],
            (
                "latin:2: not valid UTF-8 at byte 2 (0xe9) "
                "(if the text has another encoding, name it with -e/--encoding, for example -e latin-1)"
            ),
        ),
        (
            ["--hyp", "a", "--ref", "b", "-n", "5"],
            "-n: there are no 5-grams (--max-ngram-order is the highest)",
        ),
        (["--hyp", "a", "--ref", "b", "-n", "0"], "-n: '0' is no order of n-grams (1, 2, ... or all)"),
        (["--hyp", "a", "--ref", "b", "-tok", "13b"], "unknown tokenizer '13b' (did you mean 13a?)"),
        (
            ["--hyp", "a", "--ref", "b", "-s", "flor"],
            "--smooth-method: unknown smooth method 'flor' (did you mean floor?)",
        ),
        (
            ["--hyp", "a", "--ref", "b", "-sv", "1"],
            "smoothing method 'exp' takes no value (floor and add-k do)",
        ),
        (["--hyp", "a", "--ref", "b", "-f", "xml"], "--format: unknown format 'xml' (known: text, json)"),
        (
            ["--hyp", "a", "--ref", "b", "-l", "en"],
            "-l: language pair 'en' is not of the form src-trg (for example en-de)",
        ),
    ],
)
def test_bad_input(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every mistake is one line on standard error, nothing on standard output, and exit code 2."""
    monkeypatch.chdir(tmp_path)
    Path("hyp").write_text("a\nb\nc\n")
    Path("ref").write_text("a\nb\nc\n")
    Path("short").write_text("a\nb\n")
    Path("latin").write_bytes(b"a\nb\xe9\nc\n")
    code = main(["explain", *arguments])
    assert (code, *capsys.readouterr()) == (2, "", f"mtscore: error: {message}\n")


def test_no_reference() -> None:
    """Without a reference there is nothing to explain by."""
    with pytest.raises(UsageError, match="no reference"):
        explain(BLEU(), "a", [])


@given(st.lists(st.sampled_from("ab"), max_size=12), st.lists(st.lists(st.sampled_from("abc")), min_size=1))
def test_laws(hypothesis: list[str], references: list[list[str]]) -> None:
    """No n-gram counts oftener than in the hypothesis or the best reference; totals follow from length."""
    found = explain(BLEU(tokenize="none"), " ".join(hypothesis), [" ".join(tokens) for tokens in references])
    for order in found.orders:
        assert (
            order.total
            == max(len(hypothesis) - order.order + 1, 0)
            == len(ngrams(found.hypothesis, order.order))
        )
        for ngram in order.ngrams:
            assert ngram.clipped == min(ngram.count, ngram.most)
            assert ngram.most == max(
                sum(tokens[i : i + order.order] == list(ngram.tokens) for i in range(len(tokens)))
                for tokens in references
            )
    longest = max((n for order in found.orders for n in [order.order] if order.correct), default=0)
    assert max(found.matched_orders(), default=0) == longest
