import type { ForkEdit, ForkEdits, RunCreate } from '@svc/core/client'
import { toText } from '../../../parts/format.ts'
import type { RunState } from '../../../state/run-state.ts'

/** What a fork may change, as it is entered: texts, since a person may write anything. */
export interface ForkDraft {
  task: string
  prompt: string
  instructions: string
  model: string
  topology: string
  tokenBudget: string
  maxTokens: string
  maxCostUsd: string
  maxSteps: string
  plan: string
  /** The call that is to have another result, and the result. */
  callId: string
  result: string
}

/** What is changed together, under one name. */
export const CHOICES = [
  ['task', 'Task'],
  ['prompt', 'Context'],
  ['instructions', 'Instructions'],
  ['model', 'Model'],
  ['topology', 'Topology'],
  ['budget', 'Budget'],
  ['plan', 'Plan'],
  ['toolResults', "A tool's result"],
] as const satisfies readonly (readonly [ForkEdit, string])[]
export type Chosen = (typeof CHOICES)[number][0]

/** The run as it is, to be changed. */
export function toForkDraft({ created, events }: RunState): ForkDraft {
  const { task = '', options = {} } = created?.data ?? {}
  const { budget = {}, context, instructions = '', model = '', topology = 'AUTO', tokenBudget } = options as RunCreate
  const planned = events.find((event) => event.type === 'plan.created')
  return {
    task,
    prompt: typeof context === 'string' ? context : '',
    instructions,
    model,
    topology: topology.toUpperCase(),
    tokenBudget: tokenBudget?.toString() ?? '',
    maxTokens: budget.maxTokens?.toString() ?? '',
    maxCostUsd: budget.maxCostUsd?.toString() ?? '',
    maxSteps: budget.maxSteps?.toString() ?? '',
    plan: planned === undefined ? '' : toText(planned.data, 2),
    callId: '',
    result: '',
  }
}

/** The edits that a draft asks for, of what was chosen, or what is wrong with it, by field. */
export function toEdits(
  draft: ForkDraft,
  before: ForkDraft,
  chosen: ReadonlySet<Chosen>,
): { edits: ForkEdits; problems: Partial<Record<keyof ForkDraft, string>> } {
  const problems: Partial<Record<keyof ForkDraft, string>> = {}
  const isChanged = (name: keyof ForkDraft): boolean => draft[name] !== before[name]
  const has = (choice: Chosen, name: keyof ForkDraft): boolean => chosen.has(choice) && isChanged(name)
  const numberOf = (name: 'tokenBudget' | 'maxTokens' | 'maxCostUsd' | 'maxSteps'): number | undefined => {
    const text = draft[name].trim()
    if (!has('budget', name) || text === '') return undefined
    const value = Number(text)
    const isFine = value > 0 && (name === 'maxCostUsd' ? Number.isFinite(value) : Number.isSafeInteger(value))
    if (!isFine) problems[name] = name === 'maxCostUsd' ? 'must be an amount above 0' : 'must be a whole number above 0'
    return isFine ? value : undefined
  }
  const limits = {
    maxTokens: numberOf('maxTokens'),
    maxCostUsd: numberOf('maxCostUsd'),
    maxSteps: numberOf('maxSteps'),
  }
  const budget = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
  const tokenBudget = numberOf('tokenBudget')
  if (has('task', 'task') && draft.task.trim() === '') problems.task = 'says nothing: write what is to be done'
  const plan = has('plan', 'plan') ? readJson(draft.plan) : undefined
  if (plan instanceof SyntaxError) problems.plan = `is no JSON: ${plan.message}`
  const model = draft.model.trim()
  return {
    problems,
    edits: {
      ...(has('task', 'task') && { task: draft.task }),
      ...(has('prompt', 'prompt') && { prompt: draft.prompt }),
      ...(has('instructions', 'instructions') && { instructions: draft.instructions }),
      ...(has('model', 'model') && model !== '' && { model }),
      ...(has('topology', 'topology') && { topology: draft.topology }),
      ...(tokenBudget !== undefined && { tokenBudget }),
      ...(Object.keys(budget).length > 0 && { budget }),
      ...(plan !== undefined && { plan }),
      ...(has('toolResults', 'result') && draft.callId !== '' && { toolResults: { [draft.callId]: draft.result } }),
    },
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    return thrown
  }
}
