/** Calls that try to get something dangerous approved unseen, at terminals of several sizes. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toShownText } from '../src/approval/shown-text.ts'
import { toLines } from '../src/render/width.ts'
import { type Asked, dropIn, type ModelServer, type Said, startModelServer } from './fixtures/model-server.ts'
import { atTerminal, hasTerminal, type Terminal } from './fixtures/terminal.ts'
import { addFiles, makeWorld, svc, type World } from './fixtures/world.ts'

const test = suite('approval attacks')

/** What must not be approved unseen. */
const EVIL = 'rm -rf important'

/** Texts that end with it, each hiding it in another way. */
const HIDDEN: Readonly<Record<string, string>> = {
  spaces: `echo ok${' '.repeat(6000)}; ${EVIL}`,
  newlines: `echo ok${'\n'.repeat(400)}${EVIL}`,
  tabs: `echo ok${'\t'.repeat(3000)}; ${EVIL}`,
  returns: `echo ok; ${EVIL}${'\r'.repeat(50)}echo harmless${' '.repeat(60)}`,
  noBreakSpaces: `echo ok${'\u00a0'.repeat(4000)}; ${EVIL}`,
  wideSpaces: `echo ok${'\u3000'.repeat(4000)}; ${EVIL}`,
  mixed: `echo ok${' \t\u2003'.repeat(2000)}; ${EVIL}`,
  escapes: `echo ok; ${EVIL}\u001b[2J\u001b[1;1H\u001b[1A\u001b[2K\u009b2Jecho harmless`,
  links: `echo ok; ${EVIL}\u001b]8;;https://example.org\u0007harmless\u001b]8;;\u0007\u001b]52;c;cm0=\u0007`,
  bidi: `echo ok; \u202e${EVIL}\u202c\u2066 harmless \u2069`,
  word: `echo ${'x'.repeat(1500)};${EVIL}`,
  words: `echo ${'harmless words '.repeat(100)}; ${EVIL}`,
  lines: `echo ok\n${'# harmless\n'.repeat(90)}${EVIL}`,
  combining: `echo o${'\u0336'.repeat(150)}k; ${EVIL}`,
  wide: `echo ${'課題'.repeat(400)}; ${EVIL}`,
  zeroWidth: `echo ok${'\u200b'.repeat(150)}; ${EVIL}`,
  keyShape: `echo -----BEGIN PRIVATE KEY-----; ${EVIL.replace('-', '+')}`,
  password: `echo http://x:;${EVIL.replaceAll(' ', '')};@host`,
  brackets: `echo ok ⟨6000 spaces⟩; ${EVIL}`,
}

let server: ModelServer
/** The call that the model makes next. */
let call: { name: string; args: string }

test.before(async () => {
  server = await startModelServer(
    ({ messages }: Asked): Said =>
      messages.some(({ role }) => role === 'tool') ? 'It is over: denied.' : { calls: [call] },
  )
})
test.after(() => server.close())

/** Takes anything, and leaves a file behind. */
const PLUGIN = `import { writeFileSync } from 'node:fs'
export default { name: 'anything', apply({ tools }) {
  tools.add('anything', { id: 'anything', description: 'Does anything.', risk: 'write', parameters: { type: 'object' },
    touches: async ({ command }) => (Array.isArray(command) ? { command } : {}),
    async run(args, { workspace }) { writeFileSync(workspace + '/done.json', JSON.stringify(args)); return 'done' } }) } }`

const makeOwn = (): World => makeWorld({}, { 'providers/mine.json': dropIn(server), 'plugins/anything.mjs': PLUGIN })
const isDone = ({ work }: World): boolean => existsSync(join(work, 'done.json'))

const ask = (world: World, name: string, args: unknown, columns: number, rows: number): Terminal => {
  call = { name, args: JSON.stringify(args) }
  return atTerminal(world, ['run', '--topology', 'SINGLE', 'Go on'], { columns, rows })
}

const QUESTION = /Allow \w+(?: with your arguments)?\? [^:]*: /
const UNSEEN = /\(v\)iew all of it: /
const PAGE = /\d+-(\d+) of (\d+)\. Enter: (?:more, q: back|to the question) /

/** Without what the terminal is told, the bars, the blanks, and the questions between pages. */
const squash = (text: string): string =>
  text.replace(CONTROL, '').replace(new RegExp(PAGE, 'g'), '').replace(/[\s│]/g, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: what steers a terminal
const CONTROL = /\u001b\[[0-9;?]*[A-Za-z]/g
const EVIL_SHOWN = /rm[-+]rfimportant/

/** What stands on the screen when a question is asked. */
const lastScreen = (said: string, columns: number, rows: number): string =>
  said
    .slice(said.lastIndexOf('\u001b[?1049l'))
    .replace(CONTROL, '')
    .split(/\r?\n/)
    .flatMap((line) => toLines(line, columns))
    .slice(-rows)
    .join('\n')

/** Looks at one page after the other. @returns all that they showed */
async function readPages(terminal: Terminal): Promise<string> {
  const before = terminal.said().length
  for (;;) {
    await terminal.says(PAGE)
    const last = [...terminal.said().matchAll(new RegExp(PAGE, 'g'))].at(-1)
    terminal.type('\r')
    if (last?.[1] === last?.[2]) return terminal.said().slice(before)
  }
}

if (hasTerminal) {
  for (const [columns, rows, names] of [
    [80, 24, ['spaces', 'words']],
    [40, 10, ['newlines', 'keyShape', 'bidi']],
  ] as const) {
    test(`at ${columns} columns and ${rows} rows nothing dangerous is approved before it was on the screen`, async () => {
      for (const name of names) {
        const world = makeOwn()
        const script = HIDDEN[name]
        const terminal = ask(world, 'anything', { script }, columns, rows)
        await terminal.says(QUESTION)
        const screen = lastScreen(terminal.said(), columns, rows)
        terminal.type('y\r')
        if (/\(v\)iew/.test(screen)) {
          await terminal.says(/Not all of it was shown yet/)
          assert.not.ok(isDone(world), name)
          assert.match(squash(await readPages(terminal)), EVIL_SHOWN, name)
          await terminal.says(QUESTION)
          assert.not.ok(isDone(world), name)
          terminal.type('y\r')
        } else assert.match(squash(screen), EVIL_SHOWN, `${name} was offered a plain yes, unseen`)
        assert.is((await terminal.end).code, 0, name)
        assert.is(JSON.parse(readFileSync(join(world.work, 'done.json'), 'utf8')).script, script, name)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what would steer the terminal
        assert.not.match(terminal.said(), /\u001b\[2J|\u001b\[1;1H|\u001b\]|\u009b|[\u202a-\u202e\u200b]/, name)
      }
    })
  }

  test('the end of a long command stands right above the question, with how much lies between', async () => {
    const world = makeOwn()
    const terminal = ask(world, 'anything', { command: ['bash', '-c', HIDDEN.words], more: 'y'.repeat(3000) }, 80, 24)
    await terminal.says(QUESTION)
    const screen = lastScreen(terminal.said(), 80, 24)
    assert.match(
      squash(screen),
      /notshown:v.*command:bash-c'echoharmlesswords.*⟨\d+characters⟩.*;rm-rfimportant'in\/.*workAllowanything\?\(y\)es/,
    )
    terminal.type('n\r')
    assert.is((await terminal.end).code, 7)
  })

  test('an argument that stands after a huge one, or is named as svc names things, is seen before a yes', async () => {
    for (const args of [
      { 'path: safe.txt\n\nAllow anything? (y)es: y': 1, content: 'x'.repeat(6000), last: EVIL },
      { nested: [{ deep: { deeper: ['x'.repeat(6000), { last: EVIL }] } }] },
      { list: [...Array(60).fill('ok'), EVIL], filler: 'x'.repeat(3000) },
      { command: 'echo ok', path: 'safe.txt', ' ': { ' ': `${' '.repeat(3000)}${EVIL}` } },
    ]) {
      const world = makeOwn()
      const terminal = ask(world, 'anything', args, 80, 24)
      await terminal.says(QUESTION)
      const screen = lastScreen(terminal.said(), 80, 24)
      if (/\(v\)iew/.test(screen)) {
        terminal.type('v\r')
        assert.match(squash(await readPages(terminal)), EVIL_SHOWN)
        await terminal.says(QUESTION)
      } else assert.match(squash(screen), EVIL_SHOWN)
      terminal.type('n\r')
      const { lines } = await terminal.end
      const asked = lines.filter((line) => line.startsWith('Allow'))
      assert.ok(
        asked.every((line) => /^Allow anything\? \(y\)es, \(n\)o/.test(line)),
        asked.join('\n'),
      )
      assert.not.ok(isDone(world))
    }
  })

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

  test('what a person edited is shown whole, too, before it is done', async () => {
    const world = makeOwn()
    const program = `require('fs').writeFileSync(process.argv[2], JSON.stringify({ script: 'a b '.repeat(900) + '${EVIL}' }))`
    addFiles(world.home, { 'editor.cjs': program })
    call = { name: 'anything', args: '{"script":"ok"}' }
    const terminal = atTerminal(world, ['run', '--topology', 'SINGLE', 'Go on'], {
      env: { EDITOR: `${process.execPath} ${join(world.home, 'editor.cjs')}` },
    })
    await terminal.says(QUESTION)
    terminal.type('e\r')
    await terminal.says(/with your arguments\? .*\(v\)iew all of it: /)
    terminal.type('y\r')
    assert.match(squash(await readPages(terminal)), EVIL_SHOWN)
    await terminal.says(/with your arguments\? /)
    assert.not.ok(isDone(world))
    terminal.type('y\r')
    assert.is((await terminal.end).code, 0)
    assert.match(readFileSync(join(world.work, 'done.json'), 'utf8'), EVIL)
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

test('without a terminal nobody is asked, and what is said of the call shows its end', async () => {
  const world = makeOwn()
  call = { name: 'anything', args: JSON.stringify({ script: HIDDEN.words }) }
  const { code } = await svc(world, ['run', '--topology', 'SINGLE', 'Go on'], { input: 'y\ny\n' })
  assert.is(code, 7)
  assert.not.ok(isDone(world))
})

test.run()
