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

/**
 * What the checks look at: an answer, its task, and what the run really saw and did. What few checks ask for is made when one
 * does: a plain answer needs little of it.
 */
export class Material {
  readonly task: Task
  readonly output: string
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
  readonly #input: EvaluateInput
  readonly #runId: string
  /** Model calls that ended in the last attempt. */
  readonly #latest: readonly ModelCallView[]
  readonly #cache = new Map<string, unknown>()
  readonly #looks = new Map<string, number>()
  #unlooked = 0

  constructor(input: EvaluateInput) {
    const { events } = input
    this.#input = input
    this.#runId = events[0]?.runId ?? ''
    this.task = input.task
    this.output = input.output
    this.data = input.data
    this.outputSchema = input.outputSchema
    this.plan = input.plan
    const { toolCalls, modelCalls } = input.view ?? new RunView(events)
    const made = madeCalls(toolCalls)
    const shown = shorten(made)
    this.calls = shown.map((call, index) => new Call(call, this.#runId, index))
    this.done = this.calls.filter(({ status }) => status === 'completed')
    this.isWhole = shown.every((call, index) => call === made[index])
    this.given = (input.sources ?? []).filter((text) => text !== '')
    const start = events.findLastIndex((event) => event.type === 'stage.started' && event.stage === 'execute')
    this.events = events.slice(Math.max(0, start))
    const first = this.events[0]?.seq ?? 0
    this.#latest = modelCalls.filter(({ seq = -1 }) => seq >= first)
  }

  /** The answer without fenced code. */
  get prose(): string {
    return this.once('prose', () => this.output.replace(/```[\s\S]*?(?:```|$)/g, '\n'))
  }

  /** True when a tool returned something or text was given: only then can facts be compared. */
  get grounded(): boolean {
    return this.given.length > 0 || this.done.some(({ printed }) => printed.trim() !== '')
  }

  /** Whether the task, its acceptance criteria or the provider promise that everything said was read. */
  get mustBeGrounded(): boolean {
    return this.once('must-be-grounded', () => {
      const criteria = (this.plan?.steps ?? []).flatMap(({ acceptance }) => acceptance)
      const asks = [this.task.description, ...criteria].some((text) => ASKS_FOR_SOURCES.test(text))
      return this.#input.grounded === true || asks
    })
  }

  /** True when the model was shown what is no text, such as an image: then what was seen cannot be compared. */
  get sawOther(): boolean {
    return this.once('saw-other', () => {
      const returned = this.events.some((event) => event.type === 'tool.completed' && event.data.media)
      // What the model was only given in words was not shown to it.
      const unseen = (event: RunEvent) => event.type === 'model.completed' && event.data.unseen
      return (this.#input.withMedia === true || returned) && !this.events.some(unseen)
    })
  }

  /** The model call that gave the answer. */
  get lastAnswer(): ModelCallView | undefined {
    return this.once('last-answer', () => {
      // Votes are no answers.
      const votes = new Set<number>()
      for (const { stage = 'execute', seq = 0 } of this.events) if (stage !== 'execute') votes.add(seq)
      const answers = this.#latest.filter(
        ({ status, toolCalls, seq = 0 }) => status === 'completed' && toolCalls.length === 0 && !votes.has(seq),
      )
      const said = this.output.trim()
      return answers.findLast(({ text }) => text.trim() === said) ?? answers.at(-1)
    })
  }

  /** `<runId>:<seq>` of the event that ended the call that gave the answer. */
  get lastAnswerRef(): string | undefined {
    return this.lastAnswer && `${this.#runId}:${this.lastAnswer.seq ?? 0}`
  }

  /** Events of earlier reflections of this run. */
  get earlier() {
    return this.#input.events.filter((event) => event.type === 'reflection.completed')
  }

  /** Tokens that the last attempt took. */
  get usage(): Usage {
    return addUsage(...this.#latest.map(({ usage }) => usage))
  }

  /** Given text and tool results alone. */
  get evidenceText(): string {
    return this.once('evidence-text', () => [...this.given, ...this.done.map(({ text }) => text)].join('\n'))
  }

  /** Everything an answer may rest on: task, given text, arguments and results of completed calls, errors of failed ones. */
  get sourceText(): string {
    return this.once('source-text', () => {
      const used = this.calls.flatMap(({ status, args, printed }) =>
        status === 'completed' ? toPlainText(args) : status === 'failed' ? printed : [],
      )
      return [this.task.description, this.evidenceText, ...used].join('\n')
    })
  }

  /** Whether a rule may look so many times more. */
  readonly mayLook = (rule: string, count = 1): boolean => {
    const all = (this.#looks.get(rule) ?? 0) + count
    this.#looks.set(rule, all)
    if (all > MOST_LOOKS) this.#unlooked++
    return all <= MOST_LOOKS
  }

  /** How often a rule might not. */
  get unlooked(): number {
    return this.#unlooked
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
