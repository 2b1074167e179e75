"""What an agent asks the user, answered by a function of the caller, with both clients."""

from __future__ import annotations

import logging
import unittest
from typing import Any
from unittest import mock

from svc import AsyncServiceClient, Decision, InputQuestion, ServiceClient
from tests.support import Cases, has_result, text_of

TASK = "Paint it"
CHOICE = "Paint it blue or red"
WRITE = "Write down the colour"
CHOICES = ["blue", "red"]


class InputCases(Cases):
    @staticmethod
    def say(asked: dict[str, Any]) -> Any:
        if has_result(asked):
            return next(f"The tool said {message['content']}" for message in asked["messages"] if message["role"] == "tool")
        if WRITE in text_of(asked):
            return {"calls": [("write_file", {"path": "colour.txt", "content": "green\n"})]}
        choices = {"choices": CHOICES} if CHOICE in text_of(asked) else {}
        return {"calls": [("ask_user", {"question": "Which colour?", **choices})]}

    def ended(self, task: str = TASK, **options: Any) -> Any:
        return self.get(self.make().run(task, topology="SINGLE", **options))

    def test_the_function_gets_the_question_and_the_agent_its_answer(self: Any) -> None:
        asked: list[InputQuestion] = []

        def answer(value: Any) -> Any:
            def on_input(question: InputQuestion) -> Any:
                asked.append(question)
                return value

            return on_input

        for value in ("green", {"hex_code": [0, 255, 0]}):
            with self.subTest(value):
                result = self.ended(on_input=answer(value))
                self.assertIn("green" if value == "green" else '{"hex_code":[0,255,0]}', result.summary)
                self.assertEqual(asked[-1], InputQuestion(result.run_id, "Which colour?"))
        result = self.ended(CHOICE, on_input=answer("red"))
        self.assertIn("red", result.summary)
        self.assertEqual(asked[-1], InputQuestion(result.run_id, "Which colour?", {"enum": [*CHOICES, None]}))

    def test_what_raises_or_is_no_answer_leaves_the_agent_to_its_best_reading_and_its_error_is_seen(self: Any) -> None:
        def fails(_: InputQuestion) -> Any:
            raise LookupError("the chat is down")

        for on_input, said in (
            (fails, "the chat is down"),
            (lambda _: object(), "not JSON serializable"),
            (lambda _: float("nan"), "not JSON compliant"),
            (lambda _: next(iter(())), "StopIteration"),
            (lambda _: "green", "input: / must be one of"),
        ):
            with self.subTest(said), self.assertLogs("svc", "ERROR") as logged:
                result = self.ended(CHOICE, on_input=on_input)
                self.assertEqual(result.status, "completed")
                self.assertIn("nobody answered", result.summary)
                self.assertIn(said, "".join(logged.output))

    def test_of_two_functions_the_one_that_is_missing_denies_or_knows_nothing(self: Any) -> None:
        with mock.patch.object(logging.getLogger("svc"), "error") as logged:
            self.assertIn("nobody answered", self.ended(on_approval=lambda _: Decision("approve")).summary)
            logged.assert_not_called()
        self.assertGreater(self.ended(WRITE, on_input=lambda _: "green").tool_calls.denied, 0)

    def test_without_a_function_or_with_approval_deny_no_agent_is_offered_to_ask(self: Any) -> None:
        green = lambda _: "green"  # noqa: E731
        for options, is_offered in (({}, False), ({"on_input": green, "approval": "deny"}, False), ({"on_input": green}, True)):
            with self.subTest(options):
                before = len(self.model.asked)
                self.ended(**options)
                offered = [tool["function"]["name"] for tool in self.model.asked[before]["tools"]]
                self.assertEqual("ask_user" in offered, is_offered)

    def test_what_is_no_function_is_refused_before_anything_is_sent(self: Any) -> None:
        for name in ("on_input", "on_approval"):
            for call in (self.make, self.ended):
                with self.subTest(name), self.assertRaisesRegex(ValueError, f"{name} must be a function, not 'green'"):
                    call(**{name: "green"})


class BlockingTest(InputCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return ServiceClient(self.server.url, **options)


class AsyncTest(InputCases, unittest.TestCase):
    def make(self, **options: Any) -> Any:
        return AsyncServiceClient(self.server.url, **options)


if __name__ == "__main__":
    unittest.main()
