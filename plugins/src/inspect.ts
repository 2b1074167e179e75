import { definePlugin, InspectorAgent, type Issue, type RunContext, type RunEvent, SvcError } from '@svc/core'

export interface InspectOptions {
  /** Watches the runs; default one of its own. Hand one in to share detectors. */
  inspector?: Pick<InspectorAgent, 'observe' | 'report'>
  /** What to do about issues of a code instead of what the detector says; `none` only reports. */
  policy?: Readonly<Record<string, Issue['action']>>
}

/** Before every other tap: whoever answers a stage must be watched while doing so. */
const FIRST = -1000
const ACTIONS: readonly Issue['action'][] = ['none', 'nudge', 'replan', 'circuit', 'halt', 'escalate']
const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.incomplete', 'run.failed', 'run.cancelled'])

/** Watches each run while it runs, reports what it sees, nudges, opens circuits, halts loops, and judges the health. */
export const inspect = definePlugin('inspect', ({ hooks }, options: InspectOptions) => {
  const { inspector = new InspectorAgent(), policy = {} } = options
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
  hooks.inspect.tap('inspect', (answer, _input, run) => answer ?? inspector.report(run.id))
})

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
