import { readFileSync } from 'node:fs'
import { defineExperiment } from '@svc/sdk/experiment'
import clerk from './clerk.ts'

export default defineExperiment({
  name: 'analyzer',
  tasks: 'tasks.jsonl',
  scorer: 'contains', // the part of the heights that is right
  seeds: [1], // the clerk answers the same question always alike
  base: {
    config: { plugins: [clerk()], model: 'clerk/one' },
    options: { context: readFileSync(new URL('notes.md', import.meta.url), 'utf8') },
  },
  arms: {
    single: { component: { analyze: './single.ts' } },
    'count-parts': { component: { analyze: './count-parts.ts' } },
  },
  budget: { maxTokens: 500_000 },
})
