"""Make untrusted text harmless in each format: names of systems, segments of test sets.

XML is not here: it has its library.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"  # controls and line ends
    "\u202a-\u202e\u2066-\u2069"  # direction overrides, which reach beyond their text
    "\ud800-\udfff\ufffe\uffff]"  # what UTF-8 or XML cannot carry
)
_MARKDOWN = re.compile(r"[\\`*_{}\[\]|~$]")
_GITHUB = re.compile(r"@|#|:(?=//)|www(?=\.)")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{special: f"\\{special}" for special in "&%$#_"},
}


def plain(text: str) -> str:
    r"""Return text on one line in which control characters are spelt out.

    >>> plain("a\tb\x1b[31m")
    'a\\tb\\x1b[31m'
    """
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def json(document: str) -> str:
    r"""Return JSON whose texts hold no control character either: the standard lets some stand as they are.

    >>> json('["a\x9b31m"]')
    '["a\\u009b31m"]'
    """
    return _INVISIBLE.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", document)


def tsv(text: str) -> str:
    r"""Return text for a cell of a TSV table, in which a backslash begins what is spelt out.

    >>> tsv("a\tb\\c")
    'a\\tb\\\\c'
    """
    return plain(text.replace("\\", r"\\"))


def markdown(text: str) -> str:
    r"""Return text for a cell of a Markdown table: no markup, HTML, mention, issue or link comes of it.

    Behind what GitHub would turn into a link stands a zero-width space, since escapes do not stop that.

    >>> markdown("a|b <i> @me")
    'a\\|b &lt;i&gt; @&#8203;me'
    """
    escaped = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\g<0>", _GITHUB.sub(r"\g<0>&#8203;", escaped))


def markdown_code(text: str) -> str:
    """Return text as Markdown code, fenced by more backticks than it has in a row.

    >>> markdown_code("tok.13a")
    '`tok.13a`'
    """
    text = plain(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def latex(text: str) -> str:
    r"""Return text for LaTeX.

    >>> latex("BUPT_rush & 5%")
    'BUPT\\_rush \\& 5\\%'
    """
    return "".join(_LATEX.get(character, character) for character in plain(text))
