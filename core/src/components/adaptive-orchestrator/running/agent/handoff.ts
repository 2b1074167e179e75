import type { JsonSchema, Tool } from '../../../../contracts/index.ts'
import { ToolError } from '../../../../errors.ts'
import { clip } from '../../clip.ts'
import { isMarked } from '../../refuted.ts'
import type { ArtifactLog } from '../state/artifacts.ts'
import { isUsable, type StepState } from '../state/step-state.ts'

/** Characters of one result that are handed on to another agent; the rest it can ask for. */
const MOST_CHARACTERS = 64_000
/** Characters of all results that one agent is handed, before each is shortened. */
const MOST_IN_ALL = 192_000
const LEAST_CHARACTERS = 8_000

/** Characters that one call reads on: within the gateway's 65 536 bytes, whatever they are. */
const READ_CHARACTERS = 16_000

const READ_RESULT = 'read_result'
const PARAMETERS: JsonSchema = {
  type: 'object',
  properties: {
    step: { type: 'string', description: 'id of the step' },
    from: { type: 'integer', minimum: 0, description: 'character to start at' },
  },
  required: ['step', 'from'],
  additionalProperties: false,
}

/** A tool of one step, with its parameters as a model reads them. */
export type OwnTool = Tool & { parameters: JsonSchema }

/** What a step is handed of those before it: the head of each result, and a way to the rest where one is longer. */
export class Handoff {
  readonly #states: readonly StepState[]
  readonly #head: number
  readonly #artifacts: ArtifactLog

  constructor(dependencies: readonly StepState[], artifacts: ArtifactLog) {
    this.#states = dependencies
    const each = Math.floor(MOST_IN_ALL / Math.max(1, dependencies.length))
    this.#head = Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, each))
    this.#artifacts = artifacts
  }

  /** The tool that reads on; `undefined` where everything was handed over whole. */
  get reader(): OwnTool | undefined {
    if (this.#states.every(({ output }) => output.length <= this.#head)) return undefined
    return {
      id: READ_RESULT,
      description: 'Reads on in the result of another step that was handed to you shortened.',
      parameters: PARAMETERS,
      risk: 'read',
      touches: async () => ({}),
      run: async (args) => this.#read(args as { step: string; from: number }),
    }
  }

  /** Whether the log refutes something in a result. */
  get isMarked(): boolean {
    return this.#states.some(({ output }) => isMarked(output))
  }

  /** The head of a result, or why there is none; `undefined` for a step that is not handed over. */
  textOf(id: string): string | undefined {
    const state = this.#find(id)
    if (state === undefined) return undefined
    if (!isUsable(state)) return `(${id} gave no result${state.error === undefined ? '' : `: ${state.error.message}`})`
    const { output } = state
    if (output.length <= this.#head) return output
    return `${clip(output, this.#head)}\n[read on with ${READ_RESULT} {"step":"${id}","from":${this.#head}}]`
  }

  /** All results, each marked as the material it is, with the files that its step wrote. */
  quotes(): string[] {
    return this.#states.map(({ step, agentId }) => {
      const files = this.#artifacts
        .ofStep(step.id)
        .map(({ uri, mimeType, bytes }) => `${uri} (${mimeType}, ${bytes} bytes)`)
      const quote = quoteResult(step.id, agentId, this.textOf(step.id))
      return files.length === 0 ? quote : `${quote}\nFiles that ${step.id} wrote: ${files.join(', ')}`
    })
  }

  #read({ step, from }: { step: string; from: number }): string {
    const output = this.#find(step)?.output
    if (output === undefined) {
      const ids = this.#states.map((state) => state.step.id).join(', ')
      throw new ToolError('tool_bad_args', `${READ_RESULT}: step must be one of ${ids}, not "${step}"`)
    }
    const end = Math.min(output.length, from + READ_CHARACTERS)
    return `${output.slice(from, end)}\n[characters ${from} to ${end} of ${output.length}]`
  }

  #find(id: string): StepState | undefined {
    return this.#states.find(({ step }) => step.id === id)
  }
}

/** A result as the agent that gets it reads it. */
export const quoteResult = (stepId: string, agentId: string, text?: string): string =>
  `<result of="${stepId}" by="${agentId}">\n${keepQuoted(text)}\n</result>`

/** What is quoted cannot end the quotation. */
function keepQuoted(text: string | undefined): string | undefined {
  return text?.replaceAll('</result', '< /result')
}
