import type { Run } from '../../../contracts/run/run.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { Command, RunRow } from '../../../contracts/store/store.ts'

/** A run as it is listed: its row without what only the runtime needs. What came in a file is tainted, whatever it says. */
export function toRun(row: RunRow): Run {
  const {
    format,
    create,
    configHash,
    startBy,
    originRunId,
    owner,
    released,
    gotOn,
    limits,
    bounded,
    parted,
    inherits,
    imported,
    tainted,
    taintedSpan,
    ...seen
  } = row
  const run = create.readOnly === true ? { ...seen, readOnly: true } : seen
  if (imported !== true || run.mode !== 'execute' || typeof run.result !== 'object') return run
  return { ...run, result: { ...run.result, tainted: true } }
}

/**
 * The run as it is seen: one that was asked to end is ending, and one that was answered waits no more, also before the
 * process that holds it has noticed.
 */
export function asSeen(row: RunRow, commands: readonly Command[]): Run {
  const run = toRun(row)
  if (commands.length === 0 || isTerminal(run.status)) return run
  if (commands.some(({ kind }) => kind === 'cancel')) return { ...run, status: 'cancelling' }
  return withoutAnswered(run, commands)
}

/** With what was said to it and no agent has read. */
export function withUnread(run: Run, commands: readonly Command[]): Run {
  const unread = commands.flatMap((command) => {
    if (command.kind !== 'message') return []
    const { kind: _, ...message } = command
    return message
  })
  return unread.length === 0 ? run : { ...run, unread }
}

/** A waiting run without the questions that an answer is recorded for. */
function withoutAnswered(run: Run, commands: readonly Command[]): Run {
  if (run.waiting === undefined) return run
  const { waiting, ...rest } = run
  const answered = new Set(
    commands.map((command) =>
      command.kind === 'answer' ? command.approvalId : command.kind === 'result' ? command.callId : command.kind,
    ),
  )
  const approvals = (waiting.approvals ?? []).filter(({ id }) => !answered.has(id))
  const input = answered.has('input') ? undefined : waiting.input
  const calls = (waiting.calls ?? []).filter(({ id }) => !answered.has(id))
  if (input === undefined && approvals.length + calls.length === 0) return { ...rest, status: 'running' }
  const left = {
    ...(approvals.length > 0 && { approvals }),
    ...(input && { input }),
    ...(calls.length > 0 && { calls }),
  }
  return { ...rest, waiting: left }
}
