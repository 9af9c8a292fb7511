"""Read the bytes of a file in blocks of whole lines, under any supported compression.

Compression is recognized by the first bytes, not the name. The hash covers the decompressed
content, so recompressing a file does not change its hash.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import zstandard

from pooling.errors import UnreadableContent

MAX_BYTES = 20 * 1024**3
"""Default limit on the decompressed size of one file."""
BLOCK_BYTES = 8 * 1024**2
PIECE_BYTES = 8192
LONGEST_LINE = 64 * 1024**2
BOM = b"\xef\xbb\xbf"

_ARCHIVES = {b"PK\x03\x04": "zip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar"}
"""First bytes → name of an archive format. Archives can contain several files and are refused."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_MOST_NULS = 0.1
"""The largest share of NUL bytes at the beginning of a text; UTF-16 and programs have more."""

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""A callback. Readers of files call it with the number of bytes read so far and the file's size, both compressed."""

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_CORRUPT = (zlib.error, lzma.LZMAError, zstandard.ZstdError, gzip.BadGzipFile, OSError, ValueError)


class _ZstdReader(io.RawIOBase):
    """A zstd stream that detects truncation, which zstandard's own reader does not.

    It decompresses 2 KiB at a time, so that the size limit stops a decompression bomb before it fills the memory.
    """

    feed = 2048

    def __init__(self, source: BinaryIO) -> None:
        self.source = source
        self.frame: zstandard.ZstdDecompressionObj | None = None
        self.pending = memoryview(b"")
        self.compressed = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self.pending:
            chunk = self.compressed or self.source.read(self.feed)
            self.compressed = b""
            if not chunk:
                if self.frame is not None:
                    raise EOFError("the last zstd frame is incomplete")
                return 0
            self.frame = self.frame or zstandard.ZstdDecompressor().decompressobj()
            self.pending = memoryview(self.frame.decompress(chunk))
            if self.frame.eof:
                self.compressed = self.frame.unused_data
                self.frame = None
        size = min(len(target), len(self.pending))
        target[:size] = self.pending[:size]
        self.pending = self.pending[size:]
        return size


def compression(first_bytes: bytes) -> str:
    """Return the compression: ``gzip``, ``bzip2``, ``xz``, ``zstd``, or ``""`` for no known compression."""
    return next((name for magic, name in _MAGIC.items() if first_bytes.startswith(magic)), "")


def _decompress(raw: BinaryIO, kind: str) -> BinaryIO:
    if kind == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if kind == "bzip2":
        return cast(BinaryIO, bz2.BZ2File(raw))
    if kind == "xz":
        return cast(BinaryIO, lzma.LZMAFile(raw))
    if kind == "zstd":
        return cast(BinaryIO, _ZstdReader(raw))
    return raw


@dataclass
class Content:
    """The decompressed content of a file, read once in blocks of whole lines.

    ``name`` is the file's name in errors. After the last block, ``sha256`` and ``size`` cover the whole decompressed
    content.
    """

    path: Path
    name: str = ""
    max_bytes: int = MAX_BYTES
    progress: Progress | None = None
    size: int = 0
    _hash: hashlib._Hash = field(default_factory=hashlib.sha256, repr=False)
    _read: tuple[int, int] = (0, 0)
    """Bytes of the file read so far, and its size."""

    def __post_init__(self) -> None:
        self.name = self.name or str(self.path)

    def again(self, progress: Progress | None = None) -> Content:
        """Return the same content, to be read once more."""
        return Content(self.path, self.name, self.max_bytes, progress)

    @property
    def sha256(self) -> str:
        """The hex digest of the decompressed content read so far."""
        return self._hash.hexdigest()

    @cached_property
    def likely_bytes(self) -> int:
        """A generous estimate of the decompressed size, for allocating memory."""
        size = self.path.stat().st_size
        return min(size * 16 if compression_of(self.path) else size, self.max_bytes)

    def blocks(self) -> Iterator[bytes]:
        """Yield blocks of whole lines. The next block is read while the caller processes the current one.

        A byte order mark is dropped and a missing final line feed added. The hash covers the content before these
        changes. Raises UnreadableContent.
        """
        return self.prepared(bytes)

    def prepared(self, prepare: Callable[[bytes], T]) -> Iterator[T]:
        """Yield the result of ``prepare`` for each block, computed in the reading thread.

        A small file is read without a thread. Progress is reported in the caller's thread, because it may write to a
        database that the caller's transaction has locked.
        """
        for block in self._prepared(prepare):
            if self.progress is not None:
                self.progress(*self._read)
            yield block

    def _prepared(self, prepare: Callable[[bytes], T]) -> Iterator[T]:
        made = map(prepare, self._blocks())
        if not self.path.is_file() or self.likely_bytes < BLOCK_BYTES:
            yield from made
            return
        with ThreadPoolExecutor(1, "read-ahead") as reader:
            following = reader.submit(next, made, None)
            while (block := following.result()) is not None:
                following = reader.submit(next, made, None)
                yield block

    def _blocks(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as raw:
                total = self.path.stat().st_size
                kind = compression(raw.peek(8))
                self._refuse_archive(raw.peek(8))
                for number, block in enumerate(self._whole_lines(_decompress(cast(BinaryIO, raw), kind))):
                    if number == 0:
                        self._refuse_other_than_text(block[:PIECE_BYTES])
                    self._read = raw.tell(), total
                    yield block
        except EOFError:
            raise self._damaged(f"the {kind} stream ends early: the file is truncated.") from None
        except FileNotFoundError:
            raise UnreadableContent(self.name, 0, "there is no such file.") from None
        except _CORRUPT as error:
            if compression_of(self.path):
                raise self._damaged(f"the {kind} data is corrupt ({error}).") from error
            raise UnreadableContent(self.name, 0, f"the file cannot be read ({error}).") from error

    def _whole_lines(self, stream: BinaryIO) -> Iterator[bytes]:
        if small := self._small(stream):
            yield small
            return
        buffer = bytearray(min(BLOCK_BYTES, self.likely_bytes + 1))
        held = 0
        first = True
        while read := self._fill(stream, buffer, held):
            end = held + read
            cut = buffer.rfind(b"\n", 0, end) + 1
            if not cut and end >= LONGEST_LINE:
                raise UnreadableContent(
                    self.name,
                    line_at(self.path, self.size - end),
                    f"the line is longer than {LONGEST_LINE // 1024**2} MiB.",
                    "Check that the file's lines end with line breaks.",
                )
            if cut:
                start = len(BOM) if first and buffer.startswith(BOM) else 0
                first = False
                if cut > start:
                    yield bytes(memoryview(buffer)[start:cut])
            held = end - cut
            buffer[:held] = buffer[cut:end]
            if held > len(buffer) // 2:
                buffer.extend(bytes(len(buffer)))
        rest = bytes(memoryview(buffer)[:held])
        if first:
            rest = rest.removeprefix(BOM)
        if rest:
            yield rest + b"\n"

    def _small(self, stream: BinaryIO) -> bytes:
        """Return all of a small uncompressed file, or nothing for other files.

        Reading it at once saves copying it twice.
        """
        if not isinstance(stream, io.BufferedReader) or self.likely_bytes >= BLOCK_BYTES:
            return b""
        # Bypass the buffer: it contains the peeked bytes, and the rest would be copied behind them.
        stream.raw.seek(0)
        content: bytes = stream.raw.readall()
        stream.seek(0, io.SEEK_END)
        self._hash.update(content)
        self._count(len(content))
        content = content.removeprefix(BOM)
        return content if not content or content.endswith(b"\n") else content + b"\n"

    def _fill(self, stream: BinaryIO, buffer: bytearray, held: int) -> int:
        read = 0
        with memoryview(buffer) as view:
            while held + read < len(buffer):
                got = stream.readinto(view[held + read :])  # type: ignore[attr-defined]
                if not got:
                    break
                read += got
            self._hash.update(view[held : held + read])
        self._count(read)
        return read

    def _count(self, read: int) -> None:
        self.size += read
        if self.size > self.max_bytes:
            raise self._refuse(
                f"the content is larger than {self.max_bytes:,} bytes when decompressed.",
                "Split the file or send it uncompressed; PREFEREE_MAX_DECOMPRESSED_BYTES is the limit for any file, "
                "PREFEREE_MAX_RUN_BYTES for a run.",
            )

    def _refuse_archive(self, first_bytes: bytes) -> None:
        for magic, kind in _ARCHIVES.items():
            if first_bytes.startswith(magic):
                raise self._refuse(
                    f"the file is a {kind} archive.",
                    "Unpack it and send the file inside, plain or compressed with gzip, bzip2, xz or zstd.",
                )

    def _refuse_other_than_text(self, first_bytes: bytes) -> None:
        if first_bytes.startswith(_UTF_16):
            raise self._refuse("the file is UTF-16, not UTF-8.", "Save it as UTF-8 and send it again.")
        if first_bytes.count(0) > _MOST_NULS * len(first_bytes):
            raise self._refuse(
                "the file is not text.",
                "Send a text file in UTF-8, plain or compressed with gzip, bzip2, xz or zstd.",
            )

    def _damaged(self, reason: str) -> UnreadableContent:
        line = last_readable_line(self.path)
        return UnreadableContent(self.name, line, reason, "Copy the file again and compare its checksum.")

    def _refuse(self, reason: str, next_step: str) -> UnreadableContent:
        return UnreadableContent(self.name, 0, reason, next_step)


def last_readable_line(path: Path) -> int:
    """Return the line at which a compressed file becomes unreadable, for error messages."""
    return line_at(path, sys.maxsize)


def line_at(path: Path, offset: int) -> int:
    """Return the number of the line with this byte of the decompressed file, or the last readable line before it."""
    lines = 1
    try:
        with path.open("rb") as raw:
            stream = _decompress(cast(BinaryIO, raw), compression(raw.peek(8)))
            # Read in small pieces: lines before the damage are lost with the piece that contains it.
            while piece := stream.read(min(PIECE_BYTES, offset)):
                lines += piece.count(b"\n")
                offset -= len(piece)
    except (EOFError, *_CORRUPT):
        pass
    return lines


def compression_of(path: Path) -> str:
    """Return the compression of a file from its first bytes; ``""`` if it is not compressed or is not a file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return compression(file.read(8))


def numbered_lines(content: Content) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) for each line that is not blank, without its line end. Blank lines are counted, too."""
    number = 0
    for block in content.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            if line.strip():
                yield number, line.rstrip(b"\r")


def line_text(content_name: str, number: int, line: bytes) -> str:
    """Return a line as text.

    Raises UnreadableContent if it is not UTF-8, contains a NUL, or begins with a byte order mark.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableContent(
            content_name,
            number,
            f"the line is not UTF-8 (byte {line[error.start]:#04x} at position {error.start + 1}).",
            "Convert the file to UTF-8.",
        ) from None
    if "\x00" in text:
        raise UnreadableContent(content_name, number, "the line contains a NUL byte.")
    if text.startswith("\ufeff"):  # reading removes only a mark at the beginning of the file
        raise UnreadableContent(
            content_name,
            number,
            "the line begins with a byte order mark.",
            "Remove it: only the file as a whole may begin with one.",
        )
    return text
