"""The key of a server of this machine that has no others."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from dataclasses import replace
from pathlib import Path
from typing import Mapping, Optional
from urllib.parse import unquote

from svc._flow import Address

_FILE = "server.key"
_MOST_BYTES = 256
_KEY = re.compile(r"[\w-]{43}", re.ASCII)
_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")
_CHALLENGE = re.compile(r'SvcLocalKey file="([^"]{1,8192})", proof="([0-9a-f]{64})"')


class LocalKey:
    """
    Read from the data folder of a server once it asks for a key.

    A file is read that is this person's alone, and its key is sent to who has proved to know it already.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        """Where requests go: once there is a key, to whose address the proof was for, as a name may lead elsewhere next time."""
        self._drawn = secrets.token_hex(16)
        self._is_local = _LOOPBACK.fullmatch(address.host) is not None
        self._key: Optional[str] = None

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of each request."""
        if not self._is_local:
            return {}
        return {"Svc-Challenge": self._drawn, **({} if self._key is None else {"Authorization": f"Bearer {self._key}"})}

    def learn(self, challenge: str, tried: Mapping[str, str]) -> bool:
        """Whether the `www-authenticate` of a 401, which came to these headers, leads to a key to ask with once more."""
        self._key = self._find(challenge) if self._is_local else None
        return self._key is not None and self.headers != tried

    def _find(self, challenge: str) -> Optional[str]:
        found = _CHALLENGE.search(challenge)
        key = None if found is None else _read(Path(unquote(found[1])))
        if found is None or key is None:
            return None
        for host in ("127.0.0.1", "::1") if self.address.host == "localhost" else (self.address.host,):
            text = f"{self._drawn} {host} {self.address.port}"
            if hmac.compare_digest(hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest(), found[2]):
                self.address = replace(self.address, host=host)
                return key
        return None


def _read(file: Path) -> Optional[str]:
    """The key in a file of that name that nobody else can read or write."""
    if not file.is_absolute() or file.name != _FILE:
        return None
    try:
        facts = file.lstat()
        is_own = not hasattr(os, "getuid") or (facts.st_uid == os.getuid() and facts.st_mode & 0o077 == 0)
        if not stat.S_ISREG(facts.st_mode) or not is_own or facts.st_size > _MOST_BYTES:
            return None
        key = file.read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    return key if _KEY.fullmatch(key) else None
