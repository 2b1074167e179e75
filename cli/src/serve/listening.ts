import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { defined } from '../line/given-options.ts'

/** What flags say of the address of a process that listens. */
export const addressOf = ({ flags }: CommandContext): { host?: string; port?: number } =>
  defined({ host: flags.own.text('host'), port: flags.own.count('port', 0, 65_535) })

/** Says what an operator should know, and goes on. */
export const warnBy =
  ({ io }: CommandContext) =>
  (message: string): void =>
    io.err(toSafe(`${io.paint.yellow('svc:')} ${message}\n`), 'warn')
