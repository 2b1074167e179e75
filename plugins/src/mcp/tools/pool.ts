import { definePlugin, type McpServerConfig, type Plugin } from '@svc/core'
import { canonicalJson } from '@svc/core/support'
import { McpPins } from '../pins/pins.ts'
import type { McpPlace } from '../types.ts'
import { ServerLink } from './link.ts'
import { ServerSource } from './server-source.ts'

type Servers = Readonly<Record<string, McpServerConfig>>

type ServerCheck = (name: string, config: McpServerConfig) => (() => string | undefined) | undefined

/** The servers of a runtime, which outlive a change of its config. */
export class McpPool {
  readonly #place: McpPlace
  readonly #pins: McpPins
  readonly #links = new Map<string, ServerLink>()

  /** @param userDir of the person whose pins count */
  constructor(place: McpPlace, userDir: string) {
    this.#place = { ...place, userDir, canAsk: true, canSample: true }
    this.#pins = new McpPins(userDir)
  }

  /**
   * The tools of a config's servers, as a plugin; nothing is started yet.
   *
   * @param check made for each server: why it is not started, by then
   */
  plugin(servers: Servers = {}, check: ServerCheck = () => undefined): Plugin[] {
    const links = enabled(servers).map(([name, config]) => this.#linkOf(name, config, check))
    if (links.length === 0) return []
    const plugin = definePlugin('mcp', ({ toolSources }) => {
      for (const link of links) toolSources.add(`MCP server ${link.name}`, new ServerSource(link))
    })
    return [plugin()]
  }

  #linkOf(name: string, config: McpServerConfig, check: ServerCheck): ServerLink {
    const key = keyOf(name, config)
    const link = this.#links.get(key) ?? new ServerLink(name, config, this.#place, this.#pins, check(name, config))
    this.#links.set(key, link)
    return link
  }

  /** Ends the servers that a new config does not have any more, each when its calls are over. */
  keepOnly(servers: Servers = {}): void {
    const kept = new Set(enabled(servers).map(([name, config]) => keyOf(name, config)))
    for (const [key, link] of this.#links) {
      if (kept.has(key)) continue
      this.#links.delete(key)
      link.retire()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()))
  }
}

const enabled = (servers: Servers): [name: string, config: McpServerConfig][] =>
  Object.entries(servers).filter(([, { disabled }]) => disabled !== true)

const keyOf = (name: string, config: McpServerConfig): string => `${name} ${canonicalJson(config)}`
