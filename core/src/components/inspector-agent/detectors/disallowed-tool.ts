import type { Detector } from '../detector.ts'

/** An agent asks for a tool that its step does not list. */
export const disallowedTool: Detector = {
  code: 'disallowed-tool',
  mast: '1.2',
  on: ['tool.requested'],
  watch(facts) {
    return (event) => {
      if (event.type !== 'tool.requested') return undefined
      const { agentId, stepId = '' } = event
      const { tool } = event.data
      const allowed = facts.steps.get(stepId)?.tools
      // `*` stands for all that the run allows.
      if (allowed === undefined || allowed.length === 0 || allowed.includes('*') || allowed.includes(tool))
        return undefined
      return {
        subject: `${stepId}/${tool}`,
        severity: 'warn',
        message: `${agentId} asked for ${tool}, which ${stepId} may not use`,
        fix: `Use ${allowed.join(', ')} only.`,
        action: 'nudge',
        agentId,
        stepId,
        tool,
      }
    }
  },
}
