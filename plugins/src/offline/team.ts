import { NO_ANSWER } from '@svc/core'
import type { Cite } from './cite.ts'
import type { Look } from './look.ts'
import { together } from './look.ts'
import { isCited } from './question/conversation.ts'
import { unique } from './question/question.ts'
import type { ToolSession } from './tool-session.ts'

/** What a step that works on the results of others is to do with them. */
export type Gathering = 'combine' | 'decide' | 'review'

const CITED = /(?<![^\s(),])([^\s(),]+):(\d+)(?:-(\d+))?/g
const REVIEW = /^review\b|\bcritique\b|\bverify the (?:result|answer|output)/
const DECIDE = /^(?:decide|choose|pick|vote)\b|\bwhich (?:draft|answer|result) (?:is|answers) best/
const COMBINE =
  /\b(?:combine|merge|synthesi[sz]e|consolidate|put together)\b|^(?:write|compile|prepare|give) (?:a|the|one) (?:final|combined|single|joint|overall)\b|\bsummari[sz]e (?:the|these|all) (?:results|findings|outputs|answers|parts|steps)\b|\b(?:from|of|using) the (?:results|outputs|findings) (?:of|above|below)/

/** Whether the objective is about the results that come with it. */
export function readGathering(objective: string, results: readonly string[]): Gathering | undefined {
  const lower = objective.toLowerCase()
  if (results.length === 0) return undefined
  return REVIEW.test(lower) ? 'review' : DECIDE.test(lower) ? 'decide' : COMBINE.test(lower) ? 'combine' : undefined
}

/** How a review begins that found something, and one that did not. */
const DOUBTS = 'In these sentences a name does not stand in the cited lines:'
const REVIEWED = /^I found no (?:mistake|citation)\b|^I could not open the lines\b/

/** How an answer begins that lacks a part: as one that answers nothing does, so that the run is not complete. */
export const IN_PART = `${NO_ANSWER} in full.`
const OPEN = 'Not answered: '

export const isNoAnswer = (text: string): boolean => text.startsWith(NO_ANSWER) && !text.startsWith(IN_PART)

/**
 * One answer from several: their lines in order, none twice, without those that a review doubts; then each part that has
 * no answer.
 *
 * @param asked what each result was to answer, where that is known
 */
export function combine(results: readonly string[], asked: readonly (string | undefined)[] = []): string {
  const questions = asked.length === results.length ? asked : []
  const doubted = new Set(results.filter((result) => result.startsWith(DOUBTS)).flatMap((result) => result.split('\n')))
  const said = results
    .map((result, index) => ({ result, question: questions[index] }))
    .filter(({ result }) => !result.startsWith(DOUBTS) && !REVIEWED.test(result))
  const answers = said.filter(({ result }) => !isNoAnswer(result)).map(({ result }) => result)
  const unanswered = said.filter(({ result }) => isNoAnswer(result))
  if (said.length === 0) return 'I found nothing to combine: the results are empty.'
  if (answers.length === 0) {
    const reasons = unanswered.map(({ result }) => toReason(result) ?? 'I found no answer to any part of it.')
    return `${NO_ANSWER}: ${unique(reasons).join('\n')}`
  }
  const lines = answers.flatMap((result) => [...result.split('\n').map((line) => line.trim()), ''])
  const open = [
    ...lines.filter((line) => line.startsWith(OPEN)),
    ...unanswered.map(({ result, question }) => sayOpen(question, toReason(result))),
  ]
  const seen = new Set<string>()
  const kept = lines.filter((line) => {
    if (line === IN_PART || line.startsWith(OPEN) || doubted.has(line) || seen.has(line)) return false
    if (line !== '' && !line.endsWith(':')) seen.add(line)
    return true
  })
  const text = dropEmptyTitles(kept)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return open.length === 0
    ? text
    : [IN_PART, text, unique(open).join('\n')].filter((block) => block !== '').join('\n\n')
}

/** Names a part that has no answer, with the reason where it is known. */
function sayOpen(question: string | undefined, reason: string | undefined): string {
  const asked = question === undefined || reason?.startsWith(question) === true ? undefined : question
  const named = asked !== undefined && reason !== undefined && !/[?.!"')]$/.test(asked) ? `${asked}:` : asked
  return `${OPEN}${[named, reason].filter((one) => one !== undefined).join(' ') || 'a part of it.'}`
}

/** No answer that names what was asked, so that the one who puts the parts together can. */
export function sayUnanswered(question: string, result: string): string {
  const [, ...rest] = result.split('\n')
  return [`${NO_ANSWER}: ${sayOpen(question, toReason(result)).slice(OPEN.length)}`, ...rest].join('\n')
}

/** Why a result is no answer, without the lines that came nearest to one; undefined where it does not say. */
function toReason(result: string): string | undefined {
  const [first = ''] = result.split('\n')
  return first.startsWith(`${NO_ANSWER}: `) ? first.slice(NO_ANSWER.length + 2) : undefined
}

const isTitle = (line: string): boolean => line.endsWith(':') && !line.startsWith('- ') && line.length < 140

function dropEmptyTitles(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const next = lines.slice(index + 1).find((other) => other !== '')
    return !isTitle(line) || (next !== undefined && !isTitle(next))
  })
}

/** The draft with the most cited sentences; of equal ones the first. */
export function decide(results: readonly string[]): string {
  const counts = results.map((draft) => unique(draft.split('\n').filter((line) => isCited(line.trim()))).length)
  return results[counts.indexOf(Math.max(...counts))]?.trim() || combine(results)
}

/** Opens what the result cites and says which sentences hold: their names stand in the cited lines. */
export function* review(session: ToolSession, results: readonly string[]): Look<string> {
  const lines = results.flatMap((result) => result.split('\n')).map((line) => line.trim())
  const said = unique(lines.filter(isCited)).slice(0, 40)
  if (said.length === 0) return 'I found no citation in the result, so nothing in it can be checked against a file.'
  const cited = said.map((line) => ({ line, cites: [...line.matchAll(CITED)].map(toCite) }))
  const paths = unique(cited.flatMap(({ cites }) => cites.map(({ path }) => path))).slice(0, 6)
  yield* together(
    paths.map((path) => {
      const own = cited.flatMap(({ cites }) => cites.filter((cite) => cite.path === path))
      const from = Math.min(...own.map((cite) => cite.from ?? 1))
      const to = Math.max(...own.map((cite) => cite.to ?? 1))
      return session.read(path, { offset: from, limit: Math.min(200, to - from + 1) })
    }),
  )
  const checked = cited.flatMap(({ line, cites }) => {
    const texts = cites.map((cite) => session.evidence.textOf(cite))
    return texts.includes(undefined) ? [] : [{ line, source: texts.join('\n') }]
  })
  const wrong = checked.filter(({ line, source }) => !holdsNames(line, source))
  if (checked.length === 0) return 'I could not open the lines that the result cites, so I checked nothing.'
  if (wrong.length > 0) return `${DOUBTS}\n${wrong.map(({ line }) => line).join('\n')}`
  return `I found no mistake: I opened the lines cited by ${checked.length} of ${said.length} cited sentences, and they hold the names that the sentences give.`
}

const toCite = ([, path = '', from, to = from]: RegExpMatchArray): Cite => ({
  path,
  from: Number(from),
  to: Number(to),
})

function holdsNames(line: string, source: string): boolean {
  const words = new Set(source.toLowerCase().split(/[^\p{L}\p{N}_]+/u))
  const names = (line.match(/`[^`]+`/g) ?? []).flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}_]+/u))
  return names.every((word) => word === '' || words.has(word))
}
