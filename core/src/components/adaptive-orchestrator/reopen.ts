import type { Plan } from '../../contracts/index.ts'
import { withDescendants } from './graph.ts'
import { ROLES } from './roles.ts'
import type { StepState } from './step-state.ts'

/** What an agent that was given something unusable says of it. */
export interface Complaint {
  /** The step whose result is wrong. */
  about: string
  why: string
}

/** Roles that may send back what they were given; those who gather settle contradictions themselves. */
export const mayComplain = (role: string): boolean => role === ROLES.worker || role === ROLES.critic

/** Told to those who build on the results of others. */
export const COMPLAINT_RULE =
  'Only if a result that you were given cannot be used at all, answer with the one line "REOPEN <its step>: <why>".'

const LINE = /^\s*REOPEN\s+([\w.-]{1,64})\s*:\s*(\S[^\n]{0,1000})\s*$/

/** Reads a complaint about one of the steps that this one builds on, directly or not. */
export function complaintOf(text: string, plan: Plan, { step }: StepState): Complaint | undefined {
  const match = mayComplain(step.role) && text.length < 1_200 ? LINE.exec(text.trim()) : null
  if (match === null) return undefined
  const [, about = '', why = ''] = match
  if (about === step.id || !withDescendants(plan.steps, [about]).has(step.id)) return undefined
  return plan.steps.some(({ id }) => id === about) ? { about, why: why.trim() } : undefined
}
