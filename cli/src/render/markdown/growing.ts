import type { Token, Tokens } from 'marked'
import type { Io } from '../../frame/io.ts'
import { renderBlock } from './blocks.ts'

/** A block of which a part was handed out. */
export interface Begun {
  type: 'list' | 'code'
  /** The number of the next item. */
  next: number | undefined
  /** Whether an empty line stands between its items. */
  isLoose: boolean
}

/** What is whole of a block that grows: its items but the last one, or its lines of code. */
export interface Cut {
  whole: Token
  /** What follows, a block of the same kind. */
  rest: string
  begun: Begun
}

const OPENING = /^(?:```|~~~)[^\n]*\n/
/** An item of which more than its mark is there: less may become something else. */
const ITEM = /^ {0,3}(?:[*+-]|\d{1,9}[.)])[ \t]+\S/

/** @returns undefined where nothing of it is whole */
export function cutGrowing(token: Token, begun: Begun | undefined): Cut | undefined {
  if (token.type === 'list') return cutList(token as Tokens.List, begun)
  return token.type === 'code' ? cutCode(token as Tokens.Code) : undefined
}

function cutList(list: Tokens.List, begun: Begun | undefined): Cut | undefined {
  const items = list.items.slice(0, -1)
  const rest = list.raw.slice(items.reduce((length, { raw }) => length + raw.length, 0))
  if (items.length === 0 || !ITEM.test(rest)) return undefined
  const isLoose = list.loose || begun?.isLoose === true
  const first = begun?.next ?? (typeof list.start === 'number' ? list.start : undefined)
  const next = first === undefined ? undefined : first + items.length
  return { whole: { ...list, items }, rest, begun: { type: 'list', next, isLoose } }
}

function cutCode(code: Tokens.Code): Cut | undefined {
  const [opening] = OPENING.exec(code.raw) ?? []
  const end = code.raw.lastIndexOf('\n')
  if (opening === undefined || end < opening.length) return undefined
  const text = code.raw.slice(opening.length, end)
  const rest = opening + code.raw.slice(end + 1)
  return { whole: { ...code, text }, rest, begun: { type: 'code', next: undefined, isLoose: false } }
}

/** The next part of a block, as lines that go on below those before. */
export function renderNext(token: Token, begun: Begun, width: number, paint: Io['paint']): string[] {
  if (token.type === 'list') {
    const list = token as Tokens.List
    const lines = renderBlock({ ...list, start: begun.next ?? list.start }, width, paint)
    return begun.isLoose || list.loose ? ['', ...lines] : lines
  }
  const { text } = token as Tokens.Code
  return text === '' ? [] : renderBlock({ ...token, lang: '' }, width, paint)
}
