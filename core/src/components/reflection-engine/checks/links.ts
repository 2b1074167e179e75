import { findUrls } from '../../../text/calls/urls.ts'
import { type Check, fail, NOT_APPLICABLE, pass, quoteList } from '../check.ts'

/** Asks for an address itself. */
const ASKS_FOR_ADDRESS =
  /\b(?:where on|which (?:page|site|url|address|link)|(?:url|address|link) (?:of|to|for)|links?)\b/i
const EXAMPLE =
  /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|(?:[\w-]+\.)*example\.(?:com|org|net)(?:[:/]|$)|[\w-]+\.(?:test|invalid|local)(?:[:/]|$))/

/** Every web address of the answer is, or leads to, one of the task or of what a tool returned. */
export const links: Check = {
  id: 'links',
  critical: true,
  trust: 0.95,
  lesson: {
    trigger: 'an answer with web addresses',
    cause: '3.3',
    advice: 'Give only addresses that were read; never make one up from memory.',
  },
  look({ prose, isWhole, mustBeGrounded, task, sourceText }) {
    const found = toAddresses(prose)
    // Without that promise an address from general knowledge is no lie.
    if (found.length === 0 || !isWhole || !(mustBeGrounded || ASKS_FOR_ADDRESS.test(task.description)))
      return NOT_APPLICABLE
    const known = toAddresses(sourceText)
    const fake = found.filter((address) => !EXAMPLE.test(address) && !known.some((other) => isWithin(address, other)))
    if (fake.length === 0) return pass()
    return fail(`no source has ${quoteList([...new Set(fake)])}`, 'Leave out addresses that were not read.')
  },
}

/** Without scheme, `www.`, fragment and the slash at the end, in lower case, so that ways of writing do not matter. */
const toAddresses = (text: string): string[] =>
  findUrls(text).map((url) => url.toLowerCase().replace(/^https?:\/\/(?:www\.)?|#.*$|\/$/g, ''))

/** The same page, or one or a folder above it. */
const isWithin = (address: string, known: string): boolean =>
  address === known || known.startsWith(`${address}/`) || known.startsWith(`${address}?`)
