"""
Streams a run, prints its answer as it is said, and asks here before a tool changes anything.

Usage: python approve.py "Write the word hello into greeting.txt"
"""

from __future__ import annotations

import sys

from svc import Approval, MessageDelta, ServiceClient


def is_allowed(approval: Approval) -> bool:
    """Asks the person at the terminal."""
    print(f"\n{approval.tool} ({approval.risk}): {approval.args}")
    return input("Allow it? [y/N] ").strip().lower() == "y"


def main() -> None:
    task = sys.argv[1] if len(sys.argv) > 1 else "Write the word hello into greeting.txt"
    with ServiceClient() as client, client.stream(task, approval="wait") as stream:
        for event in stream:
            if isinstance(event.data, MessageDelta):
                print(event.data.text, end="", flush=True)
            elif isinstance(event.data, Approval):
                client.approvals.resolve(event.data.id, "approve" if is_allowed(event.data) else "deny")
        result = stream.result()
    print(f"\n{result.status}, {result.verdict}")


if __name__ == "__main__":
    main()
