import { consensus } from '@svc/plugins'

/** svc's own consensus, at the risk that the experiment's runs have. */
export default consensus({ minRisk: 'medium' })
