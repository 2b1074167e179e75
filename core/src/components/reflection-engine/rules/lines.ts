import { type Call, fieldOf } from '../../../text/calls/call.ts'
import { isSamePath, toPath } from '../../../text/calls/paths.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import type { Material } from '../material.ts'
import { withoutQuotes } from '../told/language.ts'
import { contradict, type Holding, type Rule } from './rule.ts'

/** `file:12`, `file#L12-L14`, "line 12", "lines 6 to 10", and how other languages say it: the first line, and the last of several. */
const AT_LINE =
  /[`([]{0,2}(?<![\w@./-])([\w@./-]{1,200}\.\w{1,8})(?::|#L)(\d{1,6})(?:[-–]L?(\d{1,6}))?\b(?![:.]\d)[`)\]]{0,2}|(?<!\p{L})(?:lines?|zeilen?|lignes?)\s{0,3}(\d{1,6})(?:\s{0,2}(?:[-–]|to|bis|à|and|und|et)\s{0,2}(\d{1,6}))?\b|(\d{1,6})(?:\s{0,2}[-–~〜]\s{0,2}(\d{1,6}))?\s{0,2}行目/giu
/** What is written like code, in backticks or not. */
const CODE = /`([^`\n]{2,80})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z]{2,}_[A-Z_]+)\b/g
/** Up to a comma that more than a few words follow: what they say need not be of the name before it. */
const OTHER_CLAUSE = /^.*[,;:](?=(?:\s+[^\s,;]+){4})/s
const INSIDE = /(?<!\p{L})(?:in|inside|within|of|dans|de|von|aus)\s$/iu
const LONGEST_STATEMENT = 2_000
/** Mentions beyond, in the whole answer, are open: each is looked for in all lines. */
const MAX_LOOKS = 400
const MAX_LINES = 20_000
/** So many lines before a cited one are looked at that have its name. */
const MAX_PLACES = 5
const NUMBERED = /^(?:(?!\d+:)([\w@./-]{1,300}):)?\s{0,8}(\d{1,7})(?:\t|:\s?|$)(.{0,2000})/

/** Every line that the answer points to was shown, and the code that is said to stand there stands there. */
export const lines: Rule = {
  id: 'citations',
  lesson: {
    trigger: 'an answer that points to lines of files',
    cause: '3.3',
    advice: 'Copy file and line from what a tool showed; never write a line number from memory.',
  },
  hold({ text, leaf }, material) {
    if (text.length > LONGEST_STATEMENT || leaf !== undefined || !/\d/.test(text)) return undefined
    const shown = material.once('shown-lines', () => toShownLines(material.done))
    const mentions = toMentions(withoutQuotes(text), shown)
    if (mentions.length === 0 || !material.mayLook('lines', mentions.length, MAX_LOOKS)) return undefined
    const names = namesIn(text).flatMap(toTokens)
    const saysMore = toTokens(text.replace(AT_LINE, ' ')).some((token) => !isTelling(token) && !names.includes(token))
    const groups: Mention[][] = []
    for (const mention of mentions) {
      if (mention.isBeside) groups.at(-1)?.push(mention)
      else groups.push([mention])
    }
    return (
      mentions.map((mention) => holdPlace(mention, shown, material)).find(Boolean) ??
      groups.map((group) => holdName(group, saysMore, shown)).find(Boolean)
    )
  },
}

/** A line of a file, as a call showed it with its number. */
interface ShownLine {
  readonly call: Call
  readonly path: string | undefined
  readonly number: number
  readonly content: string
  /** Of a search: all lines that fit were shown. */
  readonly isHit: boolean
}

const toShownLines = (calls: readonly Call[]): ShownLine[] =>
  calls.flatMap((call) => {
    const { printed, value, path, command, args } = call
    const isHit = command === '' ? fieldOf(args, ['query']) !== undefined : /\bgrep\b/.test(command)
    const named = path ?? command.split(/\s+/).findLast((word) => /\.\w{1,5}$/.test(word))
    return String(fieldOf(value, ['stdout']) ?? printed)
      .split('\n', MAX_LINES)
      .flatMap((line): ShownLine[] => {
        const [, own = named, number, content = ''] = NUMBERED.exec(line) ?? []
        return number === undefined ? [] : [{ call, path: own, number: Number(number), content, isHit }]
      })
  })

interface Mention {
  readonly file: string | undefined
  readonly line: number
  readonly last: number
  /** What is said to stand there: the code nearest to it. */
  readonly name: string | undefined
  /** It follows another one with no word between: what is said stands in one of them. */
  readonly isBeside: boolean
}

function toMentions(text: string, shown: readonly ShownLine[]): Mention[] {
  const found = [...text.matchAll(AT_LINE)]
  const paths = found.length === 0 ? [] : text.split(/\s+/).map(toPath)
  const file = paths.find((named) => shown.some(({ path }) => path && named && isSamePath(path, named)))
  // Of several places in one sentence each has its name on the same side.
  const isBefore = found.length === 1 || namesIn(text.slice(0, found[0]?.index)).length > 0
  let start = 0
  return found.map((match, at): Mention => {
    const [mention, path = file, ...numbers] = match
    const [line = 0, last = line] = numbers.filter((number) => number !== undefined).map(Number)
    const before = text.slice(start, match.index)
    start = match.index + mention.length
    const [after = ''] = text.slice(start, found[at + 1]?.index).split(/[,;.]\s/)
    const names = [...(isBefore ? namesIn(before.replace(OTHER_CLAUSE, ' ')).reverse() : []), ...namesIn(after)]
    return { file: path, line, last, name: names[0], isBeside: at > 0 && !/[\p{L}\d]/u.test(before) }
  })
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(CODE)]
    // What a line stands in is not what stands in the line.
    .filter(({ index }) => !INSIDE.test(text.slice(Math.max(0, index - 10), index)))
    .map(([, quoted, bare]) => (quoted ?? bare ?? '').replace(/\(\)$/, ''))
    .filter((name) => !/[./][a-z]\w{0,4}(?::\d+)?$/.test(name) && !/^[\d:]/.test(name))

const ofFile = (shown: readonly ShownLine[], file: string | undefined): ShownLine[] =>
  shown.filter(({ path }) => file === undefined || path === undefined || isSamePath(path, file))

/** What shows that a line is none of its file, or holds nothing. */
function holdPlace({ file, line }: Mention, shown: readonly ShownLine[], material: Material): Holding | undefined {
  const own = ofFile(shown, file)
  const cited = own.find(({ number }) => number === line)
  if (cited?.content.trim() === '') return contradict('citation', `line ${line} is empty`, cited.call)
  return cited === undefined && file !== undefined ? holdUnseen(file, line, own, material) : undefined
}

/** What shows that a name stands in another line than in any of those that are cited side by side. */
function holdName(group: readonly Mention[], saysMore: boolean, shown: readonly ShownLine[]): Holding | undefined {
  const [{ file, line = 0, name } = {}] = group
  if (name === undefined) return undefined
  const isCited = ({ path, number }: ShownLine): boolean =>
    group.some(
      (one) =>
        number >= one.line && number <= one.last && (!one.file || path === undefined || isSamePath(path, one.file)),
    )
  const own = ofFile(shown, file)
  const places = own.filter(({ content }) => content.includes(name))
  if (shown.some((each) => isCited(each) && each.content.includes(name))) return undefined
  const before = places.filter(({ number }) => number < line).slice(-MAX_PLACES)
  if (saysMore && before.some((start) => isWithin(line, start, own))) return undefined
  const cited = own.find(({ number }) => number === line)
  const proof = places.find(({ call, isHit }) => isHit || call === cited?.call)
  const numbers = [...new Set(places.map(({ number }) => number))].slice(0, 5)
  return proof && contradict('citation', `${name} stands in line ${numbers.join(', ')}`, proof.call)
}

/** Whether a line stands in what a name in another one begins, so that it may tell of it: up to it all are further in. */
function isWithin(line: number, start: ShownLine, own: readonly ShownLine[]): boolean {
  const body = own.filter(({ call, number }) => call === start.call && number > start.number && number <= line)
  const indent = start.content.search(/\S/)
  return (
    body.length > 0 &&
    body.length === line - start.number &&
    body.every(({ content }) => content.trim() === '' || content.search(/\S/) > indent)
  )
}

/** A line beyond the last of a file that was read to its end, or of a file of which nobody has seen anything. */
function holdUnseen(file: string, line: number, own: readonly ShownLine[], material: Material): Holding | undefined {
  const { sourceText, done, mustBeGrounded, isWhole } = material
  const name = file.split('/').at(-1) ?? file
  const ofFile = done.filter(({ path }) => path !== undefined && isSamePath(path, file))
  if (!isWhole || ofFile.some(({ writesFile }) => writesFile) || sourceText.includes(`${name}:${line}`))
    return undefined
  const last = Math.max(0, ...ofFile.map(({ lastLine }) => lastLine))
  const isRead = ofFile.every(({ printed }) => !/… \d{1,9}\+? more lines/.test(printed.slice(-200)))
  if (last > 0 && isRead && line > last) return contradict('citation', `${name} ends in line ${last}`, ofFile[0])
  const isKnown = last > 0 || own.length > 0 || sourceText.includes(name) || (done.length === 0 && !mustBeGrounded)
  return isKnown ? undefined : contradict('citation', 'no tool has shown the cited line')
}
