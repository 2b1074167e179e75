import { isTerminalEvent, type Run, type RunEvent, type RunStatus, type Runtime } from '@svc/core'

/** One line for a run of this process that begins, waits or has ended: nothing of what was asked or answered. */
export interface RunLogLine {
  time: string
  level: 'info' | 'warn' | 'error'
  /** What happened, in words. */
  msg: string
  run: string
  status: RunStatus
  thread?: string
  /** Name of the key that asked for it. */
  by?: string
  /** The folder, or what stands for it. */
  space?: string
  /** What it waits for, or why it is incomplete. */
  reason?: string
  verdict?: string
  code?: string
  /** Message of the error. */
  error?: string
  /** From the request of the run until it began. */
  queuedMs?: number
  /** From its beginning to its end. */
  durationMs?: number
  tokens?: number
  costUsd?: number
}

type Told = Pick<RunLogLine, 'level' | 'msg' | 'status'> & Partial<RunLogLine>

/** What a run waits for that only a person who looks for the cause can end. */
const STUCK: ReadonlySet<string> = new Set(['indeterminate_tool', 'run_poisoned', 'replay_diverged'])
const LEVELS: Readonly<Record<string, RunLogLine['level']>> = { failed: 'error', incomplete: 'warn' }

/**
 * Writes a line for each run that begins, is taken up, waits, goes on or ends in this process.
 *
 * @returns how to stop
 */
export function logRuns(runtime: Runtime, write: (line: RunLogLine) => void): () => void {
  return runtime.onEvent(
    (event) => {
      const told = toldOf(event)
      if (told === undefined) return
      const { runId: run, time } = event
      runtime.runs.get(run).then(
        (known) => write({ time, ...told, run, ...placeOf(known), ...(isTerminalEvent(event) ? endOf(known) : {}) }),
        // The line stands also where the store is away.
        () => write({ time, ...told, run }),
      )
    },
    { passive: true, begun: true },
  )
}

/** What there is to say of an event; undefined: nothing. */
function toldOf(event: RunEvent): Told | undefined {
  if (isTerminalEvent(event)) {
    const status = event.type.slice('run.'.length) as RunStatus
    return { level: LEVELS[status] ?? 'info', msg: `run ${status}`, status }
  }
  switch (event.type) {
    case 'run.started':
      return event.data.attempt > 1 ? undefined : { level: 'info', msg: 'run begins', status: 'running' }
    case 'run.recovered':
      return { level: 'warn', msg: 'run taken up from another process', status: 'running' }
    case 'run.waiting': {
      const { reason } = event.data
      return { level: STUCK.has(reason) ? 'warn' : 'info', msg: `run waits: ${reason}`, status: 'waiting', reason }
    }
    case 'run.resumed':
      return { level: 'info', msg: 'run goes on', status: 'running' }
    default:
      return undefined
  }
}

const placeOf = ({ threadId, by, space, createdAt, startedAt }: Run): Partial<RunLogLine> => ({
  ...(threadId !== undefined && { thread: threadId }),
  ...(by !== undefined && { by }),
  ...(space !== undefined && { space }),
  ...(startedAt !== undefined && { queuedMs: between(createdAt, startedAt) }),
})

function endOf({ startedAt, finishedAt, usage, costUsd, error, incomplete, verdict }: Run): Partial<RunLogLine> {
  return {
    ...(startedAt !== undefined && finishedAt !== undefined && { durationMs: between(startedAt, finishedAt) }),
    tokens: usage.inputTokens + usage.outputTokens,
    ...(costUsd !== null && { costUsd }),
    ...(verdict !== undefined && { verdict }),
    ...(incomplete !== undefined && { reason: incomplete.reason }),
    ...(error !== undefined && { code: error.code, error: error.message }),
  }
}

const between = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from))
