import { fstatSync } from 'node:fs'
import type { LoadedConfig, SvcConfig } from '@svc/core'
import { getDataDir, getExperimentsDir } from '@svc/core/config'
import type { LocalKey } from '@svc/server'
import type { CommandContext } from '../frame/context.ts'
import { untilSignal } from '../frame/signals.ts'
import type { StartOptions } from '../session/start-own.ts'
import { addressOf, warnBy } from './listening.ts'
import { writeLocalKey } from './local-key.ts'
import { reloadAtHangup } from './reload.ts'
import { openServiceLog } from './service-log.ts'

const DRAIN_MS = 30_000
/** Settings of the address, which stay as they were at the start. */
const FIXED = ['host', 'port', 'work']
const NO_WORKER =
  'no other process can work on the runs of a server that was started with --no-work or server.work: false'

export interface ServeOptions {
  /** Settings that win over those of the config. */
  settings?: SvcConfig['server']
  /** Called with the server's address when it listens, what makes a link to its console, and whether its log is JSON. */
  onListening: (url: string, consoleLink: () => string, isJson: boolean) => void | Promise<void>
}

/** Serves this folder over HTTP until a signal, then drains. @returns the exit code */
export async function serveFolder(context: CommandContext, { settings, onListening }: ServeOptions): Promise<number> {
  const { flags, io } = context
  const given = addressOf(context)
  const log = openServiceLog(context)
  const [{ createServer, logRuns }, { keyOf, readServiceKeys }] = await Promise.all([
    import('@svc/server'),
    import('./service-keys.ts'),
  ])
  const works = ({ config }: LoadedConfig): boolean => !flags.own.isOff('work') && config.server?.work !== false
  const toStart = (loaded: LoadedConfig): StartOptions =>
    works(loaded) ? { claims: 'all', drainMs: DRAIN_MS } : { claims: 'none', needsStore: NO_WORKER }
  return context.useOwn(toStart, async (started) => {
    const { runtime, loaded } = started
    const { allowedHosts: names = [], oidc } = loaded.config.server ?? {}
    const warn = warnBy(context)
    let stopping: ReturnType<typeof untilSignal> | undefined
    let stopReloading: (() => void) | undefined
    const stopLogging = flags.quiet ? undefined : logRuns(runtime, log.write)
    try {
      const { keys, reload } = readServiceKeys({ ...loaded.variables, ...io.env }, warn)
      const localKey = keys().length === 0 ? keepLocalKey(getDataDir(loaded, io.env), warn) : undefined
      io.hide([...(localKey === undefined ? [] : [localKey.key]), ...keys().map(keyOf)])
      const server = createServer({
        ...loaded.config.server,
        ...given,
        ...settings,
        runtime,
        experiments: getExperimentsDir(loaded),
        keys,
        ...(localKey && { localKey }),
        insecureNoAuth: flags.own.is('insecureNoAuth'),
        ...(!flags.quiet && { log: log.write }),
      })
      const url = await server.listen()
      process.title = 'svc serve' // programs of other processes of svc are kept from its port by this name
      stopReloading = reloadAtHangup(context, started, {
        fixed: FIXED.filter((name) => !(name in given)).map((name) => `/server/${name}`),
        readKeys: reload,
        onReloaded: ({ config }) => server.reload({ ...config.server, ...settings }),
      })
      await context.sayWarnings(runtime)
      const isOpen = keys().length === 0 && oidc === undefined
      if (isOpen && flags.own.is('insecureNoAuth'))
        warn(`no key is set: everybody who reaches ${url} may run tasks here, and read what ran`)
      else if (isOpen && names.length > 0)
        warn(
          `no key is set: everybody who reaches ${names.join(', ')} through a proxy may run tasks here; set SERVICE_API_KEY`,
        )
      await onListening(url, server.consoleLink, log.isJson)
      const hasConsole = settings?.console ?? loaded.config.server?.console ?? true
      // A file may be where a program that a model runs can read it.
      if (keys().length === 0 && hasConsole && !flags.quiet && !log.isJson && !fstatSync(2).isFile())
        io.show(
          `svc: to answer and change things in the console, open ${server.consoleLink()} (good once, for an hour)\n`,
        )
      io.err(`svc: listening on ${url}; Ctrl-C drains, a second one ends at once\n`)
      if (!works(loaded)) io.err('svc: this process works on no runs: svc worker processes do\n')
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
      stopLogging?.()
    }
  })
}

/** The key of this machine; undefined where it cannot be kept: then nobody but the console has one. */
function keepLocalKey(dataDir: string, warn: (message: string) => void): LocalKey | undefined {
  try {
    return writeLocalKey(dataDir)
  } catch (thrown) {
    warn(
      `the key of this server cannot be kept, so no other program can decide anything here: ${(thrown as Error).message}`,
    )
    return undefined
  }
}
