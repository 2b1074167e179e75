import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readRegularFile } from '@svc/core/config'
import { isOwn } from '@svc/core/support'
import { stateOf } from './keys-file.ts'

/** The key of a server without keys: who can read its file is the person that the server works for. */
export interface LocalKey {
  readonly key: string
  /** Where it lies, for the person's own clients; absent where it lies nowhere. Another server of theirs may write its own there. */
  readonly file?: string
}

const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/
const MOST_BYTES = 256
const KEY = /^[\w-]{43}$/

/** The keys that are good: the one that the file holds now, which clients read, and the server's own, which open pages have. */
export function readLocalKeys({ key, file }: LocalKey): () => readonly [string, ...string[]] {
  let keys: readonly [string, ...string[]] = [key]
  let seen = ''
  return () => {
    if (file === undefined) return keys
    const now = stateOf(file)
    if (now === seen) return keys
    seen = now
    const read = readRegularFile(file, MOST_BYTES)
    const current = 'bytes' in read && isOwn(read.stats, 0o077) ? read.bytes.toString().trim() : ''
    keys = KEY.test(current) ? [current, key] : [key]
    return keys
  }
}

/**
 * What a client of this machine gets that was refused for want of the key: its file, and a proof that this server knows it, for
 * this address and port, and for what the client drew. Nobody else who listens here can give one, so that a client sends the key to no one else.
 *
 * @returns the value of `WWW-Authenticate`
 */
export function challengeOf(key: string, file: string | undefined, { headers, socket }: IncomingMessage): string {
  const drawn = headers['svc-challenge']
  if (file === undefined || !LOOPBACK.test(socket.remoteAddress ?? '')) return 'Bearer'
  if (typeof drawn !== 'string' || !/^[0-9a-f]{32,128}$/.test(drawn)) return 'Bearer'
  const address = socket.localAddress?.replace('::ffff:', '')
  const proof = createHmac('sha256', key).update(`${drawn} ${address} ${socket.localPort}`).digest('hex')
  return `Bearer, SvcLocalKey file="${encodeURIComponent(file)}", proof="${proof}"`
}
