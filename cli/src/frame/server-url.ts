import type { ValidationError } from '@svc/core'
import { isServerUrl } from '@svc/sdk/remote'
import { wrong } from '../line/wrong.ts'
import type { Flags } from './flags.ts'

/** A server that a command works with, and how it was named. */
export interface ServerAddress {
  url: string
  /** Whether the flag named it: commands that are shown to a person need it again. */
  isFlag: boolean
}

/** Options of a runtime of one's own. */
const OWN = ['config', 'cwd', 'trust', 'provider', 'logLevel'] as const

/**
 * The server that `--url` names, else `SVC_URL`.
 *
 * @throws ValidationError `validation_failed` for what is no address, and for flags that mean nothing to a server
 */
export function findServer(flags: Flags, env: Readonly<Record<string, string | undefined>>): ServerAddress {
  const url = flags.url ?? env.SVC_URL ?? ''
  const isFlag = flags.url !== undefined
  const name = isFlag ? '--url' : 'SVC_URL'
  if (!isServerUrl(url))
    throw refuse(
      name,
      'must be the address of a server, such as http://127.0.0.1:4000, without a key in it: that one goes into SERVICE_API_KEY',
    )
  const own = OWN.find((flag) => flags[flag] !== undefined && flags[flag] !== false)
  if (own !== undefined) {
    const flag = `--${own.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`
    throw refuse(flag, `means nothing to the server that ${name} names: it has its own; leave one of them out`)
  }
  return { url, isFlag }
}

const refuse = (name: string, message: string): ValidationError =>
  wrong(`${name} ${message}`, name.replace(/^--/, ''), message)
