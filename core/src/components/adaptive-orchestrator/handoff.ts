import type { Artifact, ToolCall, ToolSpec } from '../../contracts/index.ts'
import { clip } from './clip.ts'
import { isUsable, type StepState } from './step-state.ts'

/** Characters of one result that are handed on to another agent; the rest it can ask for. */
const MOST_CHARACTERS = 64_000
/** Characters of all results that one agent is handed, before each is shortened. */
const MOST_IN_ALL = 192_000
const LEAST_CHARACTERS = 8_000

/** How much of each result is handed on where so many are. */
export const headLength = (count: number): number =>
  Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, Math.floor(MOST_IN_ALL / Math.max(1, count))))

export const READ_RESULT = 'read_result'

const SPEC: ToolSpec = {
  id: READ_RESULT,
  description: 'Reads on in the result of another step that was handed to you shortened.',
  parameters: {
    type: 'object',
    properties: {
      step: { type: 'string', description: 'id of the step' },
      from: { type: 'integer', minimum: 0, description: 'character to start at' },
    },
    required: ['step', 'from '],
    additionalProperties: false,
  },
}

/** What a step is handed of those before it: the head of each result, and a way to the rest where one is longer. */
export class Handoff {
  readonly #states: ReadonlyMap<string, StepState>
  readonly #head: number
  readonly #artifactsOf: (stepId: string) => readonly Artifact[]

  constructor(dependencies: readonly StepState[], artifactsOf: (stepId: string) => readonly Artifact[] = () => []) {
    this.#states = new Map(dependencies.map((state) => [state.step.id, state]))
    this.#head = headLength(dependencies.length)
    this.#artifactsOf = artifactsOf
  }

  /** The tool that reads on; `undefined` where everything was handed over whole. */
  get tool(): ToolSpec | undefined {
    const isCut = [...this.#states.values()].some(({ output }) => output.length > this.#head)
    return isCut ? SPEC : undefined
  }

  /** The head of a result, or why there is none; `undefined` for a step that is not handed over. */
  textOf(id: string): string | undefined {
    const state = this.#states.get(id)
    if (state === undefined) return undefined
    if (!isUsable(state)) return `(${id} gave no result${state.error === undefined ? '' : `: ${state.error.message}`})`
    const { output } = state
    if (output.length <= this.#head) return output
    return `${clip(output, this.#head)}\n[read on with ${READ_RESULT} {"step":"${id}","from":${this.#head}}]`
  }

  /** All results, each marked as the material it is, with the files that its step wrote. */
  quotes(): string[] {
    return [...this.#states.values()].map(({ step, agentId }) => {
      const files = this.#artifactsOf(step.id).map(({ uri, mimeType, bytes }) => `${uri} (${mimeType}, ${bytes} bytes)`)
      // What it quotes cannot end the quotation.
      const text = this.textOf(step.id)?.replaceAll('</result', '< /result')
      const quote = `<result of="${step.id}" by="${agentId}">\n${text}\n</result>`
      return files.length === 0 ? quote : `${quote}\nFiles that ${step.id} wrote: ${files.join(', ')}`
    })
  }

  /** Answers a call of the tool. */
  read({ args }: Pick<ToolCall, 'args'>): string {
    const { step, from } = (typeof args === 'object' && args !== null ? args : {}) as { step?: unknown; from?: unknown }
    const output = typeof step === 'string' ? this.#states.get(step)?.output : undefined
    if (output === undefined) return `Error tool_bad_args: step must be one of ${[...this.#states.keys()].join(', ')}`
    const start = typeof from === 'number' && Number.isInteger(from) && from >= 0 ? from : 0
    const end = Math.min(output.length, start + this.#head)
    return `${output.slice(start, end)}\n[characters ${start} to ${end} of ${output.length}]`
  }
}
