import type { Static } from 'typebox'
import * as Type from 'typebox'
import { allOptional, Text, Texts, Tokens } from '../schema.ts'
import { ToolRisk, TopologyName } from '../words.ts'

/** One piece of work: the delegation contract of an agent. */
export const PlanStep = Type.Object({
  id: Text('`step-1`, unique within the plan'),
  objective: Type.String({ minLength: 1, description: 'what to do; `{{step-1}}` stands for the output of that step' }),
  agentId: Text('slot of the agent that does it'),
  role: Text('what the agent is for in this step'),
  dependsOn: Texts('ids of the steps whose outputs it needs'),
  inputs: Texts('names of other things it needs'),
  outputFormat: Type.Optional(Text('what the output must look like')),
  acceptance: Texts('when it is done; at least one sentence'),
  tools: Texts('ids of the tools it may call; `*` stands for all that the run allows'),
  estimatedTokens: Tokens('forecast, input and output together'),
  risk: ToolRisk,
  maxTries: Type.Integer({ minimum: 1, maximum: 10, description: 'how often it may be tried' }),
})
export type PlanStep = Static<typeof PlanStep>

/** Which agent takes which slot. */
export const PlanAgent = Type.Object({
  agentId: Text('the slot, `agent-1`'),
  name: Text('shown to people'),
  role: Text('what it is for'),
  profileId: Type.Optional(Text('slug of the agent profile that fills the slot')),
})
export type PlanAgent = Static<typeof PlanAgent>

/** Who does what, and what waits for what: a directed acyclic graph of steps. The answer to `plan`. */
export const Plan = Type.Object({
  id: Text('unique within the run'),
  topology: TopologyName,
  agents: Type.Array(PlanAgent, { minItems: 1 }),
  steps: Type.Array(PlanStep, { minItems: 1 }),
  source: Type.Enum(['llm', 'llm-repaired', 'deterministic', 'user']),
  criticalPath: Texts('ids of the steps on the longest chain, in order'),
  warnings: Texts('what was repaired or left out'),
})
export type Plan = Static<typeof Plan>

const closed = { additionalProperties: false }
const { objective, ...stepFields } = PlanStep.properties
const { steps: _steps, agents: _agents, ...planFields } = Plan.properties

/** A step as a program writes it: only `objective` is needed. */
export const StepInput = Type.Object({ objective, ...allOptional(stepFields) }, closed)
export type StepInput = Static<typeof StepInput>

/** An agent as a program writes it. */
export const PlanAgentInput = Type.Object(allOptional(PlanAgent.properties), closed)
export type PlanAgentInput = Static<typeof PlanAgentInput>

/** A plan as a program writes it: `definePlan` fills in what is left out. */
export const PlanInput = Type.Object(
  {
    steps: Type.Array(StepInput, { minItems: 1 }),
    agents: Type.Optional(Type.Array(PlanAgentInput, { minItems: 1 })),
    ...allOptional(planFields),
  },
  closed,
)
export type PlanInput = Static<typeof PlanInput>
