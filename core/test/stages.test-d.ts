/** The map of stages: what a tap may read and what it may answer. Checked by the compiler, never run. */
import { definePlugin, type Execution, type Inputs, type Plan } from '../src/index.ts'

declare const plan: Plan
declare const execution: Execution

export const right = definePlugin('right', ({ hooks }) => {
  hooks.analyze.tap('right', (answer, { task }) => (task.description === '' ? answer : undefined))
  hooks.plan.tap('right', (_answer, { task, complexity, allocation, previous }) => {
    if (previous !== undefined) return previous.plan
    return task.id === complexity.taskId && allocation.underfunded ? plan : undefined
  })
  // What a plan leaves out is filled in.
  hooks.plan.tap('right', () => ({ steps: [{ objective: 'x' }, { objective: 'y', dependsOn: ['step-1'] }] }))
  hooks.execute.tapPromise('right', async (_answer, { plan: { steps } }) => (steps.length > 0 ? execution : undefined))
  hooks.inspect.tap('right', (answer, { execution: { output }, reflection, consensus }) =>
    output === reflection?.verdict || consensus === undefined ? answer : undefined,
  )
})

export const wrong = definePlugin('wrong', ({ hooks }) => {
  // @ts-expect-error: the analyzer knows the task alone
  hooks.analyze.tap('wrong', (answer, { allocation }) => (allocation ? answer : undefined))
  // @ts-expect-error: budgets are shared before there is a plan
  hooks.allocate.tap('wrong', (answer, input) => (input.plan ? answer : undefined))
  // @ts-expect-error: a plan cannot read what its execution will be
  hooks.plan.tap('wrong', (answer, input) => (input.execution ? answer : undefined))
  // @ts-expect-error: nobody has reflected yet
  hooks.execute.tap('wrong', (answer, input) => (input.reflection ? answer : undefined))
  // @ts-expect-error: a vote comes after reflection
  hooks.reflect.tap('wrong', (answer, input) => (input.consensus ? answer : undefined))
  // @ts-expect-error: a complexity is no plan
  hooks.plan.tap('wrong', (_answer, { complexity }) => complexity)
  // @ts-expect-error: a plan has steps
  hooks.plan.tap('wrong', () => ({ id: 'plan-1' }))
  // @ts-expect-error: there is no such stage
  hooks.judge.tap('wrong', () => undefined)
  // @ts-expect-error: a reflection may be missing
  hooks.consensus.tap('wrong', (answer, { reflection }) => (reflection.score > 0.5 ? answer : undefined))
})

/** No later answer is in an earlier stage's input. */
type Later = {
  analyze: 'complexity' | 'allocation' | 'plan' | 'execution' | 'reflection' | 'consensus'
  allocate: 'allocation' | 'plan' | 'execution' | 'reflection' | 'consensus'
  plan: 'plan' | 'execution' | 'reflection' | 'consensus'
  execute: 'execution' | 'reflection' | 'consensus'
  reflect: 'reflection' | 'consensus'
  consensus: 'consensus'
}
type Leaks = { [S in keyof Later]: keyof Inputs[S] & Later[S] }[keyof Later]
export const none: [Leaks] extends [never] ? true : false = true
