"""
Streams a run, prints its answer as it is said, and asks here before a tool changes anything.

Usage: python approve.py "Write the word hello into greeting.txt"
"""

from __future__ import annotations

import sys

from svc import Approval, Decision, MessageDelta, ServiceClient


def answer(approval: Approval) -> Decision:
    """Asks the person at the terminal."""
    print(f"\n{approval.tool} ({approval.risk}): {approval.args}")
    is_allowed = input("Allow it? [y/N] ").strip().lower() == "y"
    return Decision("approve" if is_allowed else "deny")


def main() -> None:
    task = sys.argv[1] if len(sys.argv) > 1 else "Write the word hello into greeting.txt"
    with ServiceClient() as client, client.stream(task, on_approval=answer) as stream:
        for event in stream:
            if isinstance(event.data, MessageDelta):
                print(event.data.text, end="", flush=True)
        result = stream.result()
    print(f"\n{result.status}, {result.verdict}")


if __name__ == "__main__":
    main()
