/** Which addresses of the internet protocol are everyone's, and which belong to this machine or its network. */
import { BlockList, isIP, isIPv4 } from 'node:net'

/** Not for the public, by the registries of special-purpose addresses (RFC 6890 and its updates). */
const CLOSED_4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier's NAT, and one cloud's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // one cloud's host agent
  '169.254.0.0/16', // link-local, clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]
/** Within 2000::/3, outside of which nothing is public. */
const CLOSED_6 = [
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds IPv4
  '3fff::/20', // documentation
]

const closed = new BlockList()
for (const [list, family] of [
  [CLOSED_4, 'ipv4'],
  [CLOSED_6, 'ipv6'],
] as const) {
  for (const range of list) {
    const [network = '', bits = ''] = range.split('/')
    closed.addSubnet(network, Number(bits), family)
  }
}

/**
 * Whether an address is open to everyone on the internet. IPv4 addresses inside of IPv6 ones (mapped `::ffff:0:0/96`,
 * NAT64 `64:ff9b::/96`) are judged as what they stand for. What is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4')
  const groups = toGroups(address)
  if (groups === undefined) return false
  const embedded = toEmbedded(groups)
  if (embedded !== undefined) return isPublicAddress(embedded)
  const [first = 0] = groups
  const isGlobal = first >> 13 === 0b001
  return isGlobal && !closed.check(groups.map((group) => group.toString(16)).join(':'), 'ipv6')
}

function toEmbedded(groups: readonly number[]): string | undefined {
  const prefix = groups.slice(0, 6).join()
  const isMapped = prefix === '0,0,0,0,0,65535'
  const isTranslated = prefix === '100,65435,0,0,0,0'
  if (!isMapped && !isTranslated) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address. */
function toGroups(address: string): number[] | undefined {
  if (isIP(address) !== 6 || address.includes('%')) return undefined
  const [left = '', right] = toHex(address).split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const head = parse(left)
  if (right === undefined) return head
  const tail = parse(right)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

/** The dotted end of an IPv6 address as two groups. */
function toHex(address: string): string {
  const colon = address.lastIndexOf(':') + 1
  const tail = address.slice(colon)
  if (!tail.includes('.')) return address
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number)
  return `${address.slice(0, colon)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
