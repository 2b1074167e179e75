import { BlockList, isIP } from 'node:net'
import { ConfigError } from '@svc/core'

/** Whether a request may name a host, with its port, and the address that it came to. */
export type IsKnownHost = (host: string, localAddress: string | undefined) => boolean

/** What a `Host` header can be: a name or an address, and a port. */
const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/

/** No name can be pointed at these: browsers know `localhost` by themselves. So any port is theirs, such as one that was published. */
const LOCAL = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The hosts that a server answers to: the local ones, the address that a connection came to, and those that its config names.
 *
 * @param publicUrl its host is allowed
 * @throws ConfigError `config_invalid` for an entry that is no host, and for one that would allow every name
 */
export function knownHosts(allowedHosts: readonly string[], publicUrl?: string): IsKnownHost {
  const entries = [...allowedHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])].map(toMatcher)
  return (host, localAddress) => {
    const [, name, port] = HOST.exec(host.toLowerCase()) ?? []
    if (name === undefined) return false
    return LOCAL.has(name) || isAddress(name, localAddress) || entries.some((matches) => matches(name, port))
  }
}

type Matcher = (name: string, port: string | undefined) => boolean

function toMatcher(entry: string): Matcher {
  const text = entry.trim().toLowerCase()
  const range = /^\[?([\da-f.:]+)\]?\/(\d{1,3})$/.exec(text)
  if (range !== null) return toRange(entry, range[1] ?? '', Number(range[2]))
  if (isIP(text) === 6) return (name) => isAddress(name, text)
  const isPattern = text.startsWith('*.')
  const [, wanted, port] = HOST.exec(isPattern ? text.slice(2) : text) ?? []
  if (wanted === undefined) throw wrong(entry)
  const isNamed: Matcher = isPattern
    ? (name) => name.endsWith(`.${wanted}`) && isIP(name) === 0
    : (name) => name === wanted
  return (name, asked) => isNamed(name, asked) && (port === undefined || asked === port)
}

function toRange(entry: string, address: string, bits: number): Matcher {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  try {
    list.addSubnet(address, bits, family)
  } catch {
    throw wrong(entry)
  }
  return (name) => {
    const version = isIP(bare(name))
    return version !== 0 && list.check(bare(name), version === 6 ? 'ipv6' : 'ipv4')
  }
}

const wrong = (entry: string): ConfigError =>
  new ConfigError(
    'config_invalid',
    `server.allowedHosts: "${entry}" is no host: write a name, *.example.com for every name below it, an address, or a range such as 10.0.0.0/8`,
  )

const bare = (name: string): string => name.replace(/^\[|\]$/g, '')

/** Whether a host is the very address that a request came to. A page of a name that was pointed at it names itself. */
function isAddress(name: string, localAddress: string | undefined): boolean {
  const address = localAddress?.replace(/^::ffff:(?=\d+\.)/, '')
  return address !== undefined && isIP(bare(name)) !== 0 && bare(name) === address
}
