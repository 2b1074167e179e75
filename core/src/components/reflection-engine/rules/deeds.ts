import type { Call } from '../../../text/calls/call.ts'
import { toPath } from '../../../text/calls/paths.ts'
import { ADDRESS, type Deeds, NAME, ON, toDeeds, toPlain } from '../evidence/deeds.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { DENIES, DONE, KEPT, NOTHING, PLANS, REMOVED, toClauses, withoutQuotes } from '../told/language.ts'
import { asksForDeed, asksForText } from '../told/task.ts'
import { holdNothing, supportDeed, TELLING } from './exact-deed.ts'
import { contradict, type Holding, type Rule } from './rule.ts'

const LONGEST_STATEMENT = 1_000
const MAX_CLAUSES = 30
/** Commands whose names are words of every language, with what may be behind their forms. */
const COMMAND =
  /(?<!\p{L})(commit|push|merge|rebase|deploy|publish|refund|install|restart|reboot)(?:ed|ted|et|é|t|s)?(?!\p{L})/giu
const FIRST_PERSON =
  /(?<!\p{L})(?:i(?:['’]ve|(?: have| also| then| just){0,2})|we(?:['’]ve| have)?|ich|habe|j['’]ai|nous avons)(?!\p{L})/iu
/** Any form of the past, where nothing was done at all. */
const PAST =
  /(?<!\p{L})(?:\p{L}{3,30}ed|ran|split|booked|sent|ge\p{L}{3,30}(?:t|en)|\p{L}{3,20}ées?|\p{L}{3,20}és?)(?!\p{L})|しました/iu
const VALUE = /(?<![\w.])\d{1,9}(?:[.,:]\d{1,6})?(?!\w)/g
const IS = /(?<!\p{L})(?:is|are|ist|sind|est)(?!\p{L})|は/iu
const SETTING = /(?<=`)[A-Za-z_][\w.-]{2,40}(?=`)|\b(?:[A-Z]{3,}|[a-z]+_[a-z_]+)\b/g
const OFF = /(?<!\p{L})(?:off|false|no|disabled|deaktiviert|aus|désactivé)(?!\p{L})|無効/iu
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
      const wrong = DENIES.test(clause) ? undefined : findFalse(clause, known, material)
      if (wrong !== undefined) return wrong
    }
    return (
      (DENIES.test(text) || PLANS.test(text) ? undefined : leftOut(text, known)) ?? supportDeed(text, clauses, known)
    )
  },
}

const refute = (why: string, call?: Call): Holding => contradict('command', why, call)

function findFalse(clause: string, known: Deeds, material: Material): Holding | undefined {
  const wrong = switched(clause, known) ?? kept(clause, known) ?? miscounted(clause, known)
  if (wrong !== undefined) return wrong
  if (asksForText(material.task.description)) return undefined
  if (!DONE.test(clause)) return PAST.test(clause) ? nothingActed(clause, known, material) : undefined
  return (
    untouched(clause, known, material) ??
    unreached(clause, known) ??
    misplaced(clause, known) ??
    notRun(clause, known, material) ??
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
  return isMeant || task.description.includes(path) ? refute(`no call touched ${path}`) : undefined
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
  return missed === undefined ? undefined : refute(`no call that succeeded went to ${missed}`)
}

/** What is said to be gone is still there, and nothing that is named was taken away; or a setting that the answer calls written is nowhere. */
function misplaced(clause: string, { done, changed, plain, taken, left, ranOther }: Deeds): Holding | undefined {
  const setting = [...clause.matchAll(/`([^`\n]{1,80})`/g)]
    .map(([, code = '']) => toPlain(code))
    .find((code) => /\w[=:]\w/.test(code) && !/:\d+$/.test(code))
  if (setting !== undefined && done.length > 0 && !plain.includes(setting)) return refute(`no call wrote ${setting}`)
  const isKnown = changed.every(({ before, after }) => before !== undefined && after !== undefined)
  if (!REMOVED.test(clause) || ranOther || !isKnown) return undefined
  const tokens = toTokens(clause.replace(REMOVED, ' ')).filter((token) => /^\p{L}{3}/u.test(token))
  const isGone = tokens.some((token) => taken.has(token)) || !tokens.some((token) => left.has(token))
  return isGone ? undefined : refute(`${changed[0]?.path} still has it`, changed[0]?.writes.at(-1))
}

/** A switch that the answer calls on is off in every file that has it, or the other way round. */
function switched(clause: string, { switches }: Deeds): Holding | undefined {
  const isOn = ON.test(clause)
  if (isOn === OFF.test(clause) || !(DONE.test(clause) || IS.test(clause))) return undefined
  for (const name of clause.match(SETTING) ?? []) {
    const states = switches.get(name) ?? []
    const [first] = states
    if (first !== undefined && states.every((state) => state.isOn !== isOn))
      return refute(`${name} is ${isOn ? 'off' : 'on'} in ${first.file.path}`, first.file.writes.at(-1))
  }
  return undefined
}

/** A value that the answer calls kept was there before the work and is nowhere now. */
function kept(clause: string, { changed }: Deeds): Holding | undefined {
  if (!KEPT.test(clause) || changed.some(({ after }) => after === undefined)) return undefined
  const has = (text = '', value: string): boolean => text.match(VALUE)?.includes(value) === true
  const file = changed.find(({ before, after }) =>
    clause
      .match(VALUE)
      ?.some((value) => has(before, value) && !changed.some((other) => has(other.after, value)) && !has(after, value)),
  )
  return file && refute(`${file.path} has another value now`, file.writes.at(-1))
}

/** "3 rows affected", where the calls report another number of them, each and together. */
function miscounted(clause: string, { counts }: Deeds): Holding | undefined {
  const said = toTokens(clause)
  const numbers = said.filter((token) => /^\d+$/.test(token)).map(Number)
  const wrong = counts.find(({ words, numbers: own }) => {
    const known = [...own, own.reduce((sum, one) => sum + one, 0)]
    return (
      numbers.length > 0 && words.every((word) => said.includes(word)) && !numbers.some((one) => known.includes(one))
    )
  })
  return wrong && refute(`${wrong.words.join(' ')}: ${wrong.numbers.slice(0, 5).join(', ')}`)
}

/** A command that the answer names stands in no call. */
function notRun(clause: string, { calls, ranOther }: Deeds, { task }: Material): Holding | undefined {
  const asked = task.description.toLowerCase()
  if (ranOther || calls.length === 0) return undefined
  const name = [...clause.matchAll(COMMAND)]
    .map(([, word = '']) => word.toLowerCase())
    .find((word) => asked.includes(word))
  if (name === undefined) return undefined
  const tried = calls.filter(({ words, acts }) => acts && words.includes(name))
  if (tried.some((call) => !call.missed)) return undefined
  return refute(`no call that succeeded ran ${name}`, tried.at(-1))
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something that was read. */
function nothingActed(clause: string, { calls, done, ran, seen }: Deeds, material: Material): Holding | undefined {
  if (done.length + ran.length > 0 || material.output.includes('```')) return undefined
  const isAsked = material.once('asks-for-deed', () => asksForDeed(material.task.description))
  const isMine = FIRST_PERSON.test(clause)
  if (!isAsked && !(isMine && DONE.test(clause) && calls.length > 0)) return undefined
  const known = isAsked ? new Set(toTokens(material.task.description.slice(0, 2_000))) : seen
  const isMeant = toTokens(isAsked ? clause : clause.replace(DONE, ' ')).some((token) => known.has(token))
  const missed = calls.findLast((call) => call.missed)
  return isMeant || (isAsked && isMine) ? refute('no call did it', missed) : undefined
}

/** Of the parts of an enumeration, two and more have calls of their own and one that was seen has none. */
function leftOut(text: string, { targets, seen, ranOther }: Deeds): Holding | undefined {
  if (!DONE.test(text) || ranOther) return undefined
  const parts = text
    .replace(/\([^()]{0,200}\)|[*_`]/g, ' ')
    .split(/[,;:、·]|(?<!\p{L})(?:and|und|et|so|because)(?!\p{L})/u, 60)
    .map(toTokens)
    .flatMap((tokens) => (tokens.length === 1 ? tokens : []))
  const [hit, second] = parts.filter((part) => targets.has(part))
  const isLike = (part: string): boolean => /^\d/.test(part) === /^\d/.test(hit ?? '')
  const open = parts.find((part) => !targets.has(part) && seen.has(part) && isLike(part) && !TELLING.has(part))
  return second === undefined || open === undefined ? undefined : refute(`no call that succeeded worked on ${open}`)
}
