import { NO_ANSWER } from '@svc/core'
import { isCited } from './question/conversation.ts'
import { unique } from './question/question.ts'

/** What a step that works on the results of others is to do with them. */
export type Gathering = 'combine' | 'decide' | 'review'

const REVIEWS = /^review\b|\bcritique\b|\bverify the (?:result|answer|output)/
const DECIDE = /^(?:decide|choose|pick|vote)\b|\bwhich (?:draft|answer|result) (?:is|answers) best/
const COMBINE =
  /\b(?:combine|merge|synthesi[sz]e|consolidate|put together)\b|^(?:write|compile|prepare|give) (?:a|the|one) (?:final|combined|single|joint|overall)\b|\bsummari[sz]e (?:the|these|all) (?:results|findings|outputs|answers|parts|steps)\b|\b(?:from|of|using) the (?:results|outputs|findings) (?:of|above|below)/

/** Whether the objective is about the results that come with it. */
export function readGathering(objective: string, results: readonly string[]): Gathering | undefined {
  const lower = objective.toLowerCase()
  if (results.length === 0) return undefined
  return REVIEWS.test(lower) ? 'review' : DECIDE.test(lower) ? 'decide' : COMBINE.test(lower) ? 'combine' : undefined
}

/** All that it says to a result: each sentence that it writes was checked against the cited lines before. */
export const REVIEW = 'I review no results: that needs a language model.'

/** How an answer begins that lacks a part: as one that answers nothing does, so that the run is not complete. */
export const IN_PART = `${NO_ANSWER} in full.`
const OPEN = 'Not answered: '

export const isNoAnswer = (text: string): boolean => text.startsWith(NO_ANSWER) && !text.startsWith(IN_PART)

/**
 * One answer from several: their lines in order, none twice; then each part that has no answer.
 *
 * @param asked what each result was to answer, where that is known
 */
export function combine(results: readonly string[], asked: readonly (string | undefined)[] = []): string {
  const questions = asked.length === results.length ? asked : []
  const said = results
    .map((result, index) => ({ result, question: questions[index] }))
    .filter(({ result }) => result !== REVIEW)
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
    if (line === IN_PART || line.startsWith(OPEN) || seen.has(line)) return false
    if (line !== '' && line !== '```' && !line.endsWith(':')) seen.add(line)
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
