import type { EventData, RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { NotUndone } from '../../../contracts/runtime/undo.ts'
import type { LostContent, PathState, RecordedChange, RecordedState } from '../../../contracts/tool/file-change.ts'
import type { Tool } from '../../../contracts/tool/tool.ts'
import type { ToolRisk } from '../../../contracts/words.ts'
import { ValidationError } from '../../../errors.ts'
import { fileChangesOf, isSameState } from '../../journal/file-changes.ts'

/** What a run left of its work on files. */
export interface RunTrail {
  readonly runId: string
  readonly steps: readonly StepRow[]
  /** Of its steps and its tool calls. */
  readonly events: readonly RunEvent[]
}

/** A path that has to become otherwise than it is. */
export interface Move {
  path: string
  now: PathState | undefined
  to: RecordedState | undefined
}

/** All that runs did to one path, in order. */
interface Trace {
  /** Up to where they are to stay done. */
  readonly kept: RecordedChange[]
  readonly undone: RecordedChange[]
}

/** How the paths that runs changed are put back, from what the runs recorded. */
export class UndoPlan {
  readonly #traces = new Map<string, Trace>()
  readonly #unknown: NotUndone[] = []

  /**
   * @param runs oldest first
   * @param to a step of the first one, after which it is undone. Default: from its beginning
   * @param toolOf finds a tool as it is now
   * @throws ValidationError `validation_failed` where the run did no such step
   */
  constructor(runs: readonly RunTrail[], to: string | undefined, toolOf: (id: string) => Tool | undefined) {
    for (const [index, run] of runs.entries()) {
      const end = index === 0 && to !== undefined ? endOf(run, to) : 0
      const changes = fileChangesOf(run.steps)
      for (const { seq, changes: made } of changes)
        for (const change of made) this.#traceOf(change.path)[seq < end ? 'kept' : 'undone'].push(change)
      this.#unknown.push(...unknownOf(run, changes, end, toolOf))
    }
  }

  #traceOf(path: string): Trace {
    const trace = this.#traces.get(path) ?? { kept: [], undone: [] }
    this.#traces.set(path, trace)
    return trace
  }

  /** That the runs changed, in order. */
  get paths(): string[] {
    return [...this.#traces.keys()].sort()
  }

  /** What is to be done where paths are so now. */
  decide(states: ReadonlyMap<string, PathState | undefined>): {
    moves: Move[]
    left: NotUndone[]
    conflicts: { path: string; why: string }[]
  } {
    const moves: Move[] = []
    const left: NotUndone[] = []
    const conflicts: { path: string; why: string }[] = []
    for (const path of this.paths) {
      const { kept, undone } = this.#traceOf(path)
      const now = states.get(path)
      const to = kept.length > 0 ? kept.at(-1)?.after : undone[0]?.before
      if (isSameState(now, to)) continue
      const known = [...kept, ...undone].flatMap(({ before, after }) => [before, after])
      if (to?.lost !== undefined) left.push({ path, why: LOST[to.lost] })
      else if (!known.some((state) => isSameState(state, now))) {
        if (undone.length > 0) conflicts.push({ path, why: whyOther(now, [...kept, ...undone].at(-1)?.after) })
        else left.push({ path, why: 'somebody changed it since; nothing of it was to be undone' })
      } else if (isBroken(kept.at(-1), undone))
        conflicts.push({ path, why: 'somebody else changed it while the run went on' })
      else moves.push({ path, now, to })
    }
    return { moves, left: [...left, ...this.#unknown], conflicts }
  }
}

const LOST: Readonly<Record<LostContent, string>> = {
  large: 'it was too large to be kept: at most 10 MB are',
  full: 'it was not kept: there was more than the 100 MB of a run, or the 32 MB of what a program may change',
  secret: 'it holds a secret, and was not kept',
}

const whyOther = (now: PathState | undefined, last: PathState | undefined): string => {
  if (now === undefined) return 'it was removed since'
  if (last === undefined) return 'it is there again'
  const isModeAlone = isSameState({ ...now, mode: last.mode ?? 0 }, { ...last, mode: last.mode ?? 0 })
  return isModeAlone ? 'its mode was changed since' : 'it was changed since'
}

/** Whether somebody else changed a path between two changes of the run. */
function isBroken(last: RecordedChange | undefined, undone: readonly RecordedChange[]): boolean {
  const changes = last === undefined ? undone : [last, ...undone]
  return changes.some((change, index) => {
    const next = changes[index + 1]
    if (next === undefined || isUnread(change.after) || isUnread(next.before)) return false
    return !isSameState(change.after, next.before)
  })
}

/** Whether it is not known what was in a file. */
const isUnread = (state: PathState | undefined): boolean => state?.kind === 'file' && state.sha256 === undefined

/** The number of the event with which a step ended. */
function endOf({ runId, events }: RunTrail, stepId: string): number {
  const ended = events.filter(({ type }) => type === 'step.completed' || type === 'step.failed')
  const last = ended.findLast((event) => event.stepId === stepId)
  if (last?.seq !== undefined) return last.seq
  const ids = [...new Set(ended.map((event) => event.stepId))]
  const known = ids.length === 0 ? 'it did none' : `it did ${ids.join(', ')}`
  const message = `run ${runId} ended no step "${stepId}": ${known}`
  throw new ValidationError('validation_failed', `undo: /to: ${message}`, { errors: [{ path: '/to', message }] })
}

/** Calls after an event of which it is not known what they changed. */
function unknownOf(
  { events }: RunTrail,
  changes: ReturnType<typeof fileChangesOf>,
  end: number,
  toolOf: (id: string) => Tool | undefined,
): NotUndone[] {
  const said = new Map(changes.map((change) => [callOf(change), change]))
  const asked = new Map<string, EventData['tool.requested']>()
  const made = new Map<string, 'begun' | 'failed' | 'completed'>()
  for (const event of events) {
    const call = callOf(event)
    if (event.type === 'tool.requested') asked.set(call, event.data)
    else if (event.type === 'tool.started' && (event.seq ?? 0) > end) made.set(call, 'begun')
    else if (event.type === 'tool.completed' && made.has(call)) made.set(call, 'completed')
    else if ((event.type === 'tool.failed' || event.type === 'tool.denied') && made.has(call)) made.set(call, 'failed')
  }
  const found = new Map<string, NotUndone>()
  for (const [call, state] of made) {
    const { tool = '', risk = 'execute', args } = asked.get(call) ?? {}
    const known = said.get(call)
    const isSaid =
      known !== undefined || risk === 'read' || (toolOf(tool)?.keepsChanges === true && saysAll(state, risk, args))
    const why = isSaid ? known?.unseen : 'what it changed is not known'
    if (why !== undefined) found.set(`${tool} ${why}`, { tool, why })
  }
  return [...found.values()]
}

/** Whether a call that says its changes made none where it said none: it may have been cut off, or of a svc that kept nothing. */
const saysAll = (state: 'begun' | 'failed' | 'completed', risk: ToolRisk, args: unknown): boolean =>
  state === 'begun'
    ? risk === 'write' || risk === 'network'
    : state === 'failed' || risk === 'network' || typeof (args as { path?: unknown } | null)?.path !== 'string'

const callOf = ({ agentId, callId }: { agentId?: string; callId?: string }): string => `${agentId}|${callId}`
