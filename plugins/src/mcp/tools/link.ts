import { ConfigError, type McpServerConfig, toSvcError } from '@svc/core'
import { canonicalJson } from '@svc/core/support'
import { comparePins, type McpPins, type PinChanges } from '../pins/pins.ts'
import { type VettedTool, vetTools } from '../pins/vet-tools.ts'
import { type McpServer, openMcpServer } from '../server.ts'
import type { McpPlace } from '../types.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** What is known of a server's tools. */
export interface KnownTools {
  /** As a person has seen them. */
  readonly seen: readonly VettedTool[]
  /** What the server lists otherwise; undefined where it was not asked yet. */
  readonly changes: PinChanges | undefined
  readonly warnings: readonly string[]
}

/** One server: opened at first need, again when it has ended, and held against what was seen of it. */
export class ServerLink {
  readonly name: string
  readonly config: McpServerConfig
  readonly #place: McpPlace
  readonly #pins: McpPins
  readonly #whyNot: (() => string | undefined) | undefined
  #opening: Promise<McpServer> | undefined
  #failures = 0
  #retryAt = 0
  #failure: unknown
  #known: KnownTools | undefined
  #hasRead = false
  readonly #declined = new Set<string>()
  #calls = 0
  #isRetired = false
  #isClosed = false
  /** @param whyNot says why it is not started */
  constructor(
    name: string,
    config: McpServerConfig,
    place: McpPlace,
    pins: McpPins,
    whyNot?: () => string | undefined,
  ) {
    this.name = name
    this.config = config
    this.#place = place
    this.#pins = pins
    this.#whyNot = whyNot
  }

  /** What is known without asking the server, one object until it changes; undefined where nothing was ever seen of it. */
  get known(): KnownTools | undefined {
    if (this.#known === undefined && !this.#hasRead) {
      this.#hasRead = true
      const seen = this.#pins.read(this.config)
      this.#known = seen && { seen, changes: undefined, warnings: [] }
    }
    return this.#known
  }

  /** A tool as it was seen, and as the server has it now: one object where these are the same; undefined where there is none. */
  find(name: string): { before: VettedTool | undefined; now: VettedTool | undefined } {
    const { changes } = this.known ?? {}
    const same = changes?.same.find((tool) => tool.name === name)
    if (same !== undefined) return { before: same, now: same }
    const changed = changes?.changed.find(({ now }) => now.name === name)
    return changed ?? { before: undefined, now: changes?.added.find((tool) => tool.name === name) }
  }

  /**
   * The server, whose tools were held against what was seen of them.
   *
   * @throws as `openMcpServer`; the last failure again where it is too early to try another time
   */
  open(): Promise<McpServer> {
    const why = this.#opening === undefined ? this.#whyNot?.() : undefined
    if (why !== undefined)
      return Promise.reject(new ConfigError('config_untrusted', `the MCP server "${this.name}" is not started: ${why}`))
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<McpServer> {
    try {
      if (Date.now() < this.#retryAt) throw this.#failure
      const server = await openMcpServer(this.name, this.config, {
        ...this.#place,
        onToolsChanged: () => void this.#list(server).catch(() => {}),
      })
      void server.closed.then(() => this.#lose(server))
      await this.#list(server).catch(async (thrown) => {
        await server.close()
        throw thrown
      })
      if (this.#isClosed) await server.close()
      this.#failures = 0
      return server
    } catch (thrown) {
      this.#opening = undefined
      if (Date.now() >= this.#retryAt) this.#pause(thrown)
      throw thrown
    }
  }

  /** A server that cannot be had is not asked for again at once. */
  #pause(thrown: unknown): void {
    this.#failure = thrown
    this.#retryAt = Date.now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++)
  }

  #lose(server: McpServer): void {
    const opening = this.#opening
    void opening?.then((current) => {
      if (current === server && this.#opening === opening) this.#opening = undefined
    })
  }

  /** Forgets a connection, so that the next call opens another one. */
  async drop(server: McpServer): Promise<void> {
    this.#opening = undefined
    await server.close()
  }

  async #list(server: McpServer): Promise<void> {
    const { tools, warnings } = vetTools(this.config, await server.tools())
    const { known } = this
    if (known === undefined) this.#pin(tools, tools, warnings)
    else this.#known = { ...known, changes: comparePins(known.seen, tools), warnings }
  }

  #pin(seen: readonly VettedTool[], listed: readonly VettedTool[], warnings: readonly string[]): void {
    const known = { seen, changes: comparePins(seen, listed), warnings }
    this.#known = known
    try {
      this.#pins.write(this.name, this.config, seen)
    } catch (thrown) {
      this.#known = { ...known, warnings: [...warnings, toSvcError(thrown).message] }
    }
  }

  /** A person takes a tool as it is now. */
  accept(now: VettedTool): void {
    const { seen, changes, warnings } = this.known ?? { seen: [], changes: undefined, warnings: [] }
    const { same = [], added = [], changed = [] } = changes ?? {}
    const listed = [...same, ...added, ...changed.map((change) => change.now)]
    this.#pin([...seen.filter(({ name }) => name !== now.name), now], listed, warnings)
  }

  /** A person does not take a tool as it is now: nobody is asked about it again. */
  decline(now: VettedTool): void {
    this.#declined.add(canonicalJson(now))
  }

  isDeclined(now: VettedTool): boolean {
    return this.#declined.has(canonicalJson(now))
  }

  /** Keeps the server while a call is made. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#calls++
    try {
      return await work()
    } finally {
      this.#calls--
      this.#endRetired()
    }
  }

  /** Ends the server as soon as none of its calls is open. */
  retire(): void {
    this.#isRetired = true
    this.#endRetired()
  }

  #endRetired(): void {
    if (!this.#isRetired || this.#calls > 0) return
    const opening = this.#opening
    this.#opening = undefined
    void opening?.then((server) => server.close()).catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const server = await this.#opening?.catch(() => undefined)
    await server?.close()
  }
}
