import type { RunEvent } from '../../contracts/log/event.ts'
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
 * What the checks look at: an answer, its task, and what the run really saw and did. What few answers need is made when a check
 * asks for it.
 */
export type Material = Readonly<ReturnType<typeof toMaterial>>

export function toMaterial(input: EvaluateInput) {
  const { task, output, data, outputSchema, plan, events } = input
  const runId = events[0]?.runId ?? ''
  const { toolCalls, modelCalls } = input.view ?? new RunView(events)
  const made = madeCalls(toolCalls)
  const shown = shorten(made)
  const calls: readonly Call[] = shown.map((call, index) => new Call(call, runId, index))
  const done: readonly Call[] = calls.filter(({ status }) => status === 'completed')
  const given = (input.sources ?? []).filter((text) => text !== '')
  const start = events.findLastIndex((event) => event.type === 'stage.started' && event.stage === 'execute')
  const attempt = events.slice(Math.max(0, start))
  const first = attempt[0]?.seq ?? 0
  const latest = modelCalls.filter(({ seq = -1 }) => seq >= first)
  const lastAnswer = findLastAnswer(latest, attempt, output)
  const cache = new Map<string, unknown>()
  const looks = new Map<string, number>()
  let unlooked = 0
  const once = <T>(key: string, work: () => T): T => {
    if (!cache.has(key)) cache.set(key, work())
    return cache.get(key) as T
  }

  return {
    task,
    output,
    data,
    outputSchema,
    plan,
    /** The answer without fenced code. */
    get prose(): string {
      return once('prose', () => output.replace(/```[\s\S]*?(?:```|$)/g, '\n'))
    },
    /** Events since `execute` was last asked. */
    events: attempt,
    /** Tool calls of the whole run that were made, in the order of their requests. */
    calls,
    /** Completed calls. */
    done,
    /** False: of very long results the end is left out, so that what is not found may stand there. */
    isWhole: shown.every((call, index) => call === made[index]),
    /** Text that the agents were given beside the task. */
    given,
    /** True when a tool returned something or text was given: only then can facts be compared. */
    grounded: given.length > 0 || done.some(({ printed }) => printed.trim() !== ''),
    /** Whether the task, its acceptance criteria or the provider promise that everything said was read. */
    get mustBeGrounded(): boolean {
      return once('must-be-grounded', () => {
        const criteria = (plan?.steps ?? []).flatMap(({ acceptance }) => acceptance)
        return input.grounded === true || [task.description, ...criteria].some((text) => ASKS_FOR_SOURCES.test(text))
      })
    },
    /** True when the model was shown what is no text, such as an image: then what was seen cannot be compared. */
    sawOther:
      (input.withMedia === true || attempt.some((event) => event.type === 'tool.completed' && event.data.media)) &&
      // What the model was only given in words was not shown to it.
      !attempt.some((event) => event.type === 'model.completed' && event.data.unseen),
    /** The model call that gave the answer, and `<runId>:<seq>` of the event that ended it. */
    lastAnswer,
    lastAnswerRef: lastAnswer && `${runId}:${lastAnswer.seq ?? 0}`,
    /** Events of earlier reflections of this run. */
    earlier: events.filter((event) => event.type === 'reflection.completed'),
    /** Tokens that the last attempt took. */
    usage: addUsage(...latest.map(({ usage }) => usage)),
    /** Given text and tool results alone. */
    get evidenceText(): string {
      return once('evidence-text', () => [...given, ...done.map(({ text }) => text)].join('\n'))
    },
    /** Everything an answer may rest on: task, given text, arguments and results of completed calls, errors of failed ones. */
    get sourceText(): string {
      return once('source-text', () => {
        const used = calls.flatMap(({ status, args, printed }) =>
          status === 'completed' ? toPlainText(args) : status === 'failed' ? printed : [],
        )
        return [task.description, this.evidenceText, ...used].join('\n')
      })
    },
    /** Whether a rule may look so many times more. */
    mayLook(rule: string, count = 1): boolean {
      const all = (looks.get(rule) ?? 0) + count
      looks.set(rule, all)
      if (all > MOST_LOOKS) unlooked++
      return all <= MOST_LOOKS
    },
    /** How often a rule might not. */
    get unlooked(): number {
      return unlooked
    },
    /** Works something out once for all checks. */
    once,
  }
}

function findLastAnswer(calls: readonly ModelCallView[], events: readonly RunEvent[], output: string) {
  // Votes are no answers.
  const votes = new Set(events.filter(({ stage = 'execute' }) => stage !== 'execute').map(({ seq = 0 }) => seq))
  const answers = calls.filter(
    ({ status, toolCalls, seq = 0 }) => status === 'completed' && toolCalls.length === 0 && !votes.has(seq),
  )
  return answers.findLast(({ text }) => text.trim() === output.trim()) ?? answers.at(-1)
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
