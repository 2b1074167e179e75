/** What a person types, and where the cursor stands in it: an offset that is never within a sign. */
export interface Draft {
  readonly text: string
  readonly cursor: number
  /** What was cut last, to be put in again. */
  readonly cut: string
}

export const EMPTY: Draft = { text: '', cursor: 0, cut: '' }

const segmenter = new Intl.Segmenter()
const IS_WORD = /[\p{L}\p{N}_]/u

/** A text with the cursor at its end. */
export const draftOf = (text: string, cut = ''): Draft => ({ text, cursor: text.length, cut })

/** Puts a text in at the cursor. What controls a terminal is left out, and line breaks are those of Unix. */
export function insert({ text, cursor, cut }: Draft, typed: string): Draft {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are left out
  const safe = typed.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  const before = text.slice(0, cursor) + safe
  return fixed({ text: before + text.slice(cursor), cursor: before.length, cut })
}

/** What a key does to a draft; undefined for a key that edits nothing. */
export function edit(draft: Draft, key: string): Draft | undefined {
  const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined
  return action?.(draft)
}

const moveTo = (draft: Draft, cursor: number): Draft => ({ ...draft, cursor })

/** Takes what lies between two places out. @param keeps whether it can be put in again */
function remove(draft: Draft, from: number, to: number, keeps: boolean): Draft {
  if (from >= to) return draft
  const { text } = draft
  const cut = keeps ? text.slice(from, to) : draft.cut
  return fixed({ text: text.slice(0, from) + text.slice(to), cursor: from, cut })
}

/** Signs may have grown together where something was taken out or put in. */
function fixed(draft: Draft): Draft {
  const { text, cursor } = draft
  if (cursor === 0 || cursor === text.length) return draft
  const around = segmentAt(text, cursor)
  return around === cursor ? draft : { ...draft, cursor: around }
}

/** The start of the sign that an offset lies in. */
const segmentAt = (text: string, at: number): number => {
  const start = lineStart(text, at)
  const line = text.slice(start, at + 64)
  return start + (segmenter.segment(line).containing(at - start)?.index ?? line.length)
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function before(text: string, at: number): number {
  if (at === 0) return 0
  return text[at - 1] === '\n' ? at - 1 : segmentAt(text, at - 1)
}

function after(text: string, at: number): number {
  if (at >= text.length) return text.length
  if (text[at] === '\n') return at + 1
  const line = text.slice(at, Math.min(lineEnd(text, at), at + 256))
  const [first] = segmenter.segment(line)
  return at + (first?.segment.length ?? 1)
}

function wordBefore(text: string, at: number): number {
  let place = at
  while (place > 0 && !IS_WORD.test(text[place - 1] ?? '')) place--
  while (place > 0 && IS_WORD.test(text[place - 1] ?? '')) place--
  return segmentAt(text, place)
}

function wordAfter(text: string, at: number): number {
  let place = at
  while (place < text.length && !IS_WORD.test(text[place] ?? '')) place++
  while (place < text.length && IS_WORD.test(text[place] ?? '')) place++
  return place >= text.length ? text.length : segmentAt(text, place)
}

/** To the same column of the line above or below; undefined where there is none. */
function lineMove({ text, cursor, cut }: Draft, down: boolean): Draft | undefined {
  const start = lineStart(text, cursor)
  const end = lineEnd(text, cursor)
  if (down ? end === text.length : start === 0) return undefined
  const next = down ? end + 1 : lineStart(text, start - 1)
  const place = Math.min(next + cursor - start, lineEnd(text, next))
  return fixed({ text, cursor: place, cut })
}

const ACTIONS: Readonly<Record<string, (draft: Draft) => Draft | undefined>> = {
  left: (draft) => moveTo(draft, before(draft.text, draft.cursor)),
  right: (draft) => moveTo(draft, after(draft.text, draft.cursor)),
  'ctrl-b': (draft) => moveTo(draft, before(draft.text, draft.cursor)),
  'ctrl-f': (draft) => moveTo(draft, after(draft.text, draft.cursor)),
  up: (draft) => lineMove(draft, false),
  down: (draft) => lineMove(draft, true),
  home: (draft) => moveTo(draft, lineStart(draft.text, draft.cursor)),
  end: (draft) => moveTo(draft, lineEnd(draft.text, draft.cursor)),
  'ctrl-a': (draft) => moveTo(draft, lineStart(draft.text, draft.cursor)),
  'ctrl-e': (draft) => moveTo(draft, lineEnd(draft.text, draft.cursor)),
  'ctrl-home': (draft) => moveTo(draft, 0),
  'ctrl-end': (draft) => moveTo(draft, draft.text.length),
  'alt-b': (draft) => moveTo(draft, wordBefore(draft.text, draft.cursor)),
  'alt-f': (draft) => moveTo(draft, wordAfter(draft.text, draft.cursor)),
  'ctrl-left': (draft) => moveTo(draft, wordBefore(draft.text, draft.cursor)),
  'ctrl-right': (draft) => moveTo(draft, wordAfter(draft.text, draft.cursor)),
  'alt-left': (draft) => moveTo(draft, wordBefore(draft.text, draft.cursor)),
  'alt-right': (draft) => moveTo(draft, wordAfter(draft.text, draft.cursor)),
  backspace: (draft) => remove(draft, before(draft.text, draft.cursor), draft.cursor, false),
  'ctrl-h': (draft) => remove(draft, before(draft.text, draft.cursor), draft.cursor, false),
  delete: (draft) => remove(draft, draft.cursor, after(draft.text, draft.cursor), false),
  'ctrl-d': (draft) => remove(draft, draft.cursor, after(draft.text, draft.cursor), false),
  'ctrl-w': (draft) => remove(draft, wordBefore(draft.text, draft.cursor), draft.cursor, true),
  'alt-backspace': (draft) => remove(draft, wordBefore(draft.text, draft.cursor), draft.cursor, true),
  'alt-d': (draft) => remove(draft, draft.cursor, wordAfter(draft.text, draft.cursor), true),
  'ctrl-u': (draft) => remove(draft, lineStart(draft.text, draft.cursor), draft.cursor, true),
  'ctrl-k': (draft) => {
    const { text, cursor } = draft
    return remove(draft, cursor, text[cursor] === '\n' ? cursor + 1 : lineEnd(text, cursor), true)
  },
  'ctrl-y': (draft) => insert(draft, draft.cut),
  'ctrl-j': (draft) => insert(draft, '\n'),
  newline: (draft) => insert(draft, '\n'),
  'alt-enter': (draft) => insert(draft, '\n'),
  'shift-enter': (draft) => insert(draft, '\n'),
  'ctrl-enter': (draft) => insert(draft, '\n'),
}
