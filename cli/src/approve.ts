import type { Approval, Decision, Runtime } from '@svc/core'
import { type Io, toSafe } from './io.ts'
import type { Progress } from './progress/progress.ts'

/** More of a call's arguments does not fit a screen; the prompt says that they are cut. */
const SHOWN_CHARS = 4_000

/**
 * Asks the person at the terminal about each call that needs approval, one question at a time.
 *
 * @returns how to stop asking; an open question is closed
 */
export function promptApprovals(runtime: Runtime, io: Io, progress: Progress): () => void {
  const over = new AbortController()
  let last: Promise<void> = Promise.resolve()
  const stopListening = runtime.onEvent((event) => {
    if (event.type !== 'approval.requested') return
    const approval = event.data
    last = last
      .then(() => progress.pause(() => ask(approval, io, over.signal)))
      .then(async (decision) => void (await runtime.approvals.resolve(approval.id, decision)))
      .catch(() => {}) // The run has ended meanwhile.
  })
  return () => {
    stopListening()
    over.abort()
  }
}

async function ask(approval: Approval, io: Io, signal: AbortSignal): Promise<Decision> {
  if (signal.aborted) return { decision: 'deny' }
  const { isCancel, select } = await import('@clack/prompts')
  const { agentId, tool, args, risk, reason, taint } = approval
  io.err(`${io.paint.bold(toSafe(`${agentId} wants to use ${tool}`))} ${toSafe(`(risk ${risk}; ${reason})`)}\n`)
  io.err(toSafe(`${cut(JSON.stringify(args, null, 2) ?? '')}\n`))
  if (taint.length > 0) io.err(`${io.paint.yellow('It has read untrusted content:')} ${toSafe(taint.join(', '))}\n`)
  const answer = await select({
    message: `Allow ${toSafe(tool)}?`,
    options: [
      { value: 'deny', label: 'No' },
      { value: 'approve', label: 'Yes, this once' },
    ],
    output: process.stderr,
    signal,
  })
  // The prompt catches Ctrl-C itself, but the person wants to stop the run.
  if (isCancel(answer) && !signal.aborted) process.emit('SIGINT', 'SIGINT')
  return { decision: answer === 'approve' ? 'approve' : 'deny' }
}

const cut = (text: string): string =>
  text.length <= SHOWN_CHARS
    ? text
    : `${text.slice(0, SHOWN_CHARS)}\n... cut: ${SHOWN_CHARS} of ${text.length} characters are shown`
