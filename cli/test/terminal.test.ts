/** What a person at a terminal sees of a run, from the first line to the last. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../server/test/fixtures/until.ts'
import { dropIn, inPieces, startModelServer } from './fixtures/model-server.ts'
import { atTerminal, hasTerminal } from './fixtures/terminal.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('terminal')

/** How many pieces of the answer may come. */
let mayCome = 0

const POEM = ['The crane stands still, ', 'the harbour sleeps, ', '課題 and 👩‍🚀.']

const server = await startModelServer(({ messages }) =>
  JSON.stringify(messages).includes('17*23')
    ? `17*23 = ${JSON.stringify(messages).includes('392') ? 391 : 392}.`
    : JSON.stringify(messages).includes('HANG')
      ? inPieces(['It begins ', 'and ends.'], (index) => (index === 0 ? Promise.resolve() : new Promise(() => {})))
      : inPieces(POEM, (index) => until(() => mayCome > index)),
)
const world = makeWorld({}, { 'providers/mine.json': dropIn(server) })

const RUN = ['run', '--topology', 'SINGLE']

if (hasTerminal) {
  test('the answer is seen as it comes; what stays is the answer once, and one line', async () => {
    mayCome = 1
    const terminal = atTerminal(world, [...RUN, 'Write a poem of the harbour'])
    await terminal.says(/The crane stands still/)
    assert.not.match(terminal.said(), /harbour sleeps/)
    mayCome = 9
    const { code, lines } = await terminal.end
    assert.is(code, 0)
    const [first = '', answer, last = '', ...more] = lines
    assert.match(first, /^svc: run_\w+$/)
    assert.is(answer, POEM.join(''))
    assert.match(
      [last, ...more].join(' ').trim(),
      /^svc: completed, unverified, 0 of 1 statement held, \d+\.\d s, 1 agent, 1 model call, \d+ tokens, cost unknown, run_\w+$/,
    )
    assert.is(lines.join('\n').split('crane').length, 2)
  })

  test('what is typed during a run is not seen, and is there for the shell', async () => {
    mayCome = 1
    const next = 'read -r line; echo "the shell read: $line"'
    const terminal = atTerminal(world, [...RUN, 'Write a poem of the harbour'], { next })
    await terminal.says(/The crane stands still/)
    terminal.type('typed ahead\n')
    mayCome = 9
    const { lines } = await terminal.end
    assert.match(lines.join('\n'), /run_\w+\nthe shell read: typed ahead/)
    assert.is(terminal.said().split('typed ahead').length, 2)
  })

  test('a run in the background comes to its end there', async () => {
    mayCome = 9
    const { lines } = await atTerminal(world, [...RUN, 'Write a poem of the harbour'], { isBehind: true }).end
    assert.match(lines.join('\n'), /The crane stands still[\s\S]*completed, unverified/)
    assert.not.match(lines.join('\n'), /Stopped|suspended/i)
  })

  test('a run that Ctrl-Z has put aside goes on in the foreground', async () => {
    mayCome = 1
    const terminal = atTerminal(world, [...RUN, 'Write a poem of the harbour'], { hasJobs: true })
    await terminal.says(/The crane stands still/)
    terminal.type('\u001a')
    await terminal.says(/The crane stands still/)
    mayCome = 9
    await terminal.says(/completed, unverified/)
    assert.is((await terminal.end).lines.join('\n').split('crane').length, 2)
  })

  test('without a task nothing is waited for that nobody asked to type', async () => {
    const { code, lines } = await atTerminal(world, ['run'], { columns: 160 }).end
    assert.is(code, 2)
    assert.match(lines.join('\n'), /the task is missing: say in plain language what is to be done, or - to read it/)
  })

  test('with -q only the answer stays', async () => {
    mayCome = 9
    const { lines } = await atTerminal(world, [...RUN, '-q', 'Write a poem of the harbour']).end
    assert.equal(lines, [POEM.join(''), ''])
  })

  test('each turn of a chat ends with that line too, and with -q without it', async () => {
    mayCome = 9
    for (const flags of [[], ['-q']]) {
      const terminal = atTerminal(world, ['chat', '--topology', 'SINGLE', ...flags], { columns: 160 })
      await terminal.says(/> /)
      terminal.type('Write a poem of the harbour\r')
      await terminal.says(/harbour sleeps/)
      await terminal.says(flags.length > 0 ? /> / : /1 model call[\s\S]*> /)
      terminal.type('/exit\r')
      const { code, lines } = await terminal.end
      assert.is(code, 0)
      const closing = lines.filter((line) =>
        /^svc: completed, unverified, 0 of 1 statement held, \d+\.\d s, 1 agent, 1 model call, .*, run_\w+$/.test(line),
      )
      assert.is(closing.length, flags.length > 0 ? 0 : 1, lines.join('\n'))
    }
  })

  test('a chat says which of two drafts that it printed is not the answer', async () => {
    const terminal = atTerminal(world, ['chat', '--topology', 'SINGLE'], { columns: 160 })
    await terminal.says(/> /)
    terminal.type('Work out 17*23\r')
    await terminal.says(/2 model calls[\s\S]*> /)
    terminal.type('/exit\r')
    const { code, lines } = await terminal.end
    assert.is(code, 0)
    const [first, said, why = '', gap, second, ...more] = lines.slice(lines.indexOf('17*23 = 392.'))
    assert.equal(
      [first, said, gap, second],
      ['17*23 = 392.', 'svc: what stands above is not the answer: another one follows', '', '17*23 = 391.'],
    )
    assert.match(why, /^try 2: /)
    assert.not.match(more.join('\n'), /17\*23 =/)
  })

  test('Ctrl-C leaves nothing behind of what was redrawn', async () => {
    const terminal = atTerminal(world, [...RUN, 'Please HANG on this one'])
    await terminal.says(/It begins/)
    terminal.type('\u0003')
    const { code, lines } = await terminal.end
    assert.is(code, 130)
    assert.not.match(lines.join('\n'), /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◌]|step-1|\^C/)
    assert.match(lines.join('\n'), /^svc: cancelled: /m)
  })
}

test.run()
