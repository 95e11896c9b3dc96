"""Saved models: what is written, what is left alone, what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from goodie import splits, synthetic
from goodie.config import build
from goodie.errors import InputError
from goodie.methods import METHODS, get
from goodie.methods.storage import MODEL, WEIGHTS, load, own_digest, save, task


@pytest.fixture(autouse=True, scope="module")
def _walks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Embeddings of walks are not left in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOODIE_HOME", str(tmp_path_factory.mktemp("walks")))
        yield


@pytest.fixture(scope="module")
def data():
    whole = synthetic(60, 3, num_features=12)
    return splits.stratified(whole.y, train=0.2, val=0.2).apply(whole)


@pytest.fixture
def saved(tmp_path: Path, data) -> Path:
    kind = get("mlp")
    method = kind(build(kind.Settings, {"max_epochs": 3})).fit(data)
    save(method, tmp_path / "m", extra={"note": [1, "two"]}, tensors={"t": torch.arange(3)})
    return tmp_path / "m"


def test_it_is_json_and_safetensors(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == {MODEL, WEIGHTS}
    page = json.loads((saved / MODEL).read_text())
    assert page["method"] == "mlp"
    assert page["settings"]["max_epochs"] == 3
    assert "method/weight_1" in load_file(saved / WEIGHTS)
    assert [path.name for path in saved.parent.iterdir()] == ["m"]


def test_its_task_is_told_without_loading_it(saved: Path) -> None:
    assert task(saved) == "node"
    (saved / WEIGHTS).unlink()
    assert task(saved) == "node"
    for text in ("[]", "{}", "{"):
        (saved / MODEL).write_text(text)
        assert task(saved) is None
    assert task(saved / "gone") is None


def test_what_was_saved_beside_comes_back(saved: Path) -> None:
    stored = load(saved)
    assert stored.extra == {"note": [1, "two"]}
    assert stored.tensors["t"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_predicts_the_same(name: str, data, tmp_path: Path) -> None:
    kind = get(name)
    quick = {"max_epochs": 3} if "max_epochs" in kind.Settings.__dataclass_fields__ else {}
    method = kind(build(kind.Settings, quick)).fit(data)
    save(method, tmp_path / "m")
    again = load(tmp_path / "m").method
    assert again.settings == method.settings
    assert again.predict_proba(data).equal(method.predict_proba(data))


def test_a_folder_of_something_else_is_left_alone(saved: Path, tmp_path: Path) -> None:
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter").write_text("1")
    with pytest.raises(InputError, match="is not a saved model, so it is left alone"):
        save(load(saved).method, precious)
    assert (precious / "chapter").read_text() == "1"


def test_what_cannot_be_written_leaves_the_old_model(saved: Path) -> None:
    with pytest.raises(TypeError, match="not JSON serializable"):
        save(load(saved).method, saved, extra={"bad": object()})
    assert load(saved).extra == {"note": [1, "two"]}


def change(saved: Path, **facts: object) -> None:
    """As a version that writes other facts would write them."""
    page = json.loads((saved / MODEL).read_text()) | facts
    del page["digest"]
    (saved / MODEL).write_text(json.dumps(page | {"digest": own_digest(page)}))


def test_refusals(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a saved model"):
        load(tmp_path / "nowhere")
    change(saved, format=99)
    with pytest.raises(InputError, match="has format 99; this version reads 2"):
        load(saved)
    change(saved, format=2, version=0)
    with pytest.raises(InputError, match="was saved by version 0 of mlp"):
        load(saved)
    change(saved, version=get("mlp").version, method="gone")
    with pytest.raises(InputError, match="unknown method 'gone'"):
        load(saved)
    change(saved, method="mlp", facts={})
    with pytest.raises(InputError, match="not a whole saved model"):
        load(saved)


@pytest.mark.parametrize("page", [[], {}, {"format": 2}, 3, "x"])
def test_what_others_wrote_is_refused(saved: Path, page: object) -> None:
    (saved / MODEL).write_text(json.dumps(page))
    with pytest.raises(InputError, match="not a whole saved model"):
        load(saved)


def test_what_was_changed_by_hand_is_refused(saved: Path) -> None:
    text = (saved / MODEL).read_text()
    (saved / MODEL).write_text(text.replace('"max_epochs": 3', '"max_epochs": 4'))
    with pytest.raises(InputError, match=r"model\.json is not as it was written"):
        load(saved)
    (saved / MODEL).write_text(text)
    weights = bytearray((saved / WEIGHTS).read_bytes())
    weights[-1] ^= 1
    (saved / WEIGHTS).write_bytes(weights)
    with pytest.raises(InputError, match=r"weights\.safetensors is not as it was written"):
        load(saved)


def test_files_beside_come_and_go_with_the_model(saved: Path) -> None:
    method = load(saved).method
    save(method, saved, beside={"note.txt": lambda path: path.write_text("one")})
    assert (saved / "note.txt").read_text() == "one"
    save(method, saved)
    assert not (saved / "note.txt").exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
def test_an_end_midway_leaves_the_old_model(saved: Path, error) -> None:
    def stop(path: Path) -> None:
        path.write_text("half")
        raise error

    stored = load(saved)
    with pytest.raises((KeyboardInterrupt, InputError)):
        save(stored.method, saved, extra={"new": True}, beside={"note.txt": stop})
    assert load(saved).extra == stored.extra
    assert [path.name for path in saved.parent.iterdir()] == ["m"]


def test_an_end_between_the_moves_brings_the_old_model_back(saved: Path, monkeypatch) -> None:
    stored = load(saved)
    move = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise KeyboardInterrupt
        return move(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        save(stored.method, saved, extra={"new": True})
    monkeypatch.undo()
    assert load(saved).extra == stored.extra
    assert [path.name for path in saved.parent.iterdir()] == ["m"]


@pytest.mark.parametrize("name", [MODEL, WEIGHTS])
def test_a_broken_file_is_said_to_be(saved: Path, name: str) -> None:
    (saved / name).write_bytes(b"\x00nothing")
    with pytest.raises(InputError, match="not a whole saved model"):
        load(saved)
