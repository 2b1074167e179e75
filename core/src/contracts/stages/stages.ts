/**
 * The map: seven questions, seven answers.
 *
 * A task runs through a pipeline of seven stages. Each stage's input holds every earlier answer and nothing else,
 * so a `plan` tap that reads `execution` does not compile.
 */
import type { TSchema } from 'typebox'
import type { RunOutcome } from '../run/result.ts'
import { Allocation } from './allocation.ts'
import { Complexity } from './complexity.ts'
import { Consensus } from './consensus.ts'
import { Execution } from './execution.ts'
import { Inspection } from './inspection.ts'
import { Plan } from './plan.ts'
import { Reflection } from './reflection.ts'
import type { Task } from './task.ts'

/** What each stage answers. */
export interface Answers {
  analyze: Complexity
  allocate: Allocation
  plan: Plan
  execute: Execution
  reflect: Reflection
  consensus: Consensus
  inspect: Inspection
}

export type Stage = keyof Answers

/** An earlier pass through plan and execute, on one of the two returns. */
export interface Previous {
  plan: Plan
  execution: Execution
  reflection?: Reflection
}

/** The input of each stage. */
export interface Inputs {
  analyze: { task: Task }
  allocate: Inputs['analyze'] & { complexity: Complexity }
  plan: Inputs['allocate'] & { allocation: Allocation; previous?: Previous }
  execute: Inputs['allocate'] & { allocation: Allocation; plan: Plan; previous?: Previous }
  reflect: Inputs['allocate'] & { allocation: Allocation; plan: Plan; execution: Execution }
  consensus: Inputs['reflect'] & { reflection: Reflection | undefined }
  /** `outcome`: how the run ends, unless what happens from here on ends it otherwise. */
  inspect: Inputs['consensus'] & { consensus: Consensus | undefined; outcome: RunOutcome }
}

/** The stages in the order in which a task runs through them. */
export const STAGES = [
  'analyze',
  'allocate',
  'plan',
  'execute',
  'reflect',
  'consensus',
  'inspect',
] as const satisfies readonly Stage[]

/** The schema that an answer of each stage is checked against. */
export const ANSWERS: { readonly [S in Stage]: TSchema } = {
  analyze: Complexity,
  allocate: Allocation,
  plan: Plan,
  execute: Execution,
  reflect: Reflection,
  consensus: Consensus,
  inspect: Inspection,
}
