"""`goodie report`, from a folder on disk to a page."""

import json
from pathlib import Path

import pytest

from goodie import GoodieClassifier, missing, report, splits, synthetic
from goodie.report import Account
from helpers import Cli


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Account]:
    data = synthetic(200, 3, num_features=8, random_state=0)
    data = splits.stratified(data.y, train=0.2, val=0.4).apply(missing.uniform(data, 0.5))
    model = GoodieClassifier(max_epochs=10).fit(data)
    folder = tmp_path_factory.mktemp("saved") / "model"
    model.save(folder)
    account = report.account(model, data)
    report.save(account, folder)
    return folder, account


@pytest.fixture
def folder(made: tuple[Path, Account]) -> Path:
    return made[0]


def test_a_page_and_a_sentence(
    folder: Path, made: tuple[Path, Account], tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "report.html"
    ran = cli("report", str(folder), "--out", str(out))
    assert (ran.code, ran.err) == (0, "")
    assert out.read_text() == report.render(made[1])
    said = " ".join(ran.out.split())
    assert "report.html, 0." in said
    assert made[1].verdict is not None
    assert f"Right on {made[1].verdict.accuracy.share:.1%}" in said


def test_json(folder: Path, made: tuple[Path, Account], tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "report.html"
    ran = cli("report", str(folder), "--out", str(out), "--json")
    said = json.loads(ran.out)
    verdict = made[1].verdict
    assert verdict is not None
    assert said["report"] == str(out)
    assert said["bytes"] == out.stat().st_size
    assert (said["judged_on"], said["judged"]) == ("test", verdict.accuracy.nodes)
    assert said["accuracy"] == verdict.accuracy.share
    assert said["calibration_error"]["after"] == verdict.after.error
    assert list(said["coverage"]) == ["0.95", "0.9", "0.8"]


def test_it_writes_over_an_older_page_but_not_into_the_model(
    folder: Path, tmp_path: Path, cli: Cli
) -> None:
    out = tmp_path / "report.html"
    out.write_text("an older page")
    assert cli("report", str(folder), "--out", str(out)).code == 0
    assert "an older page" not in out.read_text()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    for name in ("model.json", "report.html"):
        ran = cli("report", str(folder), "--out", str(folder / name))
        assert ran.code == 2
        assert "which holds the model alone" in ran.err
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_folder_that_is_no_model(tmp_path: Path, cli: Cli) -> None:
    ran = cli("report", str(tmp_path), "--out", str(tmp_path.parent / "r.html"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {tmp_path} holds no account.json")
    ran = cli("report", str(tmp_path / "gone"), "--out", str(tmp_path / "r.html"))
    assert ran.err == f"error: {tmp_path / 'gone'} is not a folder\n"
    assert not (tmp_path / "r.html").exists()
