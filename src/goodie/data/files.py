"""Bringing a dataset's raw files into the cache: from a local mirror, or by an atomic download."""

import hashlib
import http.client
import os
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from goodie.appearing import appearing
from goodie.errors import DatasetUnavailableError

CHUNK = 1 << 20


@dataclass(frozen=True)
class RawFile:
    """One raw file of a dataset.

    Attributes:
        path: where it lies in the dataset's folder, such as `raw/data.json`.
        url: its public address; if `member` is set, that of the zip archive that holds it.
        sha256: of what the url gives, where it is known.
        member: path inside the archive.
        optional: a mirror may lack it.
    """

    path: str
    url: str
    sha256: str | None = None
    member: str | None = None
    optional: bool = False


def cache_folder() -> Path:
    """`GOODIE_HOME`, or `goodie` in the user's cache folder."""
    if home := os.environ.get("GOODIE_HOME"):
        return Path(home).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base).expanduser() if base else Path.home() / ".cache") / "goodie"


def mirror_folder() -> Path | None:
    """`GOODIE_MIRROR`: a local folder of raw files that is looked at before any download."""
    name = os.environ.get("GOODIE_MIRROR")
    return Path(name).expanduser() if name else None


def present(files: tuple[RawFile, ...], folder: Path) -> bool:
    """Whether every file that is not optional lies in the folder."""
    return all((folder / file.path).is_file() for file in files if not file.optional)


def fetch(files: tuple[RawFile, ...], folder: Path, mirror: Path | None) -> None:
    """Put the files into the folder: from the mirror if it has them, else by download.

    A file that is there already is left alone. Each appears whole or not at all. Nothing is
    downloaded for the sake of an optional file alone.
    """
    if mirror is not None and present(files, mirror):
        for file in _absent(files, folder):
            if (mirror / file.path).is_file():
                _copy(mirror / file.path, folder / file.path)
    if present(files, folder):
        return
    absent = _absent(files, folder)
    for url in dict.fromkeys(file.url for file in absent if not file.optional):
        _download(url, [file for file in absent if file.url == url], folder)


def _absent(files: tuple[RawFile, ...], folder: Path) -> list[RawFile]:
    return [file for file in files if not (folder / file.path).is_file()]


def _download(url: str, files: list[RawFile], folder: Path) -> None:
    """Download one address: the file itself, or an archive of which the members are taken."""
    with tempfile.TemporaryDirectory(prefix="goodie-") as scratch:
        whole = Path(scratch) / "download"
        _stream(url, whole, folder)
        digest = _sha256(whole)
        expected = files[0].sha256
        if expected is not None and digest != expected:
            raise DatasetUnavailableError(
                f"{url} gave a file with SHA-256 {digest}, expected {expected}. Nothing was kept. "
                "If the file was renewed on purpose, put it under GOODIE_MIRROR, which is trusted"
            )
        for file in files:
            if file.member is None:
                _copy(whole, folder / file.path)
            else:
                _extract(whole, file, folder / file.path)


def _extract(archive: Path, file: RawFile, path: Path) -> None:
    """Take one member out of a zip archive."""
    try:
        with zipfile.ZipFile(archive) as members:
            if file.member not in members.namelist():
                if file.optional:
                    return
                raise DatasetUnavailableError(f"{file.url} has no member {file.member}")
            with (
                members.open(file.member) as source,
                appearing(path) as temporary,
                temporary.open("wb") as target,
            ):
                shutil.copyfileobj(source, target, CHUNK)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise DatasetUnavailableError(f"{file.url} is not a sound zip archive: {error}") from error


def _stream(url: str, path: Path, folder: Path) -> None:
    """Write what the url gives to path, showing how far it is."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, path.open("wb") as out:
            size = int(answer.headers.get("Content-Length") or 0)
            with tqdm(
                total=size or None, unit="B", unit_scale=True, desc=url.rsplit("/", 1)[-1]
            ) as bar:
                while chunk := answer.read(CHUNK):
                    out.write(chunk)
                    bar.update(len(chunk))
            if size and out.tell() != size:
                raise OSError(f"got {out.tell():,} of {size:,} bytes")
    except (OSError, http.client.HTTPException) as error:  # urllib's own errors are OSErrors
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        raise DatasetUnavailableError(
            f"could not download {url}: {getattr(error, 'reason', error)}. Without a network, put "
            f"the raw files into {folder} or under a folder named by GOODIE_MIRROR"
        ) from error


def _copy(source: Path, path: Path) -> None:
    with appearing(path) as temporary:
        shutil.copyfile(source, temporary)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
