import { findUrls } from '../../../text/calls/urls.ts'
import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'

/** Asks for an address itself. */
const ASKS_FOR_ADDRESS =
  /\b(?:where on|which (?:page|site|url|address|link)|(?:url|address|link) (?:of|to|for)|links?)\b/i
const EXAMPLE =
  /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*example\.(?:com|org|net)(?:[:/]|$)|[\w-]+\.(?:test|invalid|local)(?:[:/]|$))/

/** Every web address of the answer stands in the task or in what a tool returned. */
export const links: Check = {
  id: 'links',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'an answer with web addresses',
    cause: '3.3',
    advice: 'Give only addresses that were read; never make one up from memory.',
  },
  look(material) {
    const found = toAddresses(material.prose)
    // Without that promise an address from general knowledge is no lie.
    if (
      found.length === 0 ||
      !material.isWhole ||
      !(material.mustBeGrounded || ASKS_FOR_ADDRESS.test(material.task.description))
    )
      return NOT_APPLICABLE
    const known = toAddresses(material.sourceText)
    const fake = found.filter((address) => !EXAMPLE.test(address) && !known.some((other) => isWithin(address, other)))
    if (fake.length === 0) return pass()
    const some = known.length === 0 ? '' : ` Known are ${quoteList([...new Set(known)])}.`
    return fail(`no source has ${quoteList([...new Set(fake)])}`, `Leave out addresses that were not read.${some}`)
  },
}

/** Without scheme, `www.`, query marks at the end and trailing punctuation, so that ways of writing do not matter. */
function toAddresses(text: string): string[] {
  return findUrls(text).map((address) =>
    address
      .replace(/^https?:\/\/(?:www\.)?/i, '')
      .replace(/\/$/, '')
      .replace(/^[^/?#]+/, (host) => host.toLowerCase()),
  )
}

/** The same page, a part of it, or a folder above it. */
const isWithin = (address: string, known: string): boolean =>
  address === known ||
  known.startsWith(`${address}/`) ||
  known.startsWith(`${address}?`) ||
  stripPart(address) === stripPart(known)

const stripPart = (address: string): string => (address.split('#', 1)[0] ?? '').replace(/\/$/, '')
