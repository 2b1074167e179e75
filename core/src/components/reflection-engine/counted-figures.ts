import { toWords } from '../../text/index.ts'
import type { Figure } from './figures.ts'
import type { Material } from './material.ts'
import { toLines, toListItems, toSentences } from './shape.ts'

const MAX_NAMES = 12
const MAX_TERMS = 4
/** How many more a tool says that there are. */
const MORE = /(\d[\d,]{0,12}) (?:more|further|other)\b/
/** A line that a search has found: `path:line: text`. */
const FOUND_AT = /^([^\s:]{1,300}):\d{1,7}:/

/** What anybody can count again: list items of the answer; lines, files, folders and entries of each tool result; calls. */
export function toCounts(material: Material): Set<number> {
  const counts = new Set<number>([toListItems(material.output).length])
  const done = material.calls.filter((call) => call.status === 'completed')
  counts.add(done.length)
  for (const block of material.output.split(/\n[ \t]*\n/)) counts.add(toListItems(block).length)
  for (const sentence of toSentences(material.prose)) {
    const commas = (sentence.match(/[,;]\s/g) ?? []).length
    if (commas > 0) for (const extra of [1, 2]) counts.add(commas + extra)
  }
  for (const call of done) {
    const all = toLines(call.text)
    const lines = all.length
    counts.add(lines).add(Math.max(0, lines - 1)) // with and without a head line
    const [, more = '0'] = MORE.exec(call.text.slice(-200)) ?? []
    const left = Number(more.replaceAll(',', ''))
    for (const shown of [lines, lines - 1, call.lastLine]) counts.add(shown + left)
    const folders = all.filter((line) => line.endsWith('/')).length
    if (folders > 0) counts.add(folders).add(lines - folders - (left > 0 ? 1 : 0))
    addLengths(call.value, counts, 0)
  }
  return counts
}

function addLengths(value: unknown, counts: Set<number>, depth: number): void {
  if (depth > 4 || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) counts.add(value.length)
  else counts.add(Object.keys(value).length)
  for (const item of Object.values(value).slice(0, 200)) addLengths(item, counts, depth + 1)
}

/** Whether a whole number counts what its own words name. */
export const isCounted = (figure: Figure, material: Material): boolean =>
  countsMatches(figure, material) || countsEntries(figure, material) || countsLines(figure, material)

/** `4 warnings` where the sources hold the word four times. */
function countsMatches(figure: Figure, { prose, sourceWords }: Material): boolean {
  const at = prose.indexOf(figure.text)
  if (at === -1) return false
  const next = toWords(prose.slice(at + figure.text.length, at + figure.text.length + 60)).slice(0, 2)
  return next.some((word) => {
    const stem = word.replace(/(?:es|s)$/, '')
    return stem.length > 2 && occurrences(sourceWords, ` ${stem}`) === figure.value
  })
}

/** Where only what lies in a folder itself is counted. */
const DIRECT = /\b(?:direct(?:ly)?|immediate(?:ly)?|itself|top[- ]level)\b/i

/** `lib/ (16 files)` where listings hold sixteen entries below it, `lib/ directly holds 9` where one holds nine in it. */
function countsEntries(figure: Figure, { output, calls }: Material): boolean {
  const lines = toLines(output).filter((line) => line.includes(figure.text))
  const names = lines
    .slice(0, MAX_NAMES)
    .flatMap((line) => line.slice(0, 400).match(/[\w@.+-]{1,80}(?:\/[\w@.+-]{1,80}){0,20}\/?/g) ?? [])
    .filter((name) => /[/.]/.test(name))
  if (names.length === 0) return false
  const listings = calls.filter(({ status }) => status === 'completed').map(({ text }) => toFilePaths(text))
  const all = [...new Set(listings.flat())]
  const isDirect = lines.some((line) => DIRECT.test(line))
  return [...new Set(names)].slice(0, MAX_NAMES).some((name) => {
    const folder = name.replace(/\/?$/, '/')
    const below = (paths: readonly string[]): string[] => paths.filter((path) => path.startsWith(folder))
    if (below(all).length === figure.value) return true
    // A listing may be of one kind of files, and another one of all.
    return isDirect && [...listings, all].some((paths) => countDirect(below(paths), folder) === figure.value)
  })
}

const toFilePaths = (text: string): string[] => [
  ...new Set(
    toLines(text)
      .map((line) => line.trim().split(/\s|:/, 1)[0] ?? '')
      .filter((path) => !path.endsWith('/')),
  ),
]

const countDirect = (below: readonly string[], folder: string): number =>
  below.filter((path) => !path.slice(folder.length).includes('/')).length

/** "5 files mention `retry`, on 12 lines", where searches have shown these lines. */
function countsLines(figure: Figure, { prose, done }: Material): boolean {
  return toSentences(prose).some((sentence) => {
    if (!sentence.includes(figure.text)) return false
    const terms = sentence.match(/`[^`\n]{2,200}`|"[^"\n]{2,200}"/g) ?? []
    return terms.slice(0, MAX_TERMS).some((term) => {
      const wanted = term.slice(1, -1).toLowerCase()
      const lines = new Set(
        done.flatMap(({ text }) => toLines(text)).filter((line) => line.toLowerCase().includes(wanted)),
      )
      const files = new Set([...lines].flatMap((line) => FOUND_AT.exec(line)?.[1] ?? []))
      return lines.size === figure.value || files.size === figure.value
    })
  })
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}
