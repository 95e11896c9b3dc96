"""A model of links fitted on tables: a link predictor, and what it needs to read other tables."""

from dataclasses import dataclass
from pathlib import Path

from goodie.estimators.goodie_link import GoodieLinkPredictor
from goodie.estimators.link import LinkPredictor
from goodie.estimators.link_base import GraphLinkPredictor
from goodie.own_graph.reading import TABLES, Reader

ESTIMATORS: dict[str, type[GraphLinkPredictor]] = {
    "GoodieLinkPredictor": GoodieLinkPredictor,
    "LinkPredictor": LinkPredictor,
}


@dataclass(frozen=True, eq=False)
class LinkModel(Reader):
    """What `fit_links` makes, and `save` and `load` keep.

    Its facts are those of `goodie.own_graph.linking.fit_links`.

    Attributes:
        predictor: fitted on the encoded graph.
    """

    maker = "goodie links --save"
    predictor: GraphLinkPredictor

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder of safetensors and JSON."""
        text = self.page(self.predictor)
        beside = {TABLES: lambda path: path.write_text(text, encoding="utf-8")}
        self.predictor.save(folder, beside=beside)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "cpu") -> "LinkModel":
        """A model that `save` wrote. Nothing in the folder is run."""
        folder = Path(folder)
        estimator, read = cls.read_page(folder)
        return cls(**read, predictor=ESTIMATORS[estimator].load(folder, device=device))
