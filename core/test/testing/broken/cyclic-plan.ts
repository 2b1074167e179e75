import { definePlugin } from '../../../src/index.ts'
import { planOf } from './answers.ts'

/** Plans two steps that wait for each other. */
export default definePlugin('cyclic-plan', ({ hooks }) => {
  hooks.plan.tap('cyclic-plan', (answer, { allocation }) => {
    if (answer !== undefined) return answer
    const plan = planOf(allocation.topology)
    const [first, second] = plan.steps
    if (first !== undefined && second !== undefined) first.dependsOn = [second.id]
    return plan
  })
})
