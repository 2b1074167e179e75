import { SLUG } from '@svc/core/schema'
import { toMs } from '../input/read-time.ts'
import type { GivenOptions } from '../line/given-options.ts'
import { invalid } from '../line/wrong.ts'
import { LOG_LEVELS } from '../session/log-options.ts'

/** The options that several commands have in common, checked; undefined where they are absent. */
export type Flags = ReturnType<typeof readFlags>

const MOST_PRIORITY = 100
const MOST_TEMPERATURE = 2
const isWhole = (number: number): boolean => Number.isInteger(number) && number >= 1

/**
 * Reads and checks the options that several commands have in common.
 *
 * @param command whose own options mean something else, where they have the name of a common one
 * @throws ValidationError `validation_failed` naming the option
 */
export function readFlags(
  given: GivenOptions,
  { options = [] }: { options?: readonly (readonly [flags: string, ...rest: unknown[]])[] },
) {
  if (given.is('continue') && given.text('thread') !== undefined)
    throw invalid('continue', 'goes on with the newest conversation, --thread with one that is named: leave one out')
  for (const id of given.list('agent')) {
    if (SLUG.test(id)) continue
    const message = `must be the id of a profile, such as reviewer, not "${id.slice(0, 80)}": see svc agents list`
    throw invalid('agent', message)
  }
  return {
    output: given.is('json')
      ? ('json' as const)
      : (given.oneOf('output', ['text', 'json', 'stream-json'] as const) ?? 'text'),
    quiet: given.is('quiet'),
    verbose: given.is('verbose'),
    yes: given.is('yes'),
    trust: given.is('trust'),
    dryRun: given.is('dryRun'),
    traceHooks: given.is('traceHooks'),
    online: given.is('online'),
    /** False: nothing is recalled or remembered. */
    memory: !given.isOff('memory'),
    /** Go on with the newest conversation of the folder. */
    continue: given.is('continue'),
    /** Incomplete unless verified. */
    strict: given.is('strict'),
    agent: given.list('agent'),
    file: given.list('file'),
    config: given.text('config'),
    cwd: given.text('cwd'),
    provider: given.text('provider'),
    model: options.some(([flags]) => flags.startsWith('--model ')) ? undefined : given.text('model'),
    schema: given.text('schema'),
    thread: given.text('thread'),
    /** Address of a server. */
    url: given.text('url'),
    topology: given.text('topology'),
    risk: given.oneOf('risk', ['low', 'medium', 'high', 'critical'] as const),
    budget: given.number('budget', 'a whole number of tokens above 0', isWhole),
    maxCost: given.number('maxCost', 'an amount of US dollars above 0', (usd) => usd > 0),
    priority: given.number(
      'priority',
      `a whole number from -${MOST_PRIORITY} to ${MOST_PRIORITY}`,
      (rank) => Number.isInteger(rank) && Math.abs(rank) <= MOST_PRIORITY,
    ),
    temperature: given.number(
      'temperature',
      `a number from 0 to ${MOST_TEMPERATURE}`,
      (degree) => degree >= 0 && degree <= MOST_TEMPERATURE,
    ),
    effort: given.oneOf('effort', ['low', 'medium', 'high'] as const),
    maxOutput: given.number('maxOutput', 'a whole number of tokens above 0', isWhole),
    timeoutMs: readTimeout(given.text('timeout')),
    logLevel: given.oneOf('logLevel', LOG_LEVELS),
    /** Options of one command, unchecked. */
    own: given,
  }
}

/** A plain number is seconds. */
function readTimeout(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const ms = toMs(value, 's') ?? 0
  if (ms <= 0) throw invalid('timeout', `must be a time such as 90s, 500ms or 2m, not "${value}"`)
  return ms
}
