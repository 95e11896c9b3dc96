"""What can be wrong with what a user gave, as opposed to a bug."""


class GoodieError(Exception):
    """Base of the errors whose message is meant for the user; the command line prints it alone."""


class InputError(GoodieError, ValueError):
    """An argument, setting or name that makes no sense; the message says what was got."""


class InvalidGraphError(InputError):
    """A graph that no method could use."""


class DatasetUnavailableError(GoodieError, RuntimeError):
    """A dataset's files are neither cached nor in the mirror, and could not be downloaded."""
