import { defineExperiment } from '@svc/sdk/experiment'
import panel from './panel.ts'

export default defineExperiment({
  name: 'consensus',
  tasks: 'tasks.jsonl',
  scorer: 'exact',
  seeds: [1, 2, 3],
  base: {
    config: { plugins: [panel()], model: 'panel/alpha', components: { consensus: false } },
    options: { topology: 'SINGLE', riskLevel: 'medium', reflect: false, budget: { maxTokens: 10_000 } },
  },
  arms: {
    default: { component: { consensus: './default.ts' } },
    'lead-of-three': { component: { consensus: './lead-of-three.ts' } },
    'two-families': { component: { consensus: './two-families.ts' } },
    majority: { component: { consensus: './majority.ts' } },
  },
  budget: { maxTokens: 1_000_000 },
})
