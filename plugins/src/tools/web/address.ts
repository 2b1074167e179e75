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

/** What stands for an IPv4 address: mapped ones, and those of NAT64. */
const EMBEDDING = ['::ffff:0:0/96', '64:ff9b::/96']

const closed = toList(CLOSED_4, 'ipv4', toList(CLOSED_6, 'ipv6'))
const global = toList(['2000::/3'], 'ipv6')
const embedding = toList(EMBEDDING, 'ipv6')

function toList(ranges: readonly string[], family: 'ipv4' | 'ipv6', list = new BlockList()): BlockList {
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/**
 * Whether an address is open to everyone on the internet. IPv4 addresses inside of IPv6 ones are judged as what they stand
 * for. What is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  if (embedding.check(address, 'ipv6')) return isPublicAddress(toEmbedded(address))
  return global.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}

/** The last two groups of an IPv6 address as an IPv4 address; a URL writes all groups in hexadecimal digits. */
function toEmbedded(address: string): string {
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':')
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
