import { NO_ANSWER } from '@svc/core'
import { jaccard, toStems } from '@svc/core/text'
import type { Cite } from './cite.ts'
import { isCited } from './conversation.ts'
import type { Look } from './look.ts'
import { together } from './look.ts'
import { unique } from './question.ts'
import type { ToolSession } from './tool-session.ts'

/** What a step that works on the results of others is to do with them. */
export type Gathering = 'combine' | 'decide' | 'review'

const CITED = /(?<![^\s(),])([^\s(),]+):(\d+)(?:-(\d+))?/g
const NOTHING_FOUND = /^(?:-\s*)?(?:I (?:found (?:no|nothing)|cannot|could not)\b|\(step-[\w-]+ gave no result)/

/** Whether the objective is about the results that come with it. */
export function readGathering(objective: string, results: readonly string[]): Gathering | undefined {
  if (results.length === 0) return undefined
  const lower = objective.toLowerCase()
  if (/^review\b|\bcritique\b|\bverify the (?:result|answer|output)/.test(lower)) return 'review'
  if (/^(?:decide|choose|pick|vote)\b|\bwhich (?:draft|answer|result) (?:is|answers) best/.test(lower)) return 'decide'
  if (
    /\b(?:combine|merge|synthesi[sz]e|consolidate|put together|unite|join)\b|^(?:write|compile|prepare|give) (?:a|the|one) (?:final|combined|single|joint|overall)\b|\bsummari[sz]e (?:the|these|all) (?:results|findings|outputs|answers|parts|steps)\b|\b(?:from|of|using) the (?:results|outputs|findings) (?:of|above|below)/.test(
      lower,
    )
  )
    return 'combine'
  return undefined
}

/** How a review begins that found something, and one that did not. */
const DOUBTS = 'In these sentences a name does not stand in the cited lines:'
const REVIEWED = /^I found no (?:mistake|citation)\b|^I could not open the lines\b/

/** How an answer begins that lacks a part: as one that answers nothing does, so that the run is not complete. */
export const IN_PART = `${NO_ANSWER} in full.`
const OPEN = 'Not answered: '

/** Names a part that has no answer, with the reason where it is known. */
export const sayOpen = (...said: readonly string[]): string =>
  `${OPEN}${said.map((text, index) => (index < said.length - 1 && /[\p{L}\p{N})]$/u.test(text) ? `${text}:` : text)).join(' ')}`

/**
 * One answer from several: headings and cited sentences in their order, none twice; then each part that has no answer,
 * and what nobody found.
 *
 * @param asked what each result was to answer, where that is known
 */
export function combine(results: readonly string[], asked: readonly (string | undefined)[] = []): string {
  const questions = asked.length === results.length ? asked : []
  const flagged = new Set(results.filter((result) => result.startsWith(DOUBTS)).flatMap(linesOf))
  const checked = results
    .map((result, index) => ({ result, question: questions[index] }))
    .filter(({ result }) => !result.startsWith(DOUBTS) && !REVIEWED.test(result))
  const unanswered = checked.filter(({ result }) => isNoAnswer(result))
  const answers = checked.filter(({ result }) => !isNoAnswer(result)).map(({ result }) => linesOf(result))
  const reasons = unanswered.map(({ result, question }) => {
    const reason = toReason(result)
    const isNamed = question !== undefined && reason?.startsWith(question) === true
    return [isNamed ? undefined : question, reason].filter((said) => said !== undefined)
  })
  if (answers.length === 0 && unanswered.length > 0)
    return `${NO_ANSWER}: ${unique(reasons.map((said) => said.at(-1) ?? 'I found no answer to any part of it.')).join('\n')}`
  const isSourced = answers.flat().some((line) => isCited(line) || isCalculation(line))
  if (!isSourced && answers.length > 0 && unanswered.length === 0) return quoteResults(answers.flat())
  const kept: string[] = []
  const stems: ReadonlySet<string>[] = []
  const open: string[] = []
  const missing: string[] = []
  for (const lines of answers) {
    const isTelling = lines.some((line) => isCited(line) || isCalculation(line))
    for (const line of lines) {
      if (line === '') {
        if (kept.at(-1) !== '') kept.push('')
      } else if (line === IN_PART) continue
      else if (line.startsWith(OPEN)) missing.push(line)
      else if (NOTHING_FOUND.test(line)) open.push(line)
      else if (isTitle(line)) kept.push(line)
      else if ((isCited(line) || isCalculation(line) || !isTelling) && !flagged.has(line)) {
        const said = new Set([
          ...toStems(line.replace(CITED, ' ')),
          ...(line.match(CITED) ?? []),
          ...(line.match(/`[^`]+`/g) ?? []),
        ])
        // "3 - 5" and "5 - 3" are made of the same words
        if (isCalculation(line) ? kept.includes(line) : stems.some((other) => jaccard(other, said) >= 0.85)) continue
        stems.push(said)
        kept.push(line)
      }
    }
    kept.push('')
  }
  missing.push(...reasons.map((said) => sayOpen(...(said.length > 0 ? said : ['a part of it.']))))
  const text = dropEmptyTitles(kept)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const rest = unique(open)
  const blocks = [
    ...(missing.length > 0 ? [IN_PART] : []),
    ...(text === '' ? [] : [text]),
    ...(missing.length > 0 ? [unique(missing).join('\n')] : []),
    ...(text === '' || rest.length <= 4 ? [rest.join('\n')] : []),
  ]
  return blocks.filter((block) => block !== '').join('\n\n')
}

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim())
export const isNoAnswer = (text: string): boolean => text.startsWith(NO_ANSWER) && !text.startsWith(IN_PART)

/** No answer that names what was asked, so that the one who puts the parts together can. */
export function sayUnanswered(question: string, result: string): string {
  const [, ...rest] = result.split('\n')
  const reason = toReason(result)
  const asked = reason === undefined || /[?.!]$/.test(question) ? question : `${question}:`
  return [`${NO_ANSWER}: ${[asked, reason].filter((said) => said !== undefined).join(' ')}`, ...rest].join('\n')
}

/** Why a result is no answer, without the lines that came nearest to one; undefined where it does not say. */
const toReason = (result: string): string | undefined => {
  const [first = ''] = result.split('\n')
  return first.startsWith(`${NO_ANSWER}: `) ? first.slice(NO_ANSWER.length + 2) : undefined
}

const isTitle = (line: string): boolean =>
  line.endsWith(':') && !line.startsWith('- ') && line.length < 140 && !/^(?:#|\*\*)?\s*(?:step|agent)-\d/i.test(line)
const isCalculation = (line: string): boolean => /^[-\d\s+*/^%().,a-z]+ = -?[\d.,e+-]+$/i.test(line)

function dropEmptyTitles(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    if (!isTitle(line)) return true
    const next = lines.slice(index + 1).find((other) => other !== '')
    return next !== undefined && !isTitle(next)
  })
}

/** Results without citations, as others may write them: said as they are, and said that nobody cited them. */
function quoteResults(lines: readonly string[]): string {
  const said = unique(lines.filter((line) => line !== '')).slice(0, 60)
  if (said.length === 0) return 'I found nothing to combine: the results are empty.'
  if (said.every((line) => NOTHING_FOUND.test(line))) return said.join('\n')
  return `The results name no sources; they say:\n${said.map((line) => (line.startsWith('- ') ? line : `- ${line}`)).join('\n')}`
}

/** The draft with the most cited sentences; of equal ones the first. */
export function decide(results: readonly string[]): string {
  const counts = results.map((draft) => unique(draft.split('\n').filter((line) => isCited(line.trim()))).length)
  const best = results[counts.indexOf(Math.max(...counts))]
  return best === undefined || best.trim() === '' ? combine(results) : best.trim()
}

/** Opens what the result cites and says which sentences hold: their names and numbers stand in the cited lines. */
export function* review(session: ToolSession, results: readonly string[]): Look<string> {
  const said = unique(
    results
      .join('\n')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => isCited(line)),
  ).slice(0, 40)
  const cited = said.map((line) => ({
    line,
    cites: [...line.matchAll(CITED)].map(
      (match): Cite => ({ path: match[1] ?? '', from: Number(match[2]), to: Number(match[3] ?? match[2]) }),
    ),
  }))
  const paths = unique(cited.flatMap(({ cites }) => cites.map((cite) => cite.path))).slice(0, 6)
  yield* together(
    paths.map((path) => {
      const lines = cited.flatMap(({ cites }) =>
        cites.filter((cite) => cite.path === path).flatMap((cite) => [cite.from ?? 1, cite.to ?? 1]),
      )
      const from = Math.min(...lines)
      return session.read(path, { offset: from, limit: Math.min(200, Math.max(...lines) - from + 1) })
    }),
  )
  const checked = cited.filter(
    ({ cites }) => cites.length > 0 && cites.every((cite) => session.evidence.textOf(cite) !== undefined),
  )
  const wrong = checked.filter(
    ({ line, cites }) => !holdsNames(line, cites.map((cite) => session.evidence.textOf(cite) ?? '').join('\n')),
  )
  if (said.length === 0) return 'I found no citation in the result, so nothing in it can be checked against a file.'
  if (checked.length === 0) return 'I could not open the lines that the result cites, so I checked nothing.'
  if (wrong.length > 0) return `${DOUBTS}\n${wrong.map(({ line }) => line).join('\n')}`
  const names = unique(checked.flatMap(({ line }) => line.match(/`[^`]+`/g) ?? [])).slice(0, 20)
  return `I found no mistake: I opened the lines cited by ${checked.length} of ${said.length} cited sentences, and they hold the names that the sentences give: ${names.join(', ')}.`
}

function holdsNames(line: string, source: string): boolean {
  const words = new Set(source.toLowerCase().split(/[^\p{L}\p{N}_]+/u))
  return (line.match(/`[^`]+`/g) ?? []).every((name) =>
    name
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .every((word) => word === '' || words.has(word)),
  )
}
