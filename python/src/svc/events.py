# Made from the schemas of the server by `npm run python:types`. Do not edit.
"""What each type of event carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, Optional, Union

from svc._codec import Answer
from svc.types import (
    AgentProfile,
    Allocation,
    Approval,
    Change,
    ClientCall,
    Complexity,
    Consensus,
    ErrorInfo,
    Issue,
    Layer,
    Mode,
    Plan,
    Reflection,
    RunMessage,
    ToolRisk,
    Usage,
    Vote,
    WorkStatus,
)

__all__ = [
    "AgentCancelled",
    "AgentCompleted",
    "AgentCreated",
    "AgentFailed",
    "AgentHandoff",
    "AgentMessage",
    "AgentStarted",
    "AgentSteered",
    "ApprovalExpired",
    "ApprovalResolved",
    "BudgetExhausted",
    "BudgetUpdated",
    "BudgetWarning",
    "ConsensusStarted",
    "EVENT_DATA",
    "Effort",
    "EventData",
    "FinishReason",
    "LogLine",
    "LoggedMessage",
    "LoggedPrompt",
    "MemoryRecalled",
    "MemoryWritten",
    "MessageCompleted",
    "MessageDelta",
    "MessageReset",
    "MessageSnapshot",
    "ModelAdapted",
    "ModelCompleted",
    "ModelFailed",
    "ModelFallback",
    "ModelRetrying",
    "ModelServer",
    "ModelStarted",
    "ModelStartedParams",
    "ModelStartedParamsToolChoice",
    "PlanRevised",
    "PluginError",
    "PolicyRule",
    "ReasoningDelta",
    "Reserve",
    "RunCancelled",
    "RunCancelling",
    "RunCompleted",
    "RunCreated",
    "RunEvent",
    "RunFailed",
    "RunIncomplete",
    "RunQueued",
    "RunRecovered",
    "RunResumed",
    "RunStarted",
    "RunWaiting",
    "RunWaitingInput",
    "StageCompleted",
    "StageFailed",
    "StageStarted",
    "StageTap",
    "StepCompleted",
    "StepCompletedVote",
    "StepFailed",
    "StepRetrying",
    "StepRetryingCheck",
    "StepSkipped",
    "StepStarted",
    "StreamWarning",
    "ToolCall",
    "ToolCompleted",
    "ToolDenied",
    "ToolFailed",
    "ToolOutput",
    "ToolRequested",
    "ToolStarted",
    "TopologyUpdated",
    "TopologyUpdatedEdge",
    "TopologyUpdatedNode",
]


@dataclass(frozen=True)
class RunCreated(Answer):
    """Data of `run.created`."""

    task: str
    mode: Mode
    options: dict[str, Any]
    config_hash: str
    """Of the config in force."""
    versions: dict[str, str]
    traceparent: Optional[str] = None
    """Of the caller, as W3C Trace Context writes it."""
    by: Optional[str] = None
    """Name of the key of a server that asked for it."""


@dataclass(frozen=True)
class RunQueued(Answer):
    """Data of `run.queued`."""

    position: int
    """In the queue, from 1."""


@dataclass(frozen=True)
class RunStarted(Answer):
    """Data of `run.started`."""

    attempt: int
    """1, and one more for each recovery."""


@dataclass(frozen=True)
class RunWaitingInput(Answer):
    """In `RunWaiting.input`."""

    prompt: str
    schema: Any = None
    """JSON Schema of the answer."""


@dataclass(frozen=True)
class RunWaiting(Answer):
    """Data of `run.waiting`."""

    reason: Literal["approval", "input", "tool_call", "indeterminate_tool", "run_poisoned", "replay_diverged"]
    approval_ids: Optional[tuple[str, ...]] = None
    """Of the approvals that are waited for."""
    input: Optional[RunWaitingInput] = None
    calls: Optional[tuple[ClientCall, ...]] = None
    """Of tools of the client, that are waited for from now on."""


@dataclass(frozen=True)
class RunResumed(Answer):
    """Data of `run.resumed`."""

    by: str
    """Who or what ended the wait."""


@dataclass(frozen=True)
class RunRecovered(Answer):
    """Data of `run.recovered`."""

    recoveries: int
    """In a row without a new record."""
    replayed_events: int
    """Events that were there already."""
    indeterminate: tuple[str, ...]
    """Keys of tool calls that were begun and not recorded as done."""


@dataclass(frozen=True)
class RunCancelling(Answer):
    """Data of `run.cancelling`."""

    reason: str
    by: str


@dataclass(frozen=True)
class RunCompleted(Answer):
    """Data of `run.completed`."""

    result: Any
    """What the run returns."""


@dataclass(frozen=True)
class RunIncomplete(Answer):
    """Data of `run.incomplete`."""

    result: Any
    """What the run returns."""


@dataclass(frozen=True)
class RunFailed(Answer):
    """Data of `run.failed`."""

    result: Any
    """What the run returns."""


@dataclass(frozen=True)
class RunCancelled(Answer):
    """Data of `run.cancelled`."""

    result: Any
    """What the run returns."""


@dataclass(frozen=True)
class StageStarted(Answer):
    """Data of `stage.started`."""

    plugins: tuple[str, ...]
    """That tap the stage, in order."""


@dataclass(frozen=True)
class StageTap(Answer):
    """What one tap did when its stage asked it."""

    plugin: str
    """Whose tap it is."""
    tap: str
    """Its name."""
    duration_ms: float
    """Until it answered or failed."""
    answered: bool
    """Whether it gave or changed the answer."""
    tokens: Optional[int] = None
    """That the run spent on models meanwhile; absent for none."""
    changes: Optional[tuple[Change, ...]] = None
    """What it changed in the answer of the taps before: the first 20; a text, and the JSON of
    another value, is cut at 500 characters."""


@dataclass(frozen=True)
class StageCompleted(Answer):
    """Data of `stage.completed`."""

    duration_ms: float
    """Of the stage."""
    plugin: str
    """Whose answer stands; empty when the stage stayed unanswered."""
    taps: Optional[tuple[StageTap, ...]] = None
    """Of the stage, in the order in which they were asked."""
    inherited: Optional[bool] = None
    """A fork kept the answer of its parent, and asked nobody; the time is of then."""


@dataclass(frozen=True)
class StageFailed(Answer):
    """Data of `stage.failed`."""

    error: ErrorInfo
    taps: Optional[tuple[StageTap, ...]] = None
    """Of the stage, in the order in which they were asked."""


@dataclass(frozen=True)
class PlanRevised(Answer):
    """Data of `plan.revised`."""

    reason: str
    plan: Plan


@dataclass(frozen=True)
class BudgetUpdated(Answer):
    """Data of `budget.updated`."""

    agent_id: str
    used: int
    """By the agent."""
    remaining: int
    """Until a hard limit."""
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""


@dataclass(frozen=True)
class BudgetWarning(Answer):
    """Data of `budget.warning`."""

    scope: str
    """`soft`, or an agent."""
    ratio: float


@dataclass(frozen=True)
class BudgetExhausted(Answer):
    """Data of `budget.exhausted`."""

    scope: str
    limit: int
    """Of the scope."""
    used: int
    """So far."""


@dataclass(frozen=True)
class TopologyUpdatedNode(Answer):
    """In `TopologyUpdated.nodes`."""

    id: str
    kind: str
    label: str
    status: WorkStatus


@dataclass(frozen=True)
class TopologyUpdatedEdge(Answer):
    """In `TopologyUpdated.edges`."""

    from_: str
    to: str
    kind: str


@dataclass(frozen=True)
class TopologyUpdated(Answer):
    """Data of `topology.updated`."""

    nodes: tuple[TopologyUpdatedNode, ...]
    edges: tuple[TopologyUpdatedEdge, ...]
    """Empty: the nodes replace those of the same ids. Else nodes and edges are the whole
    graph."""


@dataclass(frozen=True)
class AgentCreated(Answer):
    """Data of `agent.created`, of an agent without a profile."""

    id: str
    name: str
    role: str


@dataclass(frozen=True)
class AgentStarted(Answer):
    """Data of `agent.started`."""

    objective: str
    tokens: int
    """Its share."""


@dataclass(frozen=True)
class AgentCompleted(Answer):
    """Data of `agent.completed`."""

    output: str
    usage: Usage
    duration_ms: float
    """Of its work."""


@dataclass(frozen=True)
class AgentFailed(Answer):
    """Data of `agent.failed`."""

    error: ErrorInfo
    will_retry: bool


@dataclass(frozen=True)
class AgentCancelled(Answer):
    """Data of `agent.cancelled`."""

    reason: str


@dataclass(frozen=True)
class AgentSteered(Answer):
    """Data of `agent.steered`."""

    messages: tuple[RunMessage, ...]
    """Of people, that the agent reads before its next model call."""


@dataclass(frozen=True)
class AgentHandoff(Answer):
    """Data of `agent.handoff`."""

    from_: str
    to: str
    reason: str
    payload_ref: str
    """The step whose output is handed on."""


@dataclass(frozen=True)
class AgentMessage(Answer):
    """Data of `agent.message`."""

    from_: str
    to: tuple[str, ...]
    """Agents."""
    role: str
    content: str
    trust: Literal["trusted", "untrusted"]


@dataclass(frozen=True)
class StepStarted(Answer):
    """Data of `step.started`."""

    objective: str
    depends_on: tuple[str, ...]
    """Steps."""


FinishReason = Literal["stop", "length", "toolCalls", "contentFilter"]
"""Why a model stopped."""


@dataclass(frozen=True)
class StepCompletedVote(Answer):
    """In `StepCompleted.vote`."""

    decided_by: Literal["majority", "model"]
    clusters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class StepCompleted(Answer):
    """Data of `step.completed`."""

    output: str
    usage: Usage
    finish_reason: Optional[FinishReason] = None
    acceptance: Optional[tuple[str, ...]] = None
    """What the answer had to meet."""
    vote: Optional[StepCompletedVote] = None


@dataclass(frozen=True)
class StepFailed(Answer):
    """Data of `step.failed`."""

    error: ErrorInfo


@dataclass(frozen=True)
class StepSkipped(Answer):
    """Data of `step.skipped`."""

    why: str


@dataclass(frozen=True)
class StepRetryingCheck(Answer):
    """In `StepRetrying.check`."""

    id: str
    evidence: str


@dataclass(frozen=True)
class StepRetrying(Answer):
    """Data of `step.retrying`."""

    tries: int
    """Of the try that begins."""
    delay_ms: float
    """Before it."""
    error: Optional[ErrorInfo] = None
    check: Optional[StepRetryingCheck] = None


Effort = Literal["low", "medium", "high"]
"""How much a model that reasons is to think before it answers. Others, and providers that know no such thing, ignore it."""


@dataclass(frozen=True)
class ModelStartedParamsToolChoice(Answer):
    """In `ModelStartedParams.tool_choice`."""

    tool: str


@dataclass(frozen=True)
class ModelStartedParams(Answer):
    """In `ModelStarted.params`."""

    temperature: Optional[float] = None
    effort: Optional[Effort] = None
    """How much a model that reasons is to think; others ignore it."""
    max_output_tokens: Optional[float] = None
    seed: Optional[float] = None
    tool_choice: Optional[Union[Literal["auto", "none", "required"], ModelStartedParamsToolChoice]] = None
    tools: Optional[tuple[str, ...]] = None
    """Offered."""
    stop: Optional[tuple[str, ...]] = None
    """Sequences at which to stop."""
    output_schema: Optional[bool] = None
    """True where JSON that fits a schema was asked for."""
    output_schema_sha256: Optional[str] = None
    """Of that schema as canonical JSON."""


@dataclass(frozen=True)
class ModelServer(Answer):
    """The server of a model, without path and credentials."""

    address: str
    """Name or IP address."""
    port: int


@dataclass(frozen=True)
class ToolCall(Answer):
    """A model's wish to call a tool."""

    call_id: str
    """Pairs the call with its result."""
    tool: str
    """Id of the tool."""
    args: Any
    """Its arguments as parsed JSON; a string when the model's JSON was malformed."""


@dataclass(frozen=True)
class LoggedMessage(Answer):
    """One message of a prompt as the log keeps it: a text that other events of the call `callId` hold is not kept twice."""

    role: Literal["system", "user", "assistant", "tool"]
    text: Optional[str] = None
    """With images and PDFs in words; absent where it is what the tool call `call_id` returned,
    or what the model call `call_id` answered."""
    more: Optional[str] = None
    """What follows the text that stands elsewhere."""
    call_id: Optional[str] = None
    """Of role tool: the tool call that it answers; of role assistant without `text`: the model
    call whose answer it is."""
    tool_calls: Optional[tuple[ToolCall, ...]] = None


@dataclass(frozen=True)
class LoggedPrompt(Answer):
    """What a model was sent, without what the log holds already; `promptOf` makes it whole."""

    from_: int
    """Index of the first of `messages`: those before it are those of the prompt of `base`."""
    messages: tuple[LoggedMessage, ...]
    base: Optional[str] = None
    """CallId of an earlier model call of the same agent; absent where `from` is 0."""


@dataclass(frozen=True)
class ModelStarted(Answer):
    """Data of `model.started`."""

    provider: str
    model: str
    params: ModelStartedParams
    estimated_input_tokens: int
    """Of the request."""
    server: Optional[ModelServer] = None
    prompt: Optional[LoggedPrompt] = None


@dataclass(frozen=True)
class ModelCompleted(Answer):
    """Data of `model.completed`."""

    provider: str
    model: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    usage: Usage
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    latency_ms: float
    """Of the call."""
    cached: bool
    """True when it was answered from a record."""
    text: Optional[str] = None
    ttft_ms: Optional[float] = None
    """Until the first piece."""
    recorded: Optional[bool] = None
    """True when it was answered from the recording of another run."""
    response_id: Optional[str] = None
    """What the vendor calls the answer."""
    unseen: Optional[tuple[str, ...]] = None
    """Images and files of the request that the model was given in words alone."""


@dataclass(frozen=True)
class ModelFailed(Answer):
    """Data of `model.failed`."""

    provider: str
    model: str
    error: ErrorInfo
    usage: Optional[Usage] = None
    cost_usd: Optional[float] = None
    """US dollars; None means that no price is known."""


@dataclass(frozen=True)
class Reserve(Answer):
    """What a try of a model call may take, written down before it is made: it counts where a crash has cut the try off."""

    usage: Usage
    cost_usd: Optional[float]
    """US dollars; None means that no price is known."""
    more_tokens: int
    """That the answer may have had beyond its usual length: they count against hard limits."""
    more_usd: float
    """US dollars that these may have cost."""


@dataclass(frozen=True)
class ModelRetrying(Answer):
    """Data of `model.retrying`."""

    tries: int
    """Of the try that begins."""
    delay_ms: float
    cause: ErrorInfo
    reserve: Optional[Reserve] = None


@dataclass(frozen=True)
class ModelAdapted(Answer):
    """Data of `model.adapted`."""

    provider: str
    model: str
    learnt: tuple[str, ...]
    """Fields of the config of the provider that make permanent how it is asked from now on."""
    cause: Optional[ErrorInfo] = None


@dataclass(frozen=True)
class ModelFallback(Answer):
    """Data of `model.fallback`."""

    from_: str
    to: str
    cause: ErrorInfo


@dataclass(frozen=True)
class MessageCompleted(Answer):
    """Data of `message.completed`."""

    role: Literal["assistant", "user", "system", "tool"]
    content: tuple[dict[str, Any], ...]
    streamed: Optional[bool] = None


@dataclass(frozen=True)
class ToolRequested(Answer):
    """Data of `tool.requested`."""

    tool: str
    args: Any
    risk: Optional[ToolRisk] = None
    source: Optional[str] = None
    """Where the tool comes from."""
    taint: Optional[tuple[str, ...]] = None
    """Untrusted content that reached the agent."""


@dataclass(frozen=True)
class ToolStarted(Answer):
    """Data of `tool.started`."""

    tool: str
    sandbox: str
    idempotency_key: str
    tainted: Optional[bool] = None
    """True where what it writes may hold untrusted content."""


@dataclass(frozen=True)
class ToolCompleted(Answer):
    """Data of `tool.completed`."""

    tool: str
    result: str
    """Images and PDFs in words."""
    bytes: int
    """Of the whole result."""
    truncated: bool
    duration_ms: float
    """Of the call."""
    trust: Literal["trusted", "untrusted"]
    media: Optional[tuple[str, ...]] = None
    """The images and PDFs in it, in words."""
    tainted: Optional[bool] = None
    """True where it may hold what an agent wrote that had read something untrusted."""
    ref: Optional[str] = None
    """Of the whole result, where it was cut."""
    args: Any = None
    """What the tool was called with, where a person or a plugin changed what was asked for."""


@dataclass(frozen=True)
class ToolFailed(Answer):
    """Data of `tool.failed`."""

    error: ErrorInfo
    tool: Optional[str] = None
    duration_ms: Optional[float] = None
    """Of the call."""
    trust: Optional[Literal["trusted", "untrusted"]] = None
    tainted: Optional[bool] = None
    """True where it may hold what an agent wrote that had read something untrusted."""
    args: Any = None
    """What the tool was called with, where a person or a plugin changed what was asked for."""


@dataclass(frozen=True)
class PolicyRule(Answer):
    """One rule about tools."""

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
class ToolDenied(Answer):
    """Data of `tool.denied`."""

    rule: str
    """That refused."""
    reason: str
    tool: Optional[str] = None
    by: Optional[Literal["rule", "person", "nobody"]] = None
    note: Optional[str] = None
    """Of the person."""
    allowed_by: Optional[PolicyRule] = None
    error: Optional[ErrorInfo] = None
    duration_ms: Optional[float] = None
    """Of the call."""


@dataclass(frozen=True)
class ApprovalResolved(Answer):
    """Data of `approval.resolved`."""

    decision: Literal["approve", "deny", "edit"]
    by: str
    args: Any = None
    note: Optional[str] = None


@dataclass(frozen=True)
class ApprovalExpired(Answer):
    """Data of `approval.expired`."""


@dataclass(frozen=True)
class ConsensusStarted(Answer):
    """Data of `consensus.started`."""

    question: str
    models: tuple[str, ...]
    """That vote."""


@dataclass(frozen=True)
class MemoryWritten(Answer):
    """Data of `memory.written`."""

    id: str
    layer: Layer
    bytes: int
    """Of the content."""


@dataclass(frozen=True)
class MemoryRecalled(Answer):
    """Data of `memory.recalled`."""

    query: str
    ids: tuple[str, ...]
    """Of the records."""
    scores: tuple[float, ...]


@dataclass(frozen=True)
class PluginError(Answer):
    """Data of `plugin.error`."""

    plugin: str
    stage: str
    error: ErrorInfo


@dataclass(frozen=True)
class MessageDelta(Answer):
    """Data of `message.delta`."""

    text: str


@dataclass(frozen=True)
class MessageReset(Answer):
    """Data of `message.reset`."""

    reason: Literal["retry", "tool_call", "model_failed"]
    """Another draft begins; what was said led to a tool call; the call that said it was cut
    off."""


@dataclass(frozen=True)
class MessageSnapshot(Answer):
    """Data of `message.snapshot`."""

    text_so_far: str
    """In place of what was said; without a `call_id`, the whole answer."""


@dataclass(frozen=True)
class ReasoningDelta(Answer):
    """Data of `reasoning.delta`."""

    text: str


@dataclass(frozen=True)
class ToolOutput(Answer):
    """Data of `tool.output`."""

    stream: Literal["stdout", "stderr"]
    chunk: str


@dataclass(frozen=True)
class LogLine(Answer):
    """Data of `log.line`."""

    level: str
    message: str


@dataclass(frozen=True)
class StreamWarning(Answer):
    """Data of `stream.warning`."""

    code: str
    """Stable, snake_case."""


EVENT_DATA: Mapping[str, Any] = {
    "run.created": RunCreated,
    "run.queued": RunQueued,
    "run.started": RunStarted,
    "run.waiting": RunWaiting,
    "run.resumed": RunResumed,
    "run.recovered": RunRecovered,
    "run.cancelling": RunCancelling,
    "run.completed": RunCompleted,
    "run.incomplete": RunIncomplete,
    "run.failed": RunFailed,
    "run.cancelled": RunCancelled,
    "stage.started": StageStarted,
    "stage.completed": StageCompleted,
    "stage.failed": StageFailed,
    "analysis.completed": Complexity,
    "budget.allocated": Allocation,
    "plan.created": Plan,
    "plan.revised": PlanRevised,
    "budget.updated": BudgetUpdated,
    "budget.warning": BudgetWarning,
    "budget.exhausted": BudgetExhausted,
    "topology.updated": TopologyUpdated,
    "agent.created": Union[AgentProfile, AgentCreated],
    "agent.started": AgentStarted,
    "agent.completed": AgentCompleted,
    "agent.failed": AgentFailed,
    "agent.cancelled": AgentCancelled,
    "agent.steered": AgentSteered,
    "agent.handoff": AgentHandoff,
    "agent.message": AgentMessage,
    "step.started": StepStarted,
    "step.completed": StepCompleted,
    "step.failed": StepFailed,
    "step.skipped": StepSkipped,
    "step.retrying": StepRetrying,
    "model.started": ModelStarted,
    "model.completed": ModelCompleted,
    "model.failed": ModelFailed,
    "model.retrying": ModelRetrying,
    "model.adapted": ModelAdapted,
    "model.fallback": ModelFallback,
    "message.completed": MessageCompleted,
    "tool.requested": ToolRequested,
    "tool.started": ToolStarted,
    "tool.completed": ToolCompleted,
    "tool.failed": ToolFailed,
    "tool.denied": ToolDenied,
    "approval.requested": Approval,
    "approval.resolved": ApprovalResolved,
    "approval.expired": ApprovalExpired,
    "consensus.started": ConsensusStarted,
    "consensus.vote": Vote,
    "consensus.resolved": Consensus,
    "reflection.completed": Reflection,
    "inspect.issue": Issue,
    "memory.written": MemoryWritten,
    "memory.recalled": MemoryRecalled,
    "plugin.error": PluginError,
    "message.delta": MessageDelta,
    "message.reset": MessageReset,
    "message.snapshot": MessageSnapshot,
    "reasoning.delta": ReasoningDelta,
    "tool.output": ToolOutput,
    "log.line": LogLine,
    "stream.warning": StreamWarning,
}
"""The class of the data of each type of event."""

EventData = Union[
    RunCreated,
    RunQueued,
    RunStarted,
    RunWaiting,
    RunResumed,
    RunRecovered,
    RunCancelling,
    RunCompleted,
    RunIncomplete,
    RunFailed,
    RunCancelled,
    StageStarted,
    StageCompleted,
    StageFailed,
    Complexity,
    Allocation,
    Plan,
    PlanRevised,
    BudgetUpdated,
    BudgetWarning,
    BudgetExhausted,
    TopologyUpdated,
    Union[AgentProfile, AgentCreated],
    AgentStarted,
    AgentCompleted,
    AgentFailed,
    AgentCancelled,
    AgentSteered,
    AgentHandoff,
    AgentMessage,
    StepStarted,
    StepCompleted,
    StepFailed,
    StepSkipped,
    StepRetrying,
    ModelStarted,
    ModelCompleted,
    ModelFailed,
    ModelRetrying,
    ModelAdapted,
    ModelFallback,
    MessageCompleted,
    ToolRequested,
    ToolStarted,
    ToolCompleted,
    ToolFailed,
    ToolDenied,
    Approval,
    ApprovalResolved,
    ApprovalExpired,
    ConsensusStarted,
    Vote,
    Consensus,
    Reflection,
    Issue,
    MemoryWritten,
    MemoryRecalled,
    PluginError,
    MessageDelta,
    MessageReset,
    MessageSnapshot,
    ReasoningDelta,
    ToolOutput,
    LogLine,
    StreamWarning,
    Mapping[str, Any],
]
"""The data of an event; of a type that this version does not know, plain data."""


@dataclass(frozen=True)
class RunEventCut(Answer):
    """In `RunEvent.cut`."""

    path: str
    """A JSON pointer."""
    bytes: int


@dataclass(frozen=True)
class RunEvent(Answer):
    """Something that happened in a run; `type` says what `data` is."""

    v: Literal[1]
    type: str
    time: str
    """When it happened."""
    run_id: str
    data: EventData
    seq: Optional[int] = None
    """Gap-free from 1; absent on what is sent once and not kept."""
    thread_id: Optional[str] = None
    stage: Optional[str] = None
    step_id: Optional[str] = None
    agent_id: Optional[str] = None
    parent_agent_id: Optional[str] = None
    call_id: Optional[str] = None
    approval_id: Optional[str] = None
    span: Optional[str] = None
    ref: Optional[str] = None
    """Path of the whole event, of one that was cut; absent on what is not kept."""
    cut: Optional[tuple[RunEventCut, ...]] = None
    """Texts of which only the beginning is here, with the bytes of the whole."""
