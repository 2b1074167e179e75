import { ConsensusChecker } from '@svc/core'
import { consensus } from '@svc/plugins'

/** As lead-of-three, and every other vote is that of another model. */
export default consensus({
  minRisk: 'medium',
  checker: new ConsensusChecker({ rules: { medium: { lead: 3 } } }),
  models: ['panel/beta', 'panel/alpha'],
})
