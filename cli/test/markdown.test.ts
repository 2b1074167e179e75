/** Markdown as lines of a terminal: whatever a model writes, no line is wider than the terminal, and no word is lost. */
import fc from 'fast-check'
import pc from 'picocolors'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MarkdownStream, renderMarkdown } from '../src/render/markdown/markdown.ts'
import { widthOf } from '../src/render/width.ts'

const test = suite('markdown')
const paint = pc.createColors(false)
const lines = (text: string, columns = 60): string[] => renderMarkdown(text, columns, paint)

/** Pieces that mean something, in any order, and words of several scripts. */
const piece = fc.oneof(
  fc.constantFrom(
    '# ',
    '## ',
    '- ',
    '  - ',
    '1. ',
    '- [x] ',
    '> ',
    '```ts\n',
    '```\n',
    '| a | b |\n|---|:-:|\n',
    '| ',
    ' | ',
    '\n',
    '\n\n',
    '**',
    '_',
    '`',
    '~~',
    '[text](https://example.org/a/rather/long/address)',
    '![image](x.png)',
    '---\n',
    '<b>',
    '\t',
    '&amp;',
    '\u001b[2J',
    '\u202e',
    '\r\n',
  ),
  fc.constantFrom(
    'word',
    '課題',
    '👩‍🚀',
    'naïve',
    'a-very-long-word-that-has-no-place-to-break-at-all-whatever-one-does',
  ),
  fc.string({ maxLength: 12 }),
)
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(' '))
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach the terminal
const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

test('no line is wider than the terminal, and nothing in it steers the terminal', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 100 }), (markdown, columns) => {
      for (const line of lines(markdown, columns)) {
        assert.ok(widthOf(line) <= columns, `${columns}: ${JSON.stringify(line)} of ${JSON.stringify(markdown)}`)
        assert.not.match(line, STEERS)
      }
    }),
    { numRuns: 500 },
  )
})

test('every word of a text stands there, in its order', () => {
  const word = fc.stringMatching(/^[a-z]{1,30}$/)
  const block = fc.tuple(
    fc.constantFrom('', '# ', '- ', '> ', '1. ', '**', '    '),
    fc.array(word, { minLength: 1, maxLength: 30 }),
  )
  fc.assert(
    fc.property(
      fc.array(block, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 8, max: 100 }),
      (blocks, columns) => {
        const markdown = blocks
          .map(([mark, words]) => `${mark}${words.join(' ')}${mark === '**' ? mark : ''}`)
          .join('\n\n')
        const letters = (shown: string): string => shown.replace(/[^a-z]/g, '')
        assert.is(letters(lines(markdown, columns).join('')), letters(markdown))
      },
    ),
  )
})

test('in pieces it is the same as at once, whatever the pieces', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 7 }), (markdown, size) => {
      const stream = new MarkdownStream()
      const shown: string[] = []
      for (let at = 0; at < markdown.length; at += size) {
        stream.add(markdown.slice(at, at + size))
        shown.push(...stream.take(61, paint))
        for (const line of stream.look(61, 10, paint)) assert.ok(widthOf(line) < 61)
      }
      shown.push(...stream.take(61, paint, true))
      const words = (all: readonly string[]): string => all.join('\n').replace(/\s+/g, ' ').trim()
      assert.is(words(shown), words(lines(markdown)))
    }),
  )
})

test('items of a list and lines of code are handed out as soon as they are whole', () => {
  const stream = new MarkdownStream()
  const show = (piece: string, isEnd = false): string[] => {
    stream.add(piece)
    return stream.take(61, paint, isEnd)
  }
  assert.equal(show('Three:\n\n1. one\n1. tw'), ['Three:', '', '1. one'])
  assert.equal(stream.look(61, 10, paint), ['2. tw'])
  assert.equal(show('o\n   - inner\n1. three\n'), ['2. two', '   ◦ inner'])
  assert.equal(show('\nThen:\n\n'), ['3. three'])
  assert.equal(show('```ts\nconst a = 1\n\ncon'), ['', 'Then:', '', '  ts', '  const a = 1', ''])
  assert.equal(stream.look(61, 10, paint), ['  con'])
  assert.equal(show('st b = 2\n``'), ['  const b = 2'])
  assert.equal(show('`\n\n- a\n\n- b\n\n- c\n'), ['', '• a', '', '• b'])
  assert.equal(show('', true), ['', '• c'])
})

test('headings, lists, tasks, code, quotes, links and tables look like what they are', () => {
  const markdown = [
    '# Title',
    '',
    'See [the docs](https://example.org) and **this**.',
    '',
    '- one',
    '  - two',
    '- [x] done',
    '',
    '3. third',
    '4. fourth',
    '',
    '> said',
    '',
    '```ts',
    'const a = 1',
    '```',
    '',
    '| part | n |',
    '|---|--:|',
    '| a | 10 |',
    '',
    '---',
  ].join('\n')
  assert.equal(lines(markdown), [
    'Title',
    '',
    'See the docs (https://example.org) and this.',
    '',
    '• one',
    '  ◦ two',
    '• [x] done',
    '',
    '3. third',
    '4. fourth',
    '',
    '│ said',
    '',
    '  ts',
    '  const a = 1',
    '',
    'part │  n',
    '─────┼───',
    'a    │ 10',
    '',
    '─'.repeat(40),
  ])
})

test('a table that is too wide breaks its cells, and with no room for columns each row is a block', () => {
  const markdown =
    '| name | what it does |\n|---|---|\n| core | the nouns and the verbs of a run |\n| cli | the command |'
  assert.equal(lines(markdown, 30), [
    'name │ what it does',
    '─────┼────────────────────────',
    'core │ the nouns and the verbs',
    '     │ of a run',
    'cli  │ the command',
  ])
  assert.equal(lines(markdown, 14).slice(0, 2), ['name: core', 'what it does:'])
})

test('thousands of quotes in each other are shown as text', () => {
  assert.ok(lines('>'.repeat(20_000)).length > 0)
})

test.run()
