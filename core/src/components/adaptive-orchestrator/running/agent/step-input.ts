import type { AgentProfile, JsonSchema, Message, Reflection, ToolInfo, ToolSpec } from '../../../../contracts/index.ts'
import { ALL_TOOLS } from '../../../../plan/validate-plan.ts'
import { toTurns } from '../../../../text/index.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import type { StepState } from '../state/step-state.ts'
import { DELEGATE, delegateTo } from './delegate.ts'
import { Handoff, type OwnTool } from './handoff.ts'
import { takesMaterial, userMessage } from './step-messages.ts'

/** What a step's agent is given, whichever agent it is. */
export interface StepInput {
  /** The earlier turns of the run's thread: of those that work on the task itself, and of the one that answers. */
  turns: readonly Message[]
  user: Message
  tools: readonly ToolInfo[]
  /** The tools as the model is offered them. */
  specs: ToolSpec[]
  /** Who the agent may give work to, for its system message. */
  helpers: readonly AgentProfile[]
  /** Of them, those that are the step's own and no run has. */
  own: readonly OwnTool[]
  outputSchema: JsonSchema | undefined
}

/** Puts together what the agent of a step is given: of the steps before it, of the task, of its earlier tries. */
export function toInput(
  { run, artifacts, previous, lastStep }: ExecutionContext,
  state: StepState,
  handedOver: readonly StepState[],
  outputSchema: JsonSchema | undefined,
  reflection: Reflection | undefined,
): StepInput {
  const { step, redo, parent } = state
  const handoff = new Handoff(handedOver, artifacts)
  const takesAll = step.tools.includes(ALL_TOOLS)
  const allowed = takesAll ? run.tools : run.tools.filter(({ id }) => step.tools.includes(id))
  const delegate = allowed.some(({ id }) => id === DELEGATE) && parent === undefined ? [delegateTo(run.agents)] : []
  const tools = allowed.filter(({ id }) => id !== DELEGATE)
  const own = [...delegate, ...(handoff.reader === undefined ? [] : [handoff.reader])]
  const retry = reflection && previous && { answer: previous.execution.output, reflection }
  return {
    turns: parent === undefined && (takesMaterial(step) || state === lastStep) ? toTurns(run.thread) : [],
    user: userMessage(step, {
      handoff,
      context: run.options.context,
      // Who gives work away says what it needs; the material of the task may not fit into a call.
      recalled: parent === undefined ? run.recalled : [],
      notes: run.notes,
      retry,
      redo,
    }),
    tools: [...tools, ...delegate],
    specs: [...tools, ...own].map(toSpec),
    helpers: delegate.length > 0 ? run.agents : [],
    own,
    outputSchema,
  }
}

const toSpec = ({ id, description, parameters }: ToolSpec): ToolSpec => ({ id, description, parameters })
