"""Do the same work on many items in several processes, with results in the order of the items.

Threads would wait for each other, since between two operations on arrays there is always some Python. The
processes are forked, so they have everything at hand, and this one takes part in the work. Items and results
lie in memory that two processes share; pipes only tell when. Where the system cannot fork, this process does
everything.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import signal
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

from mtscore.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")
Outcome: TypeAlias = tuple[R | None, Exception | None]
"""A result or an error."""

SLOTS = 2
"""How many items a worker has at a time: one to work on and the next one, so that it need not wait."""
SLOT_BYTES = 1 << 28
"""Room for an item or its result; memory is taken only for what they need."""
LARGEST_ITEM = SLOT_BYTES // 4
SIZE_BYTES = 8


def in_order(work: Callable[[T], R], items: Iterable[T], jobs: int) -> Iterator[tuple[T, R]]:
    """Yield each item with what `work` makes of it, by as many processes as there are jobs.

    Items and results are pickled, `work` is not. What `work` or the items raise is raised here, after the
    results of the items before.
    """
    workers: list[_Worker[T, R]] = []
    waiting: deque[tuple[T, _Worker[T, R] | _Done[R]]] = deque()
    read = _Reader(items)
    try:
        if hasattr(os, "fork"):
            with suppress(OSError):  # no room for more: then those that there are
                for _ in range(jobs - 1):
                    workers.append(_Worker(work, workers))
        for item in read:
            waiting.append((item, _given(item, workers) or _Done(_outcome(work, item))))
            while waiting and (waiting[0][1].is_ready() or len(waiting) > 2 * SLOTS * jobs):
                first, by = waiting.popleft()
                yield first, by.result()
        for item, by in waiting:
            yield item, by.result()
    finally:
        for worker in workers:
            worker.stop()
    if read.error:
        raise read.error


class _Reader(Generic[T]):
    """Yield items up to the first error, and remember it."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = items
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[T]:
        try:
            yield from self._items
        except Exception as error:  # noqa: BLE001  # raised again when its time has come
            self.error = error


def _given(item: T, workers: Sequence[_Worker[T, R]]) -> _Worker[T, R] | None:
    """Give an item to a worker; None where each has enough of them, or the item is too large."""
    worker = next((worker for worker in workers if worker.has_room()), None)
    if not worker:
        return None
    data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
    if len(data) > LARGEST_ITEM:
        return None
    worker.give(data)
    return worker


def _outcome(work: Callable[[T], R], item: T) -> Outcome[R]:
    try:
        return work(item), None
    except Exception as error:  # noqa: BLE001  # raised again where the result is asked for
        return None, error


def _result(outcome: Outcome[R]) -> R:
    result, error = outcome
    if error:
        raise error
    return cast("R", result)


class _Done(Generic[R]):
    """Hold what this process has done itself."""

    def __init__(self, outcome: Outcome[R]) -> None:
        self._outcome = outcome

    def is_ready(self) -> bool:
        """Return that it is."""
        return True

    def result(self) -> R:
        """Return the result."""
        return _result(self._outcome)


class _Worker(Generic[T, R]):
    """Have a process of its own work on items, one after the other."""

    def __init__(self, work: Callable[[T], R], others: Sequence[_Worker[T, R]]) -> None:
        self._slots = [mmap.mmap(-1, SLOT_BYTES) for _ in range(SLOTS)]
        self._taken = self._returned = 0
        ends: list[int] = []
        try:
            ends += os.pipe()
            ends += os.pipe()
            self._process = os.fork()
        except OSError:
            for end in ends:
                os.close(end)
            raise
        requests, self._requests, self._answers, answers = ends
        if not self._process:
            try:
                for worker in (*others, self):  # so that the pipes end when this process does
                    worker.close()
                self._serve(work, requests, answers)
            finally:  # and nothing else of what the program does at its end
                os._exit(0)
        os.close(requests)
        os.close(answers)

    def has_room(self) -> bool:
        """Return whether the process can have another item."""
        return self._taken - self._returned < SLOTS

    def give(self, data: bytes) -> None:
        """Give the process another item, pickled."""
        try:
            _put(data, self._slots[self._taken % SLOTS], self._requests)
        except BrokenPipeError:  # not of the output, as it would seem further up
            raise _lost() from None
        self._taken += 1

    def is_ready(self) -> bool:
        """Return whether the next result is there."""
        return bool(select.select([self._answers], [], [], 0)[0])

    def result(self) -> R:
        """Return the next result, as soon as it is there."""
        data = _get(self._slots[self._returned % SLOTS], self._answers)
        if data is None:
            raise _lost()
        self._returned += 1
        outcome: Outcome[R] = pickle.loads(data)  # noqa: S301  # from our own process
        return _result(outcome)

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.close()
        os.kill(self._process, signal.SIGKILL)
        with suppress(ChildProcessError):  # where the caller ignores SIGCHLD, nobody has to wait
            os.waitpid(self._process, 0)

    def close(self) -> None:
        """Close this end of the pipes."""
        os.close(self._requests)
        os.close(self._answers)

    def _serve(self, work: Callable[[T], R], requests: int, answers: int) -> None:
        """Work on items until there are no more, or nobody is there to ask for them."""
        number = 0
        while (data := _get(self._slots[number % SLOTS], requests)) is not None:
            outcome = _outcome(work, pickle.loads(data))  # noqa: S301
            _put(_packed(outcome), self._slots[number % SLOTS], answers)
            number += 1


def _packed(outcome: Outcome[R]) -> bytes:
    """Pickle a result, or the error that it has no room."""
    data = pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL)
    if len(data) <= SLOT_BYTES:
        return data
    what = f"a result of {len(data):,} bytes has no room in the {SLOT_BYTES:,} that processes share"
    return pickle.dumps((None, WorkerError(what, hint="a single job (-j 1) has no such limit")))


def _lost() -> WorkerError:
    return WorkerError("a process that shared the work has ended", hint="fewer jobs (-j) need less memory")


def _put(data: bytes, slot: mmap.mmap, pipe: int) -> None:
    slot[: len(data)] = data
    os.write(pipe, len(data).to_bytes(SIZE_BYTES))


def _get(slot: mmap.mmap, pipe: int) -> memoryview | None:
    """Return what has been put into a slot, nothing if the other process has ended."""
    size = os.read(pipe, SIZE_BYTES)
    return memoryview(slot)[: int.from_bytes(size)] if size else None
