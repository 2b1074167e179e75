import type { Approval, Decision, JsonSchema, RunEvent, Runtime } from '@svc/core'
import type { CommandContext } from './context.ts'
import { type Io, toSafe } from './io.ts'
import type { Progress } from './progress/progress.ts'

/** More of a call's arguments does not fit a screen; the prompt says that they are cut. */
const SHOWN_CHARS = 4_000

/** What a run asks a person while it is shown. */
export interface Questions {
  show(event: RunEvent): void
  /** No more is asked; an open question is closed and stays unanswered. */
  stop(): void
}

/** A question of a run: an approval, or an input that only a person knows. */
type Question = { approval: Approval } | { input: { prompt: string; schema?: JsonSchema } }

/**
 * Asks the person at the terminal, one question at a time. A question that is answered elsewhere is closed.
 */
export function askQuestions(runtime: Runtime, io: Io, progress: Progress): Questions {
  const over = new AbortController()
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  const ask = async (runId: string, key: string, question: Question): Promise<void> => {
    const closed = open.get(key) ?? new AbortController()
    const signal = AbortSignal.any([over.signal, closed.signal])
    if (signal.aborted) return
    if ('approval' in question) {
      const decision = await progress.pause(() => askApproval(question.approval, io, signal))
      if (decision !== undefined) await runtime.approvals.resolve(question.approval.id, decision)
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

/** Says on standard error what a run waits for, and how to answer. */
export function sayQuestions(runtime: Runtime, { io, commandOf }: Asker): Questions {
  const collect = collectQuestions(runtime, (runId, _, question) => {
    if ('approval' in question) {
      const { id, agentId, tool, args } = question.approval
      const call = `${agentId} wants to use ${tool} ${cut(JSON.stringify(args) ?? '')}`
      io.err(toSafe(`svc: ${runId} waits: ${call}: ${commandOf(`approvals approve ${id}`)}, or deny\n`))
    } else {
      io.err(toSafe(`svc: ${runId} waits: ${question.input.prompt} ${howToAnswer(runId, question.input, commandOf)}\n`))
    }
  })
  return { show: collect, stop() {} }
}

/** Calls back once for each question that is still open when its run comes to it. */
function collectQuestions(
  runtime: Runtime,
  onQuestion: (runId: string, key: string, question: Question) => void,
): (event: RunEvent) => void {
  const seen = new Set<string>()
  return (event) => {
    if (event.type !== 'run.waiting') return
    const { runId } = event
    runtime.runs.get(runId).then(
      ({ waiting }) => {
        for (const approval of waiting?.approvals ?? []) {
          if (seen.has(approval.id)) continue
          seen.add(approval.id)
          onQuestion(runId, approval.id, { approval })
        }
        const { input } = waiting ?? {}
        if (input === undefined || seen.has(input.prompt)) return
        seen.add(input.prompt)
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

async function askApproval(approval: Approval, io: Io, signal: AbortSignal): Promise<Decision | undefined> {
  const { agentId, tool, args, risk, reason, taint } = approval
  io.err(`${io.paint.bold(toSafe(`${agentId} wants to use ${tool}`))} ${toSafe(`(risk ${risk}; ${reason})`)}\n`)
  io.err(toSafe(`${cut(JSON.stringify(args, null, 2) ?? '')}\n`))
  if (taint.length > 0) io.err(`${io.paint.yellow('It has read untrusted content:')} ${toSafe(taint.join(', '))}\n`)
  const answer = await choose(
    `Allow ${toSafe(tool)}?`,
    [
      { value: 'deny', label: 'No' },
      { value: 'approve', label: 'Yes, this once' },
      { value: 'run', label: 'Yes, and every equal call of this run' },
    ],
    signal,
  )
  if (answer === undefined) return undefined
  return answer === 'run' ? { decision: 'approve', remember: 'run' } : { decision: answer as 'deny' | 'approve' }
}

/** A choice where the answer is one of a few, else a text; what is JSON is taken as what it says. */
async function askInput(
  { prompt, schema }: { prompt: string; schema?: JsonSchema },
  io: Io,
  signal: AbortSignal,
): Promise<unknown> {
  const { callId, choices } = choiceOf(schema)
  if (choices === undefined) return askText(toSafe(prompt), signal)
  io.err(`${io.paint.bold(toSafe(prompt))}\n`)
  const choice = await choose(
    'What shall svc do?',
    choices.map((value) => ({ value, label: value })),
    signal,
    SAFE_CHOICE,
  )
  if (choice === undefined) return undefined
  const result = choice === 'result' ? await askText('The result of the call', signal) : undefined
  if (choice === 'result' && result === undefined) return undefined
  return { ...(callId === undefined ? {} : { callId }), choice, ...(result === undefined ? {} : { result }) }
}

async function askText(message: string, signal: AbortSignal): Promise<unknown> {
  const { isCancel, text } = await import('@clack/prompts')
  const answer = await text({ message, output: process.stderr, signal })
  if (isCancel(answer)) return interrupt(signal)
  try {
    return JSON.parse(answer)
  } catch {
    return answer
  }
}

async function choose(
  message: string,
  options: { value: string; label: string }[],
  signal: AbortSignal,
  /** Done by who only presses Enter. Default the first. */
  initialValue?: string,
): Promise<string | undefined> {
  const { isCancel, select } = await import('@clack/prompts')
  const answer = await select({
    message,
    options,
    output: process.stderr,
    signal,
    ...(initialValue === undefined ? {} : { initialValue }),
  })
  return isCancel(answer) ? interrupt(signal) : answer
}

/** The prompt catches Ctrl-C itself, but the person wants to stop the run. */
function interrupt(signal: AbortSignal): undefined {
  if (!signal.aborted) process.emit('SIGINT', 'SIGINT')
}

/** The fields of the schema that `indeterminate_tool` asks with. */
function choiceOf(schema: JsonSchema | undefined): { callId?: string; choices?: string[] } {
  const { callId, choice } = (schema?.properties ?? {}) as Record<string, { const?: unknown; enum?: unknown[] }>
  if (!Array.isArray(choice?.enum)) return {}
  return {
    choices: choice.enum.map(String),
    ...(callId?.const === undefined ? {} : { callId: String(callId.const) }),
  }
}

/** The command that answers a question; where there is a choice, with the one that does nothing. */
export function howToAnswer(runId: string, { schema }: { schema?: JsonSchema }, commandOf: Asker['commandOf']): string {
  const { callId, choices } = choiceOf(schema)
  const command = `${commandOf(`runs resume ${runId}`)} --input`
  if (choices === undefined) return `${command} <text or JSON>`
  const example = JSON.stringify({ ...(callId === undefined ? {} : { callId }), choice: SAFE_CHOICE })
  return `${command} '${example}' (or "retry", or "result" with "result": what came of it)`
}

const cut = (text: string): string =>
  text.length <= SHOWN_CHARS
    ? text
    : `${text.slice(0, SHOWN_CHARS)}\n... cut: ${SHOWN_CHARS} of ${text.length} characters are shown`
