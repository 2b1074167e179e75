import type { Plan } from '../../../contracts/index.ts'
import { ROLES } from '../../../plan/roles.ts'
import { withDescendants } from '../../../support/graph.ts'
import type { StepState } from './state/step-state.ts'

/** An agent's request to do a step again whose result it was given and cannot use. */
export interface ReopenRequest {
  /** The step whose result is wrong. */
  stepId: string
  reason: string
}

/** Roles that may ask for it; those who gather results settle contradictions themselves. */
export const mayReopen = (role: string): boolean => role === ROLES.worker || role === ROLES.critic

/** Part of the system message of agents that build on the results of others. */
export const REOPEN_RULE =
  'Only if a result that you were given cannot be used at all, answer with the one line "REOPEN <its step>: <why>".'

const LINE = /^\s*REOPEN\s+([\w.-]{1,64})\s*:\s*(\S[^\n]{0,1000})\s*$/

/** Reads a request about one of the steps that this one builds on, directly or not. */
export function readReopenRequest(text: string, plan: Plan, { step }: StepState): ReopenRequest | undefined {
  if (step.dependsOn.length === 0 || !mayReopen(step.role) || text.length >= 1_200) return undefined
  const match = LINE.exec(text.trim())
  if (match === null) return undefined
  const [, stepId = '', reason = ''] = match
  if (stepId === step.id || !plan.steps.some(({ id }) => id === stepId)) return undefined
  return withDescendants(plan.steps, [stepId]).has(step.id) ? { stepId, reason: reason.trim() } : undefined
}
