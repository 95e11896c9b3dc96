"""For all tests: shapes are checked, and hypothesis tries the same examples each time."""

from hypothesis import settings
from jaxtyping import install_import_hook

install_import_hook("goodie", "beartype.beartype")

# No deadline: the machine may be busy.
settings.register_profile("goodie", deadline=None, derandomize=True)
settings.load_profile("goodie")
