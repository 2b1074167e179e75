"""What tests share: a server of their own, a model behind HTTP, and connections that break."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Mapping, Optional

ROOT = Path(__file__).resolve().parents[2]
IS_NIGHTLY = os.environ.get("SVC_NIGHTLY") == "1"
_COMMAND = json.loads(os.environ.get("SVC_TEST_COMMAND") or "null") or ["node", str(ROOT / "cli/bin/svc.js")]


class Server:
    """`svc serve` in a process of its own, over a folder of its own, which a restart keeps."""

    def __init__(self, model: Optional[Model] = None, env: Optional[Mapping[str, str]] = None, config: Any = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="svc-python-"))
        self.work = self.folder / "work"
        home = self.folder / "home"
        for name in (self.work, home / ".config/svc/providers"):
            name.mkdir(parents=True)
        settings = {"persistSessions": False, "server": {"limits": {"requestsPerMinute": 1_000_000}}, **(config or {})}
        (home / ".config/svc/svc.config.json").write_text(json.dumps(settings))
        (self.work / "notes.md").write_text("The crane is 40 years old.\n")
        if model is not None:
            provider = {"type": "openai", "baseUrl": model.url, "defaultModel": "small", "maxRetries": 0}
            (home / ".config/svc/providers/mine.json").write_text(json.dumps(provider))
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "SVC_DATA_DIR": str(self.folder / "data"),
            **(env or {}),
        }
        if "SVC_TEST_BUILD" in os.environ:
            self._env["SVC_TEST_BUILD"] = os.environ["SVC_TEST_BUILD"]
        self.port = 0
        self._process: Optional[subprocess.Popen[bytes]] = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it, at the port that it had."""
        command = [*_COMMAND, "serve", "--port", str(self.port), "-q"]
        log = (self.folder / "log").open("ab")
        self._process = subprocess.Popen(command, cwd=self.work, env=self._env, stdout=subprocess.PIPE, stderr=log)
        log.close()
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode().strip()
        if not line:
            raise RuntimeError((self.folder / "log").read_text())
        self.port = int(line.rpartition(":")[2])

    def kill(self) -> None:
        """Ends it as a crash does."""
        self.signal(signal.SIGKILL)
        self._gone()

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _gone(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        self._process.wait()
        self._process.stdout.close()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


Said = Any
"""What a model says: a text, or calls of tools as `{"calls": [(name, arguments)]}`."""


class Model:
    """A server with OpenAI's chat format that answers from a script, piece by piece where it is asked so."""

    def __init__(self, say: Callable[[dict[str, Any]], Said], piece_delay: float = 0.0) -> None:
        model = self
        self.asked: list[dict[str, Any]] = []
        self._lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with model._lock:
                    model.asked.append(body)
                    turn = len(model.asked)
                said = say(body)
                text = said if isinstance(said, str) else None
                calls = [] if text is not None else said["calls"]
                finish = "stop" if text is not None else "tool_calls"
                usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
                tools = [
                    {"index": i, "id": f"call_{turn}_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
                    for i, (name, args) in enumerate(calls)
                ]
                head = {"id": f"chat-{turn}", "created": 1, "model": "small"}
                if not body.get("stream"):
                    message = {"role": "assistant", "content": text, **({"tool_calls": tools} if tools else {})}
                    choice = {"index": 0, "message": message, "finish_reason": finish}
                    self._send("application/json", json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage}))
                    return
                pieces = [{"role": "assistant", "tool_calls": tools}] if tools else []
                pieces += [{"role": "assistant", "content": word} for word in (text or "").split(" ") if tools == []]
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                for i, delta in enumerate(pieces):
                    if i > 0 and "content" in delta:
                        delta["content"] = " " + str(delta["content"])
                        time.sleep(piece_delay)
                    self._piece({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                self._piece({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
                self._piece({**head, "choices": [], "usage": usage})
                self.wfile.write(b"data: [DONE]\n\n")

            def _piece(self, data: Any) -> None:
                self.wfile.write(f"data: {json.dumps({**data, 'object': 'chat.completion.chunk'})}\n\n".encode())
                self.wfile.flush()

            def _send(self, media: str, text: str) -> None:
                data = text.encode()
                self.send_response(200)
                self.send_header("content-type", media)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    pass  # the client left

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


_SHARED: dict[Any, tuple[Model, Server]] = {}


class Cases:
    """Cases for both clients, against one server with a model of their own, which the module's classes share."""

    say: Callable[[dict[str, Any]], Said]
    """A static method."""
    server: Server
    model: Model
    loop: asyncio.AbstractEventLoop

    @classmethod
    def setUpClass(cls) -> None:
        if cls.say not in _SHARED:
            model = Model(cls.say)
            _SHARED[cls.say] = (model, Server(model))
            for shared in _SHARED[cls.say]:
                unittest.addModuleCleanup(shared.close)
        cls.model, cls.server = _SHARED[cls.say]
        cls.loop = asyncio.new_event_loop()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.loop.close()

    def make(self, **options: Any) -> Any:
        """The client of the cases."""
        raise NotImplementedError

    def get(self, value: Any) -> Any:
        """The answer of a method, awaited where it is to be."""
        return self.loop.run_until_complete(value) if inspect.isawaitable(value) else value


def text_of(asked: Mapping[str, Any]) -> str:
    """What a model was asked by its user, without what is remembered of other runs."""
    return json.dumps([message for message in asked["messages"] if message["role"] == "user"])


def has_result(asked: Mapping[str, Any]) -> bool:
    """Whether a tool has answered already."""
    return any(message["role"] == "tool" for message in asked["messages"])


GUARD = 60.0
"""Seconds: far more than a busy machine needs; a test that waits so long fails."""


def until(is_true: Callable[[], bool]) -> None:
    """Waits until something holds."""
    end = time.monotonic() + GUARD
    while not is_true():
        if time.monotonic() > end:
            raise AssertionError("it did not come true in time")
        time.sleep(0.01)


async def becomes(is_true: Callable[[], Any]) -> None:
    """Waits until something holds, which may be awaited, while the loop goes on."""
    end = time.monotonic() + GUARD
    while True:
        value = is_true()
        if await value if inspect.isawaitable(value) else value:
            return
        if time.monotonic() > end:
            raise AssertionError("it did not come true in time")
        await asyncio.sleep(0.01)
