"""
Runs a task and shows the tokens of its model calls, one after the other.

With matplotlib installed it writes `tokens.png`; without it, it prints bars of text.
Usage: python plot_tokens.py "What is 6 times 7?"
"""

from __future__ import annotations

import sys

from svc import RunUsage, ServiceClient


def to_bars(usage: RunUsage, width: int = 40) -> str:
    """One line for each model call: `#` is what was sent, `+` what came back."""
    most = max(call.usage.input_tokens + call.usage.output_tokens for call in usage.series)
    lines = []
    for call in usage.series:
        sent, received = call.usage.input_tokens, call.usage.output_tokens
        bar = "#" * round(width * sent / most) + "+" * max(1, round(width * received / most))
        lines.append(f"{call.agent_id} {bar} {sent} + {received}")
    return "\n".join(lines)


def to_picture(usage: RunUsage, path: str) -> None:
    """Writes the same as a picture. Raises ImportError without matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    calls = range(1, len(usage.series) + 1)
    sent = [call.usage.input_tokens for call in usage.series]
    received = [call.usage.output_tokens for call in usage.series]
    pyplot.bar(calls, sent, label="sent")
    pyplot.bar(calls, received, bottom=sent, label="received")
    pyplot.xlabel("model call")
    pyplot.ylabel("tokens")
    pyplot.legend()
    pyplot.savefig(path)


def main() -> None:
    task = sys.argv[1] if len(sys.argv) > 1 else "What is 6 times 7?"
    with ServiceClient() as client:
        result = client.run(task)
        usage = client.runs.usage(result.run_id)
    print(f"{result.status}: {result.summary}")
    if not usage.series:
        print("no model was called")
        return
    try:
        to_picture(usage, "tokens.png")
        print("wrote tokens.png")
    except ImportError:
        print(to_bars(usage))


if __name__ == "__main__":
    main()
