"""Where the raw files of the seven datasets come from, and what they hash to."""

from goodie.data.files import RawFile

_PLANETOID = "https://github.com/kimiyoung/planetoid/raw/master/data"
_COAUTHOR = "https://github.com/shchur/gnn-benchmark/raw/master/data/npz"
_WIKICS = "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset"
_ARXIV = "https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip"
_ARXIV_SHA256 = "49f85c801589ecdcc52cfaca99693aaea7b8af16a9ac3f41dd85a5f3193fe276"

_PLANETOID_SHA256 = {
    "Cora": {
        "x": "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab",
        "tx": "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a",
        "allx": "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
        "y": "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1",
        "ty": "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad",
        "ally": "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
        "graph": "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
        "test.index": "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
    },
    "CiteSeer": {
        "x": "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
        "tx": "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21",
        "allx": "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
        "y": "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924",
        "ty": "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce",
        "ally": "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
        "graph": "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
        "test.index": "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
    },
    "PubMed": {
        "x": "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33",
        "tx": "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d",
        "allx": "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
        "y": "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3",
        "ty": "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd",
        "ally": "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
        "graph": "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
        "test.index": "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
    },
}


def _planetoid(name: str) -> tuple[RawFile, ...]:
    return tuple(
        RawFile(f"raw/{file}", f"{_PLANETOID}/{file}", sha256)
        for part, sha256 in _PLANETOID_SHA256[name].items()
        for file in (f"ind.{name.lower()}.{part}",)
    )


def _arxiv(path: str, *, optional: bool = False) -> RawFile:
    return RawFile(path, _ARXIV, _ARXIV_SHA256, member=f"arxiv/{path}", optional=optional)


RAW_FILES: dict[str, tuple[RawFile, ...]] = {
    "Cora": _planetoid("Cora"),
    "CiteSeer": _planetoid("CiteSeer"),
    "PubMed": _planetoid("PubMed"),
    # Its hash is not known: no copy of the file could be had when this was written.
    "WikiCS": (RawFile("raw/data.json", f"{_WIKICS}/data.json"),),
    "CS": (
        RawFile(
            "raw/ms_academic_cs.npz",
            f"{_COAUTHOR}/ms_academic_cs.npz",
            "933c745734e78908c7eb77172a673fee0503f30e26e5a99b36814d88534c42e3",
        ),
    ),
    "Physics": (
        RawFile(
            "raw/ms_academic_phy.npz",
            f"{_COAUTHOR}/ms_academic_phy.npz",
            "e4d68468eba5fb8f6b280ffd406bd53e6e4295ba1dd2967d6fe99b978e4b3375",
        ),
    ),
    "Arxiv": (
        _arxiv("raw/edge.csv.gz"),
        _arxiv("raw/node-label.csv.gz"),
        _arxiv("raw/node-feat.csv.gz", optional=True),
        _arxiv("split/time/train.csv.gz"),
        _arxiv("split/time/valid.csv.gz"),
        _arxiv("split/time/test.csv.gz"),
    ),
}
