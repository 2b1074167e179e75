import type { CommandContext } from '../frame/context.ts'
import { defined } from '../line/given-options.ts'
import type { OwnStarted } from '../session/start-own.ts'
import { addressOf, warnBy } from './listening.ts'

/** A port that says how a worker is. */
export interface Probes {
  /** Goes on under the settings of a new config. */
  reload: (next: OwnStarted['loaded']) => void
  readKeys: () => void
  /** The worker is about to end: `/readyz` says so. */
  drain: () => void
  close(): Promise<void>
}

/**
 * Serves the probes and metrics of a worker where a flag or `server.probes` names a port.
 *
 * @returns undefined where none is named
 * @throws ConfigError `config_invalid` for a port that cannot be used
 */
export async function openProbes(
  context: CommandContext,
  { runtime, loaded }: OwnStarted,
): Promise<Probes | undefined> {
  const { flags, io } = context
  const { host = '127.0.0.1', port } = { ...loaded.config.server?.probes, ...addressOf(context) }
  if (port === undefined) return undefined
  const [{ createServer }, { keyOf, readServiceKeys }] = await Promise.all([
    import('@svc/server'),
    import('./service-keys.ts'),
  ])
  // Metrics may be for those alone who have a key.
  const { keys, reload } = readServiceKeys({ ...loaded.variables, ...io.env }, warnBy(context))
  io.hide(keys().map(keyOf))
  const settingsOf = ({ config }: OwnStarted['loaded']) => defined({ metrics: config.server?.metrics })
  const server = createServer({ ...settingsOf(loaded), runtime, host, port, keys, probesOnly: true })
  const url = await server.listen()
  if (!flags.quiet) io.err(`svc: probes and metrics at ${url}\n`)
  return {
    reload: (next) => server.reload(settingsOf(next)),
    readKeys: reload,
    drain: server.drain,
    close: () => server.close(0),
  }
}
