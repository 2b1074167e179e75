import { type Call, fieldOf } from '../../../text/calls/call.ts'
import { findPaths, isSamePath } from '../../../text/calls/paths.ts'
import { contradict, type Holding, type Rule } from '../check.ts'
import { isTelling, toTokens } from '../figures/figures.ts'
import type { Material } from '../material.ts'

/** `file:12`, `file#L12-L14`, "line 12", "lines 6 to 10", and how other languages say it: the first line, and the last of several. */
const AT_LINE =
  /[`([]{0,2}(?<![\w@./-])([\w@./-]{1,200}\.\w{1,8})(?::|#L)(\d{1,6})(?:[-–]L?(\d{1,6}))?\b(?![:.]\d)[`)\]]{0,2}|(?<!\p{L})(?:lines?|zeilen?|lignes?)\s{0,3}(\d{1,6})(?:\s{0,2}(?:[-–]|to|bis|à|and|und|et)\s{0,2}(\d{1,6}))?\b|(\d{1,6})(?:\s{0,2}[-–~〜]\s{0,2}(\d{1,6}))?\s{0,2}行目/giu
const CODE = /`([^`\n]{2,80})`|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+|[A-Z]{2,}_[A-Z_]+)\b/g
/** A clause begins at a comma that more than a few words follow. */
const CLAUSE = /[,;:](?=(?:\s+[^\s,;]+){4})/
const INSIDE = /(?<!\p{L})(?:in|inside|within|of|dans|de|von|aus)\s$/iu
const MAX_LINES = 20_000
const NUMBERED = /^(?:(?!\d+:)([\w@./-]{1,300}):)?\s{0,8}(\d{1,7})(?:\t|:\s?|$)(.{0,2000})/

/** Every line that the answer points to was shown, and the code that is said to stand there stands there. */
export const lines: Rule = ({ told }, material) => {
  if (told.search(AT_LINE) === -1) return undefined
  const shown = material.once('shown-lines', () => material.done.flatMap(toShownLines))
  const files = findPaths(told).filter((named) => shown.some(({ path }) => path && isSamePath(path, named)))
  let start = 0
  for (const clause of told.split(CLAUSE)) {
    const cited = [...clause.matchAll(AT_LINE)]
    const from = start
    start += clause.length + 1
    if (cited.length === 0 || !material.mayLook('citations', cited.length)) continue
    const places = cited.map((match) => {
      const [words, path = fileOf(told, from + match.index, words.length, files), ...numbers] = match
      return toPlace(path, numbers.filter(Boolean).map(Number), shown)
    })
    const found = places.map((place) => holdPlace(place, material)).find(Boolean) ?? holdNames(clause, places)
    if (found !== undefined) return found
  }
  return undefined
}

const OF = /^\s{1,3}(?:in|inside|within|of|dans|de|von|aus)\s{1,3}[`'"([]{0,2}/iu

/** Of which file a line is that is named without one: of the one that follows, else of the last before it, else of the first. */
function fileOf(told: string, at: number, length: number, files: readonly string[]): string | undefined {
  const after = told.slice(at + length)
  const next = OF.test(after) ? files.find((file) => after.replace(OF, '').startsWith(file)) : undefined
  const before = told.slice(0, at)
  const last = (file: string): number => before.lastIndexOf(file)
  return next ?? files.toSorted((a, b) => last(b) - last(a))[0]
}

type ShownLine = ReturnType<typeof toShownLines>[number]

function toShownLines(call: Call) {
  const { printed, value, path, command, args } = call
  // Of a search all lines that fit were shown.
  const isHit = command === '' ? fieldOf(args, ['query']) !== undefined : /\bgrep\b/.test(command)
  const lines = String(fieldOf(value, ['stdout']) ?? printed).split('\n', MAX_LINES)
  return lines.flatMap((line) => {
    const [, own = path, number, content = ''] = NUMBERED.exec(line) ?? []
    return number === undefined ? [] : [{ call, path: own, number: Number(number), content, isHit }]
  })
}

/** What a clause points to, among the lines of that file that were shown. */
function toPlace(file: string | undefined, [line = 0, last = line]: readonly number[], shown: readonly ShownLine[]) {
  const own = shown.filter(({ path }) => file === undefined || path === undefined || isSamePath(path, file))
  return { file, line, own, cited: own.filter(({ number }) => number >= line && number <= last) }
}
type Place = ReturnType<typeof toPlace>

/** What shows that none of the code that a clause names stands in a line that it points to. */
function holdNames(clause: string, places: readonly Place[]): Holding | undefined {
  const text = clause.replace(AT_LINE, ' ')
  const names = [...text.matchAll(CODE)]
    // What a line stands in is not what stands in the line.
    .filter(({ index }) => !INSIDE.test(text.slice(Math.max(0, index - 10), index)))
    .map(([, quoted, bare]) => (quoted ?? bare ?? '').replace(/\(\)$/, ''))
  const has = ({ content }: ShownLine): boolean => names.some((name) => content.includes(name))
  const cited = places.flatMap((place) => place.cited)
  const own = places.flatMap((place) => place.own)
  const starts = own.filter(has)
  // A line may tell of what a name in an earlier one begins.
  const tells = toTokens(text.replace(CODE, ' ')).some((token) => !isTelling(token))
  const isInside = tells && cited.some((line) => starts.some((start) => isIn(line, start, own)))
  const proof = starts.find(({ call, isHit }) => isHit || cited.some((line) => line.call === call))
  if (proof === undefined || isInside || cited.some(has)) return undefined
  const numbers = [...new Set(starts.map(({ number }) => number))].slice(0, 5)
  return contradict('citation', `${names.join(', ')} stands in line ${numbers.join(', ')}`, proof.call)
}

/** Whether all lines between two, and the later one, are further in than the earlier one. */
const isIn = (line: ShownLine, start: ShownLine, own: readonly ShownLine[]): boolean =>
  line.number > start.number &&
  own
    .filter(({ call, number }) => call === start.call && number > start.number && number <= line.number)
    .every(({ content }) => content.trim() === '' || content.search(/\S/) > start.content.search(/\S/))

/** An empty line, one beyond the last of a file that was read to its end, or of a file of which nobody has seen anything. */
function holdPlace({ file, line, own }: Place, material: Material): Holding | undefined {
  const { sourceText, done, mustBeGrounded, isWhole } = material
  const cited = own.find(({ number }) => number === line)
  if (cited?.content.trim() === '') return contradict('citation', `line ${line} is empty`, cited.call)
  if (cited !== undefined || file === undefined || !isWhole) return undefined
  const name = file.split('/').at(-1) ?? file
  const ofFile = done.filter(({ path }) => path !== undefined && isSamePath(path, file))
  const isCut = ofFile.some(
    ({ writesFile, printed }) => writesFile || /… \d{1,9}\+? more lines/.test(printed.slice(-200)),
  )
  const last = Math.max(0, ...ofFile.map(({ lastLine }) => lastLine))
  if (last > 0 && !isCut && line > last) return contradict('citation', `${name} ends in line ${last}`, ofFile[0])
  const isKnown = ofFile.length > 0 || own.length > 0 || sourceText.includes(name)
  return isKnown || (done.length === 0 && !mustBeGrounded)
    ? undefined
    : contradict('citation', 'no tool has shown the cited line')
}
