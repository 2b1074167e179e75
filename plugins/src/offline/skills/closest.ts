import { at } from '../cite.ts'
import type { Look } from '../look.ts'
import { together } from '../look.ts'
import { type CitedSentence, claim, heading, type Part } from '../question/cited-sentence.ts'
import { readQuestion, uniqueBy } from '../question/question.ts'
import { quote, series, tick } from '../question/wording.ts'
import { type Excerpt, type Hit, numbered } from '../read/formats.ts'
import { readSentences } from '../read/sentences.ts'
import { DOCUMENTS, isSourcePath, isTestPath } from '../read/symbols.ts'
import { says, stemsOf, type Term, toTerms } from '../read/terms.ts'
import { type Finding, notFound } from '../skill.ts'
import { lookAtTree } from '../survey.ts'
import type { ToolSession } from '../tool-session.ts'

const MOST_TERMS = 4
const MOST_HITS = 16
const MOST_PASSAGES = 3
/** Lines of a passage, before and after the one that was found. */
const LINES_AROUND = 3
/** Files that hold words but say nothing: licences, changelogs, locks, maps, pictures, what a program wrote. */
const DULL =
  /^\.|^(?:licen[cs]e|copying|change(?:s|log)|history)\b|(?:^|\/)(?:package-lock\.json|yarn\.lock)$|\.(?:map|lock|svg|snap)$|\.min\.|(?:^|\/)umd\//i

/** No answer, and the three passages that come closest to what is asked. */
export function* closest(session: ToolSession): Look<Finding> {
  const given = quoteGiven(session)
  if (given.length > 0) return { parts: given, missing: true }
  const { question } = session
  const terms = toTerms([...question.quoted, ...question.identifiers, ...question.paths, ...question.rest])
    .sort((a, b) => b.typed.length - a.typed.length)
    .slice(0, MOST_TERMS)
  const tree = yield* lookAtTree(session)
  // code was searched before, where that found anything
  const scope = session.hits.length > 0 ? { pattern: DOCUMENTS } : {}
  const searches = yield* together(terms.map(({ sought }) => session.search(sought, { ...scope, limit: MOST_HITS })))
  const hits = uniqueBy(
    session.hits.filter(({ path }) => !DULL.test(path)),
    ({ path, line }) => `${path}:${line}`,
  )
  const best = choosePassages(hits, terms)
  if (best.length === 0) {
    const isNowhere =
      session.lookedEverywhere && scope.pattern === undefined && searches.every((found) => found?.hits.length === 0)
    const where = isNowhere ? 'no text file here holds it' : 'what holds it was left out, or not searched'
    const named = series(terms.map(({ typed }) => `\`${typed}\``))
    return notFound(`I found nothing about ${named || 'this'}: ${where} (${tree.files.length} files listed).`)
  }
  const excerpts = yield* together(
    best.map(({ path, line }) => {
      const offset = Math.max(1, line - LINES_AROUND)
      return session.read(path, { offset, limit: line - offset + 2 * LINES_AROUND })
    }),
  )
  return { parts: best.map((hit, index) => quoteHit(hit, excerpts[index], terms)), missing: true }
}

/** The lines with most of what is asked on them or close to them, one of each file first; documents before code. */
function choosePassages(hits: readonly Hit[], terms: readonly Term[]): Hit[] {
  const scored = hits.map((hit) => {
    const near = hits.filter(({ path, line }) => path === hit.path && Math.abs(line - hit.line) <= LINES_AROUND)
    const [own, around] = [stemsOf(`${hit.path} ${hit.text}`), stemsOf(near.map(({ text }) => text).join(' '))]
    const held = terms.map((term) => (says(own, term) ? 1 : says(around, term) ? 0.6 : 0))
    const kind = isTestPath(hit.path) ? -0.5 : isSourcePath(hit.path) ? 0 : 0.3
    return { hit, score: held.reduce<number>((sum, value) => sum + value, 0) + kind }
  })
  const sorted = scored.sort((a, b) => b.score - a.score).map(({ hit }) => hit)
  return [...uniqueBy(sorted, ({ path }) => path), ...sorted]
    .filter(
      (hit, index, all) =>
        !all
          .slice(0, index)
          .some(({ path, line }) => path === hit.path && Math.abs(line - hit.line) <= 2 * LINES_AROUND),
    )
    .slice(0, MOST_PASSAGES)
}

/** The sentence of a document that is found on a line, with the next one below a title; or the line as it stands. */
export function quoteHit(
  { path, line, text }: Hit,
  excerpt: Excerpt | undefined,
  terms: readonly Term[] = [],
): CitedSentence {
  const isTitle = /^#{1,6}\s/.test(text)
  const heldBy = (said: string): number => terms.filter((term) => says(stemsOf(said), term)).length
  const sentences = excerpt && !isSourcePath(path) ? readSentences(excerpt) : []
  const [sentence] = sentences
    .filter(({ cite: { from = 0, to = from } }) => (isTitle ? from > line : from <= line && line <= to))
    .sort((a, b) => (isTitle ? 0 : heldBy(b.text) - heldBy(a.text)))
  if (sentence && isTitle) return claim(`${quote(text)}: ${quote(sentence.text)}`, [at(path, line), sentence.cite])
  const whole =
    excerpt &&
    numbered(excerpt)
      .find((one) => one.line === line)
      ?.text.trim()
  return sentence ? claim(quote(sentence.text), [sentence.cite]) : claim(tick(whole || text, 160), [at(path, line)])
}

const MOST_QUOTES = 6

/** What a text that came with the task, or a memory, says to the question. */
function quoteGiven({ context, memories, question }: ToolSession): Part[] {
  const remembered: Excerpt = { path: 'memory', first: 1, lines: memories, total: memories.length }
  // below the first line stands what came along
  const asked = readQuestion(question.text.split('\n')[0] ?? '')
  const terms = toTerms([...asked.quoted, ...asked.identifiers, ...asked.rest])
  return [
    { title: 'From the material that came with the task', excerpt: context },
    { title: 'From memory', excerpt: remembered },
  ].flatMap(({ title, excerpt }) => {
    const sentences = excerpt ? readSentences(excerpt) : []
    const heldBy = (text: string): number => terms.filter((term) => says(stemsOf(text), term)).length
    const best = sentences
      .filter(({ text }) => terms.length > 0 && heldBy(text) >= terms.length / 2)
      .sort((a, b) => heldBy(b.text) - heldBy(a.text))
    const shown = best.length === 0 && question.topics.has('summary') ? sentences : best
    const claims = shown.slice(0, MOST_QUOTES).map(({ text, cite }) => claim(quote(text), [cite]))
    return claims.length === 0 ? [] : [heading(title), ...claims]
  })
}
