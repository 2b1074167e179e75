import { definePlugin, type Issue, type RunContext, SvcError } from '@svc/core'
import { attributeFailure } from './attribute-failure.ts'
import { AGENT, readChecklist, toChecklistRequest } from './mast-checklist.ts'
import { type Trace, toTrace } from './trace.ts'

export interface AttributionOptions {
  /**
   * Asks a model the fourteen questions of MAST about runs that failed or are not healthy: one call a run, of at most
   * 2,000 output tokens and about 14,000 input tokens. Not of deterministic providers, unless `model` is set. Default
   * false.
   */
  llm?: boolean
  /** `provider/model` to ask; default the run's. */
  model?: string
}

/** After every default plugin: it adds to the report of the one in the slot `inspect`. */
const LAST = 1000
const SUSPECTS = 3

/**
 * Adds to the inspection of a failed run which messages to read first, and with `llm` what a model suspects: issues of
 * severity info, which change neither score nor grade. A suspicion is no finding.
 *
 * Does nothing where no plugin answers `inspect`, and for runs that went well.
 */
export const attribution = definePlugin('attribution', ({ hooks }, options: AttributionOptions) => {
  const { llm = false, model = '' } = options
  hooks.inspect.tapPromise({ name: 'attribution', stage: LAST }, async (answer, { execution }, run) => {
    const hasFailed = execution.status !== 'completed'
    if (answer === undefined || (!hasFailed && answer.grade === 'healthy')) return answer
    const trace = toTrace(run.events())
    const issues = hasFailed ? suspectsOf(trace, run) : []
    if (llm && (!run.deterministic || model !== ''))
      issues.push(...(await askModel(run, trace, [...answer.issues, ...issues], model)))
    for (const issue of issues)
      run.emit('inspect.issue', issue, issue.agentId === undefined ? {} : { agentId: issue.agentId })
    return issues.length === 0 ? answer : { ...answer, issues: [...answer.issues, ...issues] }
  })
})

function suspectsOf(trace: Trace, run: RunContext): Issue[] {
  return attributeFailure(trace)
    .steps.slice(0, SUSPECTS)
    .map(({ step, agent, reasons }, place) => ({
      id: `suspect/${place + 1}`,
      code: 'suspect',
      severity: 'info',
      message: `read first: what ${agent} said (${reasons.length === 0 ? 'early in the run' : reasons.join('; ')})`,
      agentId: agent,
      evidence: trace.refs.slice(step, step + 1),
      firstAt: run.now(),
      count: 1,
      action: 'none',
    }))
}

/** What a model suspects; without an answer nothing, with a warning. */
async function askModel(run: RunContext, trace: Trace, noticed: readonly Issue[], model: string): Promise<Issue[]> {
  try {
    const request = { ...toChecklistRequest(trace, noticed), model: model || run.smallModel }
    const issues = readChecklist(await run.model({ ...request, key: `${AGENT}/llm` }), trace, run.now())
    if (issues === undefined) throw new SvcError('provider_bad_response', 'the answer was no list of findings')
    return issues
  } catch (thrown) {
    if (SvcError.isInstance(thrown) && thrown.code === 'cancelled') throw thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    run.warn({ code: 'attribution_unavailable', message: `${message}: the model's checklist is left out` })
    return []
  }
}
