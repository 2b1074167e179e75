import type { SvcConfig } from '@svc/core'
import type { CommandContext } from './context.ts'
import { toSafeJson } from './io.ts'
import { countOf, textOf } from './read-options.ts'
import { reloadAtHangup } from './reload.ts'
import { catchSignals } from './signals.ts'

const DRAIN_MS = 30_000
/** Settings of the address, which stay as they were at the start. */
const FIXED = ['host', 'port']

export interface ServeOptions {
  /** Settings that win over those of the config. */
  settings?: SvcConfig['server']
  /** Called with the server's address when it listens. */
  onListening: (url: string) => void | Promise<void>
}

/** Serves this folder over HTTP until a signal, then drains. @returns the exit code */
export async function serveFolder(context: CommandContext, { settings, onListening }: ServeOptions): Promise<number> {
  const { flags, io } = context
  const given = settingsOf(context)
  const [{ createServer }, { readServiceKeys }] = await Promise.all([
    import('@svc/server'),
    import('./service-keys.ts'),
  ])
  const started = await context.startOwn({ claims: 'all', drainMs: DRAIN_MS })
  const { runtime, loaded } = started
  const names = loaded.config.server?.allowedHosts ?? []
  const readKeys = (): string[] => readServiceKeys({ ...loaded.variables, ...io.env })
  let signals: ReturnType<typeof catchSignals> | undefined
  let stopReloading: (() => void) | undefined
  try {
    let keys = readKeys()
    const server = createServer({
      ...loaded.config.server,
      ...given,
      ...settings,
      runtime,
      keys: () => keys,
      insecureNoAuth: flags.rest.insecureNoAuth === true,
      ...(!flags.quiet && { log: (line: object) => io.err(`${toSafeJson(JSON.stringify(line))}\n`) }),
    })
    const url = await server.listen()
    stopReloading = reloadAtHangup(context, started, {
      fixed: FIXED.filter((name) => !(name in given)).map((name) => `/server/${name}`),
      readKeys: () => {
        keys = readKeys()
      },
      onReloaded: ({ config }) => server.reload({ ...config.server, ...settings }),
    })
    await context.sayWarnings(runtime)
    if (keys.length === 0 && flags.rest.insecureNoAuth === true)
      io.err(`${io.paint.yellow('svc:')} no key is set: everybody who reaches ${url} may run tasks here\n`)
    else if (keys.length === 0 && names.length > 0)
      io.err(
        `${io.paint.yellow('svc:')} no key is set: everybody who reaches ${names.join(', ')} through a proxy may run tasks here; set SERVICE_API_KEY\n`,
      )
    await onListening(url)
    io.err(`svc: listening on ${url}; Ctrl-C drains, a second one ends at once\n`)
    const reason = await new Promise<string>((resolve) => {
      signals = catchSignals(undefined, resolve)
    })
    if (!flags.quiet)
      io.err(`svc: ${reason}: what does not end within ${DRAIN_MS / 1000} s goes on with the next start\n`)
    // Streams of runs that wait for somebody have no end of their own once nobody works on runs any more.
    await Promise.race([
      server.close(DRAIN_MS),
      runtime.close().then(() => new Promise((end) => setTimeout(end, 1_000))),
    ])
    return signals?.exitCode() ?? 0
  } finally {
    signals?.stop()
    stopReloading?.()
    await runtime.close()
  }
}

/** What flags say of the address. */
function settingsOf({ flags }: CommandContext): Pick<NonNullable<SvcConfig['server']>, 'host' | 'port'> {
  const host = textOf(flags.rest.host)
  const port = countOf('port', flags.rest.port, { min: 0, max: 65_535 })
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) }
}
