/** `svc chat` at a real terminal: what a person types, what they see, and what is asked of the model. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { type Asked, dropIn, inPieces, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { atTerminal, hasTerminal, type Terminal } from '../fixtures/terminal.ts'
import { makeWorld, type World } from '../fixtures/world.ts'

const test = suite('chat at a terminal')

const taskOf = ({ messages }: Asked): string => String(messages.findLast(({ role }) => role === 'user')?.content)
/** How many pieces of a slow answer may come. */
let mayCome = 0

const server = await startModelServer((asked) => {
  const task = taskOf(asked)
  if (task.includes('SLOW')) return inPieces(['It begins ', 'and ends.'], (index) => until(() => mayCome > index))
  const results = asked.messages.slice(asked.messages.findLastIndex(({ role }) => role === 'user'))
  if (task.includes('READ') && !results.some(({ role }) => role === 'tool'))
    return { calls: [{ name: 'read_file', args: '{"path":"src/a.ts"}' }] }
  return `# Heard\n\n- ${task.length} signs\n- **all** of it`
})
const FILES = { 'src/a.ts': 'export const a = 1\n', 'src/b.ts': 'export const b = 2\n' }
const makeOwn = (): World => makeWorld(FILES, { 'providers/mine.json': dropIn(server) })

const CHAT = ['chat', '--topology', 'SINGLE', '--no-memory']

const start = async (
  world: World,
  args: readonly string[] = CHAT,
  env: Record<string, string> = {},
  size: { columns?: number; rows?: number; hasJobs?: boolean } = {},
): Promise<Terminal> => {
  const terminal = atTerminal(world, args, { columns: 160, env, ...size })
  await terminal.says(/\/help\b[\s\S]*mine\/small/)
  return terminal
}
const leave = async (terminal: Terminal): Promise<string[]> => {
  terminal.type('/exit\r')
  const { code, lines } = await terminal.end
  assert.is(code, 0, lines.join('\n'))
  return lines
}

if (hasTerminal) {
  test('pasted lines are one task, its answer is rendered, and a call is one line', async () => {
    const terminal = await start(makeOwn())
    terminal.type('\u001b[200~READ it\r\nand say\u001b[201~')
    await terminal.says(/and say/)
    terminal.type('\r')
    await terminal.says(/2 model calls/)
    assert.match(taskOf(server.asked.at(-1) as Asked), /READ it\nand say/)
    const lines = await leave(terminal)
    const from = lines.indexOf('> READ it')
    assert.equal(lines.slice(from, from + 8), [
      '> READ it',
      '  and say',
      '● read_file src/a.ts · 1 line',
      '',
      'Heard',
      '',
      '• 15 signs',
      '• all of it',
    ])
    assert.not.match(lines.join('\n'), /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|Esc stops|Enter queues|─────/)
  })

  test('a backslash, Ctrl-J and Alt-Enter begin a new line; Ctrl-W, Ctrl-U and the arrows edit', async () => {
    const terminal = await start(makeOwn())
    terminal.type('one\\\r')
    await terminal.says(/one/)
    terminal.type('two\ntree')
    terminal.type('\u001b[D\u001b[D\u001b[Dh')
    terminal.type('\u001b\rx wrong\u0017')
    terminal.type('\u0015')
    await terminal.says(/ree/)
    terminal.type('\r')
    await terminal.says(/1 model call/)
    assert.is(taskOf(server.asked.at(-1) as Asked).replace(/\s+$/, ''), 'one\ntwo\nth\nree')
    await leave(terminal)
  })

  test('what Tab queues while it works waits its turn, Escape stops the turn, and what was said stays', async () => {
    mayCome = 1
    const world = makeOwn()
    const terminal = await start(world)
    terminal.type('SLOW one\r')
    await terminal.says(/It begins/)
    terminal.type('The second')
    await terminal.says(/The second/)
    terminal.type('\t')
    await terminal.says(/queued: The second/)
    terminal.type('\u001b[A')
    await terminal.says(/> The second/)
    terminal.type(' task')
    await terminal.says(/ task/)
    terminal.type('\t')
    await terminal.says(/queued: The second task/)
    mayCome = 9
    await terminal.says(/and ends\.[\s\S]*> The second task[\s\S]*Heard[\s\S]*1 model call/)
    mayCome = 1
    terminal.type('SLOW two\r')
    await terminal.says(/> SLOW two[\s\S]*It begins/)
    terminal.type('\u001b')
    await terminal.says(/svc: cancelled: stopped \[cancelled\]/)
    mayCome = 9
    const lines = await leave(terminal)
    const from = lines.indexOf('> SLOW two')
    assert.is(lines[from + 1], 'It begins')
    assert.is(lines.join('\n').split('It begins and ends.').length, 2)
  })

  test('what was asked comes back in another chat, without keys, from a file that only its owner reads', async () => {
    const world = makeOwn()
    const env = { MY_TOKEN: 'a-secret-of-mine-123' }
    const first = await start(world, CHAT, env)
    for (const task of ['Name the harbour', 'Use a-secret-of-mine-123 here']) {
      first.type(`${task}\r`)
      await first.says(/1 model call/)
    }
    await leave(first)
    const file = join(world.home, '.local/svc/chat-history')
    assert.is(statSync(file).mode & 0o777, 0o600)
    assert.match(readFileSync(file, 'utf8'), /Name the harbour/)
    assert.not.match(readFileSync(file, 'utf8'), /a-secret-of-mine/)
    const second = await start(world, CHAT, env)
    second.type('\u0012harb')
    await second.says(/search: harb/)
    second.type('\r')
    second.type('\r')
    await second.says(/> Name the harbour[\s\S]*1 model call/)
    await leave(second)
  })

  test('commands and files are completed, and a file that is named comes with the task', async () => {
    const terminal = await start(makeOwn())
    terminal.type('/top')
    await terminal.says(/❯ \/topology <name>/)
    terminal.type('\u0015')
    terminal.type('Explain @b.t')
    await terminal.says(/❯ src\/b\.ts/)
    terminal.type('\t')
    await terminal.says(/@src\/b\.ts/)
    terminal.type('\r')
    await terminal.says(/1 model call/)
    assert.match(JSON.stringify(server.asked.at(-1)?.messages), /export const b = 2/)
    await leave(terminal)
  })

  test('a conversation is chosen from those of the folder, and its last turn is shown', async () => {
    const world = makeOwn()
    for (const task of ['The first subject', 'Another subject']) {
      const terminal = await start(world)
      terminal.type(`${task}\r`)
      await terminal.says(/1 model call/)
      await leave(terminal)
    }
    const terminal = atTerminal(world, [...CHAT, '--resume'], { columns: 160 })
    await terminal.says(/Conversation:/)
    terminal.type('first')
    await terminal.says(/❯ The first subject {2}\S.*1 turn/)
    terminal.type('\r')
    await terminal.says(/> The first subject[\s\S]*Heard/)
    terminal.type('Go on\r')
    await terminal.says(/1 model call/)
    assert.match(JSON.stringify(server.asked.at(-1)?.messages), /The first subject/)
    await leave(terminal)
    // What somebody has just talked in is first, however old it is.
    const again = atTerminal(world, [...CHAT, '--resume'], { columns: 160 })
    await again.says(/Conversation:[\s\S]*The first subject[\s\S]*Another subject/)
    again.type('\r')
    await again.says(/> Go on/)
    await leave(again)
  })

  test('Ctrl-C clears what is typed and leaves when pressed twice; Ctrl-D leaves', async () => {
    const terminal = await start(makeOwn())
    terminal.type('nothing to be sent')
    await terminal.says(/to be sent/)
    terminal.type('\u0003\u0003')
    await terminal.says(/Ctrl-C again leaves/)
    terminal.type('\u0003')
    assert.is((await terminal.end).code, 130)
    const other = await start(makeOwn())
    other.type('\u0004')
    assert.is((await other.end).code, 0)
  })

  test('Ctrl-Z puts the chat aside, and it goes on with what was typed', async () => {
    const terminal = await start(makeOwn(), CHAT, {}, { hasJobs: true })
    terminal.type('half a ')
    await terminal.says(/half a /)
    terminal.type('\u001a')
    await terminal.says(/half a /)
    terminal.type('task\r')
    await terminal.says(/1 model call/)
    assert.match(taskOf(server.asked.at(-1) as Asked), /^half a task/)
    await leave(terminal)
  })

  test('/rewind alone shows the turns to choose from, and takes the conversation back to one', async () => {
    const terminal = await start(makeOwn())
    for (const task of ['The first turn', 'The second turn', 'The third turn']) {
      terminal.type(`${task}\r`)
      await terminal.says(/1 model call/)
    }
    terminal.type('/rewind\r')
    await terminal.says(/Back to the end of:/)
    await terminal.says(/2\. The second turn[\s\S]*the beginning/)
    terminal.type('first')
    await terminal.says(/❯ 1\. The first turn/)
    terminal.type('\r')
    await terminal.says(/Take back:/)
    terminal.type('conv')
    await terminal.says(/❯ conversation/)
    terminal.type('\r')
    await terminal.says(/goes on after turn 1/)
    terminal.type('Go on\r')
    await terminal.says(/1 model call/)
    assert.match(JSON.stringify(server.asked.at(-1)?.messages), /The first turn/)
    assert.not.match(JSON.stringify(server.asked.at(-1)?.messages), /The second turn/)
    terminal.type('/rewind\r')
    await terminal.says(/Back to the end of:/)
    terminal.type('\u001b')
    await terminal.says(/\/help/)
    await leave(terminal)
  })

  test('of a text that was pasted the first lines stay above its answer, and all of it is asked', async () => {
    const terminal = await start(makeOwn())
    terminal.type(`\u001b[200~${Array.from({ length: 200 }, (_, at) => `row ${at}`).join('\n')}\u001b[201~`)
    await terminal.says(/row 199/)
    terminal.type('\r')
    await terminal.says(/1 model call/)
    assert.match(taskOf(server.asked.at(-1) as Asked), /row 0\nrow 1\n[\s\S]*row 199/)
    const lines = await leave(terminal)
    const from = lines.indexOf('> row 0')
    assert.is(
      lines.slice(from).findIndex((line) => line.includes('more lines')),
      12,
    )
    assert.match(lines[from + 12] ?? '', /… 188 more lines/)
  })

  test('Ctrl-G opens the editor that a person named, and what was written can be sent', async () => {
    const world = makeOwn()
    const editor = join(world.home, 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\nprintf "written outside" > "$1"\n', { mode: 0o755 })
    const terminal = await start(world, CHAT, { EDITOR: editor })
    terminal.type('draft\u0007')
    await terminal.says(/written outside/)
    terminal.type('\r')
    await terminal.says(/1 model call/)
    assert.match(taskOf(server.asked.at(-1) as Asked), /^written outside/)
    await leave(terminal)
  })

  test('while the editor is open nothing else is printed: what went on meanwhile stands below it', async () => {
    mayCome = 1
    const world = makeOwn()
    const editor = join(world.home, 'editor.sh')
    const script =
      'echo OPEN; while [ ! -e "$HOME/close" ]; do sleep 0.05; done; echo CLOSED; printf "Another task" > "$1"'
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const terminal = await start(world, CHAT, { EDITOR: editor })
    terminal.type('SLOW one\r')
    await terminal.says(/It begins/)
    terminal.type('\u0007')
    await terminal.says(/OPEN/)
    mayCome = 9
    const isDone = async (): Promise<boolean> => /completed/.test((await svc(world, 'runs list --json')).out)
    while (!(await isDone()));
    writeFileSync(join(world.home, 'close'), '')
    await terminal.says(/CLOSED[\s\S]*and ends\.[\s\S]*1 model call[\s\S]*Another task/)
    assert.not.match(terminal.said(), /OPEN[\s\S]*and ends\.[\s\S]*CLOSED/)
    terminal.type('\u0015')
    await leave(terminal)
  })

  test('with --plain, and on a dumb terminal, nothing is redrawn, framed or rendered', async () => {
    for (const [flags, env] of [
      [['--plain'], {}],
      [[], { TERM: 'dumb' }],
    ] as const) {
      const terminal = atTerminal(makeOwn(), [...CHAT, ...flags], { columns: 160, env })
      await terminal.says(/Task: /)
      terminal.type('READ it\n')
      await terminal.says(/2 model calls[\s\S]*Task: /)
      terminal.type('/exit\n')
      const { code } = await terminal.end
      assert.is(code, 0)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be sent
      assert.not.match(terminal.said(), /\u001b|[─│●⠋❯]/)
      assert.match(terminal.said(), /agent-1 read_file[\s\S]*# Heard\r\n\r\n- 7 signs/)
    }
  })
}

test.after(() => server.close())
test.run()
