/** Calls that try to get something dangerous approved unseen, at terminals of several sizes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toShownText } from '../src/ask/shown-text.ts'
import { type Asked, dropIn, type Said, startModelServer } from './fixtures/model-server.ts'
import { atTerminal, hasTerminal, type Terminal } from './fixtures/terminal.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('approval attacks')

/** What must not be approved unseen. */
const EVIL = 'rm -rf important'

/** Texts that end with it, each hiding it in another way. */
const HIDDEN: Readonly<Record<string, string>> = {
  spaces: `echo ok${' '.repeat(6000)}; ${EVIL}`,
  newlines: `echo ok${'\n'.repeat(400)}${EVIL}`,
  tabs: `echo ok${'\t'.repeat(3000)}; ${EVIL}`,
  noBreakSpaces: `echo ok${'\u00a0'.repeat(4000)}; ${EVIL}`,
  mixed: `echo ok${' \t\u2003'.repeat(2000)}; ${EVIL}`,
  lines: `echo ok\n${'# harmless\n'.repeat(90)}${EVIL}`,
  brackets: `echo ok ⟨6000 spaces⟩; ${EVIL}`,
}

/** The call that the model makes next. */
let call: { name: string; args: string }

const server = await startModelServer(
  ({ messages }: Asked): Said =>
    messages.some(({ role }) => role === 'tool') ? 'It is over: denied.' : { calls: [call] },
)

/** Takes anything, and leaves a file behind. */
const TOOL = `import { writeFileSync } from 'node:fs'
export default { id: 'anything', description: 'Does anything.', risk: 'write', parameters: { type: 'object' },
  async run(args, { workspace }) { writeFileSync(workspace + '/done.json', JSON.stringify(args)); return 'done' } }`

const makeOwn = (): World => makeWorld({}, { 'providers/mine.json': dropIn(server), 'tools/anything.mjs': TOOL })
const isDone = ({ work }: World): boolean => existsSync(join(work, 'done.json'))

const ask = (world: World, name: string, args: unknown, columns: number, rows: number): Terminal => {
  call = { name, args: JSON.stringify(args) }
  return atTerminal(world, ['run', '--topology', 'SINGLE', 'Go on'], { columns, rows })
}

const UNSEEN = /\(v\)iew all of it: /
const PAGE = /\d+-(\d+) of (\d+)\. Enter: (?:more, q: back|to the question) /

if (hasTerminal) {
  test('a page that was left, and a yes to all equal calls, count as little as a plain yes', async () => {
    const world = makeOwn()
    const terminal = ask(world, 'anything', { script: HIDDEN.lines }, 40, 10)
    await terminal.says(UNSEEN)
    terminal.type('v\r')
    await terminal.says(PAGE)
    terminal.type('q\r')
    await terminal.says(UNSEEN)
    terminal.type('a\r')
    await terminal.says(/Not all of it was shown yet/)
    await terminal.says(PAGE)
    // keys that come before a page is there do not turn it
    terminal.type('\r\r\r\r\r\r\r\r')
    await terminal.says(PAGE)
    terminal.type('q\r')
    await terminal.says(UNSEEN)
    assert.not.ok(isDone(world))
    terminal.type('n\r')
    await terminal.end
    assert.not.ok(isDone(world))
  })
}

test('blanks are counted, and every sign that cannot be seen stands as its code', () => {
  assert.is(toShownText(HIDDEN.spaces ?? ''), `echo ok⟨6000 spaces⟩; ${EVIL}`)
  assert.is(toShownText(HIDDEN.tabs ?? ''), `echo ok⟨3000 tabs⟩; ${EVIL}`)
  assert.is(toShownText(HIDDEN.newlines ?? ''), `echo ok\n⟨399 empty lines⟩\n${EVIL}`)
  assert.is(toShownText(HIDDEN.mixed ?? ''), `echo ok⟨6000 blanks⟩; ${EVIL}`)
  assert.is(toShownText(HIDDEN.noBreakSpaces ?? ''), `echo ok⟨4000 × \\u{a0}⟩; ${EVIL}`)
  assert.is(toShownText(`+a\n${'+\n'.repeat(50)}+b`), '+a\n+⟨50 empty lines⟩\n+b')
  assert.is(toShownText(JSON.stringify({ a: `x${'\n'.repeat(90)}y` })), '{"a":"x⟨90 blanks⟩y"}')
  assert.is(toShownText(HIDDEN.brackets ?? ''), `echo ok \\u{27e8}6000 spaces\\u{27e9}; ${EVIL}`)
  assert.is(toShownText('a\u00a0b\u3000c\u2028d\u200be'), 'a\\u{a0}b\\u{3000}c\\u{2028}d\\u{200b}e')
  assert.is(toShownText('o\u0336\u0336\u0336\u0336 \u0301'), 'o\u0336\u0336\u0336\\u{336} \\u{301}')
  for (const text of ['+  a\n-\tb\n c', '課題', 'e\u0301', 'if (x) {\n    return\n\n\n}'])
    assert.is(toShownText(text), text)
})

test.run()
