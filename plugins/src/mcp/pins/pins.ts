/**
 * The tools of a server as the person has seen them, so that a server that says something else another time is noticed before
 * a model reads it. They also are what a run is offered before the server was started.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type McpServerConfig } from '@svc/core'
import { defaultUserDir, readRegularFile, replaceOwnFile } from '@svc/core/config'
import { canonicalJson, isForeign, isOwn } from '@svc/core/support'
import { unifiedDiff } from '../../tools/files/line-diff.ts'
import type { VettedTool } from './vet-tools.ts'

const MOST_BYTES = 32 << 20

/** What a server lists now, held against what was seen. */
export interface PinChanges {
  readonly added: readonly VettedTool[]
  readonly changed: readonly { readonly before: VettedTool; readonly now: VettedTool }[]
  /** As they were seen. */
  readonly same: readonly VettedTool[]
}

/** The pins of a person: a file for each server, as the config describes it, in `mcp` of the person's own folder. */
export class McpPins {
  readonly #dir: string

  /** @param userDir default the folder where trust is kept */
  constructor(userDir = defaultUserDir()) {
    this.#dir = join(userDir, 'mcp')
  }

  /** What was seen of a server; undefined: nothing, or nothing that can be believed. */
  read(config: McpServerConfig): readonly VettedTool[] | undefined {
    if (isForeign(this.#dir)) return undefined
    const found = readRegularFile(this.#fileOf(config), MOST_BYTES)
    if (!('bytes' in found) || !isOwn(found.stats)) return undefined
    try {
      const { version, tools } = JSON.parse(found.bytes.toString('utf8')) as { version?: unknown; tools?: unknown }
      return version === 1 && Array.isArray(tools) && tools.every(isTool) ? tools : undefined
    } catch {
      return undefined
    }
  }

  /**
   * Keeps tools as seen, in the place of what was seen before.
   *
   * @param name of the server, for people that read the file
   * @throws ConfigError `config_invalid` where it cannot be written
   */
  write(name: string, config: McpServerConfig, tools: readonly VettedTool[]): void {
    const file = this.#fileOf(config)
    const { command, args, url } = config
    const content = { version: 1, name, server: { command, args, url }, pinnedAt: new Date().toISOString(), tools }
    try {
      mkdirSync(this.#dir, { recursive: true, mode: 0o700 })
      chmodSync(this.#dir, 0o700)
      replaceOwnFile(file, `${JSON.stringify(content, undefined, 1)}\n`)
    } catch (thrown) {
      const { code = String(thrown) } = thrown as NodeJS.ErrnoException
      throw new ConfigError('config_invalid', `${file}: cannot be written (${code})`, { cause: thrown })
    }
  }

  /** Forgets a server: its tools count as new the next time. */
  remove(config: McpServerConfig): void {
    rmSync(this.#fileOf(config), { force: true })
  }

  /** What starts or reaches a server says which one it is, and not what it is called or which of its tools are used. */
  #fileOf({ command, args, cwd, env, url, headers }: McpServerConfig): string {
    const described = canonicalJson({ command, args, cwd, env, url, headers })
    return join(this.#dir, `${createHash('sha256').update(described).digest('hex').slice(0, 32)}.json`)
  }
}

/** What a server lists, held against what was seen of it. A tool that is gone is no change that matters. */
export function comparePins(pinned: readonly VettedTool[], listed: readonly VettedTool[]): PinChanges {
  const known = new Map(pinned.map((tool) => [tool.name, tool]))
  const added: VettedTool[] = []
  const changed: { before: VettedTool; now: VettedTool }[] = []
  const same: VettedTool[] = []
  for (const now of listed) {
    const before = known.get(now.name)
    if (before === undefined) added.push(now)
    else if (canonicalJson(before) === canonicalJson(now)) same.push(before)
    else changed.push({ before, now })
  }
  return { added, changed, same }
}

/** The difference for a person, as unified diffs. */
export async function describeChanges({ added, changed }: Pick<PinChanges, 'added' | 'changed'>): Promise<string> {
  const parts = [
    ...added.map((now) => unifiedDiff(now.name, undefined, toText(now))),
    ...changed.map(({ before, now }) => unifiedDiff(now.name, toText(before), toText(now))),
  ]
  return (await Promise.all(parts)).join('\n\n')
}

const toText = ({ description, parameters }: VettedTool): string =>
  `${description}\n\n${JSON.stringify(JSON.parse(canonicalJson(parameters)), undefined, 2)}\n`

function isTool(value: unknown): value is VettedTool {
  const { name, description, parameters } = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    typeof name === 'string' && typeof description === 'string' && typeof parameters === 'object' && parameters !== null
  )
}
