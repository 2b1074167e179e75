import { NO_ANSWER } from '@svc/core'
import { jaccard, toStems } from '@svc/core/text'
import type { Cite } from '../cite.ts'
import { isCited } from '../conversation.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { unique } from '../question.ts'
import type { ToolSession } from '../tool-session.ts'

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

/** One answer from several: headings and cited sentences in their order, none twice; what nobody found comes last. */
export function combine(results: readonly string[]): string {
  const flagged = new Set(
    results
      .filter((result) => result.startsWith(DOUBTS))
      .flatMap((result) => result.split('\n').map((line) => line.trim())),
  )
  const checked = results.filter((result) => !result.startsWith(DOUBTS) && !REVIEWED.test(result))
  const answers = checked.filter((result) => !result.startsWith(NO_ANSWER))
  const unanswered = checked.filter((result) => result.startsWith(NO_ANSWER)).map(toReason)
  if (answers.length === 0 && unanswered.length > 0) return `${NO_ANSWER}: ${unique(unanswered).join('\n')}`
  const own = [...answers, ...unanswered]
  const kept: string[] = []
  const stems: ReadonlySet<string>[] = []
  const open: string[] = []
  for (const line of own.join('\n\n').split('\n')) {
    const plain = line.trim()
    if (plain === '') {
      if (kept.at(-1) !== '') kept.push('')
    } else if (NOTHING_FOUND.test(plain)) open.push(plain)
    else if (isTitle(plain)) kept.push(plain)
    else if (isCited(plain) || isCalculation(plain)) {
      if (flagged.has(plain)) continue
      const said = new Set([
        ...toStems(plain.replace(CITED, ' ')),
        ...(plain.match(CITED) ?? []),
        ...(plain.match(/`[^`]+`/g) ?? []),
      ])
      if (stems.some((other) => jaccard(other, said) >= 0.85)) continue
      stems.push(said)
      kept.push(plain)
    }
  }
  const text = dropEmptyTitles(kept)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const rest = unique(open)
  if (text === '') return rest.length > 0 ? rest.join('\n') : quoteResults(own)
  return rest.length > 0 && rest.length <= 4 ? `${text}\n\n${rest.join('\n')}` : text
}

/** Why a result is no answer, without the lines that came nearest to one. */
const toReason = (result: string): string => {
  const [first = ''] = result.split('\n')
  return first.startsWith(`${NO_ANSWER}: `) ? first.slice(NO_ANSWER.length + 2) : 'I found no answer to a part of it.'
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
function quoteResults(results: readonly string[]): string {
  const said = results.flatMap((result) => result.split('\n').map((line) => line.trim())).filter((line) => line !== '')
  if (said.length === 0) return 'I found nothing to combine: the results are empty.'
  const lines = unique(said).slice(0, 60)
  return `The results name no sources; they say:\n${lines.map((line) => (line.startsWith('- ') ? line : `- ${line}`)).join('\n')}`
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
