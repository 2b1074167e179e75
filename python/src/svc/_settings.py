"""What a client is made with."""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from typing import Optional
from urllib.parse import urlsplit

from svc._flow import Address

DEFAULT_URL = "http://127.0.0.1:4000"


@dataclass(frozen=True)
class Settings:
    """Checked settings of a client."""

    address: Address
    api_key: Optional[str] = field(repr=False)
    timeout: float
    max_retries: int
    tls: Optional[ssl.SSLContext] = field(default=None, repr=False)

    @classmethod
    def read(
        cls,
        base_url: Optional[str],
        api_key: Optional[str],
        timeout: float,
        max_retries: int,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> Settings:
        """Settings from arguments, then the environment, then the defaults. Raises `ValueError` for what cannot be."""
        key = api_key if api_key is not None else os.environ.get("SERVICE_API_KEY") or None
        if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("api_key must be visible ASCII characters, without spaces or line breaks")
        if not timeout > 0:
            raise ValueError(f"timeout must be a number of seconds above 0, not {timeout!r}")
        if max_retries < 0:
            raise ValueError(f"max_retries must be 0 or more, not {max_retries!r}")
        address = _to_address(base_url or os.environ.get("SVC_URL") or DEFAULT_URL)
        tls = (ssl_context or ssl.create_default_context()) if address.is_secure else None
        return cls(address, key, float(timeout), max_retries, tls)


def _to_address(url: str) -> Address:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url must be an address such as {DEFAULT_URL}, not {url!r}")
    if parts.query or parts.fragment or parts.username is not None:
        raise ValueError("base_url must have no user, query or fragment; a key belongs in api_key")
    is_secure = parts.scheme == "https"
    return Address(parts.hostname, parts.port or (443 if is_secure else 80), is_secure, parts.path.rstrip("/"))
