"""Addresses that tokens may be sent to."""

import ipaddress
from urllib.parse import urlsplit


def is_guarded(url: str) -> bool:
    """Whether the connection to an address is encrypted, or local."""
    address = urlsplit(url)
    return address.scheme == "https" or address.scheme == "http" and is_loopback(address.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine. The practices of a sandbox are below localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
