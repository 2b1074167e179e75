import type { Detector } from '../detector.ts'

/** An agent asks for a tool that its step does not list. */
export const disallowedTool: Detector = {
  code: 'disallowed-tool',
  mast: '1.2',
  on: ['tool.requested'],
  watch(facts) {
    return (event) => {
      const { agentId, stepId = '', data } = event
      const allowed = facts.steps.get(stepId)?.tools ?? []
      const { tool } = data
      // `*` stands for all that the run allows.
      if (allowed.length === 0 || allowed.includes('*') || typeof tool !== 'string' || allowed.includes(tool))
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
