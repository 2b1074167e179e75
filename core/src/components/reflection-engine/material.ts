import type { RunEvent } from '../../contracts/log/event.ts'
import type { Usage } from '../../contracts/model/usage.ts'
import { addUsage } from '../../contracts/model/usage-sum.ts'
import type { ModelCallView, ToolCallView } from '../../contracts/run/call-view.ts'
import { RunView } from '../../contracts/run/run-view.ts'
import type { JsonSchema } from '../../contracts/schema.ts'
import type { Plan } from '../../contracts/stages/plan.ts'
import type { Task } from '../../contracts/stages/task.ts'
import { Call, parseJson, toPlainText } from '../../text/calls/call.ts'
import { madeCalls } from '../../text/calls/made-calls.ts'

/** How a model is asked to read what the rules left open. */
export interface ReaderOptions {
  /** `provider/model` of the reader, the first one; best of another family than the author's. Default: the run's model. */
  models?: readonly string[]
  /** Called with the reason when no reader could be asked; the rules then stand alone. */
  onUnavailable?(message: string): void
}

/** An answer and all that there is to judge it by. */
export interface EvaluateInput {
  task: Task
  /** The answer in plain text. */
  output: string
  /** All events of the run so far, in order. */
  events: readonly RunEvent[]
  /** The projection of these events, where there is one already. Default: a new one. */
  view?: RunView | undefined
  /** How often `execute` was asked, from 1. */
  attempt: number
  /** The shape that was asked for. */
  outputSchema?: JsonSchema | undefined
  /** The structured answer, where one was asked for. */
  data?: unknown
  plan?: Plan | undefined
  /** Other text that the agents were given: context of the run, recalled memories. */
  sources?: readonly string[] | undefined
  /** True: images or files came with the task. */
  withMedia?: boolean | undefined
  /**
   * True: everything that the answer says must come from the task, the tools or `sources`, as from a provider that knows
   * nothing itself. Default false; a task that asks for citations, or a step with acceptance criteria, asks for it too.
   */
  grounded?: boolean | undefined
  /** False: another try cannot help, whatever is found. Default true. */
  mayRetry?: boolean | undefined
  /** Asks a model about the statements that the rules left open; needs the ports of a run. */
  reader?: ReaderOptions | undefined
}

const ASKS_FOR_SOURCES =
  /\b(?:cit(?:e|es|ing|ations?)|sources?|references|quot(?:e|es|ing|ations?)|footnotes?|line numbers?|file and line|(?:give|name|with|add|and) (?:the |a )?(?:links?|lines?)|link the)\b/i

/** Characters that are read of the result of one call, and about of all. */
const LONGEST_RESULT = 50_000
const MOST_TEXT = 1_000_000
/** How often a rule may look at what takes long, in a whole answer. */
const MOST_LOOKS = 400

/** What the checks look at: an answer, its task, and what the run really saw and did. */
export class Material {
  readonly task: Task
  readonly output: string
  /** The answer without fenced code. */
  readonly prose: string
  readonly data: unknown
  readonly outputSchema: JsonSchema | undefined
  readonly plan: Plan | undefined
  /** Events since `execute` was last asked. */
  readonly events: readonly RunEvent[]
  /** Tool calls of the whole run that were made, in the order of their requests. */
  readonly calls: readonly Call[]
  /** Completed calls. */
  readonly done: readonly Call[]
  /** False: of very long results the end is left out, so that what is not found may stand there. */
  readonly isWhole: boolean
  /** Text that the agents were given beside the task. */
  readonly given: readonly string[]
  /** True when a tool returned something or text was given: only then can facts be compared. */
  readonly grounded: boolean
  /** Whether the task, its acceptance criteria or the provider promise that everything said was read. */
  readonly mustBeGrounded: boolean
  /** True when the model was shown what is no text, such as an image: then what was seen cannot be compared. */
  readonly sawOther: boolean
  /** The model call that gave the answer, and `<runId>:<seq>` of the event that ended it. */
  readonly lastAnswer: ModelCallView | undefined
  readonly lastAnswerRef: string | undefined
  /** Events of earlier reflections of this run. */
  readonly earlier: readonly Extract<RunEvent, { type: 'reflection.completed' }>[]
  /** Tokens that the last attempt took. */
  readonly usage: Usage
  /** Given text and tool results alone. */
  readonly evidenceText: string
  /** Everything an answer may rest on: task, given text, arguments and results of completed calls, errors of failed ones. */
  readonly sourceText: string
  readonly #cache = new Map<string, unknown>()
  readonly #looks = new Map<string, number>()
  /** How often a rule would have looked once more than it may. */
  unlooked = 0

  constructor(input: EvaluateInput) {
    const { task, output, sources = [], events, view, grounded, withMedia } = input
    this.task = task
    this.output = output
    this.data = input.data
    this.outputSchema = input.outputSchema
    this.plan = input.plan
    this.prose = output
      .split('```')
      .filter((_, index) => index % 2 === 0)
      .join('\n')
    this.given = sources.filter((text) => text !== '')
    const runId = events[0]?.runId ?? ''
    const { toolCalls, modelCalls } = view ?? new RunView(events)
    const made = madeCalls(toolCalls)
    const shown = shorten(made)
    this.isWhole = shown.every((call, index) => call === made[index])
    this.calls = shown.map((call, index) => new Call(call, runId, index))
    this.done = this.calls.filter(({ status }) => status === 'completed')
    this.grounded = this.given.length > 0 || this.done.some(({ printed }) => printed.trim() !== '')
    const criteria = (input.plan?.steps ?? []).flatMap(({ acceptance }) => acceptance)
    this.mustBeGrounded =
      grounded === true || [task.description, ...criteria].some((text) => ASKS_FOR_SOURCES.test(text))
    const printed = this.done.map(({ text }) => text)
    this.evidenceText = [...this.given, ...printed].join('\n')
    const asked = this.done.map(({ args }) => toPlainText(args))
    const failed = this.calls.filter(({ status }) => status === 'failed')
    this.sourceText = [task.description, this.evidenceText, ...asked, ...failed.map((call) => call.printed)].join('\n')
    const start = events.findLastIndex((event) => event.type === 'stage.started' && event.stage === 'execute')
    const attempt = events.slice(Math.max(0, start))
    this.events = attempt
    // What the model was only given in words was not shown to it.
    this.sawOther =
      (withMedia === true || attempt.some((event) => event.type === 'tool.completed' && event.data.media)) &&
      !attempt.some((event) => event.type === 'model.completed' && event.data.unseen)
    const latest = modelCalls.filter(({ seq = -1 }) => seq >= (attempt[0]?.seq ?? 0))
    this.usage = addUsage(...latest.map(({ usage }) => usage))
    // Votes are no answers.
    const isVote = new Set(
      attempt.flatMap(({ stage, seq = 0 }) => (stage === undefined || stage === 'execute' ? [] : [seq])),
    )
    const answers = latest.filter(
      ({ status, toolCalls: asks, seq = 0 }) => status === 'completed' && asks.length === 0 && !isVote.has(seq),
    )
    this.lastAnswer = answers.findLast(({ text }) => text.trim() === output.trim()) ?? answers.at(-1)
    this.lastAnswerRef = this.lastAnswer && `${runId}:${this.lastAnswer.seq ?? 0}`
    this.earlier = events.filter((event) => event.type === 'reflection.completed')
  }

  /** Whether a rule may look so many times more. */
  readonly mayLook = (rule: string, count = 1): boolean => {
    const looks = (this.#looks.get(rule) ?? 0) + count
    this.#looks.set(rule, looks)
    if (looks > MOST_LOOKS) this.unlooked++
    return looks <= MOST_LOOKS
  }

  /** Works something out once for all checks. */
  readonly once = <T>(key: string, work: () => T): T => {
    if (!this.#cache.has(key)) this.#cache.set(key, work())
    return this.#cache.get(key) as T
  }
}

/** Calls with results of a bounded length; one that is JSON stays so, with texts of that length. */
function shorten(calls: readonly ToolCallView[]): readonly ToolCallView[] {
  const total = calls.reduce((sum, { result = '' }) => sum + Math.min(result.length, LONGEST_RESULT), 0)
  const limit = Math.floor(LONGEST_RESULT * Math.min(1, MOST_TEXT / Math.max(1, total)))
  const cut = (_: string, item: unknown): unknown => (typeof item === 'string' ? item.slice(0, limit) : item)
  return calls.map((call) => {
    const { result = '' } = call
    if (result.length <= limit) return call
    const value = parseJson(result)
    const short = typeof value === 'object' ? JSON.stringify(value, cut) : result
    return { ...call, result: short.length <= limit * 4 && short !== result ? short : result.slice(0, limit) }
  })
}
