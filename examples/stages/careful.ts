import { AMEND, definePlugin } from '@svc/core'

/** Amends `analyze`: a task above a difficulty goes to a team, whatever the analyzer recommended. */
export const careful = definePlugin('careful', ({ hooks }, { from = 0.3 }: { from?: number }) => {
  hooks.analyze.tap({ name: 'careful', stage: AMEND }, (complexity) =>
    complexity && complexity.score >= from ? { ...complexity, recommendedTopology: 'CENTRALIZED' } : undefined,
  )
})
