import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ErrorInfo } from '../error-info.ts'
import { ContentPart } from '../model/message.ts'
import type { ModelAnswer, ModelRequest } from '../model/model.ts'
import type { InputRequest, Resolution } from '../run/approval.ts'
import type { JsonSchema } from '../schema.ts'
import { Count, Milliseconds, Text } from '../schema.ts'
import type { ToolRisk } from '../words.ts'
import type { FileChange } from './file-change.ts'

/** The part of the Standard Schema interface (standardschema.dev, version 1) that svc reads: zod, valibot and arktype have it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    /** For the compiler alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Of Standard JSON Schema (version 1): what goes in, as JSON Schema. zod has it from 4.2 on. */
    readonly jsonSchema?: {
      input(options: {
        readonly target: 'draft-2020-12'
        readonly libraryOptions?: Record<string, unknown>
      }): Record<string, unknown>
    }
  }
}
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

/** What a tool is handed beside its arguments. */
export interface ToolContext {
  /** Aborts when the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal
  /** Absolute path of the folder the tool is confined to. */
  readonly workspace: string
  /** Equal for every try of one call, so that an idempotent service acts once. */
  readonly idempotencyKey: string
  readonly agentId: string
  /** Whose memory the run uses: see `RunContext.owner`. Absent: the shared one. */
  readonly owner?: string
  /** True when a person approved this very call, or every equal call of the run. */
  readonly isApproved?: boolean
  /**
   * Asks the policy about one thing that the call really touches, such as a file that a search opens. The file tools and
   * `fetch` ask by themselves.
   *
   * @throws PolicyError `policy_denied` where a rule denies it; `approval_required` where it would have to be asked about, and
   *   the call was not approved under its name
   */
  check?(touch: Touch): void
  /** The paths that the call may not touch, for a tool that cannot ask about each, such as one that runs programs. */
  readonly closedPaths?: ClosedPaths
  /** `fetch` that refuses private and local addresses. */
  readonly fetch: typeof fetch
  /** A line for people, as an event. */
  log(message: string): void
  /** Says that a file was changed in a way that the arguments do not show whole, and how many bytes it has now. */
  wrote?(path: string, bytes: number): void
  /**
   * Keeps what the call changes in files, so that it can be undone, and resolves once that is durable. Called right before a
   * change takes effect, or as soon as it is known; with no change where there was none. What a call changes without a word
   * cannot be undone.
   *
   * @param unseen what else it may have changed, in words
   */
  keepForUndo?(changes: readonly FileChange[], unseen?: string): Promise<void>
  /** A piece of output while the tool runs, as an event. */
  output(chunk: string): void
  /**
   * Asks a person for something, and waits; `expired` where nobody is there. The tool's time-out goes on meanwhile.
   *
   * @param from where nothing that the call does is under way while it asks: what it needs to go on, something that JSON can
   *   hold. After a crash the call is made again with it as `resumed`, unasked, and asks the same again; without it the call
   *   is in doubt then
   */
  ask(request: InputRequest, from?: unknown): Promise<Resolution>
  /** What the call handed to `ask` in an earlier life of the run; absent where it begins. */
  readonly resumed?: unknown
  /**
   * Asks a model, within the budget of the call's agent: the run's own, unless it is named. All tools of a run may use a
   * tenth of its budget.
   *
   * @throws LimitError `budget_exhausted`, and as `RunContext.model`
   */
  model?(request: ToolModelRequest): Promise<ModelAnswer>
}

/** What a tool may ask a model. */
export type ToolModelRequest = Pick<ModelRequest, 'messages' | 'maxOutputTokens' | 'temperature'> & { model?: string }

/** What a call touches, by the word of its tool. A kind that is left out is not touched. */
export interface Touched {
  /** From the workspace; of a path with links in it, the one that was asked for and the one they lead to. */
  readonly paths?: readonly string[]
  /** URLs, or hosts. */
  readonly hosts?: readonly string[]
  /** Program and arguments; a text is a script. */
  readonly command?: readonly string[] | string
}

/** Paths that rules deny, or ask about without that a person has approved them. */
export interface ClosedPaths {
  /** As the rules have them; none where every path is open. */
  readonly globs: readonly string[]
  /** Whether a path from the workspace is one of them, or in one. */
  has(path: string): boolean
}

/** One thing that a call touches: a path from the workspace with all links resolved, or a host. */
export type Touch = { readonly path: string } | { readonly host: string }

/** `fetch` that calls `check` with the host of an address before it is reached, again at each redirect. */
export type CheckedFetch = (
  input: string | URL | Request,
  init?: RequestInit,
  check?: (host: string) => void,
) => Promise<Response>

/**
 * Something an agent can do.
 *
 * Contract: `args` has passed `parameters`; stops within 100 ms of an abort; throws `SvcError` with a documented code
 * where it can, any other error becomes `tool_failed`.
 */
export interface Tool {
  readonly id: string
  readonly description: string
  /**
   * What the arguments are, checked when the tool is added: JSON Schema of an object, or a Standard Schema that can say its
   * own, of which a model is shown what goes in.
   */
  readonly parameters: JsonSchema | StandardSchema
  readonly risk: ToolRisk
  /** True when calling it twice with one idempotency key is the same as calling it once. */
  readonly idempotent?: boolean
  /** Default 30 000. */
  readonly timeoutMs?: number
  /** Default 65 536; what is longer is cut and marked. */
  readonly maxOutputBytes?: number
  /** True when what it returns comes from outside (web, other programs) and may carry instructions. */
  readonly untrusted?: boolean
  /**
   * True when nothing of the folder or of outside is in what it returns: it says what follows from its arguments, or what a
   * person answered. Else, in a folder that nobody trusts, an answer that it was called for rests on something untrusted.
   */
  readonly readsNothing?: boolean
  /** True when it is of no use where nobody answers: runs whose `approval` is not `wait` are not offered it. */
  readonly needsPerson?: boolean
  /** True when it is of no use without agent profiles: a run that has none is offered it only where `tools.allow` names it. */
  readonly needsAgents?: boolean
  /** True when it changes no file without saying so by `keepForUndo`. */
  readonly keepsChanges?: boolean
  /**
   * What the call would do, shown to the person who is asked, such as a diff. Contract: has no effect. It is given 2 s and
   * 20 000 characters; where it fails, the arguments are shown.
   */
  preview?(args: unknown, context: ToolGlance): Promise<string>
  /**
   * Why this call has to be asked whatever is allowed; undefined: it does not. Contract: has no effect. It is waited for as
   * long as a call may take; then the call fails with `tool_timeout`.
   */
  alwaysAsks?(args: unknown, context: ToolGlance): Promise<string | undefined>
  /**
   * Whether a person has to be asked about this call, or why. Contract: has no effect. `true` and a text ask whatever is
   * allowed, as `alwaysAsks` does; `false` lets it pass where else the tool's risk would ask, but for `destructive`, and
   * under the rules, the policy's default and what untrusted content asks. Where it throws, the call is denied.
   */
  needsApproval?(args: unknown, context: ToolGlance): boolean | string | Promise<boolean | string>
  /**
   * Which paths, hosts and command the call touches, for rules about them and for the person who is asked. Contract: has no
   * effect. Without it, a rule that allows under such a condition never applies, and one that denies or asks looks at every
   * text in the arguments. It is waited for as `alwaysAsks` is.
   */
  touches?(args: unknown, context: ToolGlance): Promise<Touched>
  /**
   * Of a tool that runs programs: where this call runs one. Its result is untrusted where it reaches the network. It is waited
   * for as `alwaysAsks` is.
   */
  confinement?(args: unknown): Promise<Confinement>
  run(args: unknown, context: ToolContext): Promise<unknown>
}

/** What a tool is handed to look at a call before it is allowed. */
export type ToolGlance = Pick<ToolContext, 'signal' | 'workspace' | 'closedPaths'>

/** Where a program runs. */
export interface Confinement {
  /** Name of the sandbox; `none` without one. */
  readonly sandbox: string
  readonly network: boolean
}

/** Files that a tool changed, with their sizes. */
export const ChangedFiles = Type.Array(Type.Object({ path: Type.String(), bytes: Count('size after the call') }))
export type ChangedFiles = Static<typeof ChangedFiles>

/** What came of a tool call, as the gateway returns it. */
export const ToolAnswer = Type.Object({
  callId: Text('the call it answers'),
  ok: Type.Boolean(),
  content: Type.Array(ContentPart),
  error: Type.Optional(ErrorInfo),
  bytes: Count('size of the whole result'),
  truncated: Type.Boolean({ description: 'true when `content` holds less than the whole' }),
  ref: Type.Optional(Text('where the whole is kept, when it was too large')),
  trust: Type.Enum(['trusted', 'untrusted']),
  tainted: Type.Optional(
    Type.Boolean({ description: 'true where it may hold what an agent wrote that had read something untrusted' }),
  ),
  durationMs: Milliseconds('time in the tool'),
  files: Type.Optional(ChangedFiles),
  args: Type.Optional(
    Type.Unknown({ description: 'what the tool was called with, where it is not what was asked for' }),
  ),
})
export type ToolAnswer = Static<typeof ToolAnswer>

/** What a `toolRequest` tap may say. It can only tighten. */
export const ToolDecision = Type.Object({
  decision: Type.Enum(['allow', 'ask', 'deny']),
  args: Type.Optional(Type.Unknown({ description: 'other arguments to call with' })),
  reason: Type.Optional(Type.String()),
})
export type ToolDecision = Static<typeof ToolDecision>

/** A tool as it is listed: all but how it works. */
export interface ToolInfo {
  readonly id: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly risk: ToolRisk
}
