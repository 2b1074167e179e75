/** Calls of tools as an editor is shown them and asked about them, and questions of agents. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { openEditor } from '../fixtures/acp.ts'
import { call, startEditorModel } from '../fixtures/acp-model.ts'
import { dropIn } from '../fixtures/model-server.ts'
import { makeWorld, type World } from '../fixtures/world.ts'

const test = suite('svc acp: calls of tools')
const server = await startEditorModel()
const world = (files = {}): World => makeWorld(files, { 'providers/mine.json': dropIn(server) })
const read = ({ work }: World, path: string): string => readFileSync(join(work, path), 'utf8')
/** Chooses the option of one kind. */
const choosing =
  (kind: string) =>
  ({ options }: RequestPermissionRequest) => ({
    outcome: { outcome: 'selected' as const, optionId: options.find((option) => option.kind === kind)?.optionId ?? '' },
  })

test('each call has a kind, a title, a place and what it changes', async () => {
  const here = world({ 'a.txt': 'one\ntwo\n' })
  const editor = await openEditor(here, { permit: choosing('allow_once') })
  const { sessionId } = await editor.open()
  const calls = [
    call('read_file', { path: 'a.txt', offset: 2 }),
    call('search_files', { query: 'two' }),
    call('edit_file', { path: 'a.txt', edits: [{ find: 'one', replace: 'three' }] }),
    call('write_file', { path: 'b.txt', content: 'new\n' }),
  ]
  for (const each of calls) assert.equal(await editor.prompt(sessionId, each), { stopReason: 'end_turn' })
  const path = join(here.work, 'a.txt')
  assert.equal(
    editor.of('tool_call').map(({ title, kind, status, locations }) => [title, kind, status, locations]),
    [
      ['Read a.txt', 'read', 'pending', [{ path, line: 2 }]],
      ['Search "two"', 'search', 'pending', undefined],
      ['Edit a.txt', 'edit', 'pending', [{ path }]],
      ['Write b.txt', 'edit', 'pending', [{ path: join(here.work, 'b.txt') }]],
    ],
  )
  const ended = editor.of('tool_call_update').filter(({ status }) => status === 'completed')
  assert.equal(
    ended.map(({ content }) => content?.map(({ type }) => type)),
    [['content'], ['content'], ['diff'], ['diff']],
  )
  assert.equal(ended[2]?.content?.[0], { type: 'diff', path, oldText: 'one', newText: 'three' })
  assert.equal(ended[3]?.content?.[0], {
    type: 'diff',
    path: join(here.work, 'b.txt'),
    oldText: null,
    newText: 'new\n',
  })
  assert.equal(new Set(editor.of('tool_call').map(({ toolCallId }) => toolCallId)).size, 4)
  assert.equal(
    editor.asked.map(({ toolCall }) => toolCall.toolCallId),
    editor
      .of('tool_call')
      .slice(2)
      .map(({ toolCallId }) => toolCallId),
  )
  assert.match(JSON.stringify(editor.asked[0]?.toolCall.content), /"oldText":"one".*"newText":"three"/)
  assert.is(read(here, 'a.txt'), 'three\ntwo\n')
  await editor.prompt(sessionId, '/undo')
  assert.match(editor.said().at(-1) ?? '', 'removed b.txt')
  assert.not.ok(existsSync(join(here.work, 'b.txt')))

  const again = await openEditor(here)
  await again.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  assert.equal(
    again.of('tool_call').map(({ toolCallId, title }) => [toolCallId, title]),
    editor.of('tool_call').map(({ toolCallId, title }) => [toolCallId, title]),
  )
  assert.equal(again.of('tool_call_update').filter(({ status }) => status === 'completed').length, 4)
  await Promise.all([editor.end(), again.end()])
})

test('a person allows once, always, rejects, and always rejects', async () => {
  const here = world()
  let kind = 'reject_once'
  const editor = await openEditor(here, { permit: (request) => choosing(kind)(request) })
  const { sessionId } = await editor.open()
  const write = (path: string) => editor.prompt(sessionId, call('write_file', { path, content: 'x' }))
  await write('a.txt')
  assert.not.ok(existsSync(join(here.work, 'a.txt')))
  assert.match(editor.said().at(-2) ?? '', 'not approved')
  assert.match(editor.said().at(-1) ?? '', '> svc: the run is incomplete (approval_denied)')
  assert.is(editor.of('tool_call_update').at(-1)?.status, 'failed')
  kind = 'allow_once'
  await write('a.txt')
  assert.ok(existsSync(join(here.work, 'a.txt')))
  kind = 'allow_always'
  await write('b.txt')
  assert.is(editor.asked.length, 3)
  kind = 'reject_once'
  await write('c.txt')
  assert.is(editor.asked.length, 3)
  assert.ok(existsSync(join(here.work, 'c.txt')))
  assert.match(JSON.stringify(editor.asked[0]?.options), 'Always allow write_file in this session')
  // What decides which programs run is asked about whatever was allowed.
  await write('package.json')
  assert.is(editor.asked.length, 4)
  assert.not.ok(existsSync(join(here.work, 'package.json')))
  const fetch = (url: string) => editor.prompt(sessionId, call('http_fetch', { url }))
  kind = 'reject_always'
  await fetch('http://127.0.0.1:1/a')
  await fetch('http://127.0.0.1:1/a')
  assert.is(editor.asked.length, 5)
  await fetch('http://127.0.0.1:1/b')
  assert.is(editor.asked.length, 6)
  await editor.end()
})

test('of programs, always is about commands that begin alike', async () => {
  const here = world()
  // In a folder that nobody trusts the answer of the first turn counts as untrusted.
  here.env.SVC_TRUST = '1'
  const editor = await openEditor(here, { permit: choosing('allow_always') })
  const { sessionId } = await editor.open()
  const run = (...command: string[]) => editor.prompt(sessionId, call('run_command', { command }))
  await run('git', 'status')
  assert.match(JSON.stringify(editor.asked[0]?.options), 'commands that begin with \\"git status\\" in this session')
  await run('git', 'status', '--short')
  assert.is(editor.asked.length, 1)
  await run('git', 'log')
  assert.is(editor.asked.length, 2)
  await editor.end()
})

test('modes say what is asked: code writes unasked, plan changes nothing', async () => {
  const here = world()
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  await editor.agent.request('session/set_mode', { sessionId, modeId: 'code' })
  await editor.prompt(sessionId, call('write_file', { path: 'a.txt', content: 'x' }))
  assert.ok(existsSync(join(here.work, 'a.txt')))
  const { configOptions } = await editor.agent.request('session/set_config_option', {
    sessionId,
    configId: 'mode',
    value: 'plan',
  })
  assert.is(configOptions[0]?.currentValue, 'plan')
  await editor.prompt(sessionId, call('write_file', { path: 'b.txt', content: 'x' }))
  assert.not.ok(existsSync(join(here.work, 'b.txt')))
  assert.is(editor.asked.length, 0)
  assert.match(JSON.stringify(editor.of('tool_call_update').at(-1)), 'this run only plans')
  await editor.prompt(sessionId, '/plan Compare two files')
  assert.match(editor.said().at(-1) ?? '', 'Compare two files')
  await editor.prompt(sessionId, 'Hello, my name is Bob')
  await editor.prompt(sessionId, '/compact names')
  assert.is(editor.said().at(-1), 'Understood.')
  await editor.end()
})

test('a cancel while a permission is open ends the turn, and the call is not made', async () => {
  const here = world()
  let isTakenBack = false
  const editor = await openEditor(here, {
    permit: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          isTakenBack = true
          resolve({ outcome: { outcome: 'cancelled' } })
        })
      }),
  })
  const { sessionId } = await editor.open()
  const running = editor.prompt(sessionId, call('write_file', { path: 'a.txt', content: 'x' }))
  await until(() => editor.asked.length > 0)
  await editor.agent.notify('session/cancel', { sessionId })
  assert.equal(await running, { stopReason: 'cancelled' })
  await until(() => isTakenBack)
  assert.not.ok(existsSync(join(here.work, 'a.txt')))
  assert.equal(await editor.prompt(sessionId, 'Hello'), { stopReason: 'end_turn' })
  await editor.end()
})

test('an editor that cannot ask approves nothing', async () => {
  const here = world()
  const editor = await openEditor(here, {
    permit: () => {
      throw new Error('no')
    },
  })
  const { sessionId } = await editor.open()
  assert.equal(await editor.prompt(sessionId, call('write_file', { path: 'a.txt', content: 'x' })), {
    stopReason: 'end_turn',
  })
  assert.not.ok(existsSync(join(here.work, 'a.txt')))
  await editor.end()
})

test('a question is a form, buttons, or a message that the next prompt answers, in another process too', async () => {
  const ask = call('ask_user', { question: 'Which colour?' })
  const choose = call('ask_user', { question: 'Which colour?', choices: ['red', 'blue'] })
  const here = world()
  const withForms = await openEditor(here, {
    capabilities: { elicitation: { form: {} } },
    answer: ({ message }) => ({ action: 'accept', content: { answer: message.includes('colour') ? 'blue' : 'what' } }),
  })
  const forms = await withForms.open()
  for (const each of [ask, choose]) {
    await withForms.prompt(forms.sessionId, each)
    assert.is(withForms.said().at(-1), 'It said: blue')
  }
  await withForms.end()

  const plain = await openEditor(here, {
    permit: ({ options }) => ({
      outcome: { outcome: 'selected', optionId: options.find(({ name }) => name === 'blue')?.optionId ?? '' },
    }),
  })
  const { sessionId } = await plain.open()
  await plain.prompt(sessionId, choose)
  assert.is(plain.said().at(-1), 'It said: blue')
  assert.equal(await plain.prompt(sessionId, ask), { stopReason: 'end_turn' })
  assert.match(plain.said().at(-1) ?? '', 'Which colour?')
  assert.equal(await plain.prompt(sessionId, 'green'), { stopReason: 'end_turn' })
  assert.is(plain.said().at(-1), 'It said: green')
  await plain.prompt(sessionId, ask)
  await plain.end()

  const later = await openEditor(here)
  await later.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  await later.prompt(sessionId, 'yellow')
  assert.is(later.said().at(-1), 'It said: yellow')
  await later.end()
})

test('thoughts of a model, and the steps of a team, are shown as such', async () => {
  const editor = await openEditor(world())
  const { sessionId } = await editor.open()
  const task =
    'THINK. Read a.txt, b.txt and c.txt. For each file: 1. list the functions 2. explain the algorithm 3. find bugs. Then compare the three designs in depth and write a report with recommendations.'
  await editor.prompt(sessionId, task)
  assert.match(JSON.stringify(editor.of('agent_thought_chunk')), 'Let me see.')
  const plans = editor.of('plan').map(({ entries }) => entries.map(({ status }) => status))
  assert.ok((plans[0]?.length ?? 0) > 1)
  assert.ok(plans.some((statuses) => statuses.includes('in_progress')))
  assert.ok(plans.at(-1)?.every((status) => status === 'completed'))
  assert.is(editor.said().at(-1), 'I see.')
  await editor.end()
})

test('a file is shown as it was before it is written over', async () => {
  const here = world({ 'a.txt': 'old\n' })
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  await editor.prompt(sessionId, call('write_file', { path: 'a.txt', content: 'new\n' }))
  const diff = { type: 'diff', path: join(here.work, 'a.txt'), oldText: 'old\n', newText: 'new\n' }
  assert.equal(editor.of('tool_call')[0]?.content, [diff])
  assert.equal(editor.of('tool_call_update').at(-1)?.content, [diff])
  writeFileSync(join(here.work, 'a.txt'), 'mine\n')
  await editor.prompt(sessionId, call('write_file', { path: '../../etc/x', content: 'new\n' }))
  assert.is(editor.of('tool_call')[1]?.content, undefined)
  await editor.end()
})

test.run()
