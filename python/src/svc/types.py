# Made from the schemas of the server by `npm run python:types`. Do not edit.
"""What the server answers, and what it takes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, Optional, Sequence, TypedDict, Union

from svc._codec import Answer

__all__ = [
    "AgentInput",
    "AgentLimits",
    "AgentMemory",
    "AgentOptions",
    "AgentProfile",
    "AgentProfileBudget",
    "AgentResult",
    "Allocation",
    "AllocationReserves",
    "AllocationShare",
    "Approval",
    "ApprovalStatus",
    "Artifact",
    "Change",
    "CheckResult",
    "Claim",
    "ClaimEvidence",
    "ClientCall",
    "Complexity",
    "ComplexityAlternative",
    "Consensus",
    "ConsensusCluster",
    "CostFigure",
    "CostGroup",
    "CostPeriod",
    "Decision",
    "DiffDivergence",
    "Divergence",
    "Effort",
    "ErrorInfo",
    "ExecutionResult",
    "FileFact",
    "ForkEdits",
    "ForkEditsBudget",
    "GrantOffer",
    "GrantOfferRule",
    "GrantScope",
    "Health",
    "Incomplete",
    "Inspection",
    "Issue",
    "Layer",
    "Lesson",
    "MemoryChange",
    "MemoryHit",
    "MemoryKind",
    "MemoryOptions",
    "MemoryQueryOptions",
    "MemoryRecord",
    "MemoryRecordSource",
    "MemoryResult",
    "MemoryScope",
    "MissedFact",
    "Mode",
    "ModelCallUsage",
    "ModelUse",
    "NotUndone",
    "Plan",
    "PlanAgent",
    "PlanResult",
    "PlanStep",
    "ProgramFact",
    "Reflection",
    "ReflectionRetry",
    "ReplayResult",
    "ResultFacts",
    "RiskLevel",
    "Run",
    "RunAgent",
    "RunBudget",
    "RunCosts",
    "RunDiff",
    "RunFilters",
    "RunFound",
    "RunMessage",
    "RunOptions",
    "RunOutcome",
    "RunStatus",
    "RunSummary",
    "RunSummaryByStatus",
    "RunSummaryDurationMs",
    "RunTrace",
    "RunUsage",
    "RunUsageAgent",
    "RunUsageStep",
    "RunWarning",
    "SentFact",
    "Severity",
    "Span",
    "StepResult",
    "TaintSource",
    "Thread",
    "ThreadMessage",
    "ThreadMessageCall",
    "Timing",
    "ToolCallCounts",
    "ToolChoice",
    "ToolRisk",
    "Topology",
    "UndoResult",
    "UndoResultConflict",
    "UndoneFile",
    "Usage",
    "UsageTotal",
    "Verdict",
    "Vote",
    "Waiting",
    "WaitingInput",
    "WorkStatus",
]


RunStatus = Literal["queued", "running", "waiting", "cancelling", "completed", "incomplete", "failed", "cancelled"]
"""Where a run stands. The last four are terminal."""


Mode = Literal["execute", "plan", "analyze"]
"""How far a run goes: to the end, to the plan, or to the analysis."""


WorkStatus = Literal["pending", "running", "waiting", "completed", "failed", "skipped", "cancelled"]
"""Where an agent or a step stands; `waiting` for a person."""


@dataclass(frozen=True)
class RunAgent(Answer):
    """In `Run.agents`."""

    id: str
    name: str
    status: WorkStatus


ToolRisk = Literal["read", "write", "network", "execute", "destructive"]
"""What a tool or a plan step may do, from harmless to irreversible."""


GrantScope = Literal["call", "tool", "prefix", "folder"]
"""What a permission beyond one call is about: the tool, commands that begin alike, or paths of a folder."""


@dataclass(frozen=True)
class GrantOfferRule(Answer):
    """In `GrantOffer.rule`."""

    tool: str
    """Id or glob with `*`."""
    decision: Literal["allow", "ask", "deny"]
    """What becomes of a call that the rule is about."""
    paths: Optional[tuple[str, ...]] = None
    """Globs of paths it is about."""
    hosts: Optional[tuple[str, ...]] = None
    """Hosts it is about; `*.example.org` for all below."""
    command: Optional[tuple[str, ...]] = None
    """Program and first arguments it is about."""


@dataclass(frozen=True)
class GrantOffer(Answer):
    """A permission that may be given with a yes, beyond equal calls."""

    scope: GrantScope
    rule: GrantOfferRule
    """The rule of the policy that says it; `always` writes it."""


ApprovalStatus = Literal["pending", "approved", "denied", "expired"]
"""Where an approval stands."""


@dataclass(frozen=True)
class Approval(Answer):
    """A question to a person, as it is listed."""

    id: str
    """`apr_` + ULID."""
    run_id: str
    agent_id: str
    call_id: str
    tool: str
    args: Any
    risk: ToolRisk
    reason: str
    preview: str
    taint: tuple[str, ...]
    """Untrusted sources that the agent has read."""
    expires_at: str
    """After this it counts as denied."""
    status: ApprovalStatus
    offers: Optional[tuple[GrantOffer, ...]] = None
    """Permissions that a yes may give beyond this call, the narrowest first; absent: none."""
    rules_file: Optional[str] = None
    """The config that `always` writes its rule to, shown to who may write it; absent: `always`
    is not offered. After an answer: where its rule was written."""
    decision: Optional[Literal["approve", "deny", "edit"]] = None
    by: Optional[str] = None


@dataclass(frozen=True)
class WaitingInput(Answer):
    """In `Waiting.input`."""

    prompt: str
    schema: Any = None
    """Of the answer."""


@dataclass(frozen=True)
class ClientCall(Answer):
    """A call that a run waits for its client to make."""

    id: str
    """`call_`, the ULID of the run, `_` and 8 digits: results are handed over under it."""
    agent_id: str
    call_id: str
    """As the model has it."""
    tool: str
    """Its name, as in `client_tools`."""
    args: Any


@dataclass(frozen=True)
class Waiting(Answer):
    """In `Run.waiting`."""

    approvals: Optional[tuple[Approval, ...]] = None
    input: Optional[WaitingInput] = None
    calls: Optional[tuple[ClientCall, ...]] = None
    """Of tools of the client."""


@dataclass(frozen=True)
class RunMessage(Answer):
    """The same, as the run keeps it."""

    id: str
    """`msg_` + ULID."""
    text: str
    by: str
    """Who said it: the name of a key of a server, else `user`."""
    created_at: str
    """When it was said."""


@dataclass(frozen=True)
class UsageTotal(Answer):
    """Usage added up over several calls."""

    input_tokens: int
    """Tokens sent, cached ones included."""
    output_tokens: int
    """Tokens received, reasoning included."""
    estimated: bool
    """True when the provider reported nothing usable and svc estimated."""
    model_calls: int
    """Number of model calls that were answered or cut off, each once with all of its tries."""
    cached_tokens: Optional[int] = None
    """Of `input_tokens`, those read from the provider's cache."""
    cache_write_tokens: Optional[int] = None
    """Of `input_tokens`, those written to the provider's cache."""
    reasoning_tokens: Optional[int] = None
    """Of `output_tokens`, those spent on reasoning."""


@dataclass(frozen=True)
class ModelUse(Answer):
    """What a run took of one model."""

    model: str
    """`provider/model`."""
    input_tokens: int
    """Tokens sent."""
    output_tokens: int
    """Tokens received."""
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""


@dataclass(frozen=True)
class ErrorInfo(Answer):
    """An error as data: what crosses a process boundary of an `SvcError`."""

    code: str
    """One of the documented error codes."""
    message: str
    """What went wrong, where, and what to do."""
    retryable: bool
    """Whether the same request may succeed later."""


@dataclass(frozen=True)
class Incomplete(Answer):
    """In `Run.incomplete`."""

    reason: str
    """Why it is incomplete."""


Verdict = Literal["pass", "unverified", "fail"]
""""""


@dataclass(frozen=True)
class RunFound(Answer):
    """In `Run.found`."""

    text: str
    """At most 200 characters, on one line."""
    from_: int
    """Where in `text` the words that were searched for begin, in UTF-16 units."""
    to: int
    """Where they end, not included."""


@dataclass(frozen=True)
class Run(Answer):
    """A run as it is listed."""

    id: str
    """`run_` + ULID."""
    status: RunStatus
    mode: Mode
    task: str
    recoveries: int
    """Crashes survived since the last new record."""
    version: int
    """Counts changes."""
    created_at: str
    """When it was asked for."""
    last_seq: int
    """Number of its newest event."""
    agents: tuple[RunAgent, ...]
    usage: UsageTotal
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    links: dict[str, str]
    read_only: Optional[bool] = None
    """True: its agents plan, and change nothing."""
    by: Optional[str] = None
    """Name of the key of a server that asked for it; absent: no server did."""
    space: Optional[str] = None
    """Where it was begun and is worked on: the project's folder, or the config's
    `store.space`."""
    thread_id: Optional[str] = None
    parent_run_id: Optional[str] = None
    started_at: Optional[str] = None
    """When it began."""
    finished_at: Optional[str] = None
    """When it ended."""
    topology: Optional[str] = None
    """SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one
    that a plugin registered."""
    waiting: Optional[Waiting] = None
    messages: Optional[tuple[RunMessage, ...]] = None
    """What people said to it while it worked, and an agent has read."""
    unread: Optional[tuple[RunMessage, ...]] = None
    """The same that no agent has read: not yet, or of an ended run, never; not in lists."""
    models: Optional[tuple[ModelUse, ...]] = None
    """What it took of each model, failed calls included; absent before its first call."""
    error: Optional[ErrorInfo] = None
    incomplete: Optional[Incomplete] = None
    verdict: Optional[Verdict] = None
    left: Optional[bool] = None
    """True: it began and has not ended, and no process works on it: its process died or gave
    it up."""
    tags: Optional[tuple[str, ...]] = None
    """For filtering."""
    found: Optional[RunFound] = None
    """In lists with `q`, where the answer says it and the task does not: the text around it."""
    result: Any = None
    """With `include=result`: what the run returns."""
    plan: Any = None
    """With `include=plan`."""


CostPeriod = Literal["day", "week", "month"]
"""How what runs took is added up."""


CostGroup = Literal["model", "folder"]
"""What figures of costs are grouped by."""


@dataclass(frozen=True)
class CostFigure(Answer):
    """What runs took in one period, of one model or in one folder."""

    start: str
    """First day of the period, such as `2026-11-23`."""
    name: str
    """`provider/model`, or the folder; empty for runs of no folder."""
    runs: int
    """Number of runs."""
    tokens: int
    """Input and output together."""
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    unpriced: int
    """Number of runs of unknown cost, which `cost_usd` does not include."""


@dataclass(frozen=True)
class RunCosts(Answer):
    """What runs took, by period, and by model or folder."""

    per: CostPeriod
    """Of the calendar; weeks begin on Monday."""
    by: CostGroup
    """What figures are grouped by."""
    utc_offset_minutes: int
    """Whose calendar counts: minutes ahead of UTC."""
    data: tuple[CostFigure, ...]
    """In the order of time, then of names; what nothing was taken in is left out."""


@dataclass(frozen=True)
class RunSummaryByStatus(Answer):
    """In `RunSummary.by_status`."""

    queued: int
    """Number of runs in this status."""
    running: int
    """Number of runs in this status."""
    waiting: int
    """Number of runs in this status."""
    cancelling: int
    """Number of runs in this status."""
    completed: int
    """Number of runs in this status."""
    incomplete: int
    """Number of runs in this status."""
    failed: int
    """Number of runs in this status."""
    cancelled: int
    """Number of runs in this status."""


@dataclass(frozen=True)
class RunSummaryDurationMs(Answer):
    """In `RunSummary.duration_ms`."""

    p50: float
    """Half took at most this."""
    p95: float
    """95 of 100 took at most this."""


@dataclass(frozen=True)
class RunSummary(Answer):
    """What is true of many runs together."""

    total: int
    """Number of runs."""
    by_status: RunSummaryByStatus
    tokens: int
    """Input and output together."""
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    unpriced: int
    """Number of runs of unknown cost, which `cost_usd` does not include."""
    duration_ms: Optional[RunSummaryDurationMs] = None
    """From beginning to end, of the newest 1000 that have ended; nearest rank."""


@dataclass(frozen=True)
class Usage(Answer):
    """Tokens that one or more model calls took."""

    input_tokens: int
    """Tokens sent, cached ones included."""
    output_tokens: int
    """Tokens received, reasoning included."""
    estimated: bool
    """True when the provider reported nothing usable and svc estimated."""
    cached_tokens: Optional[int] = None
    """Of `input_tokens`, those read from the provider's cache."""
    cache_write_tokens: Optional[int] = None
    """Of `input_tokens`, those written to the provider's cache."""
    reasoning_tokens: Optional[int] = None
    """Of `output_tokens`, those spent on reasoning."""


@dataclass(frozen=True)
class RunUsageAgent(Answer):
    """In `RunUsage.agents`."""

    agent_id: str
    name: str
    usage: Usage
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""


@dataclass(frozen=True)
class RunUsageStep(Answer):
    """In `RunUsage.steps`."""

    step_id: str
    agent_id: str
    usage: Usage


@dataclass(frozen=True)
class ModelCallUsage(Answer):
    """In `RunUsage.series`."""

    seq: int
    time: str
    """When the model call ended."""
    agent_id: str
    provider: str
    model: str
    usage: Usage
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    step_id: Optional[str] = None


@dataclass(frozen=True)
class RunUsage(Answer):
    """What a run has used, over time and by who used it."""

    run_id: str
    total: UsageTotal
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    agents: tuple[RunUsageAgent, ...]
    steps: tuple[RunUsageStep, ...]
    series: tuple[ModelCallUsage, ...]
    """One entry for each model call, in the order in which they ended."""


@dataclass(frozen=True)
class Span(Answer):
    """One span, named as OpenTelemetry's conventions for generative AI name it."""

    span_id: str
    """16 hexadecimal digits."""
    name: str
    kind: Literal["INTERNAL", "CLIENT"]
    start_time: str
    status: Literal["unset", "ok", "error"]
    attributes: dict[str, Any]
    parent_span_id: Optional[str] = None
    end_time: Optional[str] = None
    """Absent while it goes on."""


@dataclass(frozen=True)
class RunTrace(Answer):
    """The spans of one run. The parent of the first is the caller's, where it sent a `traceparent`."""

    run_id: str
    trace_id: str
    """32 hexadecimal digits."""
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class ClaimEvidence(Answer):
    """In `Claim.evidence`."""

    seq: Optional[int] = None
    """Of the event that shows it."""
    path: Optional[str] = None
    """Of the file."""
    sha256: Optional[str] = None
    """Of what the tool left in the file."""
    exit_code: Optional[int] = None
    """Of the command."""


@dataclass(frozen=True)
class Claim(Answer):
    """Something that an answer says, held against the run's own log; `unsupported` where the log decides nothing."""

    text: str
    """The words of the answer."""
    kind: Literal["file", "command", "test", "request", "message", "citation", "figure", "quote", "other"]
    verdict: Literal["supported", "contradicted", "unsupported"]
    evidence: tuple[ClaimEvidence, ...]
    why: Optional[str] = None
    """Of what is contradicted: what the evidence says instead."""


@dataclass(frozen=True)
class ProgramFact(Answer):
    """A program that ran."""

    seq: int
    """Number of the event that ended the call."""
    tool: str
    command: str
    """As it was called; at most 300 characters."""
    edited_after: bool
    """True: a file was changed after it had ended."""
    exit_code: Optional[int] = None
    """Missing where the tool told none."""


@dataclass(frozen=True)
class FileFact(Answer):
    """A file as the run left it: all changes of one file are one fact."""

    seq: int
    """Number of the event that ended the call."""
    path: str
    """As the tool was given it."""
    change: Literal["created", "changed", "deleted", "moved"]
    from_: Optional[str] = None
    """Of a moved file, where it was."""
    added: Optional[int] = None
    """Lines; missing where no tool showed them."""
    removed: Optional[int] = None
    """Lines; missing where no tool showed them."""


@dataclass(frozen=True)
class SentFact(Answer):
    """Something that went to the outside: a message, a request, a call of a tool that changes something elsewhere."""

    seq: int
    """Number of the event that ended the call."""
    tool: str
    target: Optional[str] = None
    """Address, host or name that the arguments give."""
    status: Optional[Union[str, int]] = None
    """What the other side answered."""


@dataclass(frozen=True)
class MissedFact(Answer):
    """A call that did not do what was asked."""

    tool: str
    why: Literal["denied", "failed", "in doubt"]
    """`in doubt`: it was begun, and nobody knows whether it took effect."""
    reason: str
    """Of the one who refused, or the error."""
    seq: Optional[int] = None
    """Number of the event that ended the call."""
    target: Optional[str] = None
    """Path, command, address or name that the arguments give."""


@dataclass(frozen=True)
class ResultFacts(Answer):
    """In `ExecutionResult.facts`."""

    programs: tuple[ProgramFact, ...]
    files: tuple[FileFact, ...]
    sent: tuple[SentFact, ...]
    missed: tuple[MissedFact, ...]
    untouched: tuple[str, ...]
    """Paths, commands, addresses and URLs that the answer names, and that no call of this run
    touched; at most 100."""
    calls: Optional[int] = None
    """Tool calls that the run made; missing in results of versions that did not count them."""


Topology = Literal["SINGLE", "SEQUENTIAL", "PARALLEL", "CENTRALIZED", "DECENTRALIZED", "HYBRID"]
"""How a team works together. `SINGLE` is one agent and the default."""


@dataclass(frozen=True)
class ComplexityAlternative(Answer):
    """In `Complexity.alternatives`."""

    topology: Topology
    utility: float


@dataclass(frozen=True)
class Complexity(Answer):
    """How hard a task is, and which topology suits it: the answer to `analyze`."""

    task_id: str
    """The task that was looked at."""
    score: float
    """How hard, from structure."""
    recommended_topology: str
    """SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one
    that a plugin registered."""
    confidence: float
    """How clearly the first topology beats the second."""
    agents: int
    """How many agents the topology wants."""
    features: dict[str, float]
    """Each feature in [0, 1]."""
    contributions: dict[str, float]
    """Weight times feature: the explanation of the score."""
    utilities: dict[str, float]
    """What each topology was worth."""
    alternatives: tuple[ComplexityAlternative, ...]
    """The other topologies, best first."""
    estimated_turns: float
    """Forecast of model turns."""
    explanation: tuple[str, ...]
    """Why, in sentences."""
    open_questions: tuple[str, ...]
    """What the task leaves open."""
    source: Literal["lexical", "llm+lexical", "calibrated"]


@dataclass(frozen=True)
class AllocationShare(Answer):
    """In `Allocation.shares`."""

    agent_id: str
    """Slot of the agent, `agent-1` leads where there is a lead."""
    role: str
    """What the agent is for."""
    tokens: int
    """Input and output together."""


@dataclass(frozen=True)
class AllocationReserves(Answer):
    """In `Allocation.reserves`."""

    coordination: int
    """For messages between agents."""
    synthesis: int
    """For the last answer out of many; never lent."""
    reflection: int
    """For looking at the answer again."""
    consensus: int
    """For votes."""
    final: int
    """For an answer when all else is spent; never lent."""
    contingency: int
    """What is left over, lent on demand."""


@dataclass(frozen=True)
class Allocation(Answer):
    """How the soft budget is split over agents and reserves: the answer to `allocate`."""

    total: int
    """The soft budget; shares + reserves = total, to the token."""
    topology: str
    """SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one
    that a plugin registered."""
    shares: tuple[AllocationShare, ...]
    reserves: AllocationReserves
    underfunded: bool
    """True when the budget could not give every agent its minimum."""
    explanation: tuple[str, ...]
    """Why, in sentences."""


@dataclass(frozen=True)
class PlanAgent(Answer):
    """Which agent takes which slot."""

    agent_id: str
    """The slot, `agent-1`."""
    name: str
    """Shown to people."""
    role: str
    """What it is for."""
    profile_id: Optional[str] = None
    """Slug of the agent profile that fills the slot."""


@dataclass(frozen=True)
class PlanStep(Answer):
    """One piece of work: the delegation contract of an agent."""

    id: str
    """`step-1`, unique within the plan."""
    objective: str
    """What to do; `{{step-1}}` stands for the output of that step."""
    agent_id: str
    """Slot of the agent that does it."""
    role: str
    """What the agent is for in this step."""
    depends_on: tuple[str, ...]
    """Ids of the steps whose outputs it needs."""
    inputs: tuple[str, ...]
    """Names of other things it needs."""
    acceptance: tuple[str, ...]
    """When it is done; at least one sentence."""
    tools: tuple[str, ...]
    """Ids of the tools it may call; `*` stands for all that the run allows."""
    estimated_tokens: int
    """Forecast, input and output together."""
    risk: ToolRisk
    max_tries: int
    """How often it may be tried."""
    output_format: Optional[str] = None
    """What the output must look like."""


@dataclass(frozen=True)
class Plan(Answer):
    """Who does what, and what waits for what: a directed acyclic graph of steps. The answer to `plan`."""

    id: str
    """Unique within the run."""
    topology: str
    """SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one
    that a plugin registered."""
    agents: tuple[PlanAgent, ...]
    steps: tuple[PlanStep, ...]
    source: Literal["llm", "llm-repaired", "deterministic", "user"]
    critical_path: tuple[str, ...]
    """Ids of the steps on the longest chain, in order."""
    warnings: tuple[str, ...]
    """What was repaired or left out."""


@dataclass(frozen=True)
class StepResult(Answer):
    """What became of one step."""

    id: str
    """Id of the step."""
    agent_id: str
    """Who did it."""
    objective: str
    """What was asked."""
    status: WorkStatus
    output: str
    """Its answer; empty when there is none."""
    tries: int
    """How often it was tried."""
    usage: Usage
    duration_ms: float
    """From its first start to its end."""
    error: Optional[ErrorInfo] = None


@dataclass(frozen=True)
class AgentResult(Answer):
    """What became of one agent."""

    agent_id: str
    """Its slot."""
    name: str
    """Shown to people."""
    role: str
    """What it was for."""
    model: str
    """`provider/model`."""
    status: WorkStatus
    summary: str
    """Its last answer."""
    usage: Usage
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    duration_ms: float
    """Time in its steps."""
    profile_id: Optional[str] = None
    """Slug of its profile."""


@dataclass(frozen=True)
class Artifact(Answer):
    """A file or other product of a run."""

    id: str
    """Unique within the run."""
    name: str
    """Shown to people."""
    mime_type: str
    """Media type."""
    bytes: int
    """Size."""
    uri: str
    """Where it is."""


@dataclass(frozen=True)
class CheckResult(Answer):
    """One question about the answer, and what was found."""

    id: str
    """Name of the check."""
    result: Literal["pass", "fail", "na"]
    critical: bool
    """A failure makes the answer false or breaks the asked schema; counts three times."""
    by: Literal["rule", "llm"]
    evidence: Optional[str] = None
    """The words that show it."""


@dataclass(frozen=True)
class ReflectionRetry(Answer):
    """In `Reflection.retry`."""

    reason: str
    """Why another try."""
    hint: str
    """What to do differently."""
    evidence: tuple[str, ...]
    """New information for the next try; never empty."""


@dataclass(frozen=True)
class Lesson(Answer):
    """What a run taught, from verified signals only (Reflexion, Shinn et al., 2023)."""

    trigger: str
    """When it applies."""
    advice: str
    """What to do then."""
    evidence: tuple[str, ...]
    """Events as `<runId>:<seq>`."""
    successes: int
    """Runs that used it and succeeded."""
    failures: int
    """Runs that used it and failed."""
    cause: Optional[str] = None
    """Failure mode, a MAST code where one fits."""
    scope: Optional[str] = None
    """Where it applies."""
    trust: Optional[Literal["trusted", "untrusted"]] = None
    """Untrusted where the run had read what others wrote."""


@dataclass(frozen=True)
class Reflection(Answer):
    """Is the answer good enough, and would another try help? The answer to `reflect`."""

    verdict: Literal["pass", "revise", "fail", "escalate"]
    score: float
    """Weighted share of passed checks."""
    confidence: float
    """How far to trust the verdict."""
    checks: tuple[CheckResult, ...]
    lessons: tuple[Lesson, ...]
    usage: Usage
    retry: Optional[ReflectionRetry] = None
    claims: Optional[tuple[Claim, ...]] = None


@dataclass(frozen=True)
class Vote(Answer):
    """One independent answer to the task."""

    voter: str
    """Who answered."""
    family: str
    """Model family; votes of one family are correlated."""
    answer: Any
    """The answer, of the declared kind."""
    usage: Usage
    confidence: Optional[float] = None
    """The voter's own."""
    rationale: Optional[str] = None
    """Why."""


@dataclass(frozen=True)
class ConsensusCluster(Answer):
    """In `Consensus.clusters`."""

    canonical: str
    """The answer in canonical form."""
    voters: tuple[str, ...]
    weight: float


@dataclass(frozen=True)
class Consensus(Answer):
    """Do independent answers agree? The answer to `consensus`."""

    decision: Literal["accept", "abstain", "escalate"]
    posterior: float
    """Belief that the leader is the most common answer."""
    confidence: float
    """Calibrated chance that the leader is right."""
    votes: tuple[Vote, ...]
    effective_votes: float
    """Votes corrected for correlation."""
    clusters: tuple[ConsensusCluster, ...]
    minority: tuple[Vote, ...]
    """Votes for other answers than the leader."""
    stop_reason: Literal["confident", "unreachable", "max", "budget"]
    usage: Usage
    answer: Any = None
    """The accepted answer."""


Severity = Literal["info", "warn", "critical"]
"""How bad a finding is."""


@dataclass(frozen=True)
class Issue(Answer):
    """One finding about how a run went."""

    id: str
    """Unique within the run."""
    code: str
    """Name of the detector."""
    severity: Severity
    message: str
    """What was seen."""
    evidence: tuple[str, ...]
    """Events as `<runId>:<seq>`."""
    first_at: float
    """Milliseconds since the epoch."""
    count: int
    """How often it was seen."""
    action: Literal["none", "nudge", "replan", "circuit", "halt", "escalate"]
    mast: Optional[str] = None
    """Failure mode of the MAST taxonomy, such as `1.3`."""
    agent_id: Optional[str] = None
    step_id: Optional[str] = None
    tool: Optional[str] = None
    """Id of the tool that it is about."""
    fix: Optional[str] = None
    """What would help."""


@dataclass(frozen=True)
class Inspection(Answer):
    """Is the run healthy? The answer to `inspect`. Health is not correctness."""

    grade: Literal["healthy", "degraded", "unhealthy"]
    score: float
    """Healthy from .9, degraded from .7."""
    issues: tuple[Issue, ...]
    signals: dict[str, float]


@dataclass(frozen=True)
class TaintSource(Answer):
    """Something untrusted that was read for an answer."""

    from_: Literal["given", "memory", "folder", "tool"]
    """Given: it came with the run; memory: it was recalled; folder: a file of a folder that
    nobody trusts; tool: what a tool brought from outside, or from a file that a tainted
    agent wrote."""
    name: str
    """What was given, the id of the memory, or the id of the tool."""
    target: Optional[str] = None
    """What the tool was called about, such as a path or an address."""


@dataclass(frozen=True)
class ToolCallCounts(Answer):
    """In `ExecutionResult.tool_calls`."""

    total: int
    """Asked for."""
    failed: int
    """That failed."""
    denied: int
    """That policy or a person refused."""


@dataclass(frozen=True)
class Timing(Answer):
    """In `ExecutionResult.timing`."""

    queued_ms: float
    """Waiting to start."""
    duration_ms: float
    """From start to end."""


@dataclass(frozen=True)
class RunWarning(Answer):
    """Something a person should know about a result that is otherwise usable."""

    code: str
    """Stable, snake_case."""
    message: str
    """One sentence."""


@dataclass(frozen=True)
class ExecutionResult(Answer):
    """What a run in mode `execute` returns, with the account of how it came to it."""

    run_id: str
    status: Literal["completed", "incomplete", "failed", "cancelled"]
    verdict: Verdict
    claims: tuple[Claim, ...]
    summary: str
    """The answer in plain text."""
    steps: tuple[StepResult, ...]
    agents: tuple[AgentResult, ...]
    artifacts: tuple[Artifact, ...]
    tool_calls: ToolCallCounts
    usage: UsageTotal
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    timing: Timing
    warnings: tuple[RunWarning, ...]
    trace_id: str
    """32 hexadecimal digits."""
    links: dict[str, str]
    facts: Optional[ResultFacts] = None
    output: Any = None
    """Structured data, only where `output_schema` asked for it."""
    complexity: Optional[Complexity] = None
    allocation: Optional[Allocation] = None
    plan: Optional[Plan] = None
    reflection: Optional[Reflection] = None
    consensus: Optional[Consensus] = None
    inspection: Optional[Inspection] = None
    tainted: Optional[bool] = None
    """True where something untrusted was read for the answer: a page of the web, a file of a
    folder that nobody trusts, a memory or an earlier answer that rests on such."""
    tainted_by: Optional[tuple[TaintSource, ...]] = None
    """What that was, each once, at most 50; absent in results of versions that did not say."""
    error: Optional[ErrorInfo] = None
    incomplete: Optional[Incomplete] = None


@dataclass(frozen=True)
class AgentProfileBudget(Answer):
    """In `AgentProfile.budget`."""

    max_tokens: Optional[int] = None
    """Hard limit of this agent, in tokens."""
    max_steps: Optional[int] = None
    """Model calls in one step."""


Layer = Literal["working", "episodic", "long-term"]
"""The three layers of memory."""


@dataclass(frozen=True)
class AgentMemory(Answer):
    """In `AgentProfile.memory`."""

    layers: tuple[Layer, ...]
    scope: Literal["run", "thread", "global"]


@dataclass(frozen=True)
class AgentProfile(Answer):
    """A kind of agent, with everything filled in."""

    id: str
    """Unique; a drop-in's is its file name."""
    name: str
    """Shown to people."""
    role: str
    """What it is for; default `worker`."""
    instructions: str
    """Go verbatim into the system message."""
    fallback_models: tuple[str, ...]
    """Tried in order when `model` fails."""
    tools: tuple[str, ...]
    """Ids of the tools it may call; `*`, and an input that says nothing: all that the run
    allows."""
    budget: AgentProfileBudget
    capabilities: tuple[str, ...]
    """What it is good at, matched against objectives."""
    tags: tuple[str, ...]
    """For filtering."""
    metadata: dict[str, Any]
    """Of yours; svc reads none of it."""
    memory: AgentMemory
    handoffs: tuple[str, ...]
    """Slugs it may hand work to."""
    version: int
    """Counts changes."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was changed."""
    description: Optional[str] = None
    """What it does, for people and for other agents."""
    model: Optional[str] = None
    """`provider/model`."""
    temperature: Optional[float] = None
    """Of its model calls."""
    max_output_tokens: Optional[int] = None
    """Longest answer of one model call, in tokens."""
    tool_policy: Optional[dict[str, Literal["allow", "ask", "deny"]]] = None
    """By id of a tool, what becomes of its calls."""
    output_schema: Any = None
    """Asks for JSON of this shape."""
    source: Optional[Literal["config", "store"]] = None
    """Of a profile that is listed: `config` where it stands in the config or a file, `store`
    where it was saved at run time."""


@dataclass(frozen=True)
class PlanResult(Answer):
    """What a run in mode `plan` returns."""

    run_id: str
    status: Literal["completed", "incomplete", "failed", "cancelled"]
    summary: str
    topology: str
    """SINGLE, SEQUENTIAL, PARALLEL, CENTRALIZED, DECENTRALIZED, HYBRID, or the name of one
    that a plugin registered."""
    agents: tuple[AgentProfile, ...]
    budget: Allocation
    complexity: Complexity
    plan: Plan
    usage: UsageTotal
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    warnings: tuple[RunWarning, ...]
    error: Optional[ErrorInfo] = None


@dataclass(frozen=True)
class Decision(Answer):
    """What a person said to an approval."""

    decision: Literal["approve", "deny", "edit"]
    args: Any = None
    """Of `edit`: the arguments to call with."""
    remember: Optional[Literal["once", "run", "always"]] = None
    """How long a yes holds: `once`, the default, for this call; `run` for the rest of the run;
    `always` for this run and later ones, in every folder: the rule is written to
    `rules_file`."""
    scope: Optional[Literal["call", "tool", "prefix", "folder"]] = None
    """Of `run` and `always`: what the yes is about, `call` (equal calls) or one that the
    approval offers; default `call`. `always` needs one that is offered."""
    note: Optional[str] = None


@dataclass(frozen=True)
class Thread(Answer):
    """A conversation: runs that know of each other, one after the other."""

    id: str
    """`thr_` + ULID, or the one that it was made with."""
    metadata: dict[str, Any]
    version: int
    """Counts changes."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it was changed, or a run of it was asked for."""
    title: Optional[str] = None
    space: Optional[str] = None
    """Where it was begun, as of a run; absent in older ones, which every folder has."""
    owner: Optional[str] = None
    """The key of a server that it belongs to; absent: nobody in particular."""


@dataclass(frozen=True)
class ThreadMessageCall(Answer):
    """In `ThreadMessage.calls`."""

    call_id: str
    """Pairs the call with its result."""
    tool: str
    """Its name, as in `client_tools`."""
    args: Any
    result: str


@dataclass(frozen=True)
class ThreadMessage(Answer):
    """One message of a thread: a run's task, or its answer."""

    role: Literal["user", "assistant"]
    content: str
    run_id: str
    created_at: str
    """When it was said."""
    context: Optional[Union[str, tuple[dict[str, Any], ...]]] = None
    """Of a user: the material that came with the task, images and PDFs too."""
    files: Optional[tuple[str, ...]] = None
    """Of a user: the files of the workspace that were read into `context`."""
    calls: Optional[tuple[ThreadMessageCall, ...]] = None
    """Of an assistant: what it called after it said this."""
    summarizes: Optional[bool] = None
    """True where the answer of its run stands for what was said before."""
    status: Optional[Literal["queued", "running", "waiting", "cancelling", "completed", "incomplete", "failed", "cancelled"]] = None
    """Of its run; absent where that is `completed`."""
    tainted: Optional[bool] = None
    """True for an answer that rests on something untrusted."""


@dataclass(frozen=True)
class UndoneFile(Answer):
    """A path that is put back."""

    path: str
    """From the workspace."""
    action: Literal["write", "remove"]
    """What puts it back."""
    kind: Literal["file", "folder", "link"]
    """What is written, or removed."""
    diff: Optional[str] = None
    """Unified diff from what is there to what is put back, at most 20,000 characters; absent
    of what is no text, or not kept."""


@dataclass(frozen=True)
class NotUndone(Answer):
    """Something that cannot be undone."""

    why: str
    path: Optional[str] = None
    """Of a file; absent where it is not known which files it is about."""
    tool: Optional[str] = None
    """That changed it."""


@dataclass(frozen=True)
class UndoResultConflict(Answer):
    """In `UndoResult.conflicts`."""

    path: str
    why: str


@dataclass(frozen=True)
class UndoResult(Answer):
    """What an undo did, or would do."""

    run_ids: tuple[str, ...]
    """Runs whose changes are undone, oldest first."""
    done: bool
    """False: nothing was changed."""
    files: tuple[UndoneFile, ...]
    left: tuple[NotUndone, ...]
    """What stays as the runs left it."""
    conflicts: tuple[UndoResultConflict, ...]
    """Files that were changed since: as long as there are any, nothing is undone."""


MemoryKind = Literal["fact", "event", "procedure", "summary", "decision", "lesson", "preference"]
"""What sort of thing a record says."""


@dataclass(frozen=True)
class MemoryRecordSource(Answer):
    """In `MemoryRecord.source`."""

    origin: Literal["user", "model", "tool", "web"]
    run_id: Optional[str] = None
    agent_id: Optional[str] = None
    untainted: Optional[bool] = None
    """True for words of a model whose run had read nothing untrusted: who recalls them is not
    tainted."""


@dataclass(frozen=True)
class RunOutcome(Answer):
    """How a run ended, and what its answer is worth."""

    status: Literal["completed", "incomplete", "failed", "cancelled"]
    verdict: Verdict
    reason: Optional[str] = None
    """Why it is incomplete, or the code of the error that it failed with."""


@dataclass(frozen=True)
class MemoryRecord(Answer):
    """One thing remembered."""

    id: str
    """`mem_` + ULID."""
    layer: Layer
    kind: MemoryKind
    content: str
    tags: tuple[str, ...]
    """For filtering."""
    source: MemoryRecordSource
    trust: Literal["trusted", "untrusted"]
    importance: float
    """How much it matters."""
    valid_from: str
    """Since when it is true."""
    created_at: str
    """When it was written."""
    last_accessed_at: str
    """When it was last found."""
    access_count: int
    """How often it was found."""
    thread_id: Optional[str] = None
    outcome: Optional[RunOutcome] = None
    valid_to: Optional[str] = None
    """Until when it was true."""
    expires_at: Optional[str] = None
    """When it is dropped."""


@dataclass(frozen=True)
class MemoryHit(Answer):
    """A record that was found."""

    id: str
    """`mem_` + ULID."""
    layer: Layer
    kind: MemoryKind
    content: str
    tags: tuple[str, ...]
    """For filtering."""
    source: MemoryRecordSource
    trust: Literal["trusted", "untrusted"]
    importance: float
    """How much it matters."""
    valid_from: str
    """Since when it is true."""
    created_at: str
    """When it was written."""
    last_accessed_at: str
    """When it was last found."""
    access_count: int
    """How often it was found."""
    score: float
    """How well it fits the query."""
    parts: dict[str, float]
    """What the score is made of."""
    thread_id: Optional[str] = None
    outcome: Optional[RunOutcome] = None
    valid_to: Optional[str] = None
    """Until when it was true."""
    expires_at: Optional[str] = None
    """When it is dropped."""


@dataclass(frozen=True)
class MemoryResult(Answer):
    """What a query found."""

    data: tuple[MemoryHit, ...]
    low: bool
    """True when too little of the query was matched to trust the hits."""
    tokens: int
    """Estimate for all hits."""


@dataclass(frozen=True)
class Health(Answer):
    """Whether the runtime can work."""

    status: Literal["ok", "degraded"]
    version: str
    uptime_seconds: float
    provider: str
    warnings: tuple[RunWarning, ...]
    checks: Optional[dict[str, str]] = None


@dataclass(frozen=True)
class Divergence(Answer):
    """In `ReplayResult.first_divergence`."""

    seq: int
    expected: Any
    actual: Any


@dataclass(frozen=True)
class ReplayResult(Answer):
    """Whether a run gives the same again from its records."""

    identical: bool
    first_divergence: Optional[Divergence] = None


@dataclass(frozen=True)
class Change(Answer):
    """One difference between two values."""

    path: str
    """JSON pointer to it."""
    before: Any
    """Null where nothing stood there."""
    after: Any
    """Null where nothing stands there any more."""


@dataclass(frozen=True)
class DiffDivergence(Answer):
    """In `RunDiff.first_divergence`."""

    seq: tuple[int, ...]


@dataclass(frozen=True)
class RunDiff(Answer):
    """What differs between two runs."""

    plan: tuple[Change, ...]
    agents: tuple[Change, ...]
    tool_calls: tuple[Change, ...]
    usage: tuple[Change, ...]
    output: tuple[Change, ...]
    first_divergence: Optional[DiffDivergence] = None


class RunFilters(TypedDict, total=False):
    """Which runs are meant."""

    status: RunStatus
    mode: Mode
    verdict: Verdict
    min_cost_usd: float
    """Of runs whose cost is known."""
    max_cost_usd: float
    """Of runs whose cost is known."""
    min_tokens: int
    """Input and output together."""
    max_tokens: int
    """Input and output together."""
    min_duration_ms: int
    """From beginning to end, of runs that have ended."""
    max_duration_ms: int
    """From beginning to end, of runs that have ended."""
    thread_id: str
    agent: str
    """Id of a profile, or of an agent of the run."""
    created_after: str
    """From then on."""
    created_before: str
    """Before then."""
    q: str
    """Part of the task, or of the first 20,000 characters of the answer, any case."""
    model: str
    """`provider/model` that the run used, or asked for."""
    space: str
    """A folder: of another one than the own only with `all`."""
    tag: str
    left: bool
    """1: only those that have not ended and that no process works on."""
    all: bool
    """1: also what other folders have that share the store, which can be read and nothing
    else."""


RiskLevel = Literal["low", "medium", "high", "critical"]
"""What is at stake in a task."""


class AgentLimits(TypedDict, total=False):
    """In `AgentInput.budget`."""

    max_tokens: int
    """Hard limit of this agent, in tokens."""
    max_steps: int
    """Model calls in one step."""


class AgentOptions(TypedDict, total=False):
    """A kind of agent as a person writes it, without its name."""

    id: str
    """Made from the name when left out."""
    role: str
    """What it is for; default `worker`."""
    instructions: str
    """Go verbatim into the system message."""
    fallback_models: Sequence[str]
    """Tried in order when `model` fails."""
    tools: Sequence[str]
    """Ids of the tools it may call; `*`, and an input that says nothing: all that the run
    allows."""
    budget: AgentLimits
    capabilities: Sequence[str]
    """What it is good at, matched against objectives."""
    tags: Sequence[str]
    """For filtering."""
    metadata: Mapping[str, Any]
    """Of yours; svc reads none of it."""
    description: str
    """What it does, for people and for other agents."""
    model: str
    """`provider/model`."""
    temperature: float
    """Of its model calls."""
    max_output_tokens: int
    """Longest answer of one model call, in tokens."""
    tool_policy: Mapping[str, Literal["allow", "ask", "deny"]]
    """By id of a tool, what becomes of its calls."""
    output_schema: Any
    """Asks for JSON of this shape."""


class AgentInput(AgentOptions):
    """A kind of agent as a person writes it: only `name` is needed."""

    name: str
    """Shown to people."""


class RunBudget(TypedDict, total=False):
    """Hard limits of a run."""

    max_tokens: int
    """Hard limit in tokens; default twice the soft budget."""
    max_cost_usd: float
    """Hard limit in US dollars; needs a model with a price."""
    max_steps: int
    """Hard limit of model calls."""
    max_wall_ms: int
    """Hard limit of the time at work, without the time in which the run waits."""
    max_queue_ms: int
    """Longest time in the queue: a run that has not begun by then fails with `queue_timeout`;
    default no limit."""


class ToolChoice(TypedDict, total=False):
    """In `RunOptions.tools`."""

    allow: Sequence[str]
    """Only these."""
    deny: Sequence[str]
    """Not these."""


Effort = Literal["low", "medium", "high"]
"""How much a model that reasons is to think before it answers. Others, and providers that know no such thing, ignore it."""


class RunOptions(TypedDict, total=False):
    """How a run is to be made."""

    risk_level: RiskLevel
    topology: str
    """A topology, one of its aliases, AUTO, or the name of one that a plugin registered; any
    case."""
    model: str
    """`provider/model`."""
    agents: Sequence[Union[str, AgentInput]]
    budget: RunBudget
    token_budget: int
    """Soft budget in tokens, input and output together; default 64000, at least 1024 unless a
    plugin of your own allocates."""
    tools: ToolChoice
    approval: Literal["deny", "wait", "allow-write"]
    allow_writes: bool
    """True: calls of risk write are made unasked, but those that always ask; default with
    `allow-write`."""
    read_only: bool
    """True: agents plan and change nothing: their instructions say so, and each call of
    another risk than `read` is denied; runs that resume or fork it keep it."""
    summarizes: bool
    """True: its answer stands for what was said in its thread before it, in all that later
    runs are sent; it is made by `small_model` of the config where no model is named, and
    needs a `thread_id` and a model that is none of the deterministic ones."""
    instructions: str
    """How it is to be answered, for the system message of each agent."""
    output_schema: Any
    """Asks for JSON of this shape."""
    context: Union[str, Sequence[dict[str, Any]]]
    """Material that comes with the task: a text, or texts, images and PDFs."""
    untrusted: Sequence[str]
    """What of the task and `context` comes from others, in words: it taints each agent from
    the start."""
    files: Sequence[str]
    """Names and globs of files of the workspace, which are read when the run is made and added
    to `context`."""
    consensus: bool
    """True: vote whatever the risk; false: never."""
    reflect: bool
    """False: skip."""
    strict: bool
    """True: the run is `incomplete` with reason `not_verified` unless its verdict is `pass`;
    default false."""
    memory: bool
    """False: the run recalls nothing, and nothing of it is remembered."""
    temperature: float
    """Of agents whose profile sets none."""
    effort: Effort
    """How much a model that reasons is to think; others ignore it."""
    max_output_tokens: int
    """Longest answer of one model call, of agents whose profile sets none."""
    seed: int
    priority: int
    """Of queued runs the highest starts first; default 0."""
    metadata: Mapping[str, Any]
    tags: Sequence[str]
    """For filtering."""


class MemoryOptions(TypedDict, total=False):
    """How something is remembered."""

    layer: Layer
    kind: MemoryKind
    tags: Sequence[str]
    """For filtering."""
    thread_id: str
    agent_id: str
    importance: float
    """How much it matters."""
    ttl_seconds: float


class MemoryChange(TypedDict, total=False):
    """What is to be changed of a record; what is left out stays as it is."""

    content: str
    """A new text, which makes the record the person's own."""
    kind: MemoryKind
    tags: Sequence[str]
    """In place of those that it has."""
    importance: float
    """How much it matters."""
    valid_to: Optional[str]
    """Until when it was true; None: it still is."""


class MemoryScope(TypedDict, total=False):
    """Which memories are meant; absent = the whole store. Empty: those that belong to no thread, agent or run."""

    thread_id: str
    agent_id: str
    run_id: str


class MemoryQueryOptions(TypedDict, total=False):
    """What a question to the memory is limited by."""

    layers: Sequence[Layer]
    limit: int
    """Default 10."""
    token_budget: int
    """Hits are packed into this many tokens."""
    as_of: str
    """What was true then."""
    min_score: float
    """Hits below are left out."""
    scope: MemoryScope


class ForkEditsBudget(TypedDict, total=False):
    """In `ForkEdits.budget`."""

    max_tokens: int
    """Hard limit in tokens; default twice the soft budget."""
    max_cost_usd: float
    """Hard limit in US dollars; needs a model with a price."""
    max_steps: int
    """Hard limit of model calls."""
    max_wall_ms: int
    """Hard limit of the time at work, without the time in which the run waits."""
    max_queue_ms: int
    """Longest time in the queue: a run that has not begun by then fails with `queue_timeout`;
    default no limit."""


class ForkEdits(TypedDict, total=False):
    """What a fork changes."""

    task: str
    model: str
    """`provider/model`, of agents without their own."""
    prompt: str
    """Another `context`."""
    instructions: str
    """How it is to be answered, for the system message of each agent."""
    topology: str
    """A topology, one of its aliases, AUTO, or the name of one that a plugin registered; any
    case."""
    token_budget: int
    """Soft budget in tokens, input and output together; default 64000, at least 1024 unless a
    plugin of your own allocates."""
    budget: ForkEditsBudget
    """Other hard limits; those that are not named stay."""
    plan: Any
    """A Plan; it says itself how its agents work together."""
    tool_results: Mapping[str, Any]
    """Other results by call id."""


FREE_FORM = frozenset(
    ("args", "metadata", "output_schema", "tool_policy", "tool_results")
)
"""Fields whose values are the caller's own: their keys are sent as they are."""
