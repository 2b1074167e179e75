import { ConsensusChecker } from '@svc/core'
import { consensus } from '@svc/plugins'

/** Asks on until an answer leads by three votes; by default a lead of two ends it. */
export default consensus({ minRisk: 'medium', checker: new ConsensusChecker({ rules: { medium: { lead: 3 } } }) })
