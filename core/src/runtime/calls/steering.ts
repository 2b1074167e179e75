import type { Steering as SteeringRequest } from '../../contracts/run/run-context.ts'
import { LimitError } from '../../errors.ts'

/** How long an opened circuit denies a tool before one more call is let through. */
const CIRCUIT_MS = 30_000

const NONE: string[] = []

/** Keeps what watchers ask of a running run until a gateway applies it. */
export class Steering {
  /** Made with the first of each: most runs have none. */
  #nudges: Map<string, string[]> | undefined
  #circuits: Map<string, { until: number; reason: string }> | undefined
  readonly #halt: (error: LimitError) => void
  readonly #clock: () => number

  constructor(halt: (error: LimitError) => void, clock: () => number) {
    this.#halt = halt
    this.#clock = clock
  }

  apply({ action, reason, agentId = '', tool = '', evidence = [] }: SteeringRequest): void {
    if (action === 'halt') {
      this.#halt(new LimitError('loop_detected', reason, { details: { evidence } }))
    } else if (action === 'nudge') {
      const text = evidence.length === 0 ? reason : `${reason}\n${evidence.join('\n')}`
      this.#nudges ??= new Map()
      this.#nudges.set(agentId, [...(this.#nudges.get(agentId) ?? []), text])
    } else {
      this.#circuits ??= new Map()
      this.#circuits.set(tool, { until: this.#clock() + CIRCUIT_MS, reason })
    }
  }

  /** Hands over the notes for an agent's next model call. */
  takeNudges(agentId: string): string[] {
    if (this.#nudges === undefined || this.#nudges.size === 0) return NONE
    const nudges = [...(this.#nudges.get(agentId) ?? []), ...(this.#nudges.get('') ?? [])]
    this.#nudges.delete(agentId)
    this.#nudges.delete('')
    return nudges
  }

  /** Why a tool must not be called now; undefined when it may. After the pause one call probes it. */
  openCircuit(tool: string): string | undefined {
    const circuit = this.#circuits?.get(tool)
    if (circuit === undefined) return undefined
    if (this.#clock() < circuit.until) return circuit.reason
    this.#circuits?.delete(tool)
    return undefined
  }
}
