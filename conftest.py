"""For all tests: shapes are checked, and hypothesis tries the same examples each time."""

from importlib.util import find_spec

from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("goodie", "beartype.beartype")

# No deadline: the machine may be busy.
settings.register_profile("goodie", deadline=None, derandomize=True)
settings.load_profile("goodie")

# The doctest run imports every file; this one needs what is installed with a GPU build of torch.
if find_spec("triton") is None:
    collect_ignore = ["src/goodie/losses/pairwise_logsumexp/triton.py"]
