"""The version of the package. Calls carry it in their User-Agent."""

__version__ = "0.1.0"

USER_AGENT = "frontdesk-client-python/" + __version__
