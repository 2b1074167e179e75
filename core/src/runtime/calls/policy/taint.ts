/** Remembers, agent by agent, what untrusted content it has read and whether it has read files of the workspace. */
export class TaintLog {
  readonly #untrusted = new Map<string, Set<string>>()
  readonly #private = new Set<string>()
  readonly #everybody: () => readonly string[]
  readonly #isPrivate: boolean

  /**
   * @param everybody what untrusted content stands in the prompts of all agents, such as recalled memories
   * @param isPrivate whether files of the workspace do
   */
  constructor(everybody: () => readonly string[] = () => [], isPrivate = false) {
    this.#everybody = everybody
    this.#isPrivate = isPrivate
  }

  /** Untrusted content that the agent itself has read. */
  own(agentId: string): string[] {
    return [...this.#everybody(), ...(this.#untrusted.get(agentId) ?? [])]
  }

  /** The same with what reached it, or may have reached it, through the other agents of the run. */
  reaching(agentId: string): string[] {
    const others = [...this.#untrusted].filter(([id]) => id !== agentId)
    return [
      ...this.own(agentId),
      ...others.flatMap(([id, sources]) => [...sources].map((source) => `${id}: ${source}`)),
    ]
  }

  hasReadPrivate(agentId: string): boolean {
    return this.#isPrivate || this.#private.has(agentId)
  }

  readUntrusted(agentId: string, source: string): void {
    const sources = this.#untrusted.get(agentId) ?? new Set()
    sources.add(source)
    this.#untrusted.set(agentId, sources)
  }

  readPrivate(agentId: string): void {
    this.#private.add(agentId)
  }
}
