import { isatty } from 'node:tty'
import { type LoadedConfig, type SvcConfig, toSvcError } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'
import { type Io, toSafe } from '../frame/io.ts'
import type { OwnStarted } from '../session/start-own.ts'

/** What a config says that a process takes up when it starts, and at no other time. */
const FIXED = ['/store', '/memory/limits', '/memory/embedder', '/telemetry'] as const
/** What PostgreSQL's queue was given at the start. */
const DISPATCHED = ['/server/limits/runningRuns']

const isPostgres = ({ config }: LoadedConfig, env: Io['env']): boolean =>
  /^postgres/.test(config.store?.url ?? env.SVC_DATABASE_URL ?? '')

export interface ReloadOptions {
  /** More settings that need a restart, as JSON pointers. */
  fixed?: readonly string[]
  /** Reads the keys again, whether the config can be used or not. Where it throws they stay. */
  readKeys?: () => void
  /** The new config is in force. */
  onReloaded?(next: LoadedConfig): void
}

/**
 * Reads the config again at each SIGHUP. One that cannot be used changes nothing, and standard error says why. A process
 * whose terminal has gone ends instead, as without this.
 *
 * @returns how to stop
 */
export function reloadAtHangup(
  { io }: CommandContext,
  { loaded, reload }: Pick<OwnStarted, 'loaded' | 'reload'>,
  { fixed = [], readKeys, onReloaded }: ReloadOptions = {},
): () => void {
  const hadTerminal = isatty(0)
  let last: Promise<void> = Promise.resolve()
  const sayError = (what: string, thrown: unknown): void => {
    const { message, code } = toSvcError(thrown)
    io.err(toSafe(`svc: ${what}: ${message} [${code}]\n`), 'error')
  }
  const again = async (): Promise<void> => {
    try {
      readKeys?.()
    } catch (thrown) {
      sayError('the keys stay as they were', thrown)
    }
    try {
      const next = await reload()
      onReloaded?.(next)
      const late = [...FIXED, ...fixed, ...(isPostgres(loaded, io.env) ? DISPATCHED : [])].filter(
        (pointer) => textAt(next.config, pointer) !== textAt(loaded.config, pointer),
      )
      io.err(
        `svc: the config was read again; new runs use it${late.length === 0 ? '' : `. These need a restart: ${late.join(', ')}`}\n`,
      )
    } catch (thrown) {
      sayError('the config stays as it was', thrown)
    }
  }
  const onSignal = (): void => {
    if (hadTerminal && !isatty(0)) {
      stop()
      process.kill(process.pid, 'SIGHUP')
    } else last = last.then(again)
  }
  const stop = (): void => void process.off('SIGHUP', onSignal)
  process.on('SIGHUP', onSignal)
  return stop
}

function textAt(config: SvcConfig, pointer: string): string | undefined {
  let value: unknown = config
  for (const name of pointer.split('/').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name]
  return JSON.stringify(value)
}
