import type { ModelCallView } from '../../contracts/call-view.ts'
import type { RunEvent } from '../../contracts/event.ts'
import type { Plan } from '../../contracts/plan.ts'
import { RunView } from '../../contracts/run-view.ts'
import type { JsonSchema } from '../../contracts/schema.ts'
import type { Task } from '../../contracts/task.ts'
import type { Usage } from '../../contracts/usage.ts'
import { addUsage } from '../../contracts/usage-sum.ts'
import { Call, toPlainText } from './calls.ts'
import { type Scan, scan, toPlainWords } from './scan.ts'
import { normalise } from './shape.ts'

/** How a model is asked beyond the rules. */
export interface JudgeOptions {
  /** `provider/model` of the judges, in turn; best of another family than the author's. Default: the run's model. */
  models?: readonly string[]
  /** Called with the reason when no judge could be asked; the rules then stand alone. */
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
  /** Asks a model beside the rules; needs the ports of a run. */
  judge?: JudgeOptions | undefined
}

const ASKS_FOR_SOURCES =
  /\b(?:cit(?:e|es|ing|ations?)|sources?|references|quot(?:e|es|ing|ations?)|footnotes?|line numbers?|file and line|(?:give|name|with|add|and) (?:the |a )?(?:links?|lines?)|link the)\b/i

/** What the checks look at: an answer, its task, and what the run really saw and did. */
export class Material {
  readonly task: Task
  readonly output: string
  /** The answer without fenced code. */
  readonly prose: string
  readonly data: unknown
  readonly outputSchema: JsonSchema | undefined
  readonly plan: Plan | undefined
  /** Which characters the answer holds. */
  readonly scan: Scan
  /** Events since `execute` was last asked. */
  readonly events: readonly RunEvent[]
  /** Tool calls of the whole run, in the order of their requests. */
  readonly calls: readonly Call[]
  /** Text that the agents were given beside the task. */
  readonly given: readonly string[]
  /** Model calls since `execute` was last asked. */
  readonly #latest: readonly ModelCallView[]
  readonly #runId: string
  readonly #mustBeGrounded: boolean
  #done: readonly Call[] | undefined
  #mustQuote: boolean | undefined
  #sawOther: boolean | undefined
  readonly #withMedia: boolean
  #evidenceText: string | undefined
  #sourceText: string | undefined
  #sourceWords: string | undefined
  #words: ReadonlySet<string> | undefined
  #taskWords: ReadonlySet<string> | undefined
  #lastAnswer: ModelCallView | undefined
  #cache: Map<string, unknown> | undefined

  constructor(input: EvaluateInput) {
    const {
      task,
      output,
      data,
      outputSchema,
      plan,
      sources = [],
      events,
      view,
      grounded = false,
      withMedia = false,
    } = input
    this.#withMedia = withMedia
    this.task = task
    this.output = output
    this.data = data
    this.outputSchema = outputSchema
    this.plan = plan
    this.scan = scan(output)
    this.prose = this.scan.fences ? withoutFences(output) : output
    this.given = sources.filter((text) => text !== '')
    this.#mustBeGrounded = grounded
    this.events = sinceStart(events)
    const first = this.events[0]?.seq ?? 0
    const runId = events[0]?.runId ?? ''
    const { toolCalls, modelCalls } = view ?? new RunView(events)
    this.#runId = runId
    this.calls = toolCalls.map((call, index) => new Call(call, runId, index, (call.requestedSeq ?? first) >= first))
    this.#latest = modelCalls.filter(({ seq }) => seq !== undefined && seq >= first)
  }

  /** Tokens that the last attempt took. */
  get usage(): Usage {
    return addUsage(...this.#latest.map(({ usage }) => usage))
  }

  /** The model call that gave the answer. */
  get lastAnswer(): ModelCallView | undefined {
    this.#lastAnswer ??= lastAnswerOf(this.#latest, this.events, this.output)
    return this.#lastAnswer
  }

  /** `<runId>:<seq>` of the event that ended the model call that gave the answer. */
  get lastAnswerRef(): string | undefined {
    const { lastAnswer } = this
    return lastAnswer === undefined ? undefined : `${this.#runId}:${lastAnswer.seq ?? 0}`
  }

  /** Completed calls. */
  get done(): readonly Call[] {
    this.#done ??= this.calls.filter(({ status }) => status === 'completed')
    return this.#done
  }

  /** True when a tool returned something or text was given: only then can facts be compared. */
  get grounded(): boolean {
    return this.given.length > 0 || this.done.some(({ printed }) => printed.trim() !== '')
  }

  /** Whether the task, its acceptance criteria or the provider promise that everything said was read. */
  get mustBeGrounded(): boolean {
    this.#mustQuote ??=
      this.#mustBeGrounded ||
      ASKS_FOR_SOURCES.test(this.task.description) ||
      (this.plan?.steps ?? []).some(({ acceptance }) => acceptance.some((line) => ASKS_FOR_SOURCES.test(line)))
    return this.#mustQuote
  }

  /**
   * True when the model was shown what is no text, such as an image: then what was seen cannot be compared. What it was
   * only given in words is no such thing.
   */
  get sawOther(): boolean {
    this.#sawOther ??=
      (this.#withMedia ||
        this.events.some(({ type, data }) => type === 'tool.completed' && data.media !== undefined)) &&
      !this.events.some(({ type, data }) => type === 'model.completed' && data.unseen !== undefined)
    return this.#sawOther
  }

  /** Given text and tool results alone. */
  get evidenceText(): string {
    this.#evidenceText ??= [...this.given, ...this.done.map(({ text }) => text)].join('\n')
    return this.#evidenceText
  }

  /** Given text, and the results of calls that change nothing. */
  get readText(): string {
    return this.once('read', () =>
      [...this.given, ...this.done.filter(({ acts }) => !acts).map(({ text }) => text)].join('\n'),
    )
  }

  /** Whether words stand in the task or in what was read, as they are. */
  readonly standsElsewhere = (words: string): boolean =>
    this.once('elsewhere', () => normalise(`${this.task.description}\n${this.readText}`)).includes(normalise(words))

  /** Everything an answer may rest on: task, given text, arguments and results of completed calls, errors of failed ones. */
  get sourceText(): string {
    this.#sourceText ??= [
      this.task.description,
      ...this.given,
      ...this.done.flatMap(({ args, text }) => [toPlainText(args), text]),
      ...this.calls.filter(({ status }) => status === 'failed').map(({ printed }) => printed),
    ].join('\n')
    return this.#sourceText
  }

  /** `sourceText` as lower-case words, one space between, for comparing wording. */
  get sourceWords(): string {
    this.#sourceWords ??= normalise(this.sourceText)
    return this.#sourceWords
  }

  /** The words of the answer in lower case, as far as written in a to z: what has none that a check looks for needs no closer look. */
  get words(): ReadonlySet<string> {
    this.#words ??= toPlainWords(this.prose)
    return this.#words
  }

  /** The words of the task, likewise. */
  get taskWords(): ReadonlySet<string> {
    this.#taskWords ??= toPlainWords(this.task.description)
    return this.#taskWords
  }

  /** Works something out once for all checks. */
  once<T>(key: string, work: () => T): T {
    this.#cache ??= new Map()
    if (!this.#cache.has(key)) this.#cache.set(key, work())
    return this.#cache.get(key) as T
  }
}

function sinceStart(events: readonly RunEvent[]): readonly RunEvent[] {
  for (let at = events.length - 1; at > 0; at--) {
    const event = events[at]
    if (event?.type === 'stage.started' && event.stage === 'execute') return events.slice(at)
  }
  return events
}

/** The last model call that gave the answer and asked for no tool, of the agents that work; votes are not answers. */
function lastAnswerOf(
  calls: readonly ModelCallView[],
  events: readonly RunEvent[],
  output: string,
): ModelCallView | undefined {
  const wanted = output.trim()
  let last: ModelCallView | undefined
  for (let at = calls.length - 1; at >= 0; at--) {
    const call = calls[at]
    if (call?.status !== 'completed' || call.toolCalls.length > 0) continue
    const isWanted = call.text.trim() === wanted
    if ((!isWanted && last !== undefined) || !isWork(call, events)) continue
    if (isWanted) return call
    last = call
  }
  return last
}

/** Whether a call was made by an agent that works, as the event says that ended it. */
function isWork({ seq = 0 }: ModelCallView, events: readonly RunEvent[]): boolean {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.seq === seq) return event.type === 'model.completed' && (event.stage ?? 'execute') === 'execute'
  }
  return false
}

function withoutFences(text: string): string {
  return text
    .split('```')
    .filter((_, index) => index % 2 === 0)
    .join('\n')
}

/** Whether a set holds any word of another; goes through the smaller one. */
export function hasAny(
  words: ReadonlySet<string>,
  wanted: ReadonlySet<string> | ReadonlyMap<string, unknown>,
): boolean {
  if (words.size <= wanted.size) {
    for (const word of words) if (wanted.has(word)) return true
    return false
  }
  for (const word of wanted.keys()) if (words.has(word)) return true
  return false
}
