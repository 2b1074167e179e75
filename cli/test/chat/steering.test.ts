/** What a person says to a turn at work: sent to its run, read by its agent, and the next turn where none has read it. */
import { createMemoryStore, type Run, type RunMessage } from '@svc/core'
import { createRuntime } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { Outbox } from '../../src/chat/outbox.ts'
import { type Asked, dropIn, type Said, startModelServer } from '../fixtures/model-server.ts'
import { json, runsOf } from '../fixtures/notes.ts'
import { svc } from '../fixtures/svc.ts'
import { atTerminal, hasTerminal, type Terminal } from '../fixtures/terminal.ts'
import { begin, makeWorld, type World } from '../fixtures/world.ts'

const test = suite('steering in a chat')

const newestTask = ({ messages }: Asked): string =>
  JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content)

/** Whether the model may answer. */
let isOpen = false
/** Looks at a file, and then paints it in the colour that the person says. */
const model = await startModelServer(async (asked): Promise<Said> => {
  const isFirst = asked.messages.at(-1)?.role === 'user' && !/while you work/.test(JSON.stringify(asked.messages))
  if (isFirst) await until(() => isOpen)
  if (newestTask(asked).includes('FAIL')) return (_, response) => void response.writeHead(401).end('{}')
  if (isFirst && newestTask(asked).includes('Paint it')) return { calls: [{ name: 'read_file', args: '{"path":"a"}' }] }
  return `Painted in ${/In blue/.test(JSON.stringify(asked.messages)) ? 'blue' : 'grey'}.`
})
const makeOwn = (): World => makeWorld({ a: 'a house\n' }, { 'providers/mine.json': dropIn(model) })
const CHAT = ['chat', '--topology', 'SINGLE', '--no-memory']

/** A chat whose model is asked its first question and may not answer. */
async function startTurn(world: World, terminal: Terminal, task: string): Promise<string> {
  isOpen = false
  const asked = model.asked.length
  terminal.type(task)
  await until(() => model.asked.length > asked)
  return (await runsOf(world))[0]?.id ?? ''
}
const runOf = async (world: World, id: string): Promise<Run> =>
  json<Run>(await svc(world, ['runs', 'get', id, '--json']))
const isUnread = (world: World, id: string, count = 1): Promise<void> =>
  until(async () => ((await runOf(world, id)).unread ?? []).length === count)

async function leave(terminal: Terminal): Promise<string[]> {
  terminal.type('\u0003/exit\r')
  const { code, lines } = await terminal.end
  assert.is(code, 0, lines.join('\n'))
  return lines
}

if (hasTerminal) {
  for (const where of ['here', 'on a server']) {
    test(`${where}, Enter says it to the run, and it stands where the agent has read it`, async () => {
      const world = makeOwn()
      const key = { SERVICE_API_KEY: 'right' }
      const serving = where === 'here' ? undefined : begin(world, ['serve', '-q', '--port', '0'], { env: key })
      let url = ''
      serving?.child.stdout?.once('data', (text: string) => (url = text.trim()))
      await until(() => serving === undefined || url !== '')
      const [here, env] = serving === undefined ? [world, {}] : [makeWorld(), { ...key, SVC_URL: url }]
      const terminal = atTerminal(here, CHAT, { columns: 160, env })
      await terminal.says(/\/help\b[\s\S]*mine\/small/)
      const id = await startTurn(world, terminal, 'Paint it\r')
      await terminal.says(/Enter tells the run · Tab queues/)
      terminal.type('In blue, please.\r')
      await terminal.says(/sent, read before the next step: In blue, please\./)
      terminal.type('/cost\r')
      await terminal.says(/queued: \/cost/)
      await isUnread(world, id)
      isOpen = true
      await terminal.says(/> In blue, please\.[\s\S]*Painted in blue\.[\s\S]*1 turn, /)
      const lines = await leave(terminal)
      const from = lines.indexOf('> Paint it')
      assert.equal(lines.slice(from, from + 6), [
        '> Paint it',
        '● read_file a · 1 line',
        '',
        '> In blue, please.',
        '',
        'Painted in blue.',
      ])
      assert.not.match(lines.join('\n'), /sent, read|queued:/)
      assert.is((await runOf(world, id)).messages?.length, 1)
      serving?.child.kill('SIGTERM')
      await serving?.outcome
    })
  }

  test('what no agent has read when the run ends is the next turn, once, in order', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, CHAT, { columns: 160 })
    await terminal.says(/mine\/small/)
    const id = await startTurn(world, terminal, 'FAIL it\r')
    terminal.type('In blue, please.\r')
    await terminal.says(/sent, read before the next step: In blue, please\./)
    terminal.type('And small.\r')
    await terminal.says(/sent, read before the next step: And small\./)
    await isUnread(world, id, 2)
    isOpen = true
    await terminal.says(/> In blue, please\.[\s\S]*And small\.[\s\S]*Painted in blue\.[\s\S]*1 model call/)
    await leave(terminal)
    assert.equal(
      (await runsOf(world)).map(({ task }) => task),
      ['In blue, please.\n\nAnd small.', 'FAIL it'],
    )
  })

  test('of a run that a person stops, what was not read comes back to be changed', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, CHAT, { columns: 160 })
    await terminal.says(/mine\/small/)
    const id = await startTurn(world, terminal, 'Paint it\r')
    terminal.type('In blue, please.\r')
    await isUnread(world, id)
    terminal.type('Then the roof')
    await terminal.says(/> Then the roof/)
    terminal.type('\t')
    await terminal.says(/queued: Then the roof/)
    terminal.type('\u001b')
    await terminal.says(/cancelled: stopped[\s\S]*> In blue, please\.[\s\S]*Then the roof/)
    isOpen = true
    await leave(terminal)
    assert.is((await runsOf(world)).length, 1)
  })

  test('with --plain, words say that it is sent and that it is read; Tab before Enter queues', async () => {
    const world = makeOwn()
    const terminal = atTerminal(world, [...CHAT, '--plain'], { columns: 160 })
    await terminal.says(/Task: /)
    const id = await startTurn(world, terminal, 'Paint it\n')
    terminal.type('In blue, please.\n')
    await terminal.says(/svc: sent: it is read before the next step/)
    terminal.type('Then the roof\t\n')
    await terminal.says(/svc: queued as the next turn/)
    await isUnread(world, id)
    isOpen = true
    await terminal.says(/agent-1 reads: In blue, please\.[\s\S]*Painted in blue\.[\s\S]*Task: Then the roof/)
    await terminal.says(/1 model call[\s\S]*Task: /)
    terminal.type('/exit\n')
    assert.is((await terminal.end).code, 0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be sent
    assert.not.match(terminal.said(), /\u001b/)
  })
}

test('what a run refuses because it has just ended is kept, in order, for the next turn', async () => {
  const runtime = await createRuntime({ model: 'offline/offline' }, { env: {}, store: createMemoryStore() })
  const { id } = await runtime.runs.create({ task: 'What is 17% of 2340?' })
  await runtime.runs.wait(id)
  const problems: unknown[] = []
  const outbox = new Outbox(runtime, (_, problem) => void problems.push(problem))
  outbox.begin(id)
  outbox.put('In blue, please.', false)
  outbox.put('And small.', false)
  assert.equal(await outbox.end(id, false), [])
  assert.is(outbox.next(), 'In blue, please.\n\nAnd small.')
  assert.equal(problems, [undefined, undefined])
  await runtime.close()
})

test('svc runs steer says something to a run of another process, and names what is wrong', async () => {
  const world = makeOwn()
  isOpen = false
  const running = begin(world, ['run', '--topology', 'SINGLE', '--no-memory', 'Paint it'])
  const [, id = ''] = await running.says(/svc: (run_\w+)/)
  const asked = model.asked.length
  await until(() => model.asked.length > asked || isOpen)
  const sent = await svc(world, ['runs', 'steer', id.slice(-6), 'In blue, please.', '--json'])
  assert.equal([sent.code, sent.err], [0, ''])
  const { text, by } = json<RunMessage>(sent)
  assert.equal([text, by], ['In blue, please.', 'user'])
  assert.match((await svc(world, ['runs', 'get', id])).out, /^not read {6}In blue, please\.$/m)
  isOpen = true
  const { out } = await running.outcome
  assert.is(out, 'Painted in blue.\n')
  assert.match((await svc(world, ['runs', 'get', id])).out, /^said to it {4}In blue, please\.$/m)
  assert.match((await svc(world, ['runs', 'get', id, '--events'])).out, /agent\.steered.*In blue, please\./)
  const late = await svc(world, ['runs', 'steer', id, 'And small.'])
  assert.is(late.code, 1)
  assert.match(late.err, /run_\w+ is \w+: .*\[invalid_transition\]/)
  const nothing = await svc(world, ['runs', 'steer', id])
  assert.is(nothing.code, 2)
  assert.match(nothing.err, /svc runs steer needs the id of a run, .*, and what to say/)
  assert.is((await svc(world, ['runs', 'steer', id, ' '])).code, 2)
})

test.after(() => model.close())
test.run()
