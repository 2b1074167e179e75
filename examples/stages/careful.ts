import { AMEND, definePlugin } from '@svc/core'

/** Amends `analyze`: a task above a difficulty goes to a team, also when the analyzer recommended a single agent. */
export const careful = definePlugin('careful', ({ hooks }, { from = 0.3 }: { from?: number }) => {
  hooks.analyze.tap({ name: 'careful', stage: AMEND }, (complexity) =>
    complexity && complexity.score >= from ? { ...complexity, recommendedTopology: 'CENTRALIZED' } : undefined,
  )
})
