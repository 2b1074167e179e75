import type { Plan, PlanStep } from '../contracts/index.ts'

/** What a step is for, beyond work: the parts that a topology adds. */
export const ROLES = {
  /** Briefs the workers before they start. */
  lead: 'lead',
  /** Does a part of the work. */
  worker: 'worker',
  /** Looks for mistakes in another's result. */
  critic: 'critic',
  /** Makes one answer out of many results. */
  synthesizer: 'synthesizer',
  /** Decides among drafts of the same answer. */
  vote: 'vote',
} as const

/** Whether a plan still makes sense without a result of this step: a brief or a review. */
export const isOptional = (plan: Plan, step: PlanStep): boolean =>
  (plan.topology === 'CENTRALIZED' || plan.topology === 'HYBRID') &&
  (step.role === ROLES.critic || (step.role === ROLES.lead && step.dependsOn.length === 0 && plan.steps.length > 1))

/** Whether a step can do its work on some of the results it waits for. */
export const isGathering = (step: PlanStep): boolean =>
  step.role === ROLES.synthesizer || step.role === ROLES.vote || step.role === ROLES.critic

/** A text that is quoted asks for no outputs itself. */
export const quote = (text: string): string => text.replaceAll('{{', '{ {')

export const synthesisOf = (task: string): string =>
  `Combine the results of the parts into one answer to: ${quote(task)}`
export const voteOn = (task: string): string => `Decide which draft answers best, and give that answer: ${quote(task)}`
/** For the second of a chain that does a task of one part. */
export const finishOf = (task: string): string =>
  `Check the result below against its task, look up what is doubtful, and combine what holds with what was missing into one finished answer to: ${quote(task)}`
export const reviewOf = (objective: string): string =>
  `Review the result below, by another agent, against its objective: ${quote(objective)}`
export const briefOn = (task: string, parts: readonly string[]): string =>
  `Brief the agents that work on the parts of this task, in a few sentences: what matters, and what each must deliver. Task: ${quote(task)}\nParts:\n${parts.map((part, index) => `${index + 1}. ${quote(part)}`).join('\n')}`
