import { toPath } from '../../../text/calls/paths.ts'
import { ADDRESS, addedBy, type Deeds, NAME, toDeeds } from '../evidence/deeds.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ALL, DENIES, DONE, NEGATED, PLANS, REMOVED, toClauses, withoutQuotes } from '../told/language.ts'
import { asksForDeed, TEXTS } from '../told/task.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

const LONGEST_STATEMENT = 1_000
const FIRST_PERSON =
  /(?<!\p{L})(?:i(?:['’]ve|(?: have| also| then| just){0,2})|we(?:['’]ve| have)?|ich|habe|j['’]ai|nous avons)(?![\p{L}.'’])/iu
/** Any form of the past: of the task's own verb it tells of the work. */
const PAST =
  /(?<!\p{L})(?:\p{L}{3,30}ed|ran|split|booked|sent|ge\p{L}{3,30}(?:t|en)|\p{L}{3,20}ées?|\p{L}{3,20}és?)(?!\p{L})|しました/iu

/** Says of the agent itself that it did not do something. */
const ADMITS =
  /(?<!\p{L})(?:i (?:could|can|was|am|do|did|have)(?:n['’]t| not)|i cannot|i was unable|ich (?:konnte|kann|habe)[^.\n]{0,60} nicht|je n['’]ai pas|je ne peux pas)(?!\p{L})/iu

/** What the answer says was done has a call behind it that did exactly that. */
export const deeds: Rule = {
  id: 'action-claims',
  trust: 0.85,
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Do it with a tool before saying that it is done; what no tool did was not done.',
  },
  hint: 'Do it with a tool, or do not say that it was done.',
  hold({ text: said, leaf }, material) {
    if (leaf !== undefined || said.length > LONGEST_STATEMENT || said.startsWith('>')) return undefined
    const known = material.once('deeds', () => toDeeds(material))
    const text = withoutQuotes(said)
    if (PLANS.test(text)) return undefined
    return findFalse(text, known, material) ?? supportDeed(text, known)
  },
}

function findFalse(text: string, known: Deeds, material: Material): Holding | undefined {
  if (DENIES.test(text) || TEXTS.test(material.task.description)) return undefined
  // What stands in code tells of no deed.
  const told = text.replace(/`[^`\n]*`/g, ' ')
  if (DONE.test(told))
    return (
      untouched(text, known, material) ??
      unreached(text, known) ??
      misplaced(text, known) ??
      nothingActed(text, known, material)
    )
  const [verb = ''] = toTokens(PAST.exec(told)?.[0] ?? '')
  const isOwn = verb !== '' && toTokens(material.task.description).includes(verb)
  return isOwn ? nothingActed(text, known, material) : undefined
}

/** A file that is named as worked on was touched by no call. */
function untouched(text: string, { named, done, ranOther }: Deeds, material: Material): Holding | undefined {
  if (ranOther || material.output.includes('```')) return undefined
  const nameOf = (path: string): string => (path.replace(/\/$/, '').split('/').at(-1) ?? path).toLowerCase()
  const path = text
    .split(/\s+/)
    .flatMap((word) => toPath(word) ?? [])
    .find((one) => !named.includes(nameOf(one)))
  if (path === undefined) return undefined
  // Without any call the answer may say how things work.
  const isMeant =
    done.length > 0 || FIRST_PERSON.test(text) || asksForDeed(material) || material.task.description.includes(path)
  return isMeant ? contradict('file', `no call touched ${path}`) : undefined
}

/** Somebody who is named, or whose address stands beside the name in what was read, got nothing. */
function unreached(text: string, { done, reached, addresses, ranOther }: Deeds): Holding | undefined {
  if (done.length === 0 || ranOther) return undefined
  const isMissed = (one: string): boolean => !reached.includes(one.toLowerCase())
  const meant = (text.match(NAME) ?? []).filter(isMissed).flatMap((name) => {
    const [address, second] = addresses.get(name) ?? []
    return address === undefined || second !== undefined ? [] : [address]
  })
  const missed = [...(text.match(ADDRESS) ?? []), ...meant].find(isMissed)
  return missed === undefined ? undefined : contradict('message', `no call that succeeded went to ${missed}`)
}

/** What is said to be gone stood in a file that was changed, and no change names it. */
function misplaced(text: string, { done, removed, shown, ranOther }: Deeds): Holding | undefined {
  const last = done.findLast(({ writesFile }) => writesFile)
  if (!REMOVED.test(text) || ranOther || last === undefined) return undefined
  const tokens = toTokens(text.replace(REMOVED, ' ')).filter((token) => /^\p{L}{3}/u.test(token))
  const isGone = tokens.some((token) => removed.has(token)) || !tokens.some((token) => shown.has(token))
  return isGone ? undefined : contradict('file', `${last.path} still has it`, last)
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something that was read. */
function nothingActed(text: string, { calls, done, ran, seen }: Deeds, material: Material): Holding | undefined {
  if (done.length + ran.length > 0 || material.output.includes('```')) return undefined
  // Who says that it could not be done may go on with words for somebody else.
  if (ADMITS.test(material.prose)) return undefined
  const isAsked = asksForDeed(material)
  const isMine = FIRST_PERSON.test(text)
  if (!isAsked && !(isMine && calls.length > 0 && DONE.test(text))) return undefined
  // What was read may tell of deeds of others.
  const verb = (DONE.exec(text) ?? PAST.exec(text))?.[0].toLowerCase() ?? ''
  if (!isMine && material.evidenceText.toLowerCase().includes(verb)) return undefined
  const isMeant =
    (isAsked && isMine) || toTokens(isAsked ? text : text.replace(DONE, ' ')).some((token) => seen.has(token))
  return isMeant
    ? contradict(
        'command',
        'no call did it',
        calls.findLast((call) => call.missed),
      )
    : undefined
}

/** The arguments and result of one call have all words of each clause: one that succeeded, or that failed where it says so. */
function supportDeed(text: string, { calls, done, tokensOf }: Deeds): Holding | undefined {
  const [before, after] = text.split(/→|->/)
  if (ALL.test(text) || !(DONE.test(text) || NEGATED.test(text) || after !== undefined)) return undefined
  const restOf = (part = ''): string[] => toTokens(part.replace(NEGATED, ' ')).filter((token) => !isTelling(token))
  const clauses = toClauses(text).filter((clause) => restOf(clause).length > 0)
  const held = clauses.flatMap((clause) => {
    const pool = NEGATED.test(clause) ? calls.filter(({ missed }) => missed) : done
    return pool.find((call) => restOf(clause).every((token) => tokensOf(call).has(token))) ?? []
  })
  if (clauses.length === 0 || held.length < clauses.length) return undefined
  // What a text ends with is what an edit has put there, not what it has replaced.
  const last = after === undefined ? restOf(before).at(-1) : restOf(after)[0]
  const isPut = held.every((call) => !call.writesFile || last === undefined || addedBy(call).has(last))
  return isPut ? support(held[0]?.writesFile ? 'file' : 'command', held) : undefined
}
