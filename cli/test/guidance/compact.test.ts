/** `/compact`: a conversation goes on from a summary of it. */
import { join } from 'node:path'
import type { Run, ThreadMessage } from '@svc/core'
import { createClient } from '@svc/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { makeWorld } from '../fixtures/world.ts'

const test = suite('/compact')
const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : ((content ?? []) as { text?: string }[]).map(({ text }) => text).join('')
const server = await startModelServer(({ messages }) =>
  textOf(messages.at(-1)?.content).startsWith('Sum up') ? 'Bob likes tea.' : 'Understood.',
)
const sent = (asked: Asked | undefined): string[] =>
  (asked?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => `${role}: ${textOf(content)}`)
const threadOf = (err: string): string => /svc: (thr_\w+)/.exec(err)?.[1] ?? ''

test('later turns are sent the summary in place of what it stands for, which stays readable', async () => {
  const here = makeWorld({}, { 'providers/mine.json': dropIn(server), 'svc.config.json': { smallModel: 'mine/tiny' } })
  here.env.SVC_DATA_DIR = join(here.home, 'data')
  const input = 'My name is Bob\nI like tea\n/compact names and drinks\nWhat do I like?\n/help\n'
  const chat = await svc(here, 'chat --no-memory', { input })
  assert.is(chat.code, 0, chat.err)
  assert.is(chat.out, 'Understood.\nUnderstood.\nBob likes tea.\nUnderstood.\n')
  assert.match(chat.err, /\n {2}\/compact <focus>: sum the conversation up/)
  const [first, second, summary, next] = server.asked.slice(-4)
  assert.equal(sent(second), ['user: My name is Bob', 'assistant: Understood.', 'user: I like tea'])
  assert.is(summary?.model, 'tiny')
  assert.not.equal(first?.model, 'tiny')
  assert.is(summary?.tools, undefined)
  const [one, two, three, four, task = '', ...none] = sent(summary)
  assert.equal([one, two, three, four], [...sent(second), 'assistant: Understood.'])
  assert.match(task, /^user: Sum up this conversation[\s\S]*\n\nAbove all: names and drinks$/)
  assert.equal(none, [])
  assert.equal(sent(next), [task, 'assistant: Bob likes tea.', 'user: What do I like?'])

  // Another process goes on from there, and sees all of it.
  const thread = threadOf(chat.err)
  await svc(here, ['run', '--no-memory', '--thread', thread, 'And now?'])
  assert.equal(sent(server.asked.at(-1)), [...sent(next), 'assistant: Understood.', 'user: And now?'])
  const again = await svc(here, ['chat', '--no-memory', '--thread', thread], { input: '/compact\nAnd then?\n' })
  assert.is(again.code, 0, again.err)
  assert.is(sent(server.asked.at(-2)).length, 7)
  assert.is(sent(server.asked.at(-1)).length, 3)
  const client = await createClient({ cwd: here.work, env: here.env })
  const messages: ThreadMessage[] = await client.threads.messages(thread)
  await client.disconnect()
  assert.equal(
    messages.filter(({ role }) => role === 'assistant').map(({ content, summarizes = false }) => [content, summarizes]),
    [
      ['Understood.', false],
      ['Understood.', false],
      ['Bob likes tea.', true],
      ['Understood.', false],
      ['Understood.', false],
      ['Bob likes tea.', true],
      ['Understood.', false],
    ],
  )
  const listed = JSON.parse((await svc(here, ['runs', 'list', '--thread', thread, '--json'])).out) as { data: Run[] }
  assert.is(listed.data.length, 7)
})

test('without a model, and where nothing was said, it says so', async () => {
  const offline = makeWorld({})
  const quoted = await svc(offline, 'chat', { input: 'What is 2 + 2?\n/compact\n' })
  assert.is(quoted.code, 3, quoted.err)
  assert.match(
    quoted.err,
    /summed up by a model that writes, and there is none: offline only quotes\..* \[no_provider\]/,
  )
  const here = makeWorld({}, { 'providers/mine.json': dropIn(server) })
  const empty = await svc(here, 'chat', { input: '/compact\n' })
  assert.is(empty.code, 2)
  assert.match(empty.err, /there is nothing to sum up: nothing was said in this conversation/)
})

test.after(() => server.close())
test.run()
