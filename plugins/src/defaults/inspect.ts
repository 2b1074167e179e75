import { definePlugin, InspectorAgent, type Issue, isTerminalEvent, type RunContext, SvcError } from '@svc/core'

export interface InspectOptions {
  /** Watches the runs; default one of its own. Hand one in to add detectors or to change thresholds. */
  inspector?: Pick<InspectorAgent, 'watch' | 'report'>
  /** What to do about issues of a code instead of what the detector says; `none` only reports. */
  policy?: Readonly<Record<string, Issue['action']>>
}

/** Before every other tap: the plugin that answers a stage must be watched while it does. */
const FIRST = -1000
const ACTIONS: readonly Issue['action'][] = ['none', 'nudge', 'replan', 'circuit', 'halt', 'escalate']

/**
 * Watches each run while it runs, reports what it sees, nudges, opens circuits, halts loops, and judges the health.
 *
 * Leaves an earlier answer to `inspect` alone. Calls no model.
 */
export const inspect = definePlugin('inspect', ({ hooks, inspection }, options: InspectOptions) => {
  const { inspector = new InspectorAgent(), policy = {} } = options
  checkPolicy(policy)
  inspection.provide(inspector)
  const watched = new WeakSet<RunContext>()

  const watch = (run: RunContext): void => {
    if (watched.has(run)) return
    watched.add(run)
    const watcher = inspector.watch(run.id, run.view)
    // What was logged before this moment is known, but nothing is done about it any more. In a run that is gone over again
    // that is also what tells of its earlier lives, be it that they ended; the rest comes as the run comes to it.
    const known = new Set(run.events())
    for (const event of known) if (!isTerminalEvent(event)) watcher.observe(event)
    const nudged = new Set<string>()
    const stop = run.onEvent((event) => {
      if (known.has(event)) return
      const issues = watcher.observe(event)
      if (issues.length > 0) {
        for (const seen of issues) {
          // A provider that is no model takes no advice, and nobody has to read it.
          const issue = run.deterministic && seen.action === 'nudge' ? { ...seen, action: 'none' as const } : seen
          run.emit('inspect.issue', issue, placeOf(issue))
          act(run, issue, policy[issue.code] ?? issue.action, nudged)
        }
      }
      if (watcher.hasEnded) stop()
    })
  }

  // A run with a given plan skips the stages before execute.
  hooks.analyze.tap({ name: 'inspect', stage: FIRST }, (answer, _input, run) => {
    watch(run)
    return answer
  })
  hooks.execute.tap({ name: 'inspect', stage: FIRST }, (answer, _input, run) => {
    watch(run)
    return answer
  })
  hooks.inspect.tap('inspect', (answer, _input, run) => {
    watch(run) // a fork may have kept every stage before
    return answer ?? inspector.report(run.id)
  })
})

function placeOf({ agentId, stepId }: Issue): { agentId?: string; stepId?: string } {
  return { ...(agentId === undefined ? {} : { agentId }), ...(stepId === undefined ? {} : { stepId }) }
}

function act(run: RunContext, issue: Issue, action: Issue['action'], nudged: Set<string>): void {
  const { agentId, tool, evidence } = issue
  const agent = agentId === undefined ? {} : { agentId }
  const reason = issue.fix === undefined ? issue.message : `${issue.message}. ${issue.fix}`
  // A run is halted only after a nudge.
  const wanted = action === 'halt' && !nudged.has(issue.id) ? 'nudge' : action
  switch (wanted) {
    case 'nudge':
      nudged.add(issue.id)
      run.steer({ action: 'nudge', reason, evidence, ...agent })
      return
    case 'circuit':
      if (tool !== undefined) run.steer({ action: 'openCircuit', reason, tool, evidence })
      return
    case 'halt':
      run.steer({ action: 'halt', reason: issue.message, evidence, ...agent })
      return
    case 'replan':
      // The agent gets the advice at once; the warning is for the reader of the result.
      if (agentId !== undefined)
        run.steer({ action: 'nudge', reason: `${reason} Change the plan of your step.`, agentId, evidence })
      run.warn({ code: 'replan_advised', message: reason })
      return
    case 'escalate':
      run.warn({ code: 'person_advised', message: reason })
      return
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
