import hashlib
import io
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError

import pytest

from goodie.data import files
from goodie.data.files import RawFile, cache_folder, fetch, mirror_folder, present
from goodie.errors import DatasetUnavailableError

BODY = b"the graph of everything" * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


class Answer(NamedTuple):
    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] | None = None  # None: the right Content-Length


class Server(NamedTuple):
    url: str
    answers: dict[str, Answer]
    asked: list[str]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Gives what a test lays into `answers`, and 404 for all else."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    answers: dict[str, Answer] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer = answers.get(self.path, Answer(b"no such file", 404))
            self.send_response(answer.status)
            headers = answer.headers
            for header in headers if headers is not None else [length(len(answer.body))]:
                self.send_header(*header)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Server(f"http://127.0.0.1:{httpd.server_port}", answers, asked)
        httpd.shutdown()
        thread.join()


def length(size: int) -> tuple[str, str]:
    return "Content-Length", str(size)


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, body in members.items():
            archive.writestr(f"arxiv/{name}", body)
    return buffer.getvalue()


def tree(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    """All that lies in a folder, hidden files too: its bytes and when it was written."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
    }


def kept(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


# --- where things are ---------------------------------------------------------------------------


def test_the_cache_is_where_goodie_home_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOODIE_HOME", "~/graphs")
    assert cache_folder() == Path.home() / "graphs"


@pytest.mark.parametrize("empty", [True, False])
def test_the_cache_is_else_in_the_users_cache_folder(
    empty: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if empty:
        monkeypatch.setenv("GOODIE_HOME", "")
    else:
        monkeypatch.delenv("GOODIE_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "goodie"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "goodie"


@pytest.mark.parametrize(("value", "expected"), [("", None), ("/data", Path("/data"))])
def test_the_mirror_is_where_goodie_mirror_says(
    value: str, expected: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOODIE_MIRROR", value)
    assert mirror_folder() == expected
    monkeypatch.delenv("GOODIE_MIRROR")
    assert mirror_folder() is None


# --- from a mirror ------------------------------------------------------------------------------

NOWHERE = "http://127.0.0.1:9/never-asked"
PAIR = (RawFile("raw/a", NOWHERE), RawFile("split/time/b", NOWHERE))
WITH_OPTIONAL = (*PAIR, RawFile("raw/c", NOWHERE, optional=True))


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """Not the mirror of real datasets, but one of two small files."""
    folder = tmp_path / "mirror"
    for path, body in {"raw/a": b"A" * 100, "split/time/b": b"B", "raw/unasked": b"?"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(body)
    return folder


def test_a_mirror_is_copied_and_not_written_to(tmp_path: Path, mirror: Path) -> None:
    before = tree(mirror)
    fetch(WITH_OPTIONAL, tmp_path / "D", mirror)
    assert sorted(kept(tmp_path / "D")) == ["raw/a", "split/time/b"]
    assert (tmp_path / "D/raw/a").read_bytes() == b"A" * 100
    assert not (tmp_path / "D/raw/a").is_symlink()
    assert tree(mirror) == before


def test_copies_of_a_read_only_mirror_can_be_written_to(tmp_path: Path, mirror: Path) -> None:
    (mirror / "raw/a").chmod(0o444)
    fetch(PAIR, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/a").stat().st_mode & 0o200


def test_files_are_as_readable_as_any_other_file_the_user_makes(
    tmp_path: Path, mirror: Path
) -> None:
    """A cache may be shared by a group; `mkstemp` alone would make files for one's own eyes."""
    (tmp_path / "plain").write_bytes(b"")
    fetch(PAIR, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_optional_file_is_copied_where_the_mirror_has_it(tmp_path: Path, mirror: Path) -> None:
    (mirror / "raw/c").write_bytes(b"C")
    fetch(WITH_OPTIONAL, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/c").read_bytes() == b"C"


def test_an_optional_file_that_comes_to_the_mirror_later_is_copied_later(
    tmp_path: Path, mirror: Path
) -> None:
    fetch(WITH_OPTIONAL, tmp_path / "D", mirror)
    (mirror / "raw/c").write_bytes(b"C")
    fetch(WITH_OPTIONAL, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/c").is_file()


def test_what_is_there_is_left_alone(tmp_path: Path, mirror: Path) -> None:
    fetch(PAIR, tmp_path / "D", mirror)
    (tmp_path / "D/raw/a").write_bytes(b"mine")
    before = tree(tmp_path / "D")
    shutil.rmtree(mirror)
    fetch(PAIR, tmp_path / "D", None)
    assert tree(tmp_path / "D") == before


def test_what_is_there_is_left_alone_when_another_file_lacks(tmp_path: Path, mirror: Path) -> None:
    (tmp_path / "D/raw").mkdir(parents=True)
    (tmp_path / "D/raw/a").write_bytes(b"mine")
    fetch(PAIR, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/a").read_bytes() == b"mine"
    assert (tmp_path / "D/split/time/b").read_bytes() == b"B"


def test_a_copy_that_fails_leaves_nothing_half_there(
    tmp_path: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: Path, target: Path) -> None:
        Path(target).write_bytes(Path(source).read_bytes()[:50])
        raise OSError("disk full")

    monkeypatch.setattr(shutil, "copyfile", half)
    with pytest.raises(OSError, match="disk full"):
        fetch(PAIR, tmp_path / "D", mirror)
    assert kept(tmp_path / "D") == []
    assert not present(PAIR, tmp_path / "D")

    monkeypatch.undo()
    fetch(PAIR, tmp_path / "D", mirror)
    assert present(PAIR, tmp_path / "D")


def test_a_mirror_that_lacks_a_file_is_not_used(
    tmp_path: Path, mirror: Path, server: Server
) -> None:
    (mirror / "split/time/b").unlink()
    server.answers["/a"] = server.answers["/b"] = Answer(b"from the network")
    pair = RawFile("raw/a", f"{server.url}/a"), RawFile("split/time/b", f"{server.url}/b")
    fetch(pair, tmp_path / "D", mirror)
    assert (tmp_path / "D/raw/a").read_bytes() == b"from the network"


# --- from the network ---------------------------------------------------------------------------


@pytest.mark.parametrize("sha256", [SHA256, None], ids=["SHA-256 known", "not known"])
@pytest.mark.parametrize("headers", [None, ()], ids=["size known", "not known"])
def test_a_download_is_kept(
    sha256: str | None,
    headers: tuple[()] | None,
    tmp_path: Path,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.answers["/data.json"] = Answer(BODY, headers=headers)
    fetch((RawFile("raw/data.json", f"{server.url}/data.json", sha256),), tmp_path, None)
    assert kept(tmp_path) == ["raw/data.json"]
    assert (tmp_path / "raw/data.json").read_bytes() == BODY
    out, err = capsys.readouterr()
    assert out == ""
    assert "data.json" in err  # the progress bar


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 5000, 8192, 23_000])
@pytest.mark.parametrize("chunk", [1000, 1 << 20])
def test_files_of_any_size_come_whole(
    size: int, chunk: int, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small ones too: the last of a download may still be in a buffer when its size is checked."""
    monkeypatch.setattr(files, "CHUNK", chunk)
    server.answers["/data"] = Answer(BODY[:size])
    fetch((RawFile("raw/data", f"{server.url}/data"),), tmp_path, None)
    assert (tmp_path / "raw/data").read_bytes() == BODY[:size]


def test_only_what_lacks_is_downloaded(tmp_path: Path, server: Server) -> None:
    server.answers["/b"] = Answer(b"B")
    (tmp_path / "a").write_bytes(b"mine")
    pair = RawFile("a", f"{server.url}/a"), RawFile("b", f"{server.url}/b")
    fetch(pair, tmp_path, None)
    assert server.asked == ["/b"]
    assert (tmp_path / "a").read_bytes() == b"mine"


BROKEN: dict[str, tuple[Answer, str]] = {
    "another file": (Answer(BODY[:-1]), f"SHA-256 .*, expected {SHA256}. Nothing was kept"),
    "an empty file": (Answer(b""), "SHA-256"),
    "half of it": (Answer(BODY[:500], headers=(length(len(BODY)),)), "got 500 of 23,000 bytes"),
    "half a chunk": (
        Answer(b"fff\r\nhalf", headers=(("Transfer-Encoding", "chunked"),)),
        "GOODIE_MIRROR",
    ),
    "404": (Answer(b"?", 404), "Not Found.*GOODIE_MIRROR"),
    "500": (Answer(b"?", 500), "Internal Server Error.*GOODIE_MIRROR"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_download_is_refused_and_nothing_kept(
    case: str, tmp_path: Path, server: Server
) -> None:
    answer, message = BROKEN[case]
    server.answers["/data.json"] = answer
    file = RawFile("raw/data.json", f"{server.url}/data.json", SHA256)
    with pytest.raises(DatasetUnavailableError, match=message) as caught:
        fetch((file,), tmp_path, None)
    assert file.url in str(caught.value)
    assert kept(tmp_path) == []

    cause = caught.value.__cause__
    if isinstance(cause, HTTPError):  # is a connection too, which must not be left open
        was_closed = cause.fp.closed
        cause.close()
        assert was_closed

    server.answers["/data.json"] = Answer(BODY)
    fetch((file,), tmp_path, None)
    assert (tmp_path / file.path).read_bytes() == BODY


def test_without_a_network_the_message_says_what_to_do(tmp_path: Path, server: Server) -> None:
    url = server.url.rpartition(":")[0] + ":1/data.json"
    with pytest.raises(DatasetUnavailableError, match="refused") as caught:
        fetch((RawFile("raw/data.json", url),), tmp_path, None)
    for word in (url, str(tmp_path), "GOODIE_MIRROR"):
        assert word in str(caught.value)
    assert kept(tmp_path) == []


# --- out of an archive --------------------------------------------------------------------------


def archived(server: Server, *names: str, sha256: str | None = None) -> tuple[RawFile, ...]:
    url = f"{server.url}/arxiv.zip"
    return tuple(
        RawFile(f"raw/{name}", url, sha256, member=f"arxiv/{name}", optional=name == "optional")
        for name in names
    )


def test_members_of_an_archive_are_kept_and_it_is_asked_for_once(
    tmp_path: Path, server: Server
) -> None:
    body = zipped(a=b"A", b=b"B", unasked=b"?", optional=b"O")
    server.answers["/arxiv.zip"] = Answer(body)
    wanted = archived(server, "a", "b", "optional", sha256=hashlib.sha256(body).hexdigest())
    fetch(wanted, tmp_path, None)
    assert sorted(kept(tmp_path)) == ["raw/a", "raw/b", "raw/optional"]
    assert (tmp_path / "raw/b").read_bytes() == b"B"
    assert server.asked == ["/arxiv.zip"]


def test_an_archive_may_lack_what_is_optional(tmp_path: Path, server: Server) -> None:
    server.answers["/arxiv.zip"] = Answer(zipped(a=b"A"))
    fetch(archived(server, "a", "optional"), tmp_path, None)
    assert kept(tmp_path) == ["raw/a"]


BAD_ARCHIVES: dict[str, Callable[[], bytes]] = {
    "not an archive": lambda: BODY,
    "lacks a member": lambda: zipped(b=b"B"),
    "damaged member": lambda: zipped(a=BODY).replace(BODY[:50], b"?" * 50, 1),
}


@pytest.mark.parametrize("case", BAD_ARCHIVES)
def test_a_bad_archive_is_refused_and_nothing_kept(
    case: str, tmp_path: Path, server: Server
) -> None:
    server.answers["/arxiv.zip"] = Answer(BAD_ARCHIVES[case]())
    with pytest.raises(DatasetUnavailableError, match=r"arxiv\.zip"):
        fetch(archived(server, "a"), tmp_path, None)
    assert kept(tmp_path) == []
