import type { RunEvent } from '../../contracts/event.ts'
import { type ContentPart, toText } from '../../contracts/message.ts'
import type { Plan } from '../../contracts/plan.ts'
import type { JsonSchema } from '../../contracts/schema.ts'
import type { Task } from '../../contracts/task.ts'
import { noUsage, type Usage } from '../../contracts/usage.ts'
import { normalise, withoutLineNumbers } from './shape.ts'

/** Whom to ask beyond the rules. */
export interface JudgeOptions {
  /** `provider/model` of the judges, in turn; best of another family than the author's. Default: the run's model. */
  models?: readonly string[]
  /** Is told why no judge could be asked; the rules then stand alone. */
  onUnavailable?(message: string): void
}

/** An answer and all that there is to judge it by. */
export interface EvaluateInput {
  task: Task
  /** The answer in plain text. */
  output: string
  /** All events of the run so far, in order. */
  events: readonly RunEvent[]
  /** How often `execute` was asked, from 1. */
  attempt: number
  /** The shape that was asked for. */
  outputSchema?: JsonSchema | undefined
  /** The structured answer, where one was asked for. */
  data?: unknown
  plan?: Plan | undefined
  /** Other text that the agents were given: context of the run, recalled memories. */
  sources?: readonly string[] | undefined
  /** False: another try cannot help, whatever is found. Default true. */
  mayRetry?: boolean | undefined
  /** Asks a model beside the rules; needs the ports of a run. */
  judge?: JudgeOptions | undefined
}

/** One tool call as the events tell it. */
export interface Call {
  callId: string
  tool: string
  args: unknown
  risk: string
  status: 'open' | 'completed' | 'failed' | 'denied'
  /** What it returned, or its error's message, as text. */
  text: string
  result: unknown
  /** Size of the result as the tool gave it. */
  bytes: number
  /** Number of the last line, where it gave numbered lines; else 0. */
  lastLine: number
  /** `<runId>:<seq>` of the event that ended it. */
  ref: string
  /** Whether it belongs to the attempt that gave this answer. */
  current: boolean
}

/** What the checks look at: an answer, its task, and what the run really saw and did. */
export interface Material {
  readonly task: Task
  readonly output: string
  /** The answer without fenced code. */
  readonly prose: string
  readonly data: unknown
  readonly outputSchema: JsonSchema | undefined
  readonly plan: Plan | undefined
  /** Events since `execute` was last asked. */
  readonly events: readonly RunEvent[]
  /** Tool calls of the whole run, in the order of their requests. */
  readonly calls: readonly Call[]
  /** True when a tool returned something or text was handed in: only then can facts be compared. */
  readonly grounded: boolean
  /** Handed-in text and tool results alone. */
  readonly evidenceText: string
  /** True when a tool returned what is no text, such as an image: then what was seen cannot be compared. */
  readonly sawOther: boolean
  /** Everything an answer may rest on: task, handed-in text, arguments and results of completed tool calls. */
  readonly sourceText: string
  /** `sourceText` as lower-case words, one space between, for comparing wording. */
  readonly sourceWords: string
  /** The model call that gave the answer. */
  readonly lastAnswer: RunEvent | undefined
  /** Tokens that the last attempt took. */
  readonly usage: Usage
}

const ENDED: Readonly<Record<string, Call['status']>> = {
  'tool.completed': 'completed',
  'tool.failed': 'failed',
  'tool.denied': 'denied',
}

/** Gathers what the checks look at. Linear in the events and texts. */
export function toMaterial(input: EvaluateInput): Material {
  const { task, output, data, outputSchema, plan } = input
  const start = lastIndex(input.events, (event) => event.type === 'stage.started' && event.stage === 'execute')
  const events = input.events.slice(Math.max(0, start))
  const calls = toCalls(input.events, Math.max(0, start))
  const answers = calls.filter((call) => call.status === 'completed')
  const given = (input.sources ?? []).filter((text) => text !== '')
  const sourceText = [
    task.description,
    ...given,
    ...answers.flatMap((call) => [toPlainText(call.args), call.text]),
  ].join('\n')
  let words: string | undefined
  return {
    task,
    output,
    prose: output.includes('```') ? withoutFences(output) : output,
    data,
    outputSchema,
    plan,
    events,
    calls,
    evidenceText: [...given, ...answers.map((call) => call.text)].join('\n'),
    sawOther: answers.some((call) => call.text === '' && call.bytes > 0),
    grounded: given.length > 0 || answers.some((call) => call.text.trim() !== ''),
    sourceText,
    get sourceWords() {
      words ??= normalise(sourceText)
      return words
    },
    lastAnswer: findLastAnswer(events, output),
    usage: usageOf(events),
  }
}

function toCalls(events: readonly RunEvent[], start: number): Call[] {
  const calls: Call[] = []
  const latest = new Map<string, Call>()
  events.forEach((event, index) => {
    if (!event.type.startsWith('tool.') || event.callId === undefined) return
    const { data } = event
    let call = latest.get(nameOf(event))
    // A call id may come back in a later attempt: a new request is a new call.
    if (call === undefined || (event.type === 'tool.requested' && call.status !== 'open')) {
      call = {
        callId: event.callId,
        tool: '',
        args: undefined,
        risk: '',
        status: 'open',
        text: '',
        result: undefined,
        bytes: 0,
        lastLine: 0,
        ref: '',
        current: index >= start,
      }
      calls.push(call)
      latest.set(nameOf(event), call)
    }
    if (typeof data.tool === 'string') call.tool = data.tool
    if (event.type === 'tool.requested') {
      call.args = data.args
      if (typeof data.risk === 'string') call.risk = data.risk
    }
    const ended = ENDED[event.type]
    if (ended === undefined) return
    call.status = ended
    call.result = data.result
    call.bytes = typeof data.bytes === 'number' ? data.bytes : 0
    call.ref = `${event.runId}:${event.seq ?? 0}`
    const text = toPlainText(ended === 'completed' ? data.result : (errorMessage(data.error) ?? data.reason))
    Object.assign(call, withoutLineNumbers(text))
  })
  return calls
}

/** Call ids are the model's: two agents may use one id at a time. */
const nameOf = ({ agentId = '', stepId = '', callId = '' }: RunEvent): string => `${agentId}|${stepId}|${callId}`

/** A tool's arguments or result as text: parts joined, objects as lines of `key: value`. */
export function toPlainText(value: unknown, depth = 0): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 0 && value.every(isPart)) return toText(value)
  if (typeof value === 'object' && 'content' in value && Array.isArray(value.content)) {
    if (value.content.every(isPart)) return toText(value.content)
  }
  if (typeof value !== 'object' || depth > 8) return String(value)
  if (Array.isArray(value)) return value.map((item) => toPlainText(item, depth + 1)).join('\n')
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${toPlainText(item, depth + 1)}`)
    .join('\n')
}

function isPart(value: unknown): value is ContentPart {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    ((value.type === 'text' && 'text' in value && typeof value.text === 'string') ||
      (value.type === 'json' && 'json' in value) ||
      value.type === 'image')
  )
}

function errorMessage(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : undefined
}

/** The last model call that gave the answer and asked for no tool, of the agents that work; votes are not answers. */
function findLastAnswer(events: readonly RunEvent[], output: string): RunEvent | undefined {
  const wanted = output.trim()
  const same = new Set<string>()
  const finals: RunEvent[] = []
  for (const event of events) {
    const { type, stage, data } = event
    if (stage !== undefined && stage !== 'execute') continue
    if (type === 'message.completed' && toPlainText(data.content).trim() === wanted) same.add(nameOf(event))
    if (type === 'model.completed' && !(Array.isArray(data.toolCalls) && data.toolCalls.length > 0)) finals.push(event)
  }
  return finals.findLast((event) => same.has(nameOf(event))) ?? finals.at(-1)
}

function usageOf(events: readonly RunEvent[]): Usage {
  const total = noUsage()
  for (const { type, data } of events) {
    if (type !== 'model.completed' || typeof data.usage !== 'object' || data.usage === null) continue
    const { inputTokens, outputTokens } = data.usage as Partial<Usage>
    total.inputTokens += inputTokens ?? 0
    total.outputTokens += outputTokens ?? 0
  }
  return total
}

function withoutFences(text: string): string {
  return text
    .split('```')
    .filter((_, index) => index % 2 === 0)
    .join('\n')
}

function lastIndex<T>(items: readonly T[], test: (item: T) => boolean): number {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    if (item !== undefined && test(item)) return index
  }
  return -1
}
