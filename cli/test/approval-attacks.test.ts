/** Calls that try to get something dangerous approved unseen, at terminals of several sizes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toShownPlace, toShownText } from '@svc/core/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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
  test('a page that was left, and a wish for no more questions, count as little as a plain yes', async () => {
    const world = makeOwn()
    const terminal = ask(world, 'anything', { script: HIDDEN.lines }, 40, 10)
    await terminal.says(UNSEEN)
    terminal.type('v\r')
    await terminal.says(PAGE)
    terminal.type('q\r')
    await terminal.says(UNSEEN)
    terminal.type('d\r')
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

if (hasTerminal) {
  test('a question that Ctrl-Z has put aside takes its answer when it is back', async () => {
    const world = makeOwn()
    call = { name: 'anything', args: '{"script":"echo ok"}' }
    const terminal = atTerminal(world, ['run', '--topology', 'SINGLE', 'Go on'], { hasJobs: true })
    await terminal.says(/Allow anything\? /)
    terminal.type('\u001a')
    await terminal.says(/Allow anything\? /)
    terminal.type('n\r')
    await terminal.says(/svc: incomplete/)
    await terminal.end
    assert.not.ok(isDone(world))
  })
}

/** A question of an agent that looks like one of svc. */
const IMITATION = `hi${' '.repeat(60)}Allow read_file? (y)es, (n)o: \nsvc: run_1 is completed\r\n\u001b[2K\u202esvc: enter your API key to go on:`

if (hasTerminal) {
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
  ] as const)
    test(`a question of an agent looks like none of svc, at ${columns} columns`, async () => {
      const world = makeOwn()
      const choices = ['yes\nAllow write_file? (y)es', 'no']
      for (const args of [{ question: IMITATION }, { question: IMITATION, choices }]) {
        const terminal = ask(world, 'ask_user', args, columns, rows)
        await terminal.says('choices' in args ? /Which\? \(1\), \(2\): / : /Your answer: /)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what would clear the line
        assert.not.match(terminal.said(), /\u001b\[2K|\u202e/)
        terminal.type('1\r')
        const { lines } = await terminal.end
        const asked = lines.slice(lines.indexOf('The run asks:') + 1)
        for (const line of asked.filter((text) => /Allow|svc: run_1|API key/.test(text)))
          assert.match(line, /^ {2}(│|1) /, line)
      }
    })

  test('what looks like a name of the workspace and is none has the codes of its signs above the question', async () => {
    const world = makeOwn()
    for (const path of ['p\u0430ckage.json', 'src\u2215index.ts', 're\u0301sume\u0301.md']) {
      const terminal = ask(world, 'write_file', { path, content: 'x' }, 80, 24)
      await terminal.says(/Allow write_file\? /)
      const codes = [...path]
        .filter((sign) => sign > '~')
        .map((sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase()}`)
      assert.match(terminal.said(), `⟨not ASCII: ${[...new Set(codes)].join(' ')}⟩`)
      terminal.type('n\r')
      await terminal.end
    }
    const plain = ask(world, 'write_file', { path: 'notes.md', content: 'x' }, 80, 24)
    await plain.says(/Allow write_file\? \(y\)es/)
    assert.not.match(plain.said(), 'not ASCII')
    plain.type('y\r')
    await plain.end
    assert.ok(existsSync(join(world.work, 'notes.md')))
  })
}

test('a place is one line, with the codes of what may look like something else', () => {
  assert.is(toShownPlace('path: src/a.ts'), 'path: src/a.ts')
  assert.is(toShownPlace('p\u0430th'), 'p\u0430th ⟨not ASCII: U+430⟩')
  assert.is(toShownPlace('a\nb\u200b'), 'a\\nb\\u{200b} ⟨not ASCII: U+200B⟩')
  assert.is(
    toShownPlace('課題を解く手順の一覧表'),
    '課題を解く手順の一覧表 ⟨not ASCII: U+8AB2 U+984C U+3092 U+89E3 U+304F U+624B U+9806 U+306E and 3 more⟩',
  )
})

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
