"""The examples and the code of the README, as programs of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tests.support import ROOT, Model, Server, has_result, text_of

EXAMPLES = ROOT / "python/examples"


def say(asked: dict[str, Any]) -> Any:
    if has_result(asked):
        return "It is done."
    if "greeting" in text_of(asked):
        return {"calls": [("write_file", {"path": "greeting.txt", "content": "hello\n"})]}
    return "The answer is 42."


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_file(self, path: Path, *arguments: str, said: str = "", url: str = "") -> str:
        env = {**os.environ, "SVC_URL": url or self.server.url, "PYTHONPATH": str(ROOT / "python/src")}
        env["MPLCONFIGDIR"] = str(self.folder)
        done = subprocess.run(
            [sys.executable, str(path), *arguments], cwd=self.folder, env=env, input=said, capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_plot_tokens_draws_or_prints(self) -> None:
        printed = self.run_file(EXAMPLES / "plot_tokens.py", "What is 6 times 7?")
        self.assertIn("completed: 6 * 7 = 42", printed)
        if "wrote" in printed:
            self.assertTrue((self.folder / "tokens.png").read_bytes().startswith(b"\x89PNG"))
        without = (
            "import sys; sys.modules['matplotlib'] = None; sys.argv = ['x', 'What is 6 times 7?']\n"
            f"import runpy; runpy.run_path({str(EXAMPLES / 'plot_tokens.py')!r}, run_name='__main__')\n"
        )
        (self.folder / "without.py").write_text(without)
        self.assertRegex(self.run_file(self.folder / "without.py"), r"agent-1 #+\++ \d+ \+ \d+\n")

    def test_many_questions_are_answered(self) -> None:
        printed = self.run_file(EXAMPLES / "many_questions.py")
        self.assertEqual(len(printed.splitlines()), 6)
        self.assertRegex(printed, r"What is 6 times 7\? 6 \* 7 = 42 \(\d+ tokens\)")

    def test_approve_asks_before_it_writes(self) -> None:
        model = Model(say)
        self.addCleanup(model.close)
        server = Server(model)
        self.addCleanup(server.close)
        printed = self.run_file(EXAMPLES / "approve.py", said="n\n" * 9, url=server.url)
        self.assertIn("write_file (write)", printed)
        self.assertFalse((server.work / "greeting.txt").exists())
        self.run_file(EXAMPLES / "approve.py", said="y\n" * 9, url=server.url)
        self.assertEqual((server.work / "greeting.txt").read_text(), "hello\n")

    def test_the_code_of_the_readme_runs(self) -> None:
        text = (ROOT / "python/README.md").read_text()
        pieces = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreaterEqual(len(pieces), 4)
        for number, piece in enumerate(pieces):
            with self.subTest(piece):
                path = self.folder / f"piece{number}.py"
                path.write_text(piece)
                self.run_file(path)


if __name__ == "__main__":
    unittest.main()
