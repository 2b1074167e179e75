import { findPaths, plainPath } from '../../../text/calls/paths.ts'
import { type Deeds, deedsOf } from '../evidence/deeds.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { DENIES, DONE } from '../told/language.ts'
import { asksForDeed, TEXTS } from '../told/task.ts'
import { contradict, type Holding, type Rule } from './rule.ts'

const FIRST_PERSON =
  /(?<!\p{L})(?:i(?:['’]ve|(?: have| also| then| just){0,2})|we(?:['’]ve| have)?|ich|habe|j['’]ai|nous avons)(?![\p{L}.'’])/iu
/** Any form of the past: of the task's own verb it tells of the work. */
const PAST =
  /(?<!\p{L})(?:\p{L}{3,30}ed|ran|split|booked|sent|ge\p{L}{3,30}(?:t|en)|\p{L}{3,20}ées?|\p{L}{3,20}és?)(?!\p{L})|しました/iu

/** Says of the agent itself that it did not do something. */
const ADMITS =
  /(?<!\p{L})(?:i (?:could|can|was|am|do|did|have)(?:n['’]t| not)|i cannot|i was unable|ich (?:konnte|kann|habe)[^.\n]{0,60} nicht|je n['’]ai pas|je ne peux pas)(?!\p{L})/iu

/** What the answer says was done was not done by any call. */
export const deeds: Rule = {
  id: 'action-claims',
  lesson: {
    trigger: 'an answer that reports work',
    cause: '2.6',
    advice: 'Do it with a tool before saying that it is done; what no tool did was not done.',
  },
  hold(statement, material) {
    const { description } = material.task
    const told = statement.told.replace(/`[^`\n]{0,200}\s[^`\n]{0,200}`/g, ' … ')
    if (told === '' || DENIES.test(told) || TEXTS.test(description)) return undefined
    const [verb = ''] = toTokens(PAST.exec(told)?.[0] ?? '')
    if (!DONE.test(told) && (verb === '' || !toTokens(description).includes(verb))) return undefined
    const known = deedsOf(material)
    return untouched(told, known, material) ?? undone(told, known, material)
  },
}

/** A file that is named as worked on was touched by no call. */
function untouched(text: string, { named, done }: Deeds, material: Material): Holding | undefined {
  // A program of unknown effect may have done anything.
  if (done.some((call) => call.isOpaque) || !DONE.test(text) || material.output.includes('```')) return undefined
  const nameOf = (path: string): string => plainPath(path).split('/').at(-1) ?? path
  const path = findPaths(text).find((one) => !named.includes(nameOf(one)))
  if (path === undefined) return undefined
  // Without any call the answer may say how things work.
  const isMeant =
    done.length > 0 || FIRST_PERSON.test(text) || asksForDeed(material) || material.task.description.includes(path)
  return isMeant ? contradict('file', `no call touched ${path}`) : undefined
}

/** No call acted, and the answer calls done what the task asked for; or in the first person something after it looked. */
function undone(text: string, { hasActed, missed }: Deeds, material: Material): Holding | undefined {
  if (hasActed || material.output.includes('```')) return undefined
  // Who says that it could not be done may go on with words for somebody else.
  if (ADMITS.test(material.prose)) return undefined
  const isMine = FIRST_PERSON.test(text)
  if (!asksForDeed(material) && !(isMine && material.calls.length > 0 && DONE.test(text))) return undefined
  // What was read may tell of deeds of others.
  const verb = (DONE.exec(text) ?? PAST.exec(text))?.[0].toLowerCase() ?? ''
  if (!isMine && material.evidenceText.toLowerCase().includes(verb)) return undefined
  return contradict('command', 'no call did it', missed.at(-1)?.call)
}
