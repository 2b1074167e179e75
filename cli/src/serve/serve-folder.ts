import type { SvcConfig } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { toSafeJson } from '../frame/io.ts'
import { untilSignal } from '../frame/signals.ts'
import { defined } from '../line/given-options.ts'
import { reloadAtHangup } from './reload.ts'

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
  return context.useOwn({ claims: 'all', drainMs: DRAIN_MS }, async (started) => {
    const { runtime, loaded } = started
    const names = loaded.config.server?.allowedHosts ?? []
    const readKeys = (): string[] => readServiceKeys({ ...loaded.variables, ...io.env })
    let stopping: ReturnType<typeof untilSignal> | undefined
    let stopReloading: (() => void) | undefined
    try {
      let keys = readKeys()
      const server = createServer({
        ...loaded.config.server,
        ...given,
        ...settings,
        runtime,
        keys: () => keys,
        insecureNoAuth: flags.own.is('insecureNoAuth'),
        ...(!flags.quiet && { log: (line: object) => io.err(`${toSafeJson(JSON.stringify(line))}\n`) }),
      })
      const url = await server.listen()
      process.title = 'svc serve' // programs of other processes of svc are kept from its port by this name
      stopReloading = reloadAtHangup(context, started, {
        fixed: FIXED.filter((name) => !(name in given)).map((name) => `/server/${name}`),
        readKeys: () => {
          keys = readKeys()
        },
        onReloaded: ({ config }) => server.reload({ ...config.server, ...settings }),
      })
      await context.sayWarnings(runtime)
      if (keys.length === 0 && flags.own.is('insecureNoAuth'))
        io.err(`${io.paint.yellow('svc:')} no key is set: everybody who reaches ${url} may run tasks here\n`)
      else if (keys.length === 0 && names.length > 0)
        io.err(
          `${io.paint.yellow('svc:')} no key is set: everybody who reaches ${names.join(', ')} through a proxy may run tasks here; set SERVICE_API_KEY\n`,
        )
      await onListening(url)
      io.err(`svc: listening on ${url}; Ctrl-C drains, a second one ends at once\n`)
      stopping = untilSignal()
      const reason = await stopping.reason
      if (!flags.quiet)
        io.err(`svc: ${reason}: what does not end within ${DRAIN_MS / 1000} s goes on with the next start\n`)
      // Streams of runs that wait for somebody have no end of their own once nobody works on runs any more.
      await Promise.race([
        server.close(DRAIN_MS),
        runtime.close().then(() => new Promise((end) => setTimeout(end, 1_000))),
      ])
      return stopping.exitCode() ?? 0
    } finally {
      stopping?.stop()
      stopReloading?.()
    }
  })
}

/** What flags say of the address. */
function settingsOf({ flags }: CommandContext): Pick<NonNullable<SvcConfig['server']>, 'host' | 'port'> {
  return defined({ host: flags.own.text('host'), port: flags.own.count('port', 0, 65_535) })
}
