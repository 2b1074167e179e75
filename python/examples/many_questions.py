"""
Asks many questions at once, three at a time, and prints each answer as it comes.

Usage: python many_questions.py
"""

from __future__ import annotations

import asyncio

from svc import AsyncServiceClient

QUESTIONS = [f"What is {n} times 7?" for n in range(1, 7)]


async def main() -> None:
    turns = asyncio.Semaphore(3)

    async with AsyncServiceClient() as client:

        async def ask(question: str) -> str:
            async with turns:
                result = await client.run(question, topology="SINGLE")
                return f"{question} {result.summary} ({result.usage.input_tokens + result.usage.output_tokens} tokens)"

        for answer in asyncio.as_completed([ask(question) for question in QUESTIONS]):
            print(await answer)


if __name__ == "__main__":
    asyncio.run(main())
