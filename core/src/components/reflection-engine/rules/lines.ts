import { isSamePath, toPath } from '../../../text/calls/paths.ts'
import { type ShownLine, toShownLines } from '../evidence/shown-lines.ts'
import { toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { DENIES, withoutQuotes } from '../told/language.ts'
import { contradict, type Holding, type Rule, support } from './rule.ts'

/** `file:12`, `file#L12`, "line 12", and how other languages say it; of several lines the first. */
const AT_LINE =
  /[`([]{0,2}(?<![\w@./-])([\w@./-]{1,200}\.\w{1,8})(?::|#L)(\d{1,6})\b(?![:.]\d)[`)\]]{0,2}|(?<!\p{L})(?:lines?|zeilen?|lignes?)\s{0,3}(\d{1,6})\b((?:(?:,| and| und| et| or|[ -–])?\s?\d{1,6}\b){0,20})|(\d{1,6})\s{0,2}行目/giu
/** What is written like code, in backticks or not. */
const CODE = /`([^`\n]{2,80})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z]{2,}_[A-Z_]+)\b/g
/** Between two mentions of lines there is nothing else: they belong together. */
const NEXT = /^(?:[\s,;()`]|and\b|und\b|et\b)*$/
/** Up to a comma that more than a few words follow: what they say need not be of the name before it. */
const OTHER_CLAUSE = /^.*[,;:](?=(?:\s+[^\s,;]+){4})/s
const INSIDE = /(?<!\p{L})(?:in|inside|within|of|dans|de|von|aus)\s$/u
const LONGEST_STATEMENT = 2_000
const MAX_MENTIONS = 50
const MAX_RANGE = 2_000
/** Mentions beyond, in the whole answer, are open: each is looked for in all lines. */
const MAX_LOOKS = 400
const TELLING: ReadonlySet<string> = new Set(
  toTokens(
    'line lines at on in is are stands defined set starts begins follows and zeile steht ligne est à la définie file',
  ),
)

/** Every line that the answer points to was shown, and what is said to stand there stands there. */
export const lines: Rule = {
  id: 'citations',
  trust: 0.95,
  lesson: {
    trigger: 'an answer that points to lines of files',
    cause: '3.3',
    advice: 'Copy file and line from what a tool showed; never write a line number from memory.',
  },
  hint: 'Point only to lines that a tool has shown, with the number that it gave.',
  hold({ text, leaf }, material) {
    if (text.length > LONGEST_STATEMENT || leaf !== undefined || !/\d/.test(text)) return undefined
    const shown = material.once('shown-lines', () => toShownLines(material.done))
    const mentions = toMentions(withoutQuotes(text), shown)
    const looked = material.once('looked-at-lines', () => ({ count: 0 }))
    looked.count += mentions.length
    if (mentions.length === 0 || looked.count > MAX_LOOKS) return undefined
    const held = mentions.map((mention) => holdMention(mention, shown, material))
    const wrong = held.find((holding) => holding?.verdict === 'contradicted')
    if (wrong !== undefined) return wrong
    if (held.includes(undefined) || DENIES.test(text)) return undefined
    // Nothing else is said than that it stands there.
    const cited = shown.filter(({ number }) => mentions.some(({ lines: said }) => said.includes(number)))
    const known = new Set(cited.flatMap(({ number, content, path }) => toTokens(`${number} ${content} ${path ?? ''}`)))
    const evidence = held.flatMap((holding) => holding?.evidence ?? [])
    return toTokens(text).every((token) => known.has(token) || TELLING.has(token))
      ? { verdict: 'supported', kind: 'citation', evidence }
      : undefined
  },
}

interface Mention {
  readonly file: string | undefined
  readonly lines: readonly number[]
  /** From the first to the last of them; else each by itself. */
  readonly isRange: boolean
  /** What is said to stand there: the code nearest to it, else the words around. */
  readonly name: string | undefined
  readonly words: readonly string[]
}

const toRange = ([from = 0, to = from]: readonly number[]): number[] =>
  Array.from({ length: Math.min(MAX_RANGE, Math.max(1, to - from + 1)) }, (_, index) => from + index)

function toMentions(text: string, shown: readonly ShownLine[]): Mention[] {
  const found = [...text.matchAll(AT_LINE)]
    .slice(0, MAX_MENTIONS)
    .map((match) => ({ match, end: match.index + match[0].length }))
  if (found.length === 0) return []
  const file = text
    .split(/\s+/)
    .map(toPath)
    .find((named) => named !== undefined && shown.some(({ path }) => path !== undefined && isSamePath(path, named)))
  // Of several places in one sentence each has its name on the same side.
  const isBefore = found.length === 1 || namesIn(text.slice(0, found[0]?.match.index)).length > 0
  return found.map(({ match, end }, at): Mention => {
    const before = text.slice(found[at - 1]?.end ?? 0, match.index)
    const after = text.slice(end, found[at + 1]?.match.index)
    const [, path, number, first, more = '', japanese] = match
    const said = [
      number ?? first ?? japanese ?? '',
      ...(more.match(/\d+/g) ?? []),
      ...(/^\s?[-–]\s?(\d{1,6})/.exec(after) ?? []).slice(1),
    ].map(Number)
    const isRange = /[-–]/.test(more) || /^\s?[-–]\s?\d/.test(after)
    const lines = isRange ? toRange(said) : said
    const isJoined = (at > 0 && NEXT.test(before)) || (at + 1 < found.length && NEXT.test(after))
    const own = isBefore ? namesIn(before.replace(OTHER_CLAUSE, ' ')) : []
    const name = isJoined ? undefined : (own.at(-1) ?? namesIn(after.split(/[,;.]\s/)[0] ?? '')[0])
    const around = [before.split(/[,;:]\s/).at(-1) ?? '', after.split(/[,;]\s(?!\p{Lu})/u)[0] ?? '']
    // Of several places in one sentence each has its words on the same side.
    const side = toTokens(text.slice(0, found[0]?.match.index)).length === 0 ? around[1] : around[0]
    const words = isRange || isJoined ? [] : toTokens((found.length > 1 ? side : around.join(' ')) ?? '')
    return { file: path ?? file, lines, isRange, name, words: words.filter((word) => !TELLING.has(word)) }
  })
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(CODE)]
    // What a line stands in is not what stands in the line.
    .filter(({ index }) => !INSIDE.test(text.slice(Math.max(0, index - 10), index)))
    .map(([, quoted, bare]) => (quoted ?? bare ?? '').replace(/\(\)$/, ''))
    .filter((name) => !/[./][a-z]\w{0,4}(?::\d+)?$/.test(name) && !/^[\d:]/.test(name))

function holdMention(
  { file, lines, isRange, name, words }: Mention,
  shown: readonly ShownLine[],
  material: Material,
): Holding | undefined {
  const own = shown.filter(({ path }) => file === undefined || path === undefined || isSamePath(path, file))
  const cited = own.filter(({ number }) => lines.includes(number))
  if (file !== undefined && cited.length === 0) {
    const unseen = holdUnseen(file, lines, own, material)
    if (unseen !== undefined) return unseen
  }
  // An edit moves lines; what was shown before it may stand elsewhere now.
  if (new Set(cited.map(({ content }) => content.trim())).size > lines.length) return undefined
  if (cited.length > 0 && cited.every(({ content }) => content.trim() === ''))
    return contradict('citation', `line ${lines.join(', ')} is empty`, cited[0]?.call)
  if (name !== undefined) {
    const places = own.filter(({ content }) => content.includes(name))
    const place = places.find(({ number }) => lines.includes(number))
    // Each of several lines has it.
    const without = isRange ? undefined : cited.find(({ number }) => !places.some((one) => one.number === number))
    const isSomeElse = places.some(({ number }) => !lines.includes(number))
    if (place !== undefined && without === undefined) return support('citation', [place.call])
    if (place !== undefined && !isSomeElse) return undefined
    const proof = places.find(({ call, isHit }) => isHit || cited.some((line) => line.call === call))
    return proof && contradict('citation', `${name} stands in line ${listed(places)}`, proof.call)
  }
  const [first] = cited
  const stands = new Set(cited.flatMap(({ content }) => toTokens(content)))
  if (first !== undefined && words.length > 0 && words.every((word) => stands.has(word)))
    return support('citation', [first.call])
  return undefined
}

/** A line of a file that was read to its end, or of one that nobody has seen. */
function holdUnseen(
  file: string,
  lines: readonly number[],
  own: readonly ShownLine[],
  material: Material,
): Holding | undefined {
  const name = file.split('/').at(-1) ?? file
  const { task, given, calls, done, mustBeGrounded } = material
  if (
    [task.description, ...given, ...done.map(({ printed }) => printed)].some((text) =>
      lines.some((line) => text.includes(`${name}:${line}`) || text.includes(`${name}, line ${line}`)),
    )
  )
    return undefined
  if (done.some((call) => call.writesFile && call.path !== undefined && isSamePath(call.path, file))) return undefined
  const reads = done.filter((call) => call.path !== undefined && isSamePath(call.path, file) && call.lastLine > 0)
  const read = reads.at(-1)
  if (read !== undefined) {
    const isWhole = reads.every(({ printed }) => !/… \d{1,9}\+? more lines/.test(printed.slice(-200)))
    const last = Math.max(...reads.map(({ lastLine }) => lastLine))
    return isWhole && lines.some((line) => line > last || line < 1)
      ? contradict('citation', `${name} ends in line ${last}`, read)
      : undefined
  }
  if (task.description.includes(name) || own.length > 0 || (calls.length === 0 && !mustBeGrounded)) return undefined
  return contradict('citation', 'no tool has shown the cited line')
}

const listed = (places: readonly ShownLine[]): string =>
  [...new Set(places.map(({ number }) => number))].slice(0, 5).join(', ')
