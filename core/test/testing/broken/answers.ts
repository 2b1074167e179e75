import { type Complexity, type Plan, type Task, TaskComplexityAnalyzer } from '../../../src/index.ts'
import { sequentialPlan } from '../../../src/testing/index.ts'

/** What the broken plugins would answer if they were not broken. */
export const complexityOf = (task: Task): Complexity => new TaskComplexityAnalyzer().analyze(task)

export const planOf = (topology: Plan['topology']): Plan => ({
  ...sequentialPlan(['Count the shops.', 'Compare them.']),
  topology,
})
