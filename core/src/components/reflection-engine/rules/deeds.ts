import type { Call } from '../../../text/calls/call.ts'
import { toPath } from '../../../text/calls/paths.ts'
import { type Deeds, deedsOf, namesOf, toolWords } from '../evidence/deeds.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { ALL, DENIES, DONE, NEGATED, PLANS, toClauses, withoutQuotes } from '../told/language.ts'
import { asksForDeed, TEXTS } from '../told/task.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

const LONGEST_STATEMENT = 1_000
/** An address of mail, a channel, a number of a telephone, an id of letters and digits. */
const ADDRESS =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|(?<![\w&])#[a-z][\w-]{2,40}|\+\d[\d ]{7,16}\d|(?<![\w-])[A-Z]{1,8}-\d{1,8}(?![\w-])/g
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
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Do it with a tool before saying that it is done; what no tool did was not done.',
  },
  hold({ text: said, leaf }, material) {
    if (leaf !== undefined || said.length > LONGEST_STATEMENT || said.startsWith('>')) return undefined
    const text = withoutQuotes(said)
    if (PLANS.test(text)) return undefined
    return findFalse(text, material) ?? supportDeed(text, material)
  },
}

function findFalse(text: string, material: Material): Holding | undefined {
  const { description } = material.task
  if (DENIES.test(text) || TEXTS.test(description)) return undefined
  // What stands in code tells of no deed.
  const told = text.replace(/`[^`\n]*`/g, ' ')
  const known = deedsOf(material)
  if (DONE.test(told))
    return untouched(text, known, material) ?? unreached(text, known) ?? undone(text, known, material)
  const [verb = ''] = toTokens(PAST.exec(told)?.[0] ?? '')
  return verb !== '' && toTokens(description).includes(verb) ? undone(text, known, material) : undefined
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

/** Somebody whose address is named got nothing. */
function unreached(text: string, { done, reached, ranOther }: Deeds): Holding | undefined {
  if (done.length === 0 || ranOther) return undefined
  const missed = text.match(ADDRESS)?.find((one) => !reached.includes(one.toLowerCase()))
  return missed === undefined ? undefined : contradict('message', `no call that succeeded went to ${missed}`)
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something after it looked. */
function undone(text: string, { done, ran, missed }: Deeds, material: Material): Holding | undefined {
  if (done.length + ran.length > 0 || material.output.includes('```')) return undefined
  // Who says that it could not be done may go on with words for somebody else.
  if (ADMITS.test(material.prose)) return undefined
  const isMine = FIRST_PERSON.test(text)
  if (!asksForDeed(material) && !(isMine && material.calls.length > 0 && DONE.test(text))) return undefined
  // What was read may tell of deeds of others.
  const verb = (DONE.exec(text) ?? PAST.exec(text))?.[0].toLowerCase() ?? ''
  if (!isMine && material.evidenceText.toLowerCase().includes(verb)) return undefined
  return contradict('command', 'no call did it', missed.at(-1))
}

/** Each clause names a call and says nothing else: one that succeeded, or that did not where the clause says so. */
function supportDeed(text: string, material: Material): Holding | undefined {
  if (ALL.test(text) || !(DONE.test(text) || NEGATED.test(text))) return undefined
  const restOf = (clause: string): string[] =>
    toTokens(clause.replace(NEGATED, ' ')).filter((token) => !isTelling(token))
  const clauses = toClauses(text).filter((clause) => restOf(clause).length > 0)
  const held = clauses.flatMap((clause) => {
    const isDenied = NEGATED.test(clause)
    const pool = isDenied ? material.calls.filter((call) => call.missed) : deedsOf(material).done
    const namesIt = (call: Call): boolean => {
      const names = [
        ...namesOf(call),
        ...toolWords(call),
        ...(isDenied ? toTokens(call.printed.slice(0, LONGEST_STATEMENT)) : []),
      ]
      return restOf(clause).every((token) => names.includes(token))
    }
    return pool.find(namesIt) ?? []
  })
  if (held.length === 0 || held.length < clauses.length) return undefined
  return support(held[0]?.writesFile ? 'file' : 'command', held)
}
