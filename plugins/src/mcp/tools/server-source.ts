import { type Tool, type ToolSource, toSvcError, type Warning } from '@svc/core'
import { chooseTools, nameSome, type VettedTool } from '../pins/vet-tools.ts'
import type { KnownTools, ServerLink } from './link.ts'
import { toServerTool, toUnseenTool } from './server-tool.ts'

/** How long the first run waits for a server of which nothing was ever seen. */
const FIRST_WAIT_MS = 15_000

/** The tools of one server: those that were seen are offered at once, before the server is started. */
export class ServerSource implements ToolSource {
  readonly pattern: string
  readonly #link: ServerLink
  #made: { of: KnownTools; tools: readonly Tool[] } | undefined

  constructor(link: ServerLink) {
    this.#link = link
    this.pattern = `mcp.${link.name}.*`
  }

  tools(): readonly Tool[] {
    const { known } = this.#link
    if (known === undefined) return []
    // What is known is one object until it changes.
    if (this.#made?.of !== known) this.#made = { of: known, tools: this.#make(known) }
    return this.#made.tools
  }

  #make({ seen, changes }: KnownTools): Tool[] {
    const link = this.#link
    const offered = chooseTools(link.config, seen).tools
    if (changes === undefined) return offered.map((tool) => toServerTool(link, tool, false))
    const isSame = new Set(changes.same.map(({ name }) => name))
    const isOther = new Set(changes.changed.map(({ now }) => now.name))
    const isListed = ({ name }: VettedTool): boolean => isSame.has(name) || isOther.has(name)
    const added = chooseTools(link.config, changes.added).tools.filter((tool) => !link.isDeclined(tool))
    return [
      ...offered.filter(isListed).map((tool) => toServerTool(link, tool, isOther.has(tool.name))),
      ...added.map((tool) => toUnseenTool(link, tool)),
    ]
  }

  async prepare(): Promise<Warning[]> {
    const link = this.#link
    const warn = (code: string, message: string): Warning => ({
      code,
      message: `the MCP server "${link.name}": ${message}`,
    })
    if (link.known === undefined) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(resolve, FIRST_WAIT_MS, 'it is still starting, and its tools are offered to later runs')
      })
      const opened = link.open().then(
        () => undefined,
        (thrown: unknown) => toSvcError(thrown).message,
      )
      const failure = await Promise.race([opened, late]).finally(() => clearTimeout(timer))
      if (failure !== undefined) return [{ code: 'mcp_unavailable', message: failure }]
    }
    const { seen = [], changes, warnings = [] } = link.known ?? {}
    const left = [...warnings, ...chooseTools(link.config, seen).warnings]
    const { added = [], changed = [] } = changes ?? {}
    const others = [...changed.map(({ now }) => now), ...added].map(({ name }) => name)
    return [
      ...left.map((why) => warn('mcp_tools_left_out', why)),
      ...(others.length === 0
        ? []
        : [
            warn(
              'mcp_tools_changed',
              `${nameSome(others)} changed or came since you saw its tools: a call asks you, where you are asked`,
            ),
          ]),
    ]
  }
}
