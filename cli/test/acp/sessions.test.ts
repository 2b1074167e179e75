/** Conversations of an editor with `svc acp`. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../server/test/fixtures/until.ts'
import { openEditor, shows } from '../fixtures/acp.ts'
import { hanging, startEditorModel } from '../fixtures/acp-model.ts'
import { dropIn } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { makeWorld, STACK, type World } from '../fixtures/world.ts'

const test = suite('svc acp: sessions')
const server = await startEditorModel()
const world = (files = {}): World => makeWorld(files, { 'providers/mine.json': dropIn(server) })
const refused = async (work: Promise<unknown>): Promise<{ code: number; message: string; data: unknown }> =>
  work.then(
    () => assert.unreachable('was not refused'),
    (error) => error,
  ) as never

test('an editor talks, and another process shows the conversation and goes on with it', async () => {
  const here = world()
  const first = await openEditor(here)
  assert.is(first.initialized.protocolVersion, 1)
  assert.is(first.initialized.agentInfo?.name, 'svc')
  assert.equal(first.initialized.authMethods, [])
  const { sessionId, modes, configOptions } = await first.open()
  assert.is(modes?.currentModeId, 'ask')
  assert.equal(
    configOptions?.map(({ category }) => category),
    ['mode', 'model', 'thought_level'],
  )
  assert.equal(await first.prompt(sessionId, 'Hello, my name is Bob'), { stopReason: 'end_turn' })
  assert.equal(first.said(), ['Understood.'])
  await first.prompt(sessionId, 'PIECES please')
  assert.equal(first.said(), ['Understood.', 'one two three'])
  assert.is(first.of('agent_message_chunk').filter(({ content }) => 'text' in content && content.text !== '').length, 4)
  assert.is(await first.end(), 0, first.err())

  const second = await openEditor(here)
  const { sessions } = await second.agent.request('session/list', { cwd: here.work })
  assert.equal(
    sessions.map(({ sessionId: id, cwd, title }) => [id, cwd, title]),
    [[sessionId, here.work, 'Hello, my name is Bob']],
  )
  const everywhere = await second.agent.request('session/list', {})
  assert.is(everywhere.sessions[0]?.cwd, here.work)
  const loaded = await second.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  assert.is(loaded.modes?.availableModes.length, 3)
  assert.equal(
    second.updates.flatMap(({ update }) =>
      'content' in update && update.content !== null && 'text' in (update.content as object)
        ? [`${update.sessionUpdate}: ${(update.content as { text: string }).text}`]
        : [],
    ),
    [
      'user_message_chunk: Hello, my name is Bob',
      'agent_message_chunk: Understood.',
      'user_message_chunk: PIECES please',
      'agent_message_chunk: one two three',
    ],
  )
  await second.prompt(sessionId, 'What is my name?')
  assert.is(second.said().at(-1), 'Your name is Bob.')
  await second.agent.request('session/close', { sessionId })
  const closed = await refused(second.prompt(sessionId, 'What is my name?'))
  assert.is(closed.code, -32002)
  assert.match(closed.message, 'session/load opens it again')
  const shown = second.updates.length
  await second.agent.request('session/resume', { sessionId, cwd: here.work })
  await second.prompt(sessionId, 'What is my name?')
  assert.not.ok(second.updates.slice(shown).some(({ update }) => update.sessionUpdate === 'user_message_chunk'))
  await second.agent.request('session/close', { sessionId })
  await second.agent.request('session/delete', { sessionId })
  await second.agent.request('session/delete', { sessionId })
  assert.equal((await second.agent.request('session/list', { cwd: here.work })).sessions, [])
  assert.is(await second.end(), 0)
})

test('what cannot be is refused with a sentence that names it', async () => {
  const editor = await openEditor(world({ 'a.txt': 'one' }))
  const { work } = world({ 'a.txt': 'one' })
  const { request } = { request: editor.agent.request.bind(editor.agent) as (...of: unknown[]) => Promise<unknown> }
  const cases: [method: string, params: object, code: number, message: RegExp][] = [
    ['session/new', { cwd: 'here', mcpServers: [] }, -32602, /cwd must be an absolute path, not "here"/],
    ['session/new', { cwd: join(work, 'a.txt'), mcpServers: [] }, -32602, /is not a folder that is there/],
    ['session/new', { mcpServers: [] }, -32602, /Invalid params: cwd: /],
    [
      'session/new',
      { cwd: work, mcpServers: [{ type: 'sse', name: 'old', url: 'http://127.0.0.1:1/', headers: [] }] },
      -32602,
      /mcpServers\[0\] \(old\) speaks sse.*use stdio or http/,
    ],
    ['session/load', { sessionId: 'thr_nothing', cwd: work, mcpServers: [] }, -32002, /thr_nothing/],
    ['session/prompt', { sessionId: 'nothing', prompt: [] }, -32002, /session nothing is not open/],
    ['session/list', { cwd: work, cursor: 'nonsense' }, -32602, /after|cursor/],
    ['session/nonsense', {}, -32601, /session\/nonsense/],
    ['authenticate', { methodId: 'x' }, -32602, /needs no login/],
  ]
  for (const [method, params, code, message] of cases) {
    const error = await refused(request(method, params))
    assert.is(error.code, code, `${method} ${error.message}`)
    assert.match(error.message, message)
    assert.not.match(JSON.stringify(error), STACK)
  }
  const { sessionId } = await editor.open()
  const prompts: [prompt: unknown[], message: RegExp][] = [
    [[], /prompt: it is empty/],
    [[{ type: 'audio', data: '', mimeType: 'audio/wav' }], /prompt\[0\]: is audio, which svc cannot take/],
    [
      [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      /prompt\[0\]: image 1 is not UTF-8 text but binary data/,
    ],
    [[{ type: 'text', text: '/nonsense' }], /there is no \/nonsense/],
    [[{ type: 'text', text: '/plan' }], /\/plan needs a task/],
  ]
  for (const [prompt, message] of prompts) {
    const error = await refused(request('session/prompt', { sessionId, prompt }))
    assert.is(error.code, -32602, error.message)
    assert.match(error.message, message)
  }
  const mode = await refused(request('session/set_mode', { sessionId, modeId: 'yolo' }))
  assert.match(mode.message, 'modeId: there is no "yolo": take one of ask, code, plan')
  const option = await refused(request('session/set_config_option', { sessionId, configId: 'model', value: 'x/y' }))
  assert.match(option.message, 'value: there is no "x/y": take one of default, mine/small')
  const failed = await refused(editor.prompt(sessionId, 'FAIL please'))
  assert.is((failed.data as { code: string }).code, 'provider_auth')
  const misfit = await refused(editor.prompt(sessionId, 'MISFIT please'))
  assert.equal(misfit.data, { code: 'provider_bad_response', retryable: false })
  assert.equal(await editor.prompt(sessionId, 'Hello again'), { stopReason: 'end_turn' })
  assert.is(await editor.end(), 0)
})

test('an editor is shown what a model is not sent of a long conversation', async () => {
  const editor = await openEditor(world())
  const { sessionId } = await editor.open()
  for (let count = 0; count < 4; count++) await editor.prompt(sessionId, `Read this: ${'word '.repeat(20_000)}`)
  assert.ok(
    editor.said().some((text) => text.includes('left out of the conversation')),
    JSON.stringify(editor.said()),
  )
  assert.is(await editor.end(), 0)
})

test('a prompt is cancelled, a second one at the same time is refused, and other sessions go on', async () => {
  const editor = await openEditor(world())
  const [a, b] = [await editor.open(), await editor.open()]
  hanging.add('WORD-1')
  const asked = server.asked.length
  const running = editor.prompt(a.sessionId, 'Wait for WORD-1')
  await until(() => server.asked.length > asked)
  const second = await refused(editor.prompt(a.sessionId, 'Something else'))
  assert.match(second.message, 'is at work on a prompt')
  assert.equal(await editor.prompt(b.sessionId, 'Hello'), { stopReason: 'end_turn' })
  await editor.agent.notify('session/cancel', { sessionId: a.sessionId })
  assert.equal(await running, { stopReason: 'cancelled' })
  hanging.delete('WORD-1')
  assert.equal(await editor.prompt(a.sessionId, 'Go on'), { stopReason: 'end_turn' })
  await editor.agent.notify('session/cancel', { sessionId: a.sessionId })
  assert.is(await editor.end(), 0)
})

const TURNS = process.env.SVC_NIGHTLY === '1' ? 200 : 30

test(`a conversation of ${TURNS} turns, which loads again as it was`, async () => {
  const here = world()
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  await editor.prompt(sessionId, 'Hello, my name is Bob')
  for (let turn = 2; turn < TURNS; turn++)
    assert.equal(await editor.prompt(sessionId, `Turn ${turn}`), { stopReason: 'end_turn' })
  await editor.prompt(sessionId, 'What is my name?')
  assert.is(editor.said().at(-1), 'Your name is Bob.')
  assert.is(await editor.end(), 0)
  const again = await openEditor(here)
  await again.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  assert.is(again.of('user_message_chunk').length, TURNS)
  assert.equal(again.said(), editor.said())
  await again.end()
})

test('the end of standard input cancels what runs, and the process ends', async () => {
  const here = world()
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  hanging.add('WORD-2')
  const asked = server.asked.length
  const running = editor.prompt(sessionId, 'Wait for WORD-2').catch(() => 'gone')
  await until(() => server.asked.length > asked)
  assert.is(await editor.end(), 0, editor.err())
  await running
  hanging.delete('WORD-2')
  const { out } = await svc(here, 'runs list --json')
  assert.equal(
    (JSON.parse(out) as { data: { status: string }[] }).data.map(({ status }) => status),
    ['cancelled'],
  )
  assert.not.match(editor.err(), STACK)
})

test('a message that is too long ends the connection with a sentence', async () => {
  const editor = await openEditor(world())
  const ended = new Promise((resolve) => editor.child.on('close', resolve))
  editor.child.stdin?.on('error', () => {})
  editor.child.stdin?.write('x'.repeat((64 << 20) + 1_000))
  assert.is(await ended, 1)
  assert.match(editor.err(), 'svc: a message of the editor has more than 67108864 bytes')
})

test('a process that was killed in a turn: the conversation is there, and the turn can be gone on with', async () => {
  const here = world({ 'a.txt': 'one\n' })
  const first = await openEditor(here)
  const { sessionId } = await first.open()
  await first.prompt(sessionId, 'Hello, my name is Bob')
  hanging.add('WORD-3')
  const asked = server.asked.length
  first.prompt(sessionId, 'WORD-3\nCALL read_file {"path":"a.txt"}').catch(() => {})
  await until(() => server.asked.length > asked + 1)
  first.child.kill('SIGKILL')
  await new Promise((resolve) => first.child.on('close', resolve))
  hanging.delete('WORD-3')

  const second = await openEditor(here)
  await second.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  assert.equal(
    second.of('user_message_chunk').map(({ content }) => (content as { text: string }).text),
    ['Hello, my name is Bob', 'WORD-3\nCALL read_file {"path":"a.txt"}'],
  )
  assert.is(second.of('tool_call').at(-1)?.title, 'Read a.txt')
  assert.equal(await second.prompt(sessionId, '/resume'), { stopReason: 'end_turn' })
  assert.match(second.said().at(-1) ?? '', /It said: 1\tone/)

  hanging.add('WORD-4')
  const again = server.asked.length
  second.prompt(sessionId, 'Wait for WORD-4').catch(() => {})
  await until(() => server.asked.length > again)
  second.child.kill('SIGKILL')
  await new Promise((resolve) => second.child.on('close', resolve))
  hanging.delete('WORD-4')
  const third = await openEditor(here)
  await third.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  await third.prompt(sessionId, 'What is my name?')
  assert.is(third.said().at(-1), 'Your name is Bob.')
  assert.is(await third.end(), 0)
})

test('where no model is set up, the first answer says so, and what is printed elsewhere is no message', async () => {
  const here = makeWorld({
    'AGENTS.md': 'Answer in one sentence.',
    'notes.md': 'The crane is 40 years old.\n',
    '.svc/commands/age.md': '---\ndescription: how old something is\n---\nHow old is the $ARGUMENTS?',
    '.svc/plugins/loud.ts': 'export default { name: "loud", apply() { console.log("LOUD") } }',
  })
  const untrusted = await openEditor(here)
  const { sessionId } = await untrusted.open()
  await untrusted.prompt(sessionId, 'How old is the crane?')
  assert.match(untrusted.said().join(), /> svc: .*svc trust/s)
  assert.match(untrusted.said().join(), /> svc: no model/)
  assert.is(await untrusted.end(), 0)
  const trusted = await openEditor(here, { args: ['--trust'], capabilities: { session: { notices: {} } } })
  const made = await trusted.open()
  await shows(trusted, ({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
  const commands = trusted.of('available_commands_update')[0]?.availableCommands.map(({ name }) => name)
  assert.equal(commands, ['plan', 'undo', 'resume', 'compact', 'age'])
  await trusted.prompt(made.sessionId, '/age crane')
  assert.match(trusted.said().join('\n'), /40 years/)
  assert.match(trusted.of('notice')[0]?.title ?? '', /no model/)
  assert.match(trusted.err(), /LOUD/)
  assert.is(await trusted.end(), 0)
})

test.run()
