import {
  type Approval,
  ConfigError,
  type JsonSchema,
  type Reach,
  type RunEvent,
  type Runtime,
  ValidationError,
} from '@svc/core'
import { toShownPlace, toShownText, toVisible } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { jsonOrText } from '../input/read-json.ts'
import { defined } from '../line/given-options.ts'
import type { Progress } from '../progress/progress.ts'
import { fitMiddle } from '../render/width.ts'
import { askApproval } from './ask-approval.ts'
import { sayWritten } from './ask-grant.ts'
import { behindBar } from './behind-bar.ts'
import { askChoice, askLine } from './prompt.ts'

/** What a run asks a person while it is shown. */
export interface Questions {
  show(event: RunEvent): void
  /** No more is asked; an open question is closed and stays unanswered. */
  stop(): void
}

/** A question of a run: an approval, with the place that its run is of, or an input that only a person knows. */
type Question = { approval: Approval; space: string | undefined } | { input: { prompt: string; schema?: JsonSchema } }

/** More of a call does not fit a line. */
const SAID_COLUMNS = 4_000

/**
 * Asks the person at the terminal, one question at a time. A question that is answered elsewhere is closed.
 *
 * @param folder that calls act in; undefined: that of each run
 */
export function askQuestions(runtime: Runtime, io: Io, progress: Progress, folder?: string): Questions {
  const over = new AbortController()
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  /** Arguments that the tool does not take are said, and the question is asked again. */
  const decide = async (asked: Approval, place: string, signal: AbortSignal): Promise<void> => {
    // The log of a run does not say which config a rule would be written to.
    const approval = await runtime.approvals.get(asked.id)
    for (;;) {
      const decision = await askApproval(approval, place, io, signal)
      if (decision === undefined) return
      try {
        await runtime.approvals.resolve(approval.id, decision)
        sayWritten(approval, decision, io)
        return
      } catch (thrown) {
        // A config that cannot be written leaves the question open, too.
        if (!(thrown instanceof ValidationError || thrown instanceof ConfigError)) throw thrown
        io.err(`${io.paint.red('svc:')} ${toSafe(thrown.message)}\n`)
      }
    }
  }
  const ask = async (runId: string, key: string, question: Question): Promise<void> => {
    const closed = open.get(key) ?? new AbortController()
    const signal = AbortSignal.any([over.signal, closed.signal])
    if (signal.aborted) return
    if ('approval' in question) {
      const place = folder ?? question.space ?? 'the folder of its run'
      await progress.pause(() => decide(question.approval, place, signal))
    } else {
      const input = await progress.pause(() => askInput(question.input, io, signal))
      if (input !== undefined) await runtime.runs.resume(runId, { input })
    }
  }
  const collect = collectQuestions(runtime, (runId, key, question) => {
    open.set(key, new AbortController())
    last = last.then(() => ask(runId, key, question)).catch(() => {}) // The run has ended meanwhile.
  })
  return {
    show(event) {
      collect(event)
      const key = closes(event)
      if (key !== undefined) open.get(key)?.abort()
    },
    stop: () => over.abort(),
  }
}

type Asker = Pick<CommandContext, 'io' | 'commandOf'>

/**
 * Says on standard error what a run waits for, and how to answer.
 *
 * @param options.onAsked leaves the run; called when that was said
 */
export function sayQuestions(
  runtime: Runtime,
  { io, commandOf }: Asker,
  { reach, onAsked }: { reach?: Reach | undefined; onAsked?: () => void } = {},
): Questions {
  const onQuestion: OnQuestion = (runId, _, question) => {
    if ('approval' in question) {
      const { id, agentId, tool, args } = question.approval
      const shown = fitMiddle(toShownText(io.redact(JSON.stringify(args) ?? '')), SAID_COLUMNS)
      const call = `${toShownText(`${agentId} wants to use ${tool}`)} ${shown}`
      const next = onAsked === undefined ? '' : `; then ${commandOf(`runs resume ${runId}`)} goes on with it`
      io.show(`svc: ${runId} waits: ${call}: ${commandOf(`approvals approve ${id}`)}, or deny${next}\n`)
    } else {
      io.err(
        toVisible(
          `svc: ${runId} waits: ${toSafeLine(question.input.prompt)} ${howToAnswer(runId, question.input, commandOf)}\n`,
        ),
      )
    }
    onAsked?.()
  }
  return { show: collectQuestions(runtime, onQuestion, reach), stop() {} }
}

type OnQuestion = (runId: string, key: string, question: Question) => void

/** Calls back once for each question that is still open when its run comes to it. */
function collectQuestions(runtime: Runtime, onQuestion: OnQuestion, reach?: Reach): (event: RunEvent) => void {
  const seen = new Set<string>()
  let asked: string | undefined
  return (event) => {
    // An agent may ask the same again.
    if (event.type === 'run.resumed') asked = undefined
    if (event.type !== 'run.waiting') return
    const { runId } = event
    runtime.runs.get(runId, reach).then(
      ({ waiting, space }) => {
        for (const approval of waiting?.approvals ?? []) {
          if (seen.has(approval.id)) continue
          seen.add(approval.id)
          onQuestion(runId, approval.id, { approval, space })
        }
        const { input } = waiting ?? {}
        if (input === undefined || asked === input.prompt) return
        asked = input.prompt
        onQuestion(runId, INPUT, { input })
      },
      () => {}, // The run is gone, and its questions with it.
    )
  }
}

const INPUT = 'input'
/** Does nothing a second time. */
const SAFE_CHOICE = 'skip'

/** Which question an event closes. */
function closes({ type, approvalId }: RunEvent): string | undefined {
  if (type === 'approval.resolved' || type === 'approval.expired') return approvalId
  return type === 'run.resumed' ? INPUT : undefined
}

/** A choice where the answer is one of a few, else a text; what is JSON is taken as what it says. */
async function askInput(
  { prompt, schema }: { prompt: string; schema?: JsonSchema },
  io: Io,
  signal: AbortSignal,
): Promise<unknown> {
  const { callId, choices } = choiceOf(schema)
  if (Array.isArray(schema?.enum)) {
    const answers = schema.enum.filter((answer) => typeof answer === 'string')
    sayPrompt(prompt, io)
    io.err(answers.map((answer, at) => `  ${at + 1}  ${toShownPlace(answer)}\n`).join(''))
    const numbers = answers.map((_, at) => String(at + 1))
    const number = await askChoice(io, 'Which?', numbers, signal)
    return number === undefined ? undefined : answers[Number(number) - 1]
  }
  sayPrompt(prompt, io)
  if (choices === undefined) return askText(io, 'Your answer: ', signal)
  const choice = await askChoice(io, 'What shall svc do?', choices, signal, SAFE_CHOICE)
  if (choice === undefined) return undefined
  const result = choice === 'result' ? await askText(io, 'The result of the call: ', signal) : undefined
  if (choice === 'result' && result === undefined) return undefined
  return defined({ callId, choice, result })
}

/** A question of a run: whatever its words look like, svc does not ask for a permission or a secret with them. */
function sayPrompt(prompt: string, io: Io): void {
  const lines = toShownText(io.redact(prompt)).split('\n')
  io.show(`The run asks:\n${lines.flatMap((line) => behindBar(line, io, io.paint.bold)).join('\n')}\n`)
}

/** A text; what is JSON is taken as what it says. */
async function askText(io: Io, message: string, signal: AbortSignal): Promise<unknown> {
  const answer = await askLine(io, message, signal)
  return answer === undefined ? undefined : jsonOrText(answer)
}

/** The fields of the schema that `indeterminate_tool` asks with. */
function choiceOf(schema: JsonSchema | undefined): { callId?: string; choices?: string[] } {
  const { callId, choice } = (schema?.properties ?? {}) as Record<string, { const?: unknown; enum?: unknown[] }>
  if (!Array.isArray(choice?.enum)) return {}
  return { choices: choice.enum.map(String), ...(callId?.const !== undefined && { callId: String(callId.const) }) }
}

/** The command that answers a question; where there is a choice, with the one that does nothing. */
export function howToAnswer(runId: string, { schema }: { schema?: JsonSchema }, commandOf: Asker['commandOf']): string {
  const { callId, choices } = choiceOf(schema)
  const command = `${commandOf(`runs resume ${runId}`)} --input`
  const words: unknown = schema?.enum
  if (Array.isArray(words)) return `${command} ${words.map((word) => JSON.stringify(word)).join(' or ')}`
  if (choices === undefined) return `${command} <text or JSON>`
  const example = JSON.stringify({ callId, choice: SAFE_CHOICE })
  return `${command} '${example}' (or "retry", or "result" with "result": what came of it)`
}
