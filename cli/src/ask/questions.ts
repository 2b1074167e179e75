import {
  type Approval,
  ConfigError,
  type Reach,
  type RunEvent,
  type Runtime,
  toSvcError,
  ValidationError,
} from '@svc/core'
import { toShownText, toVisible } from '@svc/core/client'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import type { Progress } from '../progress/progress.ts'
import { fitMiddle } from '../render/width.ts'
import { askApproval } from './ask-approval.ts'
import { sayWritten } from './ask-grant.ts'
import { type AskedInput, askInput, howToAnswer } from './ask-input.ts'

/** What a run asks a person while it is shown. */
export interface Questions {
  show(event: RunEvent): void
  /** No more is asked; an open question is closed and stays unanswered. */
  stop(): void
}

/** A question of a run: an approval, with the place that its run is of, or an input that only a person knows. */
type Question = { approval: Approval; space: string | undefined } | { input: AskedInput }

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
  /** What is no answer to the question is said, and it is asked again. */
  const answer = async (runId: string, asked: AskedInput, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const input = await askInput(asked, io, signal)
      if (input === undefined) return
      try {
        await runtime.runs.resume(runId, { input })
        return
      } catch (thrown) {
        if (!(thrown instanceof ValidationError)) throw thrown
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
    } else await progress.pause(() => answer(runId, question.input, signal))
  }
  /** A question that nobody needs to answer any more is closed, and needs no word; of every other the run waits on. */
  const say = (key: string, thrown: unknown): void => {
    if (over.signal.aborted || open.get(key)?.signal.aborted) return
    io.err(`${io.paint.red('svc:')} the answer was not taken: ${toSafe(toSvcError(thrown).message)}\n`)
  }
  const collect = collectQuestions(runtime, (runId, key, question) => {
    open.set(key, new AbortController())
    last = last.then(() => ask(runId, key, question)).catch((thrown: unknown) => say(key, thrown))
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

/** Which question an event closes. */
function closes({ type, approvalId }: RunEvent): string | undefined {
  if (type === 'approval.resolved' || type === 'approval.expired') return approvalId
  return type === 'run.resumed' ? INPUT : undefined
}
