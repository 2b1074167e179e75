/** Into how many parts a request clearly falls, for different agents: read from its structure, never from its length. */
import type { Decomposition, Part } from '../../text/task/decompose.ts'
import { namesOf } from '../../text/task/dependence.ts'
import { kindOf } from '../../text/task/verbs.ts'
import { effortOf } from './lexicon.ts'

export interface Parts {
  /** How many parts can clearly be done apart from each other, at least 1. */
  readonly items: number
  /** What the items are, for the explanation. */
  readonly reason: string
  /** Parts that wait for an earlier one. */
  readonly waits: number
  /** The verb of each instruction, `ask` for a question. */
  readonly verbs: readonly string[]
  /** Whether anything is to be done: without it a text is a question or a story. */
  readonly isRequest: boolean
}

/** Two questions, or a second request behind "and" or "also": says that there is more than one part, not where they lie. */
const SECOND_REQUEST =
  /\b(?:and|also)\s+(?:then\s+|also\s+|please\s+)?(?:book|buy|calculate|check|compute|convert|create|describe|determine|estimate|explain|fetch|find|get|give|list|make|order|play|predict|recommend|retrieve|search|send|show|summari[sz]e|tell|translate|what|who|which|how|write)\b/i

/** Whether the words sound like more than one request. On requests of many kinds no finer rule has done better. */
export function soundsLikeSeveral(text: string): boolean {
  const question = text.indexOf('?')
  return (question !== -1 && text.includes('?', question + 1)) || SECOND_REQUEST.test(text)
}

/** Things under one instruction are worth several agents from here on; two are looked at side by side. */
const FEWEST_THINGS = 3

/**
 * Counts conservatively: a team is for clear evidence. Items of a list count; requests one after the other only where
 * each names something of its own, and no story stands before them; things named side by side from three on. Quick
 * actions are not worth an agent each.
 */
export function toParts({ by, parts, verbs, isIntroduced, things }: Decomposition): Parts {
  const free = parts.filter(({ dependsOn }) => dependsOn.length === 0)
  const items = by === 'whole' || isIntroduced ? 1 : COUNT[by](free, verbs, things)
  return {
    items: Math.max(1, items),
    reason: REASONS[by],
    waits: parts.length - free.length,
    verbs,
    isRequest: parts.length > 1 || verbs.some((verb) => verb !== 'ask'),
  }
}

const COUNT: Readonly<
  Record<
    Exclude<Decomposition['by'], 'whole'>,
    (free: readonly Part[], verbs: readonly string[], things: number) => number
  >
> = {
  list: (free) => free.length,
  clauses: (free, verbs, things) => {
    const named = countNamed(free)
    if (named === 2 && areActions(verbs)) return 1
    return Math.max(named, things >= FEWEST_THINGS && !verbs.every(isQuick) ? things : 1)
  },
  things: (free, verbs) =>
    free.length < FEWEST_THINGS || (areActions(verbs) && verbs.every(isQuick)) ? 1 : free.length,
}
/** "Upload the report and give Lena access": nothing is to be found out or made. */
const areActions = (verbs: readonly string[]): boolean =>
  verbs.some((verb) => kindOf(verb) === 'act') &&
  verbs.every((verb) => kindOf(verb) === 'act' || verb === 'give' || verb === 'tell')
const isQuick = (verb: string): boolean => verb !== 'ask' && effortOf(verb) < 1

const REASONS: Readonly<Record<Decomposition['by'], string>> = {
  whole: 'one request',
  list: 'items of a list',
  clauses: 'requests that name different things',
  things: 'things named side by side',
}

/** Parts with a name, a figure or a quotation that stands in no other. */
function countNamed(parts: readonly Part[]): number {
  const names = parts.map(({ objective }) => new Set(namesOf(objective)))
  const named = names.filter((own, index) =>
    [...own].some((name) => names.every((other, position) => position === index || !other.has(name))),
  )
  return named.length < 2 ? 1 : named.length
}
