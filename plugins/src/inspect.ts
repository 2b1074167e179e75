import {
  definePlugin,
  type Execution,
  type Inspection,
  InspectorAgent,
  type Issue,
  type RunContext,
  type RunEvent,
  SvcError,
} from '@svc/core'
import { readChecklist, toChecklistRequest, toTrace } from '@svc/core/components'

export interface InspectOptions {
  /** Watches the runs; default one of its own. Hand one in to share detectors. */
  inspector?: Pick<InspectorAgent, 'observe' | 'report'>
  /** What to do about issues of a code instead of what the detector says; `none` only reports. */
  policy?: Readonly<Record<string, Issue['action']>>
  /** Asks a model what went wrong in runs that failed or are not healthy; not of deterministic providers. Default false. */
  llm?: boolean
  /** `provider/model` to ask; default the run's. */
  model?: string
}

/** Before every other tap: whoever answers a stage must be watched while doing so. */
const FIRST = -1000
const ACTIONS: readonly Issue['action'][] = ['none', 'nudge', 'replan', 'circuit', 'halt', 'escalate']
const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.incomplete', 'run.failed', 'run.cancelled'])

/** Watches each run while it runs, reports what it sees, nudges, opens circuits, halts loops, and judges the health. */
export const inspect = definePlugin('inspect', ({ hooks }, options: InspectOptions) => {
  const { inspector = new InspectorAgent(), policy = {}, llm = false, model = '' } = options
  checkPolicy(policy)
  const watched = new WeakSet<RunContext>()

  const watch = (run: RunContext): void => {
    if (watched.has(run)) return
    watched.add(run)
    // What was logged before this moment has been acted upon, or was not worth it.
    for (const event of run.events()) inspector.observe(event)
    const lastSeq = run.events().at(-1)?.seq ?? 0
    const nudged = new Set<string>()
    const stop = run.onEvent((event) => {
      if (event.type === 'inspect.issue' || (event.seq !== undefined && event.seq <= lastSeq)) return
      for (const issue of inspector.observe(event)) {
        run.emit('inspect.issue', issue, placeOf(issue))
        act(run, issue, policy[issue.code] ?? issue.action, nudged)
      }
      if (isEnd(event)) stop()
    })
  }

  // A run with a given plan is asked nothing before execute.
  hooks.analyze.tap({ name: 'inspect', stage: FIRST }, (answer, _input, run) => {
    watch(run)
    return answer
  })
  hooks.execute.tap({ name: 'inspect', stage: FIRST }, (answer, _input, run) => {
    watch(run)
    return answer
  })
  hooks.inspect.tapPromise('inspect', async (answer, { execution }, run) => {
    if (answer !== undefined) return answer
    const inspection = inspector.report(run.id)
    const isWanted = llm && (!run.deterministic || model !== '') && needsAnotherLook(execution, inspection)
    return isWanted ? askModel(run, inspection, model) : inspection
  })
})

const needsAnotherLook = ({ status }: Execution, { grade }: Inspection): boolean =>
  status !== 'completed' || grade !== 'healthy'

/** Adds what a model suspects, as issues of severity info; without a model the rules' report stands, with a warning. */
async function askModel(run: RunContext, inspection: Inspection, model: string): Promise<Inspection> {
  const trace = toTrace(run.events())
  const request = { ...toChecklistRequest(trace, inspection), model }
  try {
    const answer = await run.model({ ...request, key: 'inspect/llm' })
    const issues = readChecklist(answer, trace, run.now())
    if (issues === undefined) throw new SvcError('provider_bad_response', 'the answer was no list of findings')
    for (const issue of issues) run.emit('inspect.issue', issue, placeOf(issue))
    return { ...inspection, issues: [...inspection.issues, ...issues] }
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'cancelled') throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    run.warn({ code: 'inspector_unavailable', message: `${message}: the run was inspected by rules alone` })
    return inspection
  }
}

const isEnd = ({ type }: RunEvent): boolean => ENDS.has(type)

function placeOf({ agentId, stepId }: Issue): { agentId?: string; stepId?: string } {
  return { ...(agentId === undefined ? {} : { agentId }), ...(stepId === undefined ? {} : { stepId }) }
}

function act(run: RunContext, issue: Issue, action: Issue['action'], nudged: Set<string>): void {
  const { agentId, tool, evidence } = issue
  const reason = issue.fix === undefined ? issue.message : `${issue.message}. ${issue.fix}`
  // Nobody is halted without having been told before.
  const wanted = action === 'halt' && !nudged.has(issue.id) ? 'nudge' : action
  if (wanted === 'nudge') {
    nudged.add(issue.id)
    run.steer({ action: 'nudge', reason, evidence, ...(agentId === undefined ? {} : { agentId }) })
  } else if (wanted === 'circuit' && tool !== undefined) {
    run.steer({ action: 'openCircuit', reason, tool, evidence })
  } else if (wanted === 'halt') {
    run.steer({ action: 'halt', reason: issue.message, evidence, ...(agentId === undefined ? {} : { agentId }) })
  } else if (wanted === 'replan' || wanted === 'escalate') {
    // Whoever still works is told at once; the advice itself is for those who read the result.
    if (wanted === 'replan' && agentId !== undefined)
      run.steer({ action: 'nudge', reason: `${reason} Change the plan of your step.`, agentId, evidence })
    run.warn({ code: wanted === 'replan' ? 'replan_advised' : 'person_advised', message: reason })
  }
}

function checkPolicy(policy: Readonly<Record<string, Issue['action']>>): void {
  for (const [code, action] of Object.entries(policy)) {
    if (ACTIONS.includes(action)) continue
    throw new SvcError(
      'config_invalid',
      `inspect: policy.${code} is ${JSON.stringify(action)}: must be one of ${ACTIONS.join(', ')}`,
    )
  }
}
