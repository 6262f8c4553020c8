"""Addresses that something may be sent to."""

import ipaddress
from urllib.parse import urlsplit


def is_guarded(url: str) -> bool:
    """Whether nobody on the way reads or changes what is sent there."""
    address = urlsplit(url)
    return address.scheme == "https" or address.scheme == "http" and _is_loopback(address.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
