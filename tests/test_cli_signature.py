"""`mtscore signature` as a user runs it: what is printed where, and the exit codes."""

from __future__ import annotations

import json

from conftest import run

THEIRS = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
OURS = "BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0"


def test_explain_prints_a_line_for_each_field() -> None:
    """`explain` prints the signature in our style, its fields in words, and what has changed since."""
    done = run("signature", "explain", "TER+t.tercom-nonorm-punct-noasian-uncased+l.en-de+v.2.3.1 = 59.7")
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines[0] == "TER+asian.no+case.lc+lang.en-de+norm.no+punct.yes+tok.tercom+version.2.3.1"
    assert "case     lc      both sides are lowercased first; lowercasing makes more words" in lines
    assert "Note: since sacreBLEU 2.3.2: TER of segments with empty references changed." in lines
    assert max(map(len, lines)) <= 80


def test_explain_as_json() -> None:
    """`explain -f json` gives the canonical signature, its fields in order, and the remarks."""
    done = run("signature", "explain", "-f", "json", "BLEU|#:1|c:lc|t:wmt17|v:2.0.0")
    answer = json.loads(done.stdout)
    assert answer["signature"] == "BLEU+case.lc+numrefs.1+test.wmt17+version.2.0.0"
    assert [field["key"] for field in answer["fields"]] == ["name", "case", "numrefs", "test", "version"]
    assert answer["fields"][1]["meaning"] == "both sides are lowercased first"
    assert answer["remarks"] == []


def test_our_line_is_comparable_with_sacrebleus() -> None:
    """A line of sacreBLEU 2.6.0 and ours with equal settings are comparable, with a caveat: exit code 0."""
    done = run("signature", "compare", THEIRS, OURS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[:4] == [
        "comparable, with a caveat",
        "",
        "A  BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.2.6.0",
        f"B  {OURS}",
    ]


def test_equal_signatures_of_a_test_set_are_comparable() -> None:
    """Equal signatures that name their test set are comparable without a word more."""
    line = OURS.replace("tok", "test.wmt17+tok")
    done = run("signature", "compare", line, line)
    assert (done.returncode, done.stdout.decode().splitlines()[0]) == (0, "comparable")
    assert len(done.stdout.splitlines()) == 4


def test_other_tokenizers_are_not_comparable() -> None:
    """Signatures with different tokenizers are not comparable: exit code 1, the gravest difference first."""
    done = run("signature", "compare", THEIRS, OURS.replace("13a", "intl"))
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, lines[0], done.stderr) == (1, "not comparable", b"")
    assert lines[5].startswith("different  tok      13a / intl: ")


def test_compare_as_json() -> None:
    """`compare -f json` gives the verdict and every difference with its meaning, by the same exit codes."""
    done = run("signature", "compare", THEIRS, OURS.replace("mixed", "lc"), "-f", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert (answer["comparable"], answer["verdict"], answer["b"]) == (
        False,
        "different",
        OURS.replace("mixed", "lc"),
    )
    assert answer["differences"][0] == {
        "key": "case",
        "a": "mixed",
        "b": "lc",
        "verdict": "different",
        "meaning": "lowercasing makes more words match",
    }


def test_a_command_is_needed() -> None:
    """Alone, `signature` says which commands it has: exit code 2, and nothing on stdout."""
    done = run("signature")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"mtscore: error: signature needs a command (known: explain, compare)\n"


def test_an_unreadable_signature_is_shown_with_a_caret() -> None:
    """A signature that does not parse gives exit code 2, nothing on stdout, and a caret under the place."""
    for arguments in (("explain", "BLEU|nrefs:1|cse:lc"), ("compare", THEIRS, "BLEU|nrefs:1|cse:lc")):
        done = run("signature", *arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode().splitlines() == [
            "mtscore: error: unknown key 'cse' (did you mean case?)",
            "  BLEU|nrefs:1|cse:lc",
            "               ^^^",
        ]
