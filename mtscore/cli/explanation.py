"""An explanation of one segment's BLEU as people read it, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mtscore.report.escaping import plain
from mtscore.report.rows import dumps, present
from mtscore.report.table import display_width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtscore.explain import Explanation, NGram, Order

    Paint: TypeAlias = Callable[[str, int], str]

LABEL_WIDTH, TEXT_WIDTH, NGRAM_WIDTH, FACT_WIDTH = 13, 34, 13, 18
NGRAMS_ON_A_PAGE = 14
"""Up to so many, those of a sentence of five words, all orders are shown."""


def shown_orders(found: Explanation, order: int | str | None) -> list[Order]:
    """Return the orders whose n-grams are shown.

    If none was asked for: all that exist if they fit on a page, else the lowest at which something is missed.
    """
    existing = [each for each in found.orders if each.ngrams]
    if order is None:
        few = sum(len(each.ngrams) for each in existing) <= NGRAMS_ON_A_PAGE
        order = "all" if few else found.lowest_miss
    return [each for each in existing if order in ("all", each.order)]


def as_json(found: Explanation, order: int | str | None, line: int | None = None) -> str:
    """Return the explanation as JSON: a row as `mtscore score -f json` has it, and what is behind it."""
    score = found.score
    row = {
        "name": score.name,
        "score": score.score,
        "signature": score.signature.format(),
        "settings": dict(score.signature.settings),
        "verbose_score": score.verbose,
        **score.details,
        "segment": line,
        "effective_order": found.effective_order,
        "hypothesis": list(found.hypothesis),
        "references": [list(reference) for reference in found.references],
        "closest_reference": found.closest + 1,
        "orders": [_order_data(each) for each in shown_orders(found, order or "all")],
    }
    return dumps(present(row), indent=2)


def _order_data(order: Order) -> dict[str, Any]:
    row = {
        "order": order.order,
        "correct": order.correct,
        "total": order.total,
        "precision": order.precision,
        "smoothed": None if order.smoothed is None else str(order.smoothed),
        "ngrams": [
            {
                "ngram": " ".join(ngram.tokens),
                "count": ngram.count,
                "in_references": list(ngram.in_references),
                "clipped": ngram.clipped,
            }
            for ngram in order.ngrams
        ],
    }
    return present(row)


def as_text(found: Explanation, order: int | str | None, paint: Paint) -> str:
    """Return the explanation for people; `paint` may colour, and takes no space."""
    shown = shown_orders(found, order)
    tables = ["\n".join(_table(each, paint)) for each in shown]
    others = [each for each in found.orders if each.ngrams and each not in shown]
    if others and tables:
        tables[-1] += f"\n{_others(others, paint)}"
    return "\n\n".join(["\n".join(_segment(found, paint)), *tables, "\n".join(_score(found))])


def _segment(found: Explanation, paint: Paint) -> Iterator[str]:
    """Yield the lines of the texts, each with its number of tokens."""
    several = len(found.references) > 1
    digits = max(len(str(len(tokens))) for tokens in (found.hypothesis, *found.references))
    words = [
        (plain(token), order) for token, order in zip(found.hypothesis, found.matched_orders(), strict=True)
    ]
    case = ", lower case" if found.metric.lowercase else ""
    settings = f"{found.score.signature.settings['tok']}{case}"
    unit = "token" if len(words) == 1 else "tokens"
    yield from _text("hypothesis", words, paint, f"{len(words):>{digits}} {unit} ({settings})")
    for index, reference in enumerate(found.references):
        mark = "  <- closest length" if several and index == found.closest else ""
        label = f"reference {index + 1}" if several else "reference"
        unpainted = [(plain(token), 0) for token in reference]
        yield from _text(label, unpainted, lambda text, _order: text, f"{len(reference):>{digits}}{mark}")


def _text(label: str, words: Sequence[tuple[str, int]], paint: Paint, remark: str) -> Iterator[str]:
    """Yield a text in its column, with a label before and a remark behind its first line."""
    for number, line in enumerate(_wrap(words)):
        blank = " " * (TEXT_WIDTH - display_width(" ".join(word for word, _ in line)))
        text = " ".join(paint(word, order) for word, order in line)
        yield f"{label:<{LABEL_WIDTH}}{text}{blank}  {remark}" if not number else f"{'':<{LABEL_WIDTH}}{text}"


def _wrap(words: Sequence[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Return the words of each line; a word that is wider than a line has one of its own."""
    lines: list[list[tuple[str, int]]] = [[]]
    used = 0
    for word, order in words:
        width = display_width(word)
        if lines[-1] and used + 1 + width > TEXT_WIDTH:
            lines.append([])
        used = used + 1 + width if lines[-1] else width
        lines[-1].append((word, order))
    return lines


def _table(order: Order, paint: Paint) -> Iterator[str]:
    texts = [plain(" ".join(ngram.tokens)) for ngram in order.ngrams]
    width = max(NGRAM_WIDTH, *map(display_width, texts))
    title = f"{order.order}-grams"
    yield f"{paint(title, order.order)}{' ' * (width - len(title))}  count  in a reference (max)  clipped"
    for text, ngram in zip(texts, order.ngrams, strict=True):
        blank = " " * (width - display_width(text))
        row = f"{text}{blank}  {ngram.count:>5}  {ngram.most:<20}  {ngram.clipped:>7}   {_remark(ngram)}"
        yield row.rstrip()
    share = f"p{order.order} = {order.counted} = {100 * order.correct / order.total:.1f}"
    yield f"{'':<{width}}  {order.total:>5}  {'':<20}  {order.correct:>7}   {share}"


def _remark(ngram: NGram) -> str:
    """Return what is wrong with an n-gram, if anything."""
    excess = ngram.count - ngram.clipped
    if not ngram.most:
        return "not in a reference"
    return "" if not excess else "one too many" if excess == 1 else f"{excess} too many"


def _others(orders: Sequence[Order], paint: Paint) -> str:
    """Return the shares of the orders that are not shown, and how to see them."""
    shares = ", ".join(paint(f"{each.order}-grams {each.counted}", each.order) for each in orders)
    return f"({shares}: {', '.join(f'-n {each.order}' for each in orders)}, -n all)"


def _score(found: Explanation) -> Iterator[str]:
    """Yield what the score is made of: orders, smoothing, brevity penalty, product."""
    if not found.hypothesis:
        yield "BLEU = 0.00: the hypothesis has no tokens"
        return
    length, order = len(found.hypothesis), found.effective_order
    if order < found.metric.max_ngram_order:
        have = "token has" if length == 1 else "tokens have"
        why = f"{length} {have} no {order + 1}-gram (as with -sl)"
        yield _fact("effective order", f"{order}, not {found.metric.max_ngram_order}: {why}")
    for number, line in enumerate(_smoothing(found)):
        yield _fact("" if number else "smoothing", line)
    closest = len(found.references[found.closest])
    yield _fact(
        "brevity penalty",
        f"{length} >= {closest}: 1.000"
        if length >= closest
        else f"{length} < {closest}: exp(1 - {closest}/{length}) = {found.score.bp:.3f}",
    )
    factors = " × ".join(str(each.smoothed or each.counted) for each in found.orders[:order])
    yield f"BLEU = {found.score.bp:.3f} × ({factors})^(1/{order}) = {found.score.score:.2f}"


def _fact(label: str, text: str) -> str:
    return f"{label:<{FACT_WIDTH}}{text}"


def _smoothing(found: Explanation) -> Iterator[str]:
    """Yield how precisions were smoothed, or why one of 0 was not."""
    if not any(found.score.counts):
        yield "none, as no n-gram is in a reference: BLEU is 0"
        return
    method = found.metric.smooth_method
    for each in found.orders[: found.effective_order]:
        share = f"p{each.order} = {each.counted}"
        if each.smoothed:
            numerator, denominator = each.smoothed.numerator, each.smoothed.denominator
            percent = f"100/{denominator}" if numerator == "1" else f"100·{numerator}/{denominator}"
            yield f"{share} → {percent} = {each.precision:.3g} ({method})"
        elif not each.correct:
            yield f"{share} is not smoothed: BLEU is 0"
