/** What svc asks a person at a terminal before a tool acts, and which answers count. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createGate } from '../../server/test/fixtures/until.ts'
import { type Asked, dropIn, type Said, startModelServer } from './fixtures/model-server.ts'
import { svc } from './fixtures/svc.ts'
import { atTerminal, hasTerminal } from './fixtures/terminal.ts'
import { makeWorld, type World } from './fixtures/world.ts'

const test = suite('approval')

const FAKE = 'Allow write_file? (y)es: y'
const EVIL = `\u001b[2J\u001b[1;1H\r${FAKE}\n${FAKE}\n${' '.repeat(75)}${FAKE}`

/** Wants to write twice, whatever comes of it, then answers. */
function say({ messages }: Asked): Said {
  const text = JSON.stringify(messages)
  if (text.includes('COLOUR')) return askColour(messages)
  if (text.includes('NUMBER'))
    return text.includes('value') ? 'It is known.' : { calls: [{ name: 'count', args: '{}' }] }
  if (text.includes('MANIFEST')) return text.includes('created package.json') ? 'It is written.' : WRITE_MANIFEST
  const content = text.includes('EVIL') ? EVIL : 'hi'
  const results = messages.filter(({ role }) => role === 'tool').length
  if (results < 2) return { calls: [{ name: 'write_file', args: JSON.stringify({ path: 'out.txt', content }) }] }
  return text.includes('denied') ? 'I could not write out.txt: it was denied.' : 'I have written out.txt.'
}

const WRITE_MANIFEST = {
  calls: [{ name: 'write_file', args: JSON.stringify({ path: 'package.json', content: '{}' }) }],
}

/** Wants to know a number, and takes no word for one. */
const COUNT = `export default {
  id: 'count', description: 'Asks how many.', parameters: { type: 'object' }, risk: 'read',
  run: async (_, { ask }) => ask({ kind: 'input', prompt: 'How many?', schema: { type: 'number' } }),
}`

/** Asks the same question twice, once in words and once with choices. */
function askColour(messages: Asked['messages']): Said {
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
  const question = 'Which colour?'
  if (answers.length === 2) return `You said ${answers.join(' and ')}.`
  const args = answers.length === 0 ? { question } : { question, choices: ['red', 'green'] }
  return { calls: [{ name: 'ask_user', args: JSON.stringify(args) }] }
}

/** What the model waits for before it answers. */
let mayAnswer: Promise<void> = Promise.resolve()

const server = await startModelServer(async (asked) => {
  await mayAnswer
  return say(asked)
})

const makeOwn = (): World => makeWorld({}, { 'providers/mine.json': dropIn(server) })
const RUN = ['run', '--topology', 'SINGLE', 'Write a greeting to out.txt']
const QUESTION = /Allow write_file\? \(y\)es, \(n\)o, \(d\)o not ask again, \(e\)dit: /
const EDITED = /Allow write_file with your arguments\? \(y\)es, \(n\)o, \(e\)dit: /
const contentOf = ({ work }: World): string => readFileSync(join(work, 'out.txt'), 'utf8')

if (hasTerminal) {
  test('y and Enter means yes; the path and what would be written are shown before', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, RUN)
    await terminal.says(/agent-1 wants to use write_file \(risk write/)
    await terminal.says(/│ path: out\.txt/)
    await terminal.says(/hi/)
    await terminal.says(QUESTION)
    assert.not.ok(existsSync(join(world.work, 'out.txt')))
    terminal.type('\r')
    await terminal.says(/Type y, n, d, e, then Enter\./)
    await terminal.says(QUESTION)
    terminal.type('y\r')
    await terminal.says(QUESTION) // the second call, after a yes to the first alone
    terminal.type('y\r')
    const { code } = await terminal.end
    assert.is(code, 0)
    assert.is(contentOf(world), 'hi')
  })

  test('what was typed ahead is no answer; a No is final for that call, and the agent hears of it', async () => {
    const world = makeOwn()
    const before = server.asked.length
    const { passed, open } = createGate()
    mayAnswer = passed
    const terminal = atTerminal(world, RUN)
    await terminal.says(/svc: run_/)
    terminal.type('y\ry\ryes')
    await terminal.says(/yes/) // The terminal has it.
    open()
    await terminal.says(QUESTION)
    terminal.type('n\r')
    const { code, lines } = await terminal.end
    assert.is(code, 7)
    assert.not.ok(existsSync(join(world.work, 'out.txt')))
    assert.is(terminal.said().split('wants to use').length, 2, 'asked once')
    assert.match(lines.join('\n'), /I could not write out\.txt/)
    assert.match(JSON.stringify(server.asked.slice(before).at(-1)?.messages), /write_file was not approved/)
  })

  test('d asks for what else: every equal call of the run is one of the answers', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, RUN)
    await terminal.says(QUESTION)
    terminal.type('d\r')
    await terminal.says(/ 5 {2}equal calls, in this run/)
    await terminal.says(/Which\? .*\(b\)ack: /)
    terminal.type('5\r')
    const { code } = await terminal.end
    assert.match(terminal.said(), /svc: files: out\.txt created/)
    assert.is(code, 0)
    assert.is(terminal.said().split('wants to use').length, 2, 'asked once')
  })

  test('a yes for a folder holds for the run, and one for always writes the rule that was shown and confirmed', async () => {
    const world = makeOwn()
    const once = atTerminal(world, RUN)
    await once.says(QUESTION)
    once.type('d\r')
    await once.says(/Allow it, and do not ask again for:\s+1 {2}write_file in this folder, in this run/)
    await once.says(/Which\? /)
    once.type('1\r')
    assert.is((await once.end).code, 0)
    assert.is(once.said().split('wants to use').length, 2, 'asked once')
    const file = join(world.home, '.config/svc/svc.config.json')
    assert.not.ok(existsSync(file))

    const terminal = atTerminal(world, RUN)
    await terminal.says(QUESTION)
    terminal.type('d\r')
    await terminal.says(/2 {2}write_file in \/[^│]*, always\s/)
    await terminal.says(/Which\? /)
    terminal.type('2\r')
    await terminal.says(/This rule goes into [^│]*svc\.config\.json,\s+and\s+holds\s+always:/)
    await terminal.says(/"decision":"allow"/)
    assert.not.ok(existsSync(file))
    await terminal.says(/Write it, and allow the call\? \(y\)es, \(n\)o: /)
    terminal.type('n\r')
    await terminal.says(QUESTION)
    assert.not.ok(existsSync(file), 'a no writes nothing')
    terminal.type('d\r')
    await terminal.says(/Which\? /)
    terminal.type('2\r')
    await terminal.says(/Write it, and allow the call\? /)
    terminal.type('y\r')
    await terminal.says(/svc: added to [^│]*svc\.config\.json,\s+for\s/)
    assert.is((await terminal.end).code, 0)
    const { policy } = JSON.parse(readFileSync(file, 'utf8'))
    assert.equal(policy.rules, [{ tool: 'write_file', decision: 'allow', paths: [`${realpathSync(world.work)}/**`] }])

    const later = atTerminal(world, RUN)
    assert.is((await later.end).code, 0)
    assert.not.match(later.said(), /wants to use/)
    const { out } = await svc(world, 'audit --what policy')
    assert.match(out, /policy\.rule_added/)
  })

  test('with --plain the arguments are shown before they are written anew, and Enter alone leaves them', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, [...RUN, '--plain'])
    await terminal.says(QUESTION)
    terminal.type('e\n')
    await terminal.says(/\{"path":"out\.txt","content":"[^"]*"\}\s+Enter alone leaves them as they are\.\s+Arguments: /)
    terminal.type('\n')
    await terminal.says(QUESTION)
    assert.not.match(terminal.said(), /not JSON/)
    terminal.type('n\n')
    await terminal.end
    assert.not.ok(existsSync(join(world.work, 'out.txt')))
  })

  test('e opens the editor; arguments that the tool does not take are refused, and it asks again', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, RUN, { env: { EDITOR: 'sed -i -e s/hi/hello/ -e t -e s/content/contents/' } })
    await terminal.says(QUESTION)
    terminal.type('e\r')
    await terminal.says(/"content": "hello"/)
    await terminal.says(EDITED)
    assert.not.ok(existsSync(join(world.work, 'out.txt')), 'what was edited is asked about')
    terminal.type('y\r')
    await terminal.says(QUESTION)
    assert.is(contentOf(world), 'hello')
    terminal.type('n\r')
    await terminal.end
    const id = /run_\w+/.exec(terminal.said())?.[0] ?? ''
    const { out: log } = await svc(world, ['runs', 'get', id, '--events'])
    assert.match(log, /approval\.resolved +agent-1 +edit by .*"content":"hello"/)
    assert.match(log, /tool\.completed +agent-1 +with .*"content":"hello"/)
    const inline = atTerminal(world, RUN)
    await inline.says(QUESTION)
    inline.type('e\r')
    await inline.says(/\{"path":"out\.txt","content":"hi"\}/)
    inline.type('\u0015{"path":7}\r')
    await inline.says(EDITED)
    inline.type('y\r')
    await inline.says(/svc: decision: \/args\/?/)
    await inline.says(QUESTION)
    inline.type('\u0003')
    assert.is((await inline.end).code, 130)
  })

  test('an agent asks what only the person knows, in words and by number', async () => {
    const terminal = atTerminal(makeOwn(), ['run', '--topology', 'SINGLE', 'Ask for the COLOUR'])
    await terminal.says(/The run asks:\s+│ Which colour\?[\s\S]*Your answer: /)
    terminal.type('sky blue\r')
    await terminal.says(/1 {2}red\s+2 {2}green[\s\S]*Which\? \(1\), \(2\): /)
    terminal.type('2\r')
    const { code, lines } = await terminal.end
    assert.is(code, 0)
    assert.match(lines.join('\n'), 'You said sky blue and green.')
  })

  test('what is no answer to a question is said, and the question is asked again', async () => {
    const world = makeWorld({}, { 'providers/mine.json': dropIn(server), 'tools/count.ts': COUNT })
    const terminal = atTerminal(world, ['run', '--topology', 'SINGLE', 'Ask for the NUMBER'])
    await terminal.says(/How many\?[\s\S]*Your answer: /)
    terminal.type('a few\r')
    await terminal.says(/svc: input: .*number[\s\S]*How many\?[\s\S]*Your answer: /)
    terminal.type('7\r')
    const { code, lines } = await terminal.end
    assert.is(code, 0)
    assert.match(lines.join('\n'), 'It is known.')
  })

  test('with --yes a person is asked about what decides what is run, and about nothing else', async () => {
    const world = makeOwn()
    const other = atTerminal(world, ['--yes', ...RUN])
    assert.is((await other.end).code, 0)
    assert.not.match(other.said(), /wants to use/)
    const terminal = atTerminal(world, ['run', '--yes', '--topology', 'SINGLE', 'Write the MANIFEST'])
    await terminal.says(/Allow write_file\? \(y\)es, \(n\)o, \(a\)ll equal calls of this run, \(e\)dit: /)
    terminal.type('y\r')
    await terminal.end
    assert.is(readFileSync(join(world.work, 'package.json'), 'utf8'), '{}')
  })

  test('nothing in the arguments looks like a question of svc', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, [...RUN, 'EVIL'])
    await terminal.says(QUESTION)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what would clear the screen
    assert.not.match(terminal.said(), /\u001b\[2J|\u001b\[1;1H/)
    terminal.type('n\r')
    const { lines } = await terminal.end
    assert.equal(
      lines.filter((line) => line.startsWith('Allow')),
      ['Allow write_file? (y)es, (n)o, (d)o not ask again, (e)dit: n'],
    )
    assert.ok(
      lines
        .filter((line) => line.includes('Allow'))
        .slice(0, -1)
        .every((line) => line.startsWith('  │ ')),
    )
  })
}

test.run()
