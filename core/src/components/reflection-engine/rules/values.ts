import { type Call, toPlainText } from '../../../text/calls/call.ts'
import { findPaths, isSamePath } from '../../../text/calls/paths.ts'
import { contradict, type Rule, support } from '../check.ts'
import { mayChange } from '../evidence/deeds.ts'
import { MAX_ROWS, rowsOf } from '../evidence/rows.ts'
import { readNumber } from '../figures/figures.ts'
import type { Material } from '../material.ts'
import { isContent } from '../statements/to-statements.ts'
import { TELLING, toBare, toTelling } from '../told/language.ts'

/** Longer statements are not held against labels. */
const MOST_WORDS = 100
const LONGEST_LABEL = 4
/** A label that stands in so many places is ambiguous. */
const MOST_ALIKE = 20
/** Its numbers are those of lines. */
const POINTS = /\b(?:lines?|zeilen?|lignes?)\b|行目|\.\w{1,8}:\d/iu
/** Several numbers stand under one label. */
const IS_LIST = /\d,\s{0,4}\d/

/** A value that stands under its label in what was read, and in no second place: that it is this one, or another one. */
export const values: Rule = (statement, material) => {
  if (isContent(statement) || !material.isWhole) return undefined
  const fields = fieldsOf(material)
  const words = fields.size === 0 ? [] : toBare(statement.text)
  if (words.length < 2 || words.length > MOST_WORDS) return undefined
  for (const { all, others } of findLabels(words, fields)) {
    const asked = material.once('asked-paths', () => findPaths(material.task.description))
    const rest = others.filter((word) => !TELLING.has(word))
    const named = [findPaths(rest.join(' ')), asked].find((paths) => all.some(({ call }) => isOf(call, paths))) ?? asked
    const own = named.length === 0 ? all : all.filter(({ call }) => isOf(call, named))
    const [first] = own
    if (first === undefined || all.length === MOST_ALIKE || !own.every(({ isExact }) => isExact)) continue
    const said = rest.filter((word) => !isOf(first.call, findPaths(word))).join(' ')
    if (said === first.value && own.every(({ value }) => value === said)) return support('figure', [first.call])
    const isOther = own.length === 1 && isNumber(said) && isNumber(first.value) && differ(said, first.value)
    // Somebody may have given it.
    const isGiven = [material.task.description, ...material.given].some((given) => numbersOf(given).includes(said))
    if (isOther && !isGiven)
      return contradict('figure', `${first.call.tool} returned "${first.text.trim()}"`, first.call)
  }
  return undefined
}

/** The labels among some words, with what stands under each and the words beside it. */
function* findLabels(words: readonly string[], fields: Fields) {
  const labels = words.map(toLabel)
  for (let at = 0; at < words.length; at++) {
    let label = ''
    for (let end = at; end < Math.min(words.length, at + LONGEST_LABEL); end++) {
      label = `${label} ${labels[end]}`.trim()
      const all = fields.get(label)
      if (all !== undefined) yield { all, others: words.toSpliced(at, end + 1 - at) }
    }
  }
}

/**
 * Whether the labels of some calls that a text names, and that have one number each, speak against what is said of it with
 * quoted words: that it is so, though its numbers are quoted and one label has another; or not so, though all are these.
 */
export function isAgainstLabels(text: string, isHeld: boolean, quoted: string, calls: readonly Call[], fields: Fields) {
  const words = toBare(text)
  const [said, given] = [numbersOf(text), numbersOf(quoted)]
  const known = (words.length > MOST_WORDS ? [] : [...findLabels(words, fields)]).flatMap(({ all }) => {
    const [own, ...more] = all.filter(({ call }) => calls.includes(call))
    const isOne = own !== undefined && more.length === 0 && all.length < MOST_ALIKE && !IS_LIST.test(own.text)
    return isOne && isNumber(own.value) ? [own.value] : []
  })
  const isIn = (all: readonly string[]) => (number: string) => all.some((one) => !differ(one, number))
  if (known.length === 0 || POINTS.test(text) || said.length === 0 || given.length === 0) return false
  return isHeld
    ? said.every(isIn(given)) && !known.every(isIn(said))
    : said.every(isIn(known)) && known.every(isIn(said))
}

const numbersOf = (text: string): readonly string[] => text.match(/-?\d+(?:[.,]\d+)*/g) ?? []

/** What stands under each label in what was read. */
export const fieldsOf = (material: Material) => material.once('fields', () => toFields(material))
type Fields = ReturnType<typeof toFields>

function toFields({ calls, done, once }: Material) {
  const changes = calls.filter(mayChange)
  const isSource = (call: Call): boolean =>
    call.tool !== 'recall' &&
    !changes.some(({ path }) => path === undefined || call.path === undefined || isSamePath(path, call.path))
  const sources = new Map(done.filter(isSource).map((call) => [call, squeeze(toPlainText(call.args))]))
  const rows = rowsOf({ done, once })
  const fields = (rows.length < MAX_ROWS ? rows : []).flatMap(({ call, fields: own, text, isTop }) =>
    own.map(([label, written]) => ({
      label: toLabel(label),
      call,
      text,
      value: toTelling(written).join(' '),
      /** Nothing else stands there, and no agent wrote or changed it. */
      isExact: isTop && sources.get(call)?.includes(squeeze(label + written)) === false,
    })),
  )
  const found = new Map<string, typeof fields>()
  for (const field of fields) {
    const same = found.get(field.label) ?? []
    if (same.length < MOST_ALIKE) found.set(field.label, [...same, field])
  }
  return found
}

const squeeze = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const toLabel = (text: string): string => (text.toLowerCase().match(/[^\s_.-]+/g) ?? []).join(' ')
const isOf = (call: Call, paths: readonly string[]): boolean =>
  paths.some((one) => (call.path === undefined ? call.words.includes(one) : isSamePath(call.path, one)))

const isNumber = (text: string): boolean => /^-?\d+(?:[.,]\d+)*$/.test(text)

/** Whether two numbers are others however one reads their signs. */
const differ = (a: string, b: string): boolean =>
  a !== b && !readNumber(a).some((one) => readNumber(b).some(({ value }) => one.value === value))
