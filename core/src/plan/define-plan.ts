import { isTopology, type Plan, PlanAgentInput, PlanInput, StepInput, toTopology } from '../contracts/index.ts'
import type { FieldError } from '../errors.ts'
import { nearest } from '../text/nearest.ts'
import { findFieldErrors } from '../validate.ts'
import { type PlanFindings, type PlanRules, toInvalid, validatePlan } from './validate-plan.ts'

/**
 * Makes a plan of what a program says of it. Of a step only the `objective` is needed. What else is left out is filled in:
 * ids; the agent that has the step's role, else the first; all tools that the run allows; the topology that the graph has.
 *
 * A step waits for those in `dependsOn`, and for those whose outputs its objective asks for (`{{step-1}}`); in a SEQUENTIAL
 * plan one without `dependsOn` waits for the step before it. Where several steps end loose, a last one makes one answer out
 * of them, unless the topology is a plugin's own. How many steps a plan may have is checked by the runtime that runs it.
 *
 * @throws RunError `plan_invalid` with all that is wrong in `errors`, each with its JSON pointer
 * @example definePlan({ topology: 'SEQUENTIAL', steps: [{ objective: 'Collect the figures.' }, { objective: 'Sum them up.' }] })
 */
export function definePlan(input: PlanInput): Plan {
  const { plan, errors } = fillPlan(input, {
    isLoose: (topology) => !isTopology(topology),
    maxSteps: Number.POSITIVE_INFINITY,
  })
  if (plan === undefined) throw toInvalid(errors)
  return plan
}

/** What `definePlan` makes of anything, under rules of a runtime. Never throws. */
export function fillPlan(input: unknown, rules: PlanRules = {}): PlanFindings {
  const found = validatePlan(withDefaults(input), { mend: false, ...rules })
  const known = new Set(found.errors.map(({ path }) => path))
  const errors = [...found.errors, ...findUnfit(input).filter(({ path }) => !known.has(path))]
  return errors.length === 0 ? found : { ...found, plan: undefined, errors }
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Each part is looked at by itself, so that none hides what is wrong with another. */
function findUnfit(input: unknown): FieldError[] {
  if (!isFields(input)) return []
  const { steps, agents, ...plan } = input
  return [
    ...find(PlanInput, { ...plan, steps: [{ objective: '-' }] }, ''),
    ...findInList(PlanAgentInput, agents, '/agents'),
    ...findInList(StepInput, steps, '/steps'),
  ]
}

const findInList = (schema: ObjectSchema, list: unknown, path: string): FieldError[] =>
  Array.isArray(list) ? list.flatMap((item, index) => find(schema, item, `${path}/${index}`)) : []

type ObjectSchema = typeof PlanInput | typeof PlanAgentInput | typeof StepInput

function find(schema: ObjectSchema, value: unknown, at: string): FieldError[] {
  return findFieldErrors(schema, value).map(({ path, message }) => {
    const name = path.slice(1)
    const isUnknown = isFields(value) && Object.hasOwn(value, name) && !Object.hasOwn(schema.properties, name)
    const guess = isUnknown ? nearest(name, Object.keys(schema.properties)) : undefined
    return { path: `${at}${path}`, message: guess === undefined ? message : `${message}: did you mean ${guess}?` }
  })
}

/** Fills in what a plan of a program leaves out, as far as it can be read. */
function withDefaults(input: unknown): unknown {
  if (!isFields(input) || !Array.isArray(input.steps)) return input
  const { topology, agents, steps } = input
  const isChain = typeof topology === 'string' && toTopology(topology) === 'SEQUENTIAL'
  const named = Array.isArray(agents) ? agents.map(toAgent) : []
  const taken = new Set(steps.map((step) => (isFields(step) ? step.id : undefined)))
  let before: unknown
  const filled = steps.map((step, index): Fields => {
    if (!isFields(step)) return {}
    const agent = named.find(({ role }) => role !== undefined && role === step.role)
    const id = step.id ?? freeId(index + 1, taken)
    const dependsOn = step.dependsOn ?? (isChain && before !== undefined ? [before] : [])
    before = id
    return { tools: ['*'], ...(agent && { agentId: agent.agentId }), ...step, id, dependsOn }
  })
  return { ...input, steps: filled, ...(named.length > 0 && { agents: named }) }
}

function toAgent(agent: unknown, index: number): Fields {
  if (!isFields(agent)) return {}
  return { agentId: `agent-${index + 1}`, ...(agent.profileId !== undefined && { name: agent.profileId }), ...agent }
}

function freeId(number: number, taken: Set<unknown>): string {
  const id = `step-${number}`
  if (taken.has(id)) return freeId(number + 1, taken)
  taken.add(id)
  return id
}
