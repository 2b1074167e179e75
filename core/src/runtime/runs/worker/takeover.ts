import type { RunEvent } from '../../../contracts/log/event.ts'
import type { StepRow } from '../../../contracts/log/journal.ts'
import type { Resolution } from '../../../contracts/run/approval.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { RunRow, Store } from '../../../contracts/store/store.ts'
import { NotFoundError } from '../../../errors.ts'
import { modelCallId } from '../../calls/model/model-call.ts'
import { TOOLS_KEY } from '../../calls/tools/tool-sources.ts'
import { isFileChange } from '../../journal/file-changes.ts'
import { NOTES_KEY } from '../../journal/folder-notes.ts'
import { THREAD_KEY } from '../../journal/thread-turns.ts'
import { isToolAnswer } from '../../journal/tool-answer.ts'
import { editsOf, isKept, keepStages } from '../session/recovery/inherited-stages.ts'

/**
 * The steps that a resumed or forked run takes over, as its own; a fork also the stages that were answered by then.
 *
 * @throws NotFoundError `run_not_found` where what it goes on from was removed: what was done by then would be done again
 */
export async function inheritedSteps(store: Store, row: RunRow): Promise<StepRow[]> {
  const { runId = '', untilSeq, toolResults = {} } = row.inherits ?? {}
  const all = (await store.steps(runId)).filter((step) => !isFileChange(step))
  const events = await store.events.list(runId)
  // After its records: who is there now was there as they were read, since a run is removed as a whole.
  const parent = await store.runs.get(runId)
  if (parent === undefined || hasLostItsOwn(parent))
    throw new NotFoundError(
      'run_not_found',
      `run ${row.id} goes on from run ${runId}, ${parent === undefined ? 'which' : 'and what that went on from'} was removed: nobody knows what is done already. Ask for the task anew`,
    )
  // What a stranger has answered permits nothing here, nor what was answered for a run of who may do more.
  const rows = parent.imported === true || row.bounded === true ? all.filter((step) => !isAnswer(step)) : all
  if (untilSeq === undefined) return rows.filter((step) => !isToMakeAgain(step, runId, events)).map(toOwn)
  const taken = rows.filter((step) => !isKept(step) && !isOpenCall(step) && isTaken(step, runId, untilSeq, events))
  // What was begun and not recorded as done goes along too: it must not be done again unasked.
  const steps = taken.map((step) => ({ ...toOwn(step), ...edited(step.outcome, toolResults), ...forOneCall(step) }))
  const callIds = new Map(rows.map(({ key }) => [modelCallId(runId, key), modelCallId(row.id, key)]))
  const edits = editsOf(row.create, parent.create, events, toolResults)
  return [...steps, ...keepStages(events, rows, { untilSeq, edits, callIds })]
}

/** Whether a run has ended before it could take over what it was to go on from. */
const hasLostItsOwn = ({ status, inherits }: RunRow): boolean => isTerminal(status) && inherits !== undefined

/**
 * A run of its own may ask otherwise where it takes an answer over, so the record is not held against its request; but for
 * what a person allowed, which is one call.
 */
const toOwn = ({ request, ...step }: StepRow): StepRow => ({
  ...step,
  ...(request !== undefined && step.effect === 'wait' && { request }),
  seq: 0,
})

/** What a person allowed for a whole run is of that run: a fork has its call alone. */
function forOneCall({ effect, outcome }: StepRow): { outcome?: unknown } {
  if (effect !== 'wait' || typeof outcome !== 'object' || outcome === null || !('remember' in outcome)) return {}
  const { remember: _, rule: __, ...said } = outcome as Extract<Resolution, { kind: 'approval' }>
  return { outcome: said }
}

/** Whether a step is what a person has answered, or would be read as that, whatever it is recorded as. */
const isAnswer = ({ effect, outcome }: StepRow): boolean =>
  effect === 'wait' || (typeof outcome === 'object' && outcome !== null && 'kind' in outcome)

/** A call that the parent was at when it ended counts there. */
const isOpenCall = ({ effect, state }: StepRow): boolean => effect === 'pure' && state === 'begun'

/** Whether a resumed run makes a call anew: it failed for good, and neither its agent nor a plan went on from there. */
function isToMakeAgain(step: StepRow, runId: string, events: readonly RunEvent[]): boolean {
  if (step.error === undefined) return isOpenCall(step)
  const callId = modelCallId(runId, step.key)
  const agentId = events.find((event) => event.callId === callId)?.agentId
  return !events.some(
    ({ seq = 0, type, ...event }) =>
      seq > step.seq &&
      (type === 'plan.created' ||
        type === 'plan.revised' ||
        ((type === 'model.started' || type === 'tool.requested') && event.agentId === agentId)),
  )
}

/** A step that a fork took over has no number in its own log: there it counts from where the fork came to its call. */
function isTaken(step: StepRow, runId: string, untilSeq: number, events: readonly RunEvent[]): boolean {
  const { key, effect, state, seq, outcome } = step
  if (key === THREAD_KEY || key === TOOLS_KEY || key === NOTES_KEY) return true
  // What a person had answered by then stands; what was only asked is asked again.
  if ((effect === 'wait' && state !== 'done') || seq > untilSeq) return false
  if (seq > 0) return true
  const callId = toolCallOf(outcome) ?? modelCallId(runId, key)
  const first = events.find((event) => event.callId === callId)
  return first?.seq === undefined || first.seq <= untilSeq
}

/** Which tool call an outcome is of, if it is of one. */
export function toolCallOf(outcome: unknown): string | undefined {
  return isToolAnswer(outcome) ? outcome.callId : undefined
}

function edited(outcome: unknown, toolResults: Record<string, unknown>): { outcome?: unknown } {
  const callId = toolCallOf(outcome)
  if (callId === undefined || !Object.hasOwn(toolResults, callId)) return {}
  return { outcome: { ...(outcome as object), ok: true, content: [{ type: 'json', json: toolResults[callId] }] } }
}
