"""Reports come out again, and whatever was changed since is named."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jsonschema
import numpy as np
import pytest

from mtscore import BLEU, CHRF
from mtscore.cli import main
from mtscore.recheck import Recorded, differences
from mtscore.report.receipt import schema
from mtscore.tokenizers import tokenizer
from mtscore.tokenizers.mteval import Tokenizer13a

if TYPE_CHECKING:
    from pathlib import Path

Change = Callable[[dict[str, Any]], object]

SCORE = ["score", "a.de", "-i", "hyp.de", "poor.de", "-m", "bleu", "chrf++", "ter"]
TESTED = ["-par", "-parn", "60", "-ci", "-cin", "50", "--fail-under", "bleu=20", "--max-drop", "chrf++=0.5"]


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files to score."""
    mini = request.config.rootpath / "testsets" / "mini"
    copies = {"hyp.good.de": "hyp.de", "hyp.poor.de": "poor.de", "ref.A.de": "a.de", "ref.B.de": "b.de"}
    for name, copy in copies.items():
        (tmp_path / copy).write_bytes((mini / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def report(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return a report with tests, intervals and gates, two of which fail."""
    assert main([*SCORE, *TESTED, "--fail-on-regression", "-o", "score.json"]) == 1
    capsys.readouterr()
    data: dict[str, Any] = json.loads((folder / "score.json").read_text("utf-8"))
    return data


def check(report: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Write a report and reproduce it: return the exit code and what was printed, each sentence in a line."""
    with open("changed.json", "w", encoding="utf-8") as file:
        json.dump(report, file)
    code = main(["reproduce", "changed.json"])
    return code, capsys.readouterr().out.replace("\n      ", " ").splitlines()


# --- The report itself --------------------------------------------------------------------------------------


def test_report_is_the_receipt(report: dict[str, Any]) -> None:
    """A report has inputs, settings, full scores, versions, gates and messages, as its schema says."""
    jsonschema.validate(report, schema())
    assert [(entry["role"], entry["file"], entry["lines"]) for entry in report["inputs"]] == [
        ("hypothesis", "hyp.de", 48),
        ("hypothesis", "poor.de", 48),
        ("reference", "a.de", 48),
    ]
    assert report["inputs"][0]["sha256"] == "abc9c0784d48f4c44576be250606680aff18a6e72efeac08cd60aa8af0e8459b"
    assert report["versions"].keys() == {"mtscore", "python", "numpy", "tokenizers"}
    assert report["versions"]["tokenizers"] == {"13a": 1}
    assert report["alpha"] == 0.05
    assert not report["passed"]


def test_statistics_of_a_report_give_its_scores(report: dict[str, Any]) -> None:
    """From the totals of the statistics in a row its score can be computed again."""
    bleu, chrf, ter = report["rows"][:3]
    total = [bleu["sys_len"], bleu["ref_len"], *bleu["counts"], *bleu["totals"]]
    assert float(BLEU().score(np.array(total, np.float64))) == bleu["score"]
    assert float(CHRF(word_order=2).score(np.array(chrf["stats"], np.float64))) == chrf["score"]
    assert 100 * ter["num_edits"] / ter["ref_length"] == pytest.approx(ter["score"], abs=1e-12)


def test_two_reports_differ_in_their_time_only(folder: Path, report: dict[str, Any]) -> None:
    """Two runs on the same input, also with chunks side by side, give the same bytes but for the time."""
    for options in ([], ["-j", "2"]):
        main([*SCORE, *TESTED, "--fail-on-regression", "-o", "again.json", *options])
        one, two = ((folder / name).read_text("utf-8") for name in ("score.json", "again.json"))
        time = json.loads(two)["time"]
        assert two.replace(time, report["time"]) == one


# --- Reports that come out again ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        [*SCORE, *TESTED, "--fail-on-regression"],
        ["score", "a.de", "-i", "hyp.de", "-sl", "-m", "bleu", "ter"],
        [
            "score",
            "a.de",
            "b.de",
            "-i",
            "hyp.de",
            "poor.de",
            "-m",
            "bleu",
            "wer",
            "--all-pairs",
            "-parn",
            "50",
        ],
        [
            "score",
            "a.de",
            "-i",
            "hyp.de",
            "poor.de",
            "-pbs",
            "-pbsn",
            "50",
            "--baseline",
            "poor",
            "--seed",
            "7",
        ],
        ["score", "a.de", "-i", "hyp.de", "-lc", "-tok", "intl", "-s", "floor", "-sv", "0.02", "-l", "en-de"],
        ["score", "a.de", "-i", "hyp.de", "-m", "chrf", "--chrf-beta", "3", "--chrf-eps-smoothing"],
        ["score", "a.de", "-i", "hyp.de", "--max-ngram-order", "2", "--groups", "groups.tsv"],
        ["score", "a.de", "gaps.de", "--empty-refs-missing", "-i", "hyp.de", "-m", "bleu", "chrf", "ter"],
        ["score", "both.tsv", "-nr", "2", "-i", "hyp.de", "-m", "bleu", "chrf"],
        ["score", "a.16.de", "-i", "hyp.16.de", "-e", "utf-16"],
        ["score", "a.de.gz", "-i", "hyp.de"],
        ["score", "-t", "mini", "-l", "en-de", "-i", "hyp.de", "--offline", "--detail"],
        ["score", "-t", "mini", "-l", "en-de", "-i", "hyp.de", "--offline", "-ol", "en", "--use-refs", "B,A"],
    ],
    ids=lambda command: " ".join(command[1:]),
)
def test_report_reproduces(command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A report made now comes out again, whatever was asked for and however the files were read."""
    write_variants(folder)
    assert main([*command, "-o", "score.json"]) in (0, 1)
    jsonschema.validate(json.loads((folder / "score.json").read_text("utf-8")), schema())
    capsys.readouterr()
    code = main(["reproduce", "score.json"])
    output = capsys.readouterr()
    assert (code, output.err) == (0, ""), output.out
    assert output.out.startswith("reproduced: ")
    assert len(output.out.splitlines()) == 1


def write_variants(folder: Path) -> None:
    """Write the files in other encodings, with gaps, with both references on a line, and groups."""
    a, b = ((folder / name).read_text("utf-8").split("\n")[:-1] for name in ("a.de", "b.de"))
    (folder / "both.tsv").write_text("".join(f"{x}\t{y}\n" for x, y in zip(a, b, strict=True)), "utf-8")
    (folder / "gaps.de").write_text(
        "".join("\n" if i % 5 == 0 else f"{y}\n" for i, y in enumerate(b)), "utf-8"
    )
    (folder / "groups.tsv").write_text("half\n" + "first\n" * 24 + "second\n" * 24, "utf-8")
    (folder / "a.de.gz").write_bytes(gzip.compress((folder / "a.de").read_bytes()))
    for name in ("a", "hyp"):
        (folder / f"{name}.16.de").write_text((folder / f"{name}.de").read_text("utf-8"), "utf-16")


def test_files_are_found_beside_the_report(
    folder: Path, report: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files of a report are looked for beside it, too, or given in their order."""
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert main(["reproduce", "../score.json"]) == 0
    (folder / "hyp.de").rename(folder / "renamed.de")
    assert main(["reproduce", "../score.json"]) == 2
    assert "hyp.de: no such file here (../score.json names it" in capsys.readouterr().err
    assert main(["reproduce", "../score.json", "-i", "../renamed.de", "../poor.de"]) == 0
    assert main(["reproduce", "../score.json", "../a.de", "-i", "../renamed.de"]) == 2
    assert "the report has 2 hypothesis files, given are 1" in capsys.readouterr().err


# --- Reports that do not ------------------------------------------------------------------------------------


def set_row(index: int, key: str, value: object) -> Change:
    """Return the change of one field of a row."""
    return lambda report: report["rows"][index].update({key: value})


def set_setting(key: str, old: object, new: object) -> Change:
    """Return the change of a setting in all rows of the first metric, in settings and signatures alike."""

    def change(report: dict[str, Any]) -> None:
        for row in report["rows"]:
            if row["name"] == report["rows"][0]["name"]:
                row["settings"][key] = new
                row["signature"] = row["signature"].replace(f"{key}.{old}", f"{key}.{new}")

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (set_row(0, "score", 43.29277268), "score of BLEU of hyp: 43.29277268 then, 43.192772"),
        (set_row(0, "counts", [1, 2, 3, 4]), "counts of BLEU of hyp: [1, 2, 3, 4] then, ["),
        (set_row(3, "p_value", 0.5), "p_value of BLEU of poor: 0.5 then, 0.0"),
        (set_row(1, "ci", 1.5), "ci of chrF2++ of hyp: 1.5 then, "),
        (set_row(0, "name", "chrF2"), "name of BLEU of hyp is chrF2 in its settings, BLEU in its signature"),
        (set_row(2, "settings", {}), "case of TER of hyp is nothing in its settings, lc in its signature"),
        (set_setting("case", "mixed", "lc"), "score of BLEU of hyp: 43.19277"),
        (set_setting("tok", "13a", "intl"), "version of tokenizer 13a: 1 then, nothing now"),
        (set_setting("numrefs", 1, 2), "numrefs of BLEU of hyp: 2 then, 1 now"),
        (set_setting("seed", 12345, 1), "mean of BLEU of hyp: "),
        (lambda r: r["inputs"][0].update(bytes=3), "bytes of hypothesis hyp.de: 3 then, 4203 now"),
        (
            lambda r: r["inputs"][2].update(sha256="0" * 64),
            "reference a.de has changed: SHA-256 000000000000…",
        ),
        (lambda r: r["versions"]["tokenizers"].update({"13a": 2}), "version of tokenizer 13a: 2 then, 1 now"),
        (
            lambda r: r["gates"][0].update(passed=False),
            "passed of gate fail-under BLEU hyp: False then, True",
        ),
        (lambda r: r["gates"].pop(), "gate fail-on-regression TER poor is not in the report"),
        (lambda r: r.update(passed=True), "passed of all gates: True then, False now"),
        (lambda r: r["rows"].pop(4), "chrF2++ of poor is not in the report"),
        (
            lambda r: r["rows"].append(r["rows"][0] | {"group": {"half": "first"}}),
            "BLEU of hyp, half first does not come out again",
        ),
    ],
)
def test_every_change_is_named(
    change: Change, named: str, report: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever is changed in a report is named with both values: exit code 1."""
    change(report)
    code, lines = check(report, capsys)
    assert code == 1
    assert lines[0].startswith("not reproduced: ")
    assert any(line.startswith(named) for line in lines), lines


def test_changed_byte_is_named(
    folder: Path, report: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """One byte of an input makes its digest another, and the scores that follow from it are named."""
    data = bytearray((folder / "poor.de").read_bytes())
    data[0] ^= 1
    (folder / "poor.de").write_bytes(bytes(data))
    code, lines = check(report, capsys)
    assert code == 1
    assert lines[2].startswith("hypothesis poor.de has changed: SHA-256 3b37d9cd7c77… then, ")
    assert lines[3].startswith("score of BLEU of poor: 14.42")
    assert not any("of hyp" in line for line in lines)


def test_changed_setting_is_explained(report: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Where a setting was changed throughout, the one that gives the old score is found."""
    set_setting("case", "mixed", "lc")(report)
    _, lines = check(report, capsys)
    wanted = f"Note: BLEU of hyp is {report['rows'][0]['score']!r}, as in the report, with case.mixed."
    assert wanted in lines


def test_new_version_of_a_tokenizer_is_named(
    report: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tokenizer whose version was raised since is named, and its label in the signature."""
    monkeypatch.setattr(Tokenizer13a, "version", 2)
    tokenizer.cache_clear()
    code, lines = check(report, capsys)
    assert code == 1
    assert lines[2:4] == [
        "version of tokenizer 13a: 1 then, 2 now",
        "tok of BLEU of hyp: 13a then, 13a.2 now",
    ]


def test_other_versions_and_rounding_are_notes(
    report: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Another numpy, or a last digit that another processor rounds otherwise, is noted: exit code 0."""
    report["versions"]["numpy"] = "1.26.4"
    report["rows"][0]["score"] += 1e-13
    code, lines = check(report, capsys)
    assert (code, lines[0]) == (0, "reproduced: all 6 scores come out as in changed.json")
    assert lines[1].startswith("Note: score of BLEU of hyp differs by rounding only: 43.1927")
    assert lines[2].startswith("Note: version of numpy: 1.26.4 then, ")


def test_what_is_more_than_rounding_is_a_difference(
    report: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A score that differs in its ninth decimal does not come out again: exit code 1."""
    report["rows"][0]["score"] += 1e-9
    code, lines = check(report, capsys)
    assert (code, lines[0]) == (1, "not reproduced: 1 difference from changed.json")


def test_differences_are_found_in_any_order() -> None:
    """Rows of two reports are matched by what they are about, not by their places."""
    row = {
        "system": "a",
        "name": "BLEU",
        "score": 1.0,
        "signature": "BLEU+tok.13a",
        "settings": {"tok": "13a"},
    }
    data: dict[str, Any] = {
        "versions": {"tokenizers": {}},
        "inputs": [],
        "rows": [row, row | {"system": "b"}],
        "pairs": [],
        "clusters": [],
        "gates": [],
        "passed": True,
    }
    assert differences(data, data | {"rows": data["rows"][::-1]}) == []


def test_answer_as_json(report: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-f json` has every difference with its kind and both values."""
    report["rows"][0]["score"] = 40
    (folder / "changed.json").write_text(json.dumps(report), "utf-8")
    assert main(["reproduce", "changed.json", "-f", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["reproduced"], answer["scores"], answer["notes"]) == (False, 6, [])
    [difference] = answer["differences"]
    assert (difference["kind"], difference["where"], difference["then"]) == ("score", "BLEU of hyp", 40)
    assert difference["now"] == pytest.approx(43.1928, abs=5e-5)


# --- What is no report --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r: r.update(schema="mtscore-report/2"),
            "the report has the schema mtscore-report/2, known is mtscore-report/1 (a newer",
        ),
        (
            lambda r: r.update(schema="mtscore-report/x"),
            "the report has the schema mtscore-report/x, known is mtscore-report/1",
        ),
        (lambda r: r.pop("rows"), "the report has no list of rows"),
        (lambda r: r.update(rows=[]), "the report has no rows"),
        (lambda r: r.pop("versions"), "the report has no versions"),
        (lambda r: r["rows"][1].pop("score"), "the report is damaged: rows[1] has no proper score"),
        (lambda r: r["rows"][1].update(group="x"), "the report is damaged: rows[1] has no proper group"),
        (lambda r: r["inputs"].insert(0, 3), "the report is damaged: inputs[0] has no proper role"),
        (lambda r: r["rows"][0].update(system="x"), "the report is damaged: hyp.de is called x and hyp"),
        (lambda r: r["rows"][0].update(signature="BLEU+what.x"), "unknown key 'what'"),
    ],
)
def test_what_is_no_report(
    change: Change, message: str, report: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report of a newer schema, or one that is not whole, is an error that says so: exit code 2."""
    change(report)
    (folder / "changed.json").write_text(json.dumps(report), "utf-8")
    assert main(["reproduce", "changed.json"]) == 2
    output = capsys.readouterr()
    assert output.err.startswith(f"mtscore: error: {message}")
    assert output.out == ""


def test_published_number_of_a_report(report: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A report takes no published number."""
    assert main(["reproduce", "score.json", "--published", "28.3"]) == 2
    assert "--published: a report has scores of its own" in capsys.readouterr().err


def test_plan_of_a_report(report: dict[str, Any]) -> None:
    """The plan that gives a report again has its tests, limits and seed."""
    plan = Recorded.of(report).plan(model=None, facts={}, groups={})
    assert (plan.test, plan.trials, plan.resamples, plan.seed, plan.baseline) == ("ar", 60, 50, 12345, "hyp")
    assert [(limit.option, limit.metric, limit.value) for limit in plan.limits] == [
        ("fail-under", "BLEU", 20.0),
        ("max-drop", "chrF2++", 0.5),
    ]
    assert [metric.name for metric in plan.metrics] == ["BLEU", "chrF2++", "TER"]
