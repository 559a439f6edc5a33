"""A metric's settings come from a signature, and options that contradict it are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtscore import BLEU, CHRF, TER, WER
from mtscore.cli import main
from mtscore.errors import UsageError
from mtscore.metrics.settings import differing_key, from_signature, setting, tokenizer_name
from mtscore.signature import Signature

if TYPE_CHECKING:
    from pathlib import Path

flags = st.booleans()
values = st.floats(0, 5).map(lambda value: round(value, 3))
METRICS = st.one_of(
    st.builds(
        BLEU,
        lowercase=flags,
        tokenize=st.sampled_from(["13a", "intl", "zh", "char", "none"]),
        max_ngram_order=st.integers(1, 9),
        effective_order=flags,
    ),
    st.builds(BLEU, smooth_method=st.sampled_from(["floor", "add-k"]), smooth_value=values),
    st.builds(BLEU, smooth_method=st.sampled_from(["exp", "none"])),
    st.builds(
        CHRF,
        char_order=st.integers(1, 9),
        word_order=st.integers(0, 3),
        beta=st.sampled_from([0.5, 1, 2, 3]),
        lowercase=flags,
        whitespace=flags,
        eps_smoothing=flags,
    ),
    *(
        st.builds(metric, normalized=flags, no_punct=flags, asian_support=flags, case_sensitive=flags)
        for metric in (TER, WER)
    ),
)


@given(METRICS, st.sampled_from(["plus", "pipe"]), flags)
def test_signatures_lead_back_to_their_metric(metric: Any, style: Any, short: bool) -> None:
    """A metric's signature, in either style, long or short, gives a metric with the same settings."""
    text = metric.signature().format(style, short=short)
    again = from_signature(Signature.parse(text, name=metric.name))
    assert again.settings == metric.settings
    assert (type(again), again.columns) == (type(metric), metric.columns)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("BLEU+case.lc+numrefs.1+smooth.exp+tok.intl+version.1.4.14", BLEU(lowercase=True, tokenize="intl")),
        (
            "BLEU+numrefs.1+smooth.floor[0.01]+tok.13a+version.1.5.1",
            BLEU(smooth_method="floor", smooth_value=0.01),
        ),
        ("BLEU+numrefs.1+smooth.floor+tok.13a+version.1.4.14", BLEU(smooth_method="floor", smooth_value=0.0)),
        ("BLEU+numrefs.1+smooth.floor+tok.13a+version.mtscore-1.4.5", BLEU(smooth_method="floor")),
        ("BLEU+numrefs.1+smooth.0.02+tok.13a+version.1.0.3", BLEU(smooth_method="floor", smooth_value=0.02)),
        ("BLEU+lang.en-zh+version.2", BLEU(tokenize="zh")),
        (
            "BLEU|#:1|c:mixed|e:yes|tok:13a|s:add-k[1.00]|v:2.6.0",
            BLEU(smooth_method="add-k", effective_order=True),
        ),
        ("chrF2+case.mixed+numchars.6+numrefs.1+space.False+tok.13a+version.1.3.7", CHRF()),
        (
            "chrF3++|#:1|c:lc|e:no|nc:4|nw:2|s:yes|v:2.6.0",
            CHRF(beta=3, word_order=2, lowercase=True, eps_smoothing=True, char_order=4, whitespace=True),
        ),
        (
            "TER+t.tercom-norm-nopunct-asian-cased+v.1.5.1",
            TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
        ),
    ],
)
def test_signatures_of_every_release(text: str, metric: Any) -> None:
    """Signatures of every release of sacreBLEU give the settings that they stand for."""
    assert from_signature(Signature.parse(text)).settings == metric.settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("METEOR+version.1.5", "there is no metric METEOR here"),
        ("chrF0+numchars.6", "chrF's beta must be a positive number"),
        ("chrF2+numchars.0", "chrF's character order must be a whole number from 1 to 100, not 0"),
        ("BLEU+maxn.0", "BLEU's n-gram order must be a whole number from 1 to 100, not 0"),
        ("TER+tok.13a", "there is no tokenizer '13a' for TER here"),
        ("BLEU+tok.flores", "there is no tokenizer 'flores' here"),
    ],
)
def test_what_is_not_here(text: str, message: str) -> None:
    """What mtscore lacks, or what is out of range, is an error that names it."""
    with pytest.raises(UsageError) as error:
        from_signature(Signature.parse(text))
    assert str(error.value).startswith(message)


def test_names_of_tokenizers() -> None:
    """A tokenizer is found by its name, whatever version or dictionary follows it."""
    labels = ["13a", "13a.2", "ja-mecab-0.996-IPA", "ko-mecab-0.996/ko-0.9.2-KO", "flores101-1a2b3c4d", "spm"]
    assert [tokenizer_name(label) for label in labels] == [
        "13a",
        "13a",
        "ja-mecab",
        "ko-mecab",
        "flores101",
        "spm",
    ]
    with pytest.raises(
        UsageError, match=r"spm-1a2b3c4d is a model of its user's own \(name it: -tok spm:PATH\)"
    ):
        tokenizer_name("spm-1a2b3c4d")


def test_differing_settings() -> None:
    """The first setting in which two signatures differ is named as a signature writes it."""
    mixed, lower = Signature("BLEU", {"case": "mixed"}), Signature("BLEU", {"case": "lc", "maxn": 2})
    assert setting(lower, differing_key(mixed, lower) or "") == "case.lc"
    assert differing_key(mixed, Signature("BLEU", {"case": "mixed", "eff": "no"})) is None
    assert differing_key(mixed, Signature("TER", {})) == "name"


# --- The option ---------------------------------------------------------------------------------------------


@pytest.fixture
def files(request: pytest.FixtureRequest) -> list[str]:
    """Return a reference and hypotheses as words of a command line."""
    mini: Path = request.config.rootpath / "testsets" / "mini"
    return [str(mini / "ref.A.de"), "-i", str(mini / "hyp.good.de")]


@pytest.mark.parametrize(
    ("words", "signatures"),
    [
        (
            ["--like", "BLEU|#:1|c:lc|e:no|tok:intl|s:floor[0.20]|v:2.0.0"],
            ["BLEU+case.lc+numrefs.1+smooth.floor[0.20]+tok.intl"],
        ),
        (
            ["--like", "TER+t.tercom-norm-punct-noasian-cased+v.1.5.1 = 0.59"],
            ["TER+asian.no+case.mixed+norm.yes+numrefs.1+punct.yes+tok.tercom"],
        ),
        (
            ["--like", "chrF++|c:lc", "-m", "chrf++", "bleu"],
            [
                "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a",
                "chrF2+++case.lc+numchars.6+numrefs.1+numwords.2+space.no",
            ],
        ),
        (
            ["--like", "BLEU|c:lc|tok:char|s:floor[0.20]", "-lc", "-tok", "char", "-s", "floor"],
            ["BLEU+case.lc+numrefs.1+smooth.floor[0.20]+tok.char"],
        ),
        (["--like", "BLEU|c:lc", "-tok", "zh", "-s", "none"], ["BLEU+case.lc+numrefs.1+smooth.none+tok.zh"]),
        (["--like", "chrF1+++|c:mixed"], ["chrF1++++case.mixed+numchars.6+numrefs.1+numwords.3+space.no"]),
    ],
)
def test_settings_of_a_signature(
    words: list[str], signatures: list[str], files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--like` scores with the settings of a signature; options that do not contradict it may stand."""
    assert main(["score", *files, *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("+version")[0] for line in lines] == signatures


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--like", "BLEU|tok:13a", "-tok", "intl"], "-tok intl: contradicts --like, which has tok.13a"),
        (["--like", "BLEU|c:mixed", "-lc"], "-lc: contradicts --like, which has case.mixed"),
        (["--like", "BLEU|s:exp", "-s", "floor"], "-s floor: contradicts --like, which has smooth.exp"),
        (
            ["--like", "BLEU|s:floor[0.10]", "-sv", "0.2"],
            "-sv 0.2: contradicts --like, which has smooth.floor[0.10]",
        ),
        (["--like", "BLEU|s:exp", "-sv", "0.2"], "-sv 0.2: contradicts --like, which has BLEU+"),
        (
            ["--like", "BLEU|s:exp", "--max-ngram-order", "2"],
            "--max-ngram-order 2: contradicts --like, which has maxn.4",
        ),
        (
            ["--like", "chrF2|nc:6", "--chrf-beta", "3"],
            "--chrf-beta 3.0: contradicts --like, which has chrF2",
        ),
        (["--like", "chrF2|nc:6", "-m", "bleu"], "-m bleu: contradicts --like, which has chrF2"),
        (
            ["--like", "TER|norm:no", "--ter-normalized"],
            "--ter-normalized: contradicts --like, which has norm.no",
        ),
        (["--like", "METEOR|version:1.5"], "there is no metric METEOR here"),
        (["--like", "BLEU|cse:lc"], "unknown key 'cse' (did you mean case"),
    ],
)
def test_contradictions(
    words: list[str], message: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """An option that asks for another setting than the signature is an error that names both."""
    assert main(["score", *files, *words]) == 2
    output = capsys.readouterr()
    assert output.err.startswith(f"mtscore: error: {message}")
    assert output.out == ""


def test_other_version_of_a_tokenizer(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A signature with another version of a tokenizer is followed with a warning."""
    assert main(["score", *files, "--like", "BLEU|tok:13a.7"]) == 0
    assert "mtscore: warning: --like has tokenizer 13a.7, here it is 13a\n" in capsys.readouterr().err
