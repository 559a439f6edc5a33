"""Published scores come out again, or what else gives them is found: claims, trials, and the command."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from conftest import read_json, read_lines, run, shared
from hypothesis import given
from hypothesis import strategies as st

from mtscore import BLEU, CHRF, TER, WER
from mtscore.claims import from_json, from_line, from_text, load_json
from mtscore.cli import main
from mtscore.corpus import Corpus
from mtscore.errors import MTScoreError, SignatureError, UsageError
from mtscore.reproduce import is_rounded, reproduce
from mtscore.variations import detokenise, straighten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mtscore.reproduce import Verdict

BLEU_SIGNATURE = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
CHRF_SIGNATURE = "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0"
TER_SIGNATURE = "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0"


@pytest.fixture
def mini(request: pytest.FixtureRequest) -> Path:
    """Return the folder of the embedded test set's texts."""
    folder: Path = request.config.rootpath / "testsets" / "mini"
    return folder


@pytest.fixture
def good(mini: Path) -> list[str]:
    """Return the hypotheses of one of its systems."""
    return read_lines(mini / "hyp.good.de")


@pytest.fixture
def references(mini: Path) -> list[list[str]]:
    """Return both German references."""
    return [read_lines(mini / "ref.A.de"), read_lines(mini / "ref.B.de")]


def judge(
    line: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    published: str | None = None,
) -> Verdict:
    """Return the verdict on a score line; references are called A, B and so on."""
    names = [chr(ord("A") + index) for index in range(len(references))]
    return reproduce(from_line(line, published).claim, Corpus([hypotheses], references), names)


def fitting(verdict: Verdict) -> list[tuple[str, str]]:
    """Return the kinds and descriptions of what gives the published number."""
    return [(trial.kind, trial.what) for trial in verdict.fitting]


# --- Claims of sacreBLEU ------------------------------------------------------------------------------------


def corpus_of(entry: dict[str, Any]) -> Corpus:
    """Return the texts of an entry of the expected values."""
    lines = slice(*entry["lines"]) if "lines" in entry else slice(None)
    data = shared("data")
    return Corpus(
        [read_lines(data / entry["hyp"])[lines]], [read_lines(data / name)[lines] for name in entry["refs"]]
    )


def expected(*, other_order: bool) -> list[dict[str, Any]]:
    """Return the expected corpus scores, those with 4-grams or those with another maximum order."""
    entries = read_json(shared("data", "expected.json"))["entries"]
    return [
        entry
        for entry in entries
        if entry["kind"] == "corpus" and (entry["options"].get("max_ngram_order", 4) != 4) == other_order
    ]


@pytest.mark.parametrize("width", ["text_w1", "text_w4"])
def test_lines_of_sacrebleu_reproduce(width: str) -> None:
    """A score line of sacreBLEU comes out of its files at its printed precision, whatever its settings."""
    sample = expected(other_order=False)[7::10]
    assert len(sample) > 70
    for entry in sample:
        verdict = reproduce(from_line(entry["expected"][width]).claim, corpus_of(entry), entry["refs"])
        assert verdict.reproduced, entry["id"]
        assert verdict.score == pytest.approx(entry["expected"]["score"], abs=1e-9), entry["id"]


def test_order_that_no_signature_of_sacrebleu_tells_is_found() -> None:
    """Where sacreBLEU used other n-grams than its signature can say, the order is among what fits."""
    for entry in expected(other_order=True)[3::15]:
        verdict = reproduce(from_line(entry["expected"]["text_w4"]).claim, corpus_of(entry), entry["refs"])
        assert not verdict.reproduced, entry["id"]
        assert ("n-gram order", f"maxn.{entry['options']['max_ngram_order']}") in fitting(verdict), entry[
            "id"
        ]


def test_signatures_of_the_cases_reproduce() -> None:
    """Every case of the field's reports that has a signature and a score comes out, if with 4-grams."""
    names = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}
    cases = [
        case
        for case in read_json(shared("cases.json"))
        if {"signature", "score"} <= case["expected"].keys() and case["verdict"] == "parity"
    ]
    count = 0
    for case in cases:
        options, wanted = case["options"], case["expected"]
        if options.get("max_ngram_order", 4) == 4 and "|" in wanted["signature"]:
            name = names[options["metric"]] + "+" * options.get(
                "chrf_word_order", options.get("word_order", 0)
            )
            claim = from_line(f"{name}|{wanted['signature']}", f"{wanted['score']:.4f}").claim
            verdict = reproduce(claim, Corpus([case["hyp"]], case["refs"]), ["ref"] * len(case["refs"]))
            assert verdict.reproduced, (case["id"], verdict.score)
            count += 1
    assert count > 15


def test_official_tables_reproduce(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of the official tables of WMT21 and WMT22 reproduce on the command line, all digits of them."""
    data = shared("data")
    for row in read_json(data / "official.json")["rows"][3::12]:
        tokenizer = row["options"].get("tokenize", "13a")
        signature = BLEU_SIGNATURE.replace("13a", tokenizer) if row["metric"] == "BLEU" else CHRF_SIGNATURE
        signature = signature.replace("nrefs:1", f"nrefs:{len(row['refs'])}")
        files = [str(data / name) for name in (*row["refs"], row["hyp"])]
        command = [
            "reproduce",
            signature,
            "--published",
            repr(row["published"]),
            *files[:-1],
            "-i",
            files[-1],
        ]
        assert main(command) == 0, row
        assert capsys.readouterr().out.startswith("reproduced: ")


def test_of_many_references_single_ones_and_all_but_one_are_tried() -> None:
    """Of up to three references every subset is tried, of more each alone and all without one."""
    tried = {}
    for count in (3, 4):
        verdict = judge("BLEU|nrefs:9|tok:13a = 50.0", ["a b c d"], [["a b c"]] * count)
        tried[count] = sorted(trial.what for trial in verdict.trials if trial.kind == "references")
    assert tried[3] == ["only A", "only A and B", "only A and C", "only B", "only B and C", "only C"]
    assert tried[4] == [
        "only A",
        *("only A and B and C", "only A and B and D", "only A and C and D"),
        "only B",
        "only B and C and D",
        "only C",
        "only D",
    ]


def test_order_of_references_is_found() -> None:
    """The table's chrF of several references of zh-en comes out with B before A, and that is said."""
    data = shared("data")
    row = next(
        row
        for row in read_json(data / "official.json")["rows"]
        if (row["pair"], row["published_metric"]) == ("zh-en", "chrf-all")
    )
    texts = [read_lines(data / name) for name in row["refs"]]
    verdict = judge(
        CHRF_SIGNATURE.replace("nrefs:1", "nrefs:2"),
        read_lines(data / row["hyp"]),
        texts[::-1],
        repr(row["published"]),
    )
    assert not verdict.reproduced
    assert fitting(verdict) == [("order of references", "B, A")]


@pytest.mark.parametrize("name", ["cli-01", "cli-07", "cli-08", "cli-23", "cli-28"])
def test_output_of_sacrebleu_reproduces(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What sacreBLEU printed reproduces from a file: text, and JSON of one or several metrics or systems."""
    commands = read_json(shared("data", "cli_expected.json"))["commands"]
    [printed] = [entry["expected"]["stdout"] for entry in commands if entry["id"] == name]
    (tmp_path / "claim").write_text(printed, "utf-8")
    monkeypatch.chdir(shared("data"))
    systems = [] if '"system"' in printed else ["-i", "wmt22/liv-en/hyp.HuaweiTSC.en"]
    assert main(["reproduce", str(tmp_path / "claim"), "wmt22/liv-en/ref.A.en", *systems]) == 0
    lines = capsys.readouterr().out.splitlines()
    count = {"cli-01": 1, "cli-07": 3, "cli-08": 3, "cli-23": 4, "cli-28": 2}[name]
    assert sum(line.startswith("reproduced: ") for line in lines) == count


# --- Precision and scale ------------------------------------------------------------------------------------


@given(st.floats(0, 200), st.integers(0, 12))
def test_any_rounding_is_recognised(score: float, decimals: int) -> None:
    """A score printed with any number of decimals is that score rounded, and the next number is not."""
    printed = f"{score:.{decimals}f}"
    assert is_rounded(printed, score)
    assert not is_rounded(printed, score + 1.01 * 10.0**-decimals + 2e-9)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("chrF2+numchars.6+space.false+version.1.5.1 = 0.66", 0.663987),
        ("chrF2+numchars.6+space.false+version.1.5.1 = 66.4", 66.3987),
        ("TER+tok.tercom-nonorm-punct-noasian-uncased+version.1.5.1 = 0.427", 0.427313),
        ("TER+t.tercom-nonorm-punct-noasian-uncased+v.1.5.1 = 42.7", 42.7313),
    ],
)
def test_scale_of_early_releases(
    line: str, shown: float, good: list[str], references: list[list[str]]
) -> None:
    """ChrF and TER of sacreBLEU 1.x are from 0 to 1, unless whoever published them multiplied by 100."""
    verdict = judge(line, good, references[:1])
    assert verdict.reproduced
    assert verdict.score == pytest.approx(shown, rel=1e-6)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "published", "true"),
    [
        ("a b c d e f", "x y", "3.000", True),
        ("a b c d e f", "x y", "300.0", True),
        ("a b c d e f", "x y", "2.900", False),
        ("x " * 49 + "y", "x " * 50, "0.02", True),
        ("x " * 49 + "y", "x " * 50, "2.0", True),
    ],
)
def test_rates_of_early_releases_of_any_size(
    hypothesis: str, reference: str, published: str, true: bool
) -> None:
    """A TER of sacreBLEU 1.x may be 3, and whoever multiplied by 100 may have published 2."""
    line = f"TER+tok.tercom-nonorm-punct-noasian-uncased+version.1.5.1 = {published}"
    assert judge(line, [hypothesis], [[reference]]).reproduced is true


@pytest.mark.parametrize(
    ("parts", "contradictions"),
    [
        ("73.1/50.2/36.8/26.7 (BP = 0.991 ratio = 0.991 hyp_len = 787 ref_len = 794)", []),
        ("73.1/50.2/36.8/26.7", []),
        ("73.1/50.2/36.8/26.7 (BP = 0.99 ratio = 1 hyp_len = 787 ref_len = 794)", []),
        (
            "75.5/50.2/36.8/26.7 (BP = 0.992 ratio = 0.991 hyp_len = 787 ref_len = 794)",
            [
                "the claim's precisions are 75.5/50.2/36.8/26.7, here they are 73.1/50.2/36.8/26.7",
                "the claim's BP is 0.992, here it is 0.991",
            ],
        ),
        (
            "73.1/50.2/36.8/26.7 (BP = 0.991 ratio = 0.993 hyp_len = 786 ref_len = 793)",
            [
                "the claim's ratio is 0.993, here it is 0.991",
                "the claim's hyp_len is 786, here it is 787",
                "the claim's ref_len is 793, here it is 794",
            ],
        ),
        ("73.1/50.2", ["the claim's precisions are 73.1/50.2, here they are 73.1/50.2/36.8/26.7"]),
    ],
)
def test_what_stands_behind_a_score_must_be_true(
    parts: str, contradictions: list[str], good: list[str], references: list[list[str]]
) -> None:
    """Precisions, brevity penalty, ratio and lengths have to come out as well, at their printed precision."""
    verdict = judge(f"{BLEU_SIGNATURE} = 43.2 {parts}", good, references[:1])
    assert (verdict.fits, verdict.contradictions) == (True, contradictions)


def test_the_setting_is_found_that_all_parts_fit(good: list[str], references: list[list[str]]) -> None:
    """Where several ways give the rounded score, what stands behind it tells which one it was."""
    hypotheses, reference = good[:45], [references[0][:45]]
    intl = BLEU(tokenize="intl").corpus_score(hypotheses, reference)
    verdict = judge(f"{BLEU_SIGNATURE} = {intl.score:.0f} {intl.verbose}", hypotheses, reference)
    assert (verdict.fits, verdict.reproduced) == (True, False)
    assert fitting(verdict) == [("tokenizer", "tok.intl"), ("tokenizer", "tok.zh")]  # the same tokens


# --- What else gives a number -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signature", "metric", "found"),
    [
        (BLEU_SIGNATURE, BLEU(lowercase=True), ("case", "case.lc")),
        (BLEU_SIGNATURE, BLEU(tokenize="char"), ("tokenizer", "tok.char")),
        (BLEU_SIGNATURE, BLEU(tokenize="none"), ("tokenizer", "tok.none")),
        (BLEU_SIGNATURE, BLEU(smooth_method="add-k"), ("smoothing", "smooth.add-k[1.00]")),
        (BLEU_SIGNATURE, BLEU(max_ngram_order=2), ("n-gram order", "maxn.2")),
        (CHRF_SIGNATURE, CHRF(lowercase=True), ("case", "case.lc")),
        (CHRF_SIGNATURE, CHRF(whitespace=True), ("white space", "space.yes")),
        (CHRF_SIGNATURE, CHRF(word_order=2), ("word n-grams", "chrF2++")),
        (CHRF_SIGNATURE, CHRF(char_order=5), ("character n-grams", "numchars.5")),
        (CHRF_SIGNATURE, CHRF(beta=3), ("beta", "chrF3")),
        (TER_SIGNATURE, TER(case_sensitive=True), ("case", "case.mixed")),
        (TER_SIGNATURE, TER(normalized=True), ("normalisation", "norm.yes")),
        (TER_SIGNATURE, TER(no_punct=True), ("punctuation", "punct.no")),
        (TER_SIGNATURE, WER(), ("shifts", "WER")),
    ],
)
def test_other_setting_is_found(
    signature: str, metric: Any, found: tuple[str, str], good: list[str], references: list[list[str]]
) -> None:
    """A number that was made with one other setting is explained by it."""
    published = f"{metric.corpus_score(good, references[:1]).score:.6f}"
    verdict = judge(signature, good, references[:1], published)
    assert not verdict.reproduced
    assert found in fitting(verdict)


@pytest.mark.parametrize(
    ("signature", "settings", "what"),
    [
        (BLEU_SIGNATURE, {"smooth_method": "floor"}, ("smoothing", "smooth.floor[0.10]")),
        (BLEU_SIGNATURE, {"smooth_method": "none"}, ("smoothing", "smooth.none")),
        (BLEU_SIGNATURE, {"effective_order": True}, ("effective order", "eff.yes")),
    ],
)
def test_settings_of_short_texts_are_found(
    signature: str, settings: dict[str, Any], what: tuple[str, str]
) -> None:
    """Where an n-gram order has no match, or no n-gram, smoothing and effective order explain a number."""
    texts = ["the cat"] if "effective_order" in settings else ["the cat sat on a mat"]
    references = [["the cat"], ["the dog sat on the mat"]]["smooth_method" in settings]
    published = BLEU(**settings).corpus_score(texts, [references]).score
    assert what in fitting(judge(signature, texts, [references], f"{published:.6f}"))


def spaced(line: str) -> str:
    """Return a line with spaces before its punctuation, as tokenizers leave it."""
    return "".join(f" {character}" if character in ".,;:!?“" else character for character in line)


@pytest.mark.parametrize(
    ("claim", "theirs", "ours", "found"),
    [
        ((TER_SIGNATURE, TER()), str, spaced, ("tokenisation", "hypotheses detokenised")),
        (
            (BLEU_SIGNATURE.replace("13a", "none"), BLEU(tokenize="none")),
            str,
            spaced,
            ("tokenisation", "hypotheses detokenised"),
        ),
        (
            (BLEU_SIGNATURE, BLEU()),
            straighten,
            str,
            ("characters", "hypotheses with plain quotation marks and dashes"),
        ),
        (
            (CHRF_SIGNATURE.replace("space:no", "space:yes"), CHRF(whitespace=True)),
            str,
            lambda line: line.replace(" ", "  "),
            ("white space", "hypotheses and references with single spaces, nothing invisible"),
        ),
        (
            (CHRF_SIGNATURE, CHRF()),
            str,
            lambda line: unicodedata.normalize("NFD", line),
            ("characters", "hypotheses in Unicode's composed form (NFC)"),
        ),
    ],
)
def test_damage_to_texts_is_found(
    claim: tuple[str, Any],
    theirs: Callable[[str], str],
    ours: Callable[[str], str],
    found: tuple[str, str],
    mini: Path,
) -> None:
    """A number of texts that had other spaces, quotation marks or characters is explained by these."""
    signature, metric = claim
    lines, references = read_lines(mini / "hyp.good.de"), [read_lines(mini / "ref.A.de")]
    published = metric.corpus_score([theirs(line) for line in lines], references).score
    verdict = judge(signature, [ours(line) for line in lines], references, f"{published:.6f}")
    assert not verdict.reproduced
    assert found in fitting(verdict)


def test_swapped_files_are_found(good: list[str], references: list[list[str]]) -> None:
    """A number that comes out with hypotheses and references swapped is explained by that."""
    verdict = judge(f"{BLEU_SIGNATURE} = 43.1538", good, references[:1])
    assert fitting(verdict) == [("swapped files", "A as the hypotheses")]


def test_mean_of_segments_is_found(good: list[str], references: list[list[str]]) -> None:
    """A mean of segment scores that was published as a corpus score is explained by that."""
    mean = TER().segment_scores(good, references[:1]).mean()
    verdict = judge(f"{TER_SIGNATURE} = {mean:.6f}", good, references[:1])
    assert fitting(verdict) == [("averaging", "mean of the segments' scores")]


def test_scale_is_found(good: list[str], references: list[list[str]]) -> None:
    """A score divided by 100, as other programs print it, is explained by that."""
    verdict = judge(f"{BLEU_SIGNATURE} = 0.4319", good, references[:1])
    assert fitting(verdict) == [("scale", "from 0 to 1")]


def test_subset_of_references_is_found(good: list[str], references: list[list[str]]) -> None:
    """A number of one reference of two is explained by which."""
    verdict = judge(f"{BLEU_SIGNATURE} = 20.3409", good, references)
    assert verdict.contradictions == ["the claim is for 1 reference, not for 2 references"]
    assert fitting(verdict) == [("references", "only B")]


def test_spare_reference_of_a_test_set_is_found(good: list[str], references: list[list[str]]) -> None:
    """A number of a reference that the test set is not scored with by default is explained by it."""
    corpus, spare = Corpus([good], references[:1]), {"B": references[1]}
    verdict = reproduce(from_line(f"{BLEU_SIGNATURE} = 20.3409").claim, corpus, ["A"], spare=spare)
    assert fitting(verdict) == [("references", "only B")]
    verdict = reproduce(from_line(f"{BLEU_SIGNATURE} = 50.3685").claim, corpus, ["A"], spare=spare)
    assert fitting(verdict) == [("references", "B too")]


def test_number_of_references_must_agree(good: list[str], references: list[list[str]]) -> None:
    """A number that only comes out with another number of references than claimed is not reproduced."""
    verdict = judge(f"{BLEU_SIGNATURE} = 50.4", good, references)
    assert verdict.fits
    assert not verdict.reproduced
    assert verdict.trials == ()


def test_varying_number_of_references() -> None:
    """Under a claim for a varying number of references an empty line is no reference."""
    texts = ["the cat sat on the mat", "a dog ran in the park", "two birds flew over it"]
    references = [
        ["the cat sat on the mat", "the dog ran in a park", "birds flew over two of them"],
        ["", "a dog ran in the park", ""],
    ]
    line = "BLEU|nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 79.0883"
    assert judge(line, texts, references).reproduced
    assert judge(line, texts, references[:1]).contradictions == [
        "the claim is for a varying number of references, not for 1 reference"
    ]


def test_all_trials_are_counted(good: list[str], references: list[list[str]]) -> None:
    """Some thirty ways are tried, each once, and those that fit are a part of them."""
    verdict = judge(f"{BLEU_SIGNATURE} = 43.3", good, references[:1])
    ways = [(trial.kind, trial.what) for trial in verdict.trials]
    assert 20 < len(ways) == len(set(ways)) < 50
    assert fitting(verdict) == [("smoothing", "smooth.add-k[1.00]")]
    assert [trial.what for trial in verdict.nearest[:1]] == ["smooth.add-k[1.00]"]


def test_unstated_settings_are_noted(good: list[str], references: list[list[str]]) -> None:
    """What a claim leaves out has its default, and is said."""
    verdict = judge("BLEU|case:mixed|version:2.0.0 = 43.2", good, references[:1])
    assert verdict.reproduced
    assert verdict.notes == ["the claim does not say, so it is taken to be: smooth.exp, tok.13a"]


def test_changes_since_the_release_are_remarked(good: list[str], references: list[list[str]]) -> None:
    """What moved scores since the claim's release is said where the number does not come out."""
    verdict = judge("BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.3.0 = 30.0", good, references[:1])
    assert (
        "since sacreBLEU 1.4.4: smoothing was corrected: before, it left out 1-grams and 2-grams"
        in verdict.remarks
    )


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a well @-@ known cat &apos;s tail .", "a well-known cat's tail."),
        ("( yes , he does n't )", "(yes, he doesn't)"),
        ("un@@ believ@@ able", "unbelievable"),
        ("▁It ▁is ▁true .", "It is true."),
        ('He said " no " .', 'He said "no".'),
        ("Das kostet 7,4 Euro.", "Das kostet 7,4 Euro."),
    ],
)
def test_detokenisation(line: str, wanted: str) -> None:
    """The usual traces of tokenizers are undone, and text without any stays."""
    assert detokenise(line) == wanted


# --- Bad claims ---------------------------------------------------------------------------------------------


def test_caret_under_an_unknown_key() -> None:
    """An unknown key is named with the closest known one, and a caret stands under it."""
    with pytest.raises(SignatureError) as error:
        from_line("BLEU|nrefs:1|casing:lc|version:2.0.0 = 28.3")
    assert str(error.value).splitlines() == [
        "unknown key 'casing' (did you mean lang or case?)",
        "  BLEU|nrefs:1|casing:lc|version:2.0.0 = 28.3",
        "               ^^^^^^",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("METEOR|version:1.5 = 30.0", "there is no metric METEOR here"),
        ("BLEU|tok:13b|version:2.0.0 = 30.0", "there is no tokenizer '13b' here (did you mean 13a?)"),
        ("BLEU|tok:spm-0123abcd|v:2 = 30.0", "tokenizer spm-0123abcd is a model of its user's own"),
    ],
)
def test_what_is_not_here_is_said(
    line: str, message: str, good: list[str], references: list[list[str]]
) -> None:
    """A metric or tokenizer that mtscore lacks is an error that names it."""
    with pytest.raises(UsageError) as error:
        judge(line, good, references[:1])
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the claim is not valid JSON"),
        ("[]", "this JSON is no score"),
        ("[1]", "this JSON is no score"),
        ('{"score": 1, "name": "BLEU"}', "a score of this JSON has no signature"),
        ('{"score": "x", "name": "BLEU", "signature": "nrefs:1"}', "score of BLEU: 'x' is no score"),
        ('{"score": NaN, "name": "BLEU", "signature": "nrefs:1"}', "score of BLEU: 'nan' is no score"),
        ('{"system": "a", "BLEU": {}}', "BLEU: 'None' is no score"),
        ('{"system": 1, "BLEU": 2}', "this JSON is no score"),
        ('{"score": 1, "name": "BLEU", "signature": "v:2", "segment": 3}', "scores of segments or groups"),
        ("\n \n", "there is no claim"),
        ("BLEU|v:2.0.0", "the claim has no score ('SIGNATURE = 28.3', or --published 28.3)"),
    ],
)
def test_what_is_no_claim(text: str, message: str) -> None:
    """Text that is no claim is an error that says what is missing."""
    with pytest.raises(MTScoreError) as error:
        from_text(text)
    assert str(error.value).startswith(message)


def test_published_number() -> None:
    """A published number goes with a signature, and must be the one of a whole line."""
    assert from_line("BLEU|v:2.0.0", "28.30").claim.score == "28.30"
    assert from_line("BLEU|v:2.0.0 = 28.3", "28.3").claim.decimals == 1
    with pytest.raises(UsageError, match=r"--published: the claim says 28.3, not 28.4"):
        from_line("BLEU|v:2.0.0 = 28.3", "28.4")
    with pytest.raises(UsageError, match="'28,3' is no score"):
        from_line("BLEU|v:2.0.0", "28,3")


def test_json_keeps_digits() -> None:
    """Numbers of JSON keep their digits, in objects one a line, too."""
    row = '{"name": "BLEU", "score": 28.30, "signature": "nrefs:1|v:2.0.0", "system": "a", "file": "a.de"}'
    [first, second] = from_json(load_json(f"{row}\n{row.replace('28.30', '3')}\n"))
    assert (first.claim.score, first.system, first.file) == ("28.30", "a", "a.de")
    assert (second.claim.score, second.claim.decimals) == ("3", 0)


# --- The command --------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, mini: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files to score."""
    for name, copy in {
        "hyp.good.de": "hyp.de",
        "hyp.poor.de": "poor.de",
        "ref.A.de": "a.de",
        "ref.B.de": "b.de",
    }.items():
        (tmp_path / copy).write_bytes((mini / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTSCORE_FORMAT", raising=False)
    return tmp_path


def test_reproduced_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim that is true is answered in one line, exit code 0."""
    assert main(["reproduce", f"{BLEU_SIGNATURE} = 43.2", "a.de", "-i", "hyp.de"]) == 0
    assert capsys.readouterr() == ("reproduced: 43.1928 is 43.2\n", "")


@pytest.mark.parametrize(
    ("claim", "unchecked"),
    [
        ("43.2 (μ = 99.2 ± 9.9) 73.1/50.2/36.8/26.7", "interval"),
        ("43.2 and more", "text 'and more'"),
        ('{"name": "BLEU", "score": 43.2, "signature": "", "verbose_score": "73.1 %"}', "text '73.1 %'"),
        ('{"name": "BLEU", "score": 43.2, "signature": "", "ci": 1.5, "p_value": 0.01}', "ci, p_value"),
    ],
)
def test_what_is_not_compared_is_noted(
    claim: str, unchecked: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers that depend on more than one system's texts, and words, are named as not compared."""
    line = claim.replace('"signature": ""', f'"signature": "{BLEU_SIGNATURE}"')
    line = line if line.startswith("{") else f"{BLEU_SIGNATURE} = {claim}"
    assert main(["reproduce", line, "a.de", "-i", "hyp.de"]) == 0
    assert capsys.readouterr().out == f"reproduced: 43.1928 is 43.2\nNote: not compared: {unchecked}.\n"


def test_numbers_behind_other_scores_are_not_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What looks like precisions behind a score other than BLEU is named as not compared."""
    assert main(["reproduce", "TER = 42.7 12.3/4.5", "a.de", "-i", "hyp.de"]) == 0
    assert "not compared: text '12.3/4.5'" in capsys.readouterr().out


def test_not_reproduced_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim that is not true is answered with both numbers, what was tried, and what fits: exit code 1."""
    assert main(["reproduce", f"{BLEU_SIGNATURE} = 44.1", "-r", "a.de", "-i", "hyp.de"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "not reproduced: 44.1 was published, 43.1928 comes out"
    assert lines[2].startswith("Of ")
    assert lines[2].endswith(" other ways to score, 1 gives 44.1; one may by chance:")
    assert lines[3] == "  44.1239  case: case.lc"
    assert max(map(len, lines)) <= 80


def test_nothing_fits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing fits, the three nearest are shown."""
    assert main(["reproduce", f"{BLEU_SIGNATURE} = 90.0", "a.de", "-i", "hyp.de"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("None of ")
    assert [line.partition("  ")[2].split("  ")[0] for line in lines[3:5]] == ["72.4153", "71.5138"]


def test_claim_of_a_test_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim that names its test set needs no reference, and knows further references."""
    line = "BLEU+c.mixed+l.en-de+#.1+s.exp+t.mini+tok.13a+v.1.4.14 = {}"
    assert main(["reproduce", line.format(43.2), "-i", "hyp.de", "--offline"]) == 0
    assert main(["reproduce", line.format(20.341), "-i", "hyp.de", "--offline"]) == 1
    assert "references: only mini en-de reference B" in capsys.readouterr().out
    filtered = "BLEU+case.mixed+lang.en-de+numrefs.1+origlang.en+smooth.exp+test.mini+tok.13a+version.1.5.1"
    assert main(["reproduce", filtered, "--published", "43.57", "-i", "hyp.de", "--offline"]) == 0
    assert main(["reproduce", line.format(43.2), "a.de", "-i", "hyp.de"]) == 0
    assert "the claim is about test.mini, lang.en-de" in " ".join(capsys.readouterr().out.split())


def test_a_claim_may_be_typed_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What sacreBLEU printed as JSON is a claim on the command line, too."""
    bare = BLEU_SIGNATURE.removeprefix("BLEU|")
    row = json.dumps({"name": "BLEU", "score": 43.2, "signature": bare})
    assert main(["reproduce", row, "a.de", "-i", "hyp.de"]) == 0
    assert capsys.readouterr().out == "reproduced: 43.1928 is 43.2\n"


def test_another_version_of_a_tokenizer_is_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A claim of a tokenizer's other version is judged with the one that is here, and that is said."""
    line = f"{BLEU_SIGNATURE} = 43.2".replace("13a", "13a.2")
    assert main(["reproduce", line, "a.de", "-i", "hyp.de"]) == 0
    assert "Note: the claim has tokenizer 13a.2, here it is 13a.\n" in capsys.readouterr().out
    assert main(["reproduce", f"{BLEU_SIGNATURE} = 43.2", "a.de", "-i", "hyp.de"]) == 0
    assert "tokenizer" not in capsys.readouterr().out


def test_answer_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-f json` has the verdict, both signatures, and every trial with its score."""
    assert main(["reproduce", f"{BLEU_SIGNATURE} = 44.1", "a.de", "-i", "hyp.de", "-f", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["reproduced"], answer["published"], answer["fitting"]) == (False, "44.1", ["case.lc"])
    assert answer["score"] == pytest.approx(43.1928, abs=5e-5)
    assert answer["tried"] == len(answer["trials"])
    assert answer["claim"] == "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.2.6.0"


def test_own_output_reproduces(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every format of mtscore that carries signatures is a claim that its files prove."""
    for form in ("text", "json", "jsonl"):
        assert main(["score", "a.de", "b.de", "-i", "hyp.de", "-m", "bleu", "chrf++", "ter", "-f", form]) == 0
        (folder / "claim").write_text(capsys.readouterr().out, "utf-8")
        assert main(["reproduce", "claim", "a.de", "b.de", "-i", "hyp.de"]) == 0
        assert capsys.readouterr().out.count("reproduced: ") == 3


def test_files_of_json_are_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of several systems are checked against the files that they name, from another folder, too."""
    assert main(["score", "a.de", "-i", "hyp.de", "poor.de", "-f", "json"]) == 0
    (folder / "claim.json").write_text(capsys.readouterr().out, "utf-8")
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert main(["reproduce", "../claim.json", "../a.de"]) == 0
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "BLEU of hyp",
        "BLEU of poor",
    ]
    (folder / "poor.de").unlink()
    assert main(["reproduce", "../claim.json", "../a.de"]) == 2
    assert "poor.de: no such file here" in capsys.readouterr().err


def test_standard_input(folder: Path) -> None:
    """Hypotheses, or the claim itself, may come on standard input."""
    hypotheses = (folder / "hyp.de").read_bytes()
    done = run("reproduce", f"{BLEU_SIGNATURE} = 43.2", "a.de", stdin=hypotheses)
    assert (done.returncode, done.stdout) == (0, b"reproduced: 43.1928 is 43.2\n")
    done = run("reproduce", "-", "a.de", "-i", "hyp.de", stdin=f"{BLEU_SIGNATURE} = 43.19\n".encode())
    assert (done.returncode, done.stdout) == (0, b"reproduced: 43.19277 is 43.19\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Missing argument 'CLAIM'."),
        (["nowhere.json"], "nowhere.json: no such file"),
        ([f"{BLEU_SIGNATURE} = 1", "-i", "hyp.de"], "no reference"),
        ([f"{BLEU_SIGNATURE} = 1", "a.de", "-i", "hyp.de", "poor.de"], "the claim is about 1 system, not 2"),
        ([f"{BLEU_SIGNATURE} = 1", "a.de", "-i", "no.de"], "no.de: no such file"),
        (
            [f"{BLEU_SIGNATURE} = 1", "a.de", "-i", "hyp.de", "-tok", "intl"],
            "-tok: the claim has its tokenizer",
        ),
        (["BLEU+test.mini+version.1.5.1 = 1", "-i", "hyp.de"], "a test set needs a language pair"),
        (["BLEU+lang.en-de+test.minx+version.1.5.1 = 1", "-i", "hyp.de"], "unknown test set 'minx'"),
    ],
)
def test_bad_command_lines(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be judged is an error in one line, exit code 2."""
    assert main(["reproduce", *words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err
    assert len(output.err.splitlines()) == 1
