import type { JsonSchema, Message, Reflection, ToolInfo, ToolSpec } from '../../../../contracts/index.ts'
import { ALL_TOOLS } from '../../../../plan/validate-plan.ts'
import { toTurns } from '../../../../text/index.ts'
import type { ExecutionContext } from '../state/execution-context.ts'
import type { StepState } from '../state/step-state.ts'
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
  /** Reads on in a result that was handed over shortened. */
  reader: OwnTool | undefined
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
  const { step, redo } = state
  const handoff = new Handoff(handedOver, artifacts)
  const takesAll = step.tools.includes(ALL_TOOLS)
  const tools = takesAll ? run.tools : run.tools.filter(({ id }) => step.tools.includes(id))
  const { reader } = handoff
  const specs = (reader === undefined ? tools : [...tools, reader]).map(toSpec)
  const retry = reflection && previous && { answer: previous.execution.output, reflection }
  return {
    turns: takesMaterial(step) || state === lastStep ? toTurns(run.thread) : [],
    user: userMessage(step, {
      handoff,
      context: run.options.context,
      recalled: run.recalled,
      notes: run.notes,
      retry,
      redo,
    }),
    tools,
    specs,
    reader,
    outputSchema,
  }
}

const toSpec = ({ id, description, parameters }: ToolSpec): ToolSpec => ({ id, description, parameters })
