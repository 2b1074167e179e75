import type { Call } from '../../../text/calls/call.ts'
import { toPath } from '../../../text/calls/paths.ts'
import { ADDRESS, type Deeds, NAME, toDeeds } from '../evidence/deeds.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { DENIES, DONE, KEPT, NOTHING, PLANS, REMOVED, toClauses, withoutQuotes } from '../told/language.ts'
import { asksForDeed, asksForText } from '../told/task.ts'
import { holdNothing, supportDeed } from './exact-deed.ts'
import { contradict, type Holding, type Rule } from './rule.ts'

const LONGEST_STATEMENT = 1_000
const MAX_CLAUSES = 30
const FIRST_PERSON =
  /(?<!\p{L})(?:i(?:['’]ve|(?: have| also| then| just){0,2})|we(?:['’]ve| have)?|ich|habe|j['’]ai|nous avons)(?!\p{L})/iu
/** Any form of the past, where nothing was done at all. */
const PAST =
  /(?<!\p{L})(?:\p{L}{3,30}ed|ran|split|booked|sent|ge\p{L}{3,30}(?:t|en)|\p{L}{3,20}ées?|\p{L}{3,20}és?)(?!\p{L})|しました/iu
/** Says of the agent itself that it did not do something. */
const ADMITS =
  /(?<!\p{L})(?:i (?:could|can|was|am|do|did|have)(?:n['’]t| not)|i cannot|i was unable|ich (?:konnte|kann|habe)[^.\n]{0,60} nicht|je n['’]ai pas|je ne peux pas)(?!\p{L})/iu
/** A path or an address. */
const NAMES_PLACE = /[\w-]\/[\w.-]|\w@\w|(?<!\p{L})[\w-]{1,80}\.[a-z]{2,4}(?![\w.])/u
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
    if (NOTHING.test(text) && !/(?<!\p{L})(?:more|else|sonst|d['’]autre)(?!\p{L})/iu.test(text))
      return holdNothing(text, known)
    const clauses = toClauses(text).slice(0, MAX_CLAUSES)
    let verb = ''
    for (const own of clauses) {
      // "I wrote a.md and b.md": a bare name goes on with the verb.
      const clause = !DONE.test(own) && own.trim().split(/\s+/).length <= 2 ? `${verb} ${own}` : own
      verb = DONE.exec(clause)?.[0] ?? ''
      // Forms of the past that also ask for it.
      if (PLANS.test(clause) || /^\W*(?:set|put|cut)(?!\p{L})/iu.test(clause)) continue
      const wrong = DENIES.test(text) ? undefined : findFalse(clause, known, material)
      if (wrong !== undefined) return wrong
    }
    return supportDeed(text, clauses, known)
  },
}

const refute = (why: string, call?: Call): Holding => contradict(call?.writesFile ? 'file' : 'command', why, call)

function findFalse(clause: string, known: Deeds, material: Material): Holding | undefined {
  if (asksForText(material.task.description) || KEPT.test(clause)) return undefined
  // What stands in code tells of no deed.
  const told = clause.replace(/`[^`\n]*`/g, ' ')
  if (!DONE.test(told)) {
    // Beside what was read, a form of the past tells of the work where it is the task's own verb.
    const [verb = ''] = toTokens(PAST.exec(told)?.[0] ?? '')
    const isOwn = verb !== '' && (known.calls.length === 0 || toTokens(material.task.description).includes(verb))
    return isOwn ? nothingActed(clause, known, material) : undefined
  }
  return (
    untouched(clause, known, material) ??
    unreached(clause, known) ??
    misplaced(clause, known) ??
    nothingActed(clause, known, material)
  )
}

/** Every file that is named as worked on was touched by no call at all. */
function untouched(clause: string, { named, done, ranOther }: Deeds, { output, task }: Material): Holding | undefined {
  if (ranOther || output.includes('```')) return undefined
  const paths = clause.split(/\s+/).flatMap((word) => toPath(word) ?? [])
  const [path] = paths
  const nameOf = (one: string): string => (one.replace(/\/$/, '').split('/').at(-1) ?? one).toLowerCase()
  if (path === undefined || paths.some((one) => named.includes(nameOf(one)))) return undefined
  // Without any call the answer may say how things work.
  const isMeant = done.length > 0 || FIRST_PERSON.test(clause) || asksForDeed(task.description, true)
  return isMeant || task.description.includes(path) ? contradict('file', `no call touched ${path}`) : undefined
}

/** Somebody who is named, or whose address stands beside the name in what was read, got nothing. */
function unreached(clause: string, { done, reached, addresses, ranOther }: Deeds): Holding | undefined {
  if (done.length === 0 || ranOther) return undefined
  const isMissed = (one: string): boolean => !reached.includes(one.toLowerCase())
  const meant = (clause.match(NAME) ?? []).flatMap((name) => {
    const [address, second] = addresses.get(name) ?? []
    return address === undefined || second !== undefined || !isMissed(name) ? [] : [address]
  })
  const missed = [...(clause.match(ADDRESS) ?? []), ...meant].find(isMissed)
  return missed === undefined ? undefined : contradict('message', `no call that succeeded went to ${missed}`)
}

/** What is said to be gone stood in a file that was changed, and no change names it. */
function misplaced(clause: string, { done, targets, shown, ranOther }: Deeds): Holding | undefined {
  const last = done.findLast(({ writesFile }) => writesFile)
  if (!REMOVED.test(clause) || ranOther || last === undefined) return undefined
  const tokens = toTokens(clause.replace(REMOVED, ' ')).filter((token) => /^\p{L}{3}/u.test(token))
  const isGone = tokens.some((token) => targets.has(token)) || !tokens.some((token) => shown.has(token))
  return isGone ? undefined : contradict('file', `${last.path} still has it`, last)
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something that was read. */
function nothingActed(clause: string, { calls, done, ran, seen }: Deeds, material: Material): Holding | undefined {
  if (done.length + ran.length > 0 || material.output.includes('```')) return undefined
  // Who says that it could not be done may go on with words for somebody else.
  if (material.once('admits', () => ADMITS.test(material.prose))) return undefined
  const isAsked = material.once('asks-for-deed', () => asksForDeed(material.task.description))
  const isMine = FIRST_PERSON.test(clause)
  const isToDo = isMine || asksForDeed(material.task.description, true)
  if (isToDo && DONE.test(clause) && calls.length === 0 && NAMES_PLACE.test(clause)) return refute('no call did it')
  if (!isAsked && !(isMine && DONE.test(clause) && calls.length > 0)) return undefined
  // What was read may tell of deeds of others.
  const verb = (DONE.exec(clause) ?? PAST.exec(clause))?.[0].toLowerCase() ?? ''
  if (!isMine && material.evidenceText.toLowerCase().includes(verb)) return undefined
  const known = isAsked ? new Set(toTokens(material.task.description.slice(0, 2_000))) : seen
  const isMeant = toTokens(isAsked ? clause : clause.replace(DONE, ' ')).some((token) => known.has(token))
  const missed = calls.findLast((call) => call.missed)
  return isMeant || (isAsked && isMine) ? refute('no call did it', missed) : undefined
}
