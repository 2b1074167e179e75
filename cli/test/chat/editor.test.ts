/** What keys do to the text of a chat: pure, whatever the keys. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { layOut } from '../../src/chat/editor/layout.ts'
import { type Draft, draftOf, EMPTY, edit, insert } from '../../src/chat/editor/text.ts'
import { widthOf } from '../../src/render/width.ts'
import { KeyReader } from '../../src/terminal/keys.ts'

const test = suite('chat editor')

const KEYS = [
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'ctrl-a',
  'ctrl-e',
  'alt-b',
  'alt-f',
  'backspace',
  'delete',
  'ctrl-w',
  'alt-d',
  'ctrl-u',
  'ctrl-k',
  'ctrl-y',
  'ctrl-j',
  'newline',
  'alt-enter',
]
const typed = fc.oneof(
  fc.record({ key: fc.constantFrom(...KEYS) }),
  fc.record({
    text: fc.constantFrom('a', 'two words', '課', '👩‍🚀', 'e\u0301', '\u200d', '\r\n', '\t', 'x\ny', '\u001b[2J'),
  }),
)
type Typed = { key: string } | { text: string }
const apply = (draft: Draft, step: Typed): Draft =>
  'text' in step ? insert(draft, step.text) : (edit(draft, step.key) ?? draft)
const press = (draft: Draft, ...keys: string[]): Draft => keys.reduce((now, key) => edit(now, key) ?? now, draft)

test('whatever is typed, the cursor stands between two signs, and no control reaches the text', () => {
  const segmenter = new Intl.Segmenter()
  fc.assert(
    fc.property(fc.array(typed, { maxLength: 60 }), (steps) => {
      const { text, cursor } = steps.reduce(apply, EMPTY)
      const places = new Set([text.length, ...Array.from(segmenter.segment(text), ({ index }) => index)])
      assert.ok(places.has(cursor), JSON.stringify({ text, cursor }))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not stand there
      assert.not.match(text, /[\u0000-\u0008\u000b-\u001f]/)
    }),
    { numRuns: 500 },
  )
})

test('the cursor is shown where it stands, and no row is wider than the terminal', () => {
  fc.assert(
    fc.property(
      fc.array(typed, { maxLength: 60 }),
      fc.integer({ min: 8, max: 40 }),
      fc.integer({ min: 1, max: 6 }),
      (steps, width, most) => {
        const { rows, at } = layOut(steps.reduce(apply, EMPTY), width, most)
        assert.ok(rows.length <= most && at.line >= 0 && at.line < rows.length && at.column >= 0 && at.column < width)
        for (const row of rows) assert.ok(widthOf(row) <= width, row)
      },
    ),
  )
})

test('words, lines and what was cut', () => {
  const draft = draftOf('read the file\nand say')
  assert.equal(press(draft, 'ctrl-w'), { text: 'read the file\nand ', cursor: 18, cut: 'say' })
  assert.equal(press(draft, 'ctrl-w', 'ctrl-a', 'ctrl-y').text, 'read the file\nsayand ')
  assert.is(press(draft, 'up').cursor, 7)
  assert.is(press(draft, 'alt-b', 'alt-b').cursor, 14)
  assert.is(press(draft, 'ctrl-u', 'backspace').text, 'read the file')
  assert.is(press(draft, 'up', 'ctrl-k').text, 'read th\nand say')
  assert.is(press(draft, 'home', 'delete').text, 'read the file\nnd say')
  assert.is(edit(draftOf('one line'), 'up'), undefined)
})

const read = (...pieces: string[]): string[] => {
  const reader = new KeyReader()
  return pieces
    .flatMap((piece) => reader.feed(piece))
    .map(({ name, text }) => (text === undefined ? name : `${name}:${text}`))
}

test('keys come as terminals send them, in whatever pieces', () => {
  const all: [string, string[]][] = [
    ['a課', ['text:a課']],
    ['\r', ['enter']],
    ['\n', ['ctrl-j']],
    ['say it\r', ['text:say it', 'enter']],
    ['one\rtwo\r', ['text:one', 'newline', 'text:two', 'enter']],
    ['\u001b[A\u001bOB\u001b[1;5C', ['up', 'down', 'ctrl-right']],
    ['\u001b\r\u001b[13;2u\u001b[27;2;13~', ['alt-enter', 'shift-enter', 'shift-enter']],
    ['\u001bb\u001b\u007f\u0003\u0012', ['alt-b', 'alt-backspace', 'ctrl-c', 'ctrl-r']],
    ['\u001b[27u\u001b[99;5u', ['escape', 'ctrl-c']],
    ['\u001b[200~a\r\nb\u001b[31m\u001b[201~c', ['paste:a\r\nb\u001b[31m', 'text:c']],
    ['\u001b[3~\u001b[H\u001b[F', ['delete', 'home', 'end']],
  ]
  for (const [sent, keys] of all) {
    assert.equal(read(sent), keys)
  }
  assert.equal(read(...'\u001b[1;5C\u001bOB\u001b[200~a\rb\u001b[201~\u001b[13;2u'), [
    'ctrl-right',
    'down',
    'paste:a\rb',
    'shift-enter',
  ])
  const reader = new KeyReader()
  assert.equal(reader.feed('\u001b'), [])
  assert.ok(reader.isOpen)
  assert.equal(reader.flush(), [{ name: 'escape' }])
})

test.run()
