import { definePlugin } from '../../../src/index.ts'
import { planOf } from './answers.ts'

/** Plans for a topology that was not allocated. */
export default definePlugin('other-topology', ({ hooks }) => {
  hooks.plan.tap(
    'other-topology',
    (answer, { allocation }) => answer ?? planOf(allocation.topology === 'HYBRID' ? 'SINGLE' : 'HYBRID'),
  )
})
