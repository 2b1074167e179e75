import {
  type Allocation,
  type Complexity,
  type ModelAnswer,
  type Ports,
  type RunOptions,
  toTopology,
} from '../../../contracts/index.ts'
import { type FieldError, toSvcError } from '../../../errors.ts'
import { replaceMarks } from '../../../plan/marks.ts'
import { validatePlan } from '../../../plan/validate-plan.ts'
import { topologicalOrder } from '../../../support/graph.ts'
import { findJson } from '../../../text/find-json.ts'
import type { WorkItem } from './plan-inputs.ts'
import { EFFORTS, type PlanQuestion, planMessages, repairMessages, stepsSchema, workLimits } from './plan-request.ts'

/**
 * When a model is asked for the steps: never, always, or where the topology was left to svc (AUTO) and the text says too
 * little or asks for much: confidence below .70 or a score of at least .25. With `'auto'` never for a plain request: one
 * agent, and few signs of several steps.
 */
export type ModelPlanning = boolean | 'auto'

/** Who the planner is in events and accounts. */
export const PLANNER = 'planner'
/** A surer or simpler task is not worth a call, nor is a run that may hardly make any. */
const SURE = 0.7
const HARD = 0.25
const FEWEST_CALLS = 3
/** From here on the words ask for several steps, or for a whole product. */
const SEVERAL_STEPS = 0.5
const PRODUCT = 0.5
const MAX_OUTPUT_TOKENS = 4_096
/** With fewer tokens for the run a plan could take what its work needs. */
const FEWEST_TOKENS = 4 * MAX_OUTPUT_TOKENS
const MAX_OBJECTIVE = 4_000

/**
 * Whether a model should be asked for the steps of this task. Drafts of one answer have no steps to ask for.
 *
 * @param remaining tokens that the run may still take; with `'auto'` a small budget is left to the work
 */
export function wantsModelPlan(
  mode: ModelPlanning,
  complexity: Pick<Complexity, 'confidence' | 'score' | 'features'>,
  { topology, underfunded, total }: Pick<Allocation, 'topology' | 'underfunded' | 'total'>,
  { topology: asked, budget }: Pick<RunOptions, 'topology' | 'budget'> = {},
  remaining = Number.POSITIVE_INFINITY,
): boolean {
  if (mode === false || topology === 'DECENTRALIZED' || underfunded) return false
  if (mode === true) return true
  if (asked !== undefined && toTopology(asked) !== 'AUTO') return false
  if (Math.min(total, remaining) < FEWEST_TOKENS) return false
  if ((budget?.maxSteps ?? FEWEST_CALLS) < FEWEST_CALLS || (topology === 'SINGLE' && isPlain(complexity))) return false
  return complexity.confidence < SURE || complexity.score >= HARD
}

/** Whether work for one agent has few signs of several steps: neither much to do in parts, nor a product to make. */
function isPlain({ features }: Pick<Complexity, 'features'>): boolean {
  const { steps = 1, breadth = 1, output = 1 } = features
  return steps < SEVERAL_STEPS || (breadth === 0 && output < PRODUCT)
}

/** The work as a model has cut it, checked; or why there is none. */
export type ModelWork =
  | { items: WorkItem[]; source: 'llm' | 'llm-repaired'; warnings: string[] }
  | { items?: undefined; why: string }

/**
 * Asks a model for the steps of a task: once, and once more with the list of errors when they cannot be executed.
 *
 * @returns why there are none when both answers are of no use, or the model cannot be had
 * @throws CancelledError when the run is over; PluginError of a call hook
 */
export async function askForWork(question: PlanQuestion, ports: Ports, key: string): Promise<ModelWork> {
  const asked = planMessages(question)
  const outputSchema = stepsSchema(question.members)
  let messages = asked
  let errors: readonly FieldError[] = []
  for (const [index, source] of (['llm', 'llm-repaired'] as const).entries()) {
    let answer: ModelAnswer
    try {
      answer = await ports.model({
        key: `${key}:${index + 1}`,
        agentId: PLANNER,
        model: '',
        messages,
        outputSchema,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        stream: false,
      })
    } catch (thrown) {
      const error = toSvcError(thrown)
      if (ports.signal.aborted || error.code === 'cancelled' || error.name === 'PluginError') throw thrown
      return { why: `${error.code}: ${error.message}` }
    }
    const read = readWork(answer.data ?? findJson(answer.text).value, question)
    if (read.items !== undefined) return { items: read.items, source, warnings: read.warnings }
    errors = read.errors
    messages = repairMessages(asked, answer.text, errors)
  }
  const [first] = errors
  return { why: `its steps cannot be executed: ${first?.path || '/'} ${first?.message}` }
}

type ReadWork = { items: WorkItem[]; warnings: string[] } | { items?: undefined; errors: readonly FieldError[] }

/** Reads anything as the steps of a task. Never throws. */
export function readWork(value: unknown, { task, topology, tokens, members, tools }: PlanQuestion): ReadWork {
  if (value === undefined) return { errors: [{ path: '', message: 'must be JSON and nothing else' }] }
  const list = Array.isArray(value) ? value : isObject(value) ? value.steps : undefined
  const known = new Set<unknown>(members.map(({ agentId }) => agentId))
  const { plan, errors, warnings } = validatePlan(
    { steps: Array.isArray(list) ? list.map((item) => toStep(item, known)) : list },
    { source: 'llm', work: workLimits(topology), ...(tools === undefined ? {} : { tools }) },
  )
  if (plan === undefined) return { errors }
  const tooLong = plan.steps.findIndex(({ objective }) => objective.length > MAX_OBJECTIVE + task.length)
  if (tooLong !== -1) {
    return {
      errors: [{ path: `/steps/${tooLong}/objective`, message: `must be at most ${MAX_OBJECTIVE} characters` }],
    }
  }
  const steps = topologicalOrder(plan.steps)
  const positions = new Map(steps.map(({ id }, index) => [id, index]))
  const effort = steps.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0)
  return {
    warnings,
    items: steps.map(({ objective, dependsOn, acceptance, tools: wanted, agentId, estimatedTokens }) => ({
      objective: renameMarks(objective, positions),
      dependsOn: dependsOn.map((other) => positions.get(other) ?? 0).sort((a, b) => a - b),
      estimatedTokens: Math.max(1, Math.floor((tokens * estimatedTokens) / effort)),
      // The default acceptance is made from the objective once its marks are final.
      ...(acceptance.some((line) => line.startsWith('answers: ')) ? {} : { acceptance }),
      ...(known.has(agentId) ? { agentId } : {}),
      ...(wanted.length === 0 ? {} : { tools: wanted }),
    })),
  }
}

/** Stands for an agent that the model has not named, or that there is not. */
const ANY_AGENT = 'any'

/** A step as the reader of plans takes it: its tokens say how much work it is beside the others. */
const toStep = (item: unknown, known: ReadonlySet<unknown>): unknown =>
  isObject(item)
    ? {
        ...item,
        agentId: known.has(item.agentId) ? item.agentId : ANY_AGENT,
        estimatedTokens: 1 + Math.max(0, EFFORTS.indexOf(item.effort as (typeof EFFORTS)[number])),
      }
    : item

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `{{a}}` → `{{#0}}`: the position of the step, which gets its final id from the topology. */
const renameMarks = (objective: string, positions: ReadonlyMap<string, number>): string =>
  replaceMarks(objective, (id) => (positions.has(id) ? `{{#${positions.get(id)}}}` : undefined))
