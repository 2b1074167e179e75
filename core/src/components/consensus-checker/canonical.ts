import type { AnswerKind } from '../../contracts/stages/consensus.ts'
import { canonicalJson } from '../../support/canonical-json.ts'
import { findJson } from '../../text/index.ts'
import { canonicalNumber } from './numbers.ts'

const YES: ReadonlySet<string> = new Set(['yes', 'y', 'true', 'correct', '1'])
const NO: ReadonlySet<string> = new Set(['no', 'n', 'false', 'incorrect', '0'])
const CHOSEN = /\b(?:answer|option|choice)\b\W{0,5}(?:is\b\W{0,5})?([a-z])(?![\p{L}\p{N}])/iu
const LEADING_LETTER = /^\W*([a-z])(?![\p{L}\p{N}])/iu
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * An answer in the form in which answers of its kind are compared; `undefined` when it gives none, which abstains.
 * What does not read as the declared kind is compared as plain text.
 */
export function canonicalise(answer: unknown, kind: AnswerKind): string | undefined {
  if (answer === undefined || answer === null) return undefined
  const text = (typeof answer === 'string' ? answer : JSON.stringify(answer)).normalize('NFKC').trim()
  if (text === '') return undefined
  return read(answer, text, kind) ?? plain(text)
}

function read(answer: unknown, text: string, kind: AnswerKind): string | undefined {
  switch (kind) {
    case 'number':
      return canonicalNumber(text)
    case 'choice':
      return (CHOSEN.exec(text) ?? LEADING_LETTER.exec(text))?.[1]?.toUpperCase()
    case 'boolean':
      return canonicalBoolean(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    case 'date':
      return canonicalDate(text)
    case 'json':
      return toJson(typeof answer === 'string' ? findJson(text, { strict: true }).value : answer)
    case 'set':
      return canonicalSet(typeof answer === 'string' ? text : answer)
    case 'code':
      return (withoutFences(text).match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []).join(' ')
    case 'text':
      return undefined
  }
}

/** Yes or no by the first word, else by the only one of the two that occurs. */
function canonicalBoolean(words: readonly string[]): string | undefined {
  const first = words[0] ?? ''
  if (YES.has(first)) return 'yes'
  if (NO.has(first)) return 'no'
  const yes = words.some((word) => word === 'yes' || word === 'true')
  const no = words.some((word) => word === 'no' || word === 'false')
  return yes === no ? undefined : yes ? 'yes' : 'no'
}

const plain = (text: string): string => text.toLowerCase().replace(/\s+/gu, ' ')

const withoutFences = (text: string): string => text.replace(/^[^\S\n]*```.*$/gm, '')

/** `undefined` for what is no JSON. */
const toJson = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value))

function canonicalSet(value: unknown): string | undefined {
  const parsed = typeof value === 'string' && value.startsWith('[') ? findJson(value, { strict: true }).value : value
  const items = Array.isArray(parsed)
    ? parsed.map((item) => (typeof item === 'string' ? item : canonicalJson(item)))
    : typeof parsed === 'string'
      ? parsed.split(/[,;\n]|\band\b/iu)
      : undefined
  if (items === undefined) return undefined
  const members = items
    .map((item) => plain(item.replace(/^[\s*•-]+/u, '').replace(/(?<![\s.])[\s.]+$/u, '')))
    .filter((item) => item !== '')
  return JSON.stringify([...new Set(members)].sort())
}

function canonicalDate(text: string): string | undefined {
  const iso = /\b(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/.exec(text)
  if (iso !== null) return toDate(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const words = text.toLowerCase().match(/[\p{L}]+|\d+/gu) ?? []
  const month = words.findIndex((word) => MONTHS.includes(word.slice(0, 3)) && word.length >= 3 && !/^\d/.test(word))
  if (month < 0) return undefined
  const number = MONTHS.indexOf((words[month] ?? '').slice(0, 3)) + 1
  const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number)
  const year = numbers.find((value) => value >= 1000)
  const day = numbers.find((value) => value >= 1 && value <= 31)
  return year === undefined || day === undefined ? undefined : toDate(year, number, day)
}

function toDate(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : undefined
}
