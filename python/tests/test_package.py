"""The package as others get it: a wheel in a clean environment, typed, for every Python from 3.9 on."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from tests.support import ROOT, Server

FOLDER = ROOT / "python"


def python_with(module: str) -> Optional[str]:
    """A Python that has a module: this one, or that of the system."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


def run(*command: str, cwd: Path = FOLDER) -> str:
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


class WheelTest(unittest.TestCase):
    def test_the_wheel_works_in_an_environment_with_nothing_else(self) -> None:
        builder = python_with("build, hatchling, venv")
        if builder is None:
            self.skipTest("build or hatchling is not installed: apt-get install python3-build python3-hatchling python3-venv")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            copy = folder / "python"
            shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", "dist", ".mypy_cache"))
            # Debian's hatchling names a part for editable installs that Debian does not have.
            options = ["--wheel", "--no-isolation", "--skip-dependency-check", "--outdir", str(folder)]
            run(builder, "-m", "build", *options, cwd=copy)
            [wheel] = folder.glob("svc_ai-*-py3-none-any.whl")
            run(sys.executable, "-m", "venv", str(folder / "venv"))
            python = str(folder / "venv/bin/python")
            run(python, "-m", "pip", "install", "--no-index", "--quiet", str(wheel), cwd=folder)
            files = run(python, "-m", "pip", "show", "--files", "svc-ai", cwd=folder)
            self.assertIn("svc/py.typed", files)
            self.assertIn("Requires: \n", files)
            self.assertNotIn("tests", files)
            server = Server()
            self.addCleanup(server.close)
            program = "import sys; from svc import ServiceClient; print(ServiceClient(sys.argv[1]).run('What is 6 times 7?').summary)"
            self.assertEqual(run(python, "-W", "error", "-c", program, server.url, cwd=folder), "6 * 7 = 42\n")

    def test_the_syntax_is_that_of_python_3_9(self) -> None:
        for path in sorted((FOLDER / "src").rglob("*.py")):
            with self.subTest(path.name):
                ast.parse(path.read_text(), feature_version=(3, 9))


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        python = python_with("mypy")
        if python is None:
            raise unittest.SkipTest("mypy is not installed: apt-get install mypy")
        cls.python = python
        cls.cache = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.cache.cleanup()

    def mypy(self, *arguments: str) -> str:
        options = ["--cache-dir", self.cache.name, "--config-file", "pyproject.toml"]
        return run(self.python, "-m", "mypy", *options, *arguments)

    def test_the_package_and_the_examples_pass_mypy_strict(self) -> None:
        self.assertIn("Success", self.mypy("src", "examples"))

    def test_a_program_gets_types_and_its_mistakes_are_found(self) -> None:
        program = """
from svc import AsyncServiceClient, MessageDelta, Page, Run, ServiceClient
client = ServiceClient()
summary: str = client.run("x", topology="SINGLE", budget={"max_steps": 3}).summary
page: Page[Run] = client.runs.list(limit=3)
for event in client.stream("x"):
    if isinstance(event.data, MessageDelta):
        text: str = event.data.text
async def main() -> None:
    tokens: int = (await AsyncServiceClient().run("x")).usage.input_tokens
client.run("x", topologie="SINGLE")
client.run("x", token_budget="many")
client.runs.list(status="over")
client.run("x").summery
AsyncServiceClient().run("x").summary
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(program)
            with self.assertRaises(AssertionError) as caught:
                self.mypy("src", str(path))
        found = [line for line in str(caught.exception).splitlines() if "program.py" in line and "error" in line]
        self.assertEqual([int(line.split(":")[1]) for line in found], [11, 12, 13, 14, 15], "\n".join(found))


if __name__ == "__main__":
    unittest.main()
