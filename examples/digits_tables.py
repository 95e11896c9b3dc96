"""Two CSV files to try `goodie` on: scikit-learn's handwritten digits, most of it missing.

A node is an image, with a text for an id. Its features are the ink of the eight rows of its right
half, its heaviest row and whether that half is darker than most; nine in ten of them are missing.
Edges join images whose left halves look alike. One image in five says which digit it is. Five
images have no edges, as five people in any table know nobody.

    python examples/digits_tables.py digits/
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

from goodie.data.digits import digits

MISSING, LABELLED, LONELY = 0.9, 0.2, 5


def main(folder: Path) -> None:
    """Write nodes.csv and edges.csv."""
    data = digits()
    rng = np.random.default_rng(0)
    n = len(data.y)
    ids = pl.Series("image", [f"scan-{number:04}" for number in rng.permutation(n)])
    ink = data.x.numpy().reshape(n, 8, 4).sum(axis=2)  # of each row, from 0 to 4
    table = {f"row_{row}": pl.Series(ink[:, row].round(2)) for row in range(8)}
    table["heaviest"] = pl.Series(
        np.array(["top", "middle", "bottom"])[ink.argmax(axis=1) * 3 // 8]
    )
    table["dark"] = pl.Series(np.where(ink.sum(axis=1) > np.median(ink.sum(axis=1)), "yes", "no"))
    table["digit"] = pl.Series(data.y.numpy())
    for name, column in table.items():
        share = 1 - LABELLED if name == "digit" else MISSING
        table[name] = column.set(pl.Series(rng.random(n) < share), None)
    nodes = pl.DataFrame({"image": ids, **table})

    a, b = data.edge_index.numpy()
    lonely = rng.choice(n, LONELY, replace=False)
    kept = (a < b) & ~np.isin(a, lonely) & ~np.isin(b, lonely)
    edges = pl.DataFrame({"from": ids.gather(a[kept]), "to": ids.gather(b[kept])})

    folder.mkdir(parents=True, exist_ok=True)
    nodes.write_csv(folder / "nodes.csv")
    edges.write_csv(folder / "edges.csv")
    print(f"{nodes.height} nodes and {edges.height} edges in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "digits"))
