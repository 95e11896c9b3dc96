"""For all tests: shapes are checked, and hypothesis tries the same examples each time."""

from importlib.util import find_spec

from hypothesis import settings
from jaxtyping import install_import_hook

if find_spec("beartype") is not None:  # machines lent with a GPU may lack it
    install_import_hook("goodie", "beartype.beartype")

# No deadline: the machine may be busy.
settings.register_profile("goodie", deadline=None, derandomize=True)
settings.load_profile("goodie")

# The doctest run imports every file; these need what is installed with a GPU build of torch.
if find_spec("triton") is None:
    collect_ignore_glob = ["src/goodie/**/triton*.py"]
