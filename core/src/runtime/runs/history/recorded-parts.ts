import { SLOTS } from '../../../contracts/config.ts'
import type { RunEvent } from '../../../contracts/log/event.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import { ConfigError } from '../../../errors.ts'
import { clientToolsOf } from '../../calls/tools/client-tools.ts'

/** What a run was made with and is not here. */
interface MissingPart {
  kind: 'plugin' | 'tool'
  name: string
  /** Where it was loaded from, if that is known. */
  source?: string
}

/** @throws ConfigError `plugin_load_failed` that names each part and says how to give it; nothing where none is missing */
export function assertNoneMissing(parts: readonly MissingPart[]): void {
  if (parts.length === 0) return
  const named = parts.map(({ kind, name, source }) => `${kind} "${name}"${source === undefined ? '' : ` (${source})`}`)
  const list = named.length === 1 ? named : [named.slice(0, -1).join(', '), named.at(-1)]
  throw new ConfigError(
    'plugin_load_failed',
    `the recorded run was made with ${list.join(' and ')}, which ${named.length === 1 ? 'is' : 'are'} not here, so nothing was gone over. Fix: give the same in \`plugins\` of createClient, createRuntime or replayRun (a client's tools in \`tools\`), in .svc/, or name a config that has it with --config`,
  )
}

/** What a log names and these do not have. Without a part of svc's own, a run is gone over and shows what that changes. */
export function missingOf(
  { row, events }: { row: RunRow; events: readonly RunEvent[] },
  plugins: ReadonlySet<string>,
  here: Iterable<string>,
): MissingPart[] {
  const tools = new Set([...here, ...clientToolsOf(row.create.clientTools).keys()])
  const missing = new Map<string, MissingPart>()
  const look = (kind: MissingPart['kind'], names: readonly string[], here: ReadonlySet<string>): void => {
    for (const name of names) if (!here.has(name)) missing.set(`${kind} ${name}`, { kind, name })
  }
  for (const { type, data } of events) {
    if (type === 'stage.started') look('plugin', data.plugins, new Set([...plugins, ...SLOTS]))
    if (type === 'model.started') look('tool', data.params.tools ?? [], tools)
  }
  return [...missing.values()].sort((one, other) => one.kind.localeCompare(other.kind))
}
