import type { Call } from '../calls.ts'
import { type Check, excerpt, fail, NOT_APPLICABLE, pass } from '../check.ts'

const OWNS_UP =
  /\b(?:fail|error|could ?n[o']t|cannot|can't|unable|denied|refus|not (?:found|available|allowed|possible|permitted|readable)|unavailable|missing|no such|does ?n[o']t exist|did ?n[o']t|was ?n[o']t|without|only partial|timed out|time-?out|block)/i

/** Status codes, by which an answer may name a failure. */
const STATUS = /\b[45]\d\d\b/g

/** Every failed tool call was made good by a later one, or the answer says so. */
export const toolErrors: Check = {
  id: 'tool-errors',
  critical: false,
  trust: 0.6,
  lesson: {
    trigger: 'a tool that fails',
    cause: '2.6',
    advice: 'Try another way, or say in the answer what could not be done.',
  },
  look({ calls, output }) {
    if (!calls.some((call) => call.current && (call.status === 'failed' || call.status === 'denied')))
      return NOT_APPLICABLE
    const last = new Map<string, Call>()
    const current = calls.filter((call) => call.current && (call.status === 'completed' || call.missed))
    for (const call of current) last.set(call.tool, call)
    const open = [...last.values()].filter((call) => call.status !== 'completed')
    const codes = open.flatMap(({ printed }) => printed.match(STATUS) ?? [])
    if (open.length === 0 || OWNS_UP.test(output.replaceAll('’', "'")) || codes.some((code) => output.includes(code)))
      return pass()
    const [first] = open
    const what = `${first?.tool} ${first?.status === 'denied' ? 'was denied' : 'failed'}: ${excerpt(first?.text ?? '', 160)}`
    const finding = fail(
      `${what}; the answer does not say so`,
      `${what}. Get the same another way, or say what is missing.`,
    )
    // The agent has heard of a denial when it happened.
    return open.every(({ status }) => status === 'denied') ? { ...finding, isNew: false } : finding
  },
}
