/** What comes with a prompt, files by way of the editor, and servers that the editor names. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openEditor } from '../fixtures/acp.ts'
import { call, startEditorModel } from '../fixtures/acp-model.ts'
import { reference } from '../fixtures/mcp-servers.ts'
import { dropIn } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { makeWorld, type World } from '../fixtures/world.ts'

const test = suite('svc acp: material')
const server = await startEditorModel()
const world = (files = {}): World => makeWorld(files, { 'providers/mine.json': dropIn(server) })
const read = ({ work }: World, path: string): string => readFileSync(join(work, path), 'utf8')
const fs = { fs: { readTextFile: true, writeTextFile: true } }

test('texts, resources, links and images of a prompt reach the model', async () => {
  const here = world({ 'a.txt': 'CONTENT-OF-A\n', 'src/b.ts': 'CONTENT-OF-B\n' })
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const asked = server.asked.length
  const { stopReason } = await editor.prompt(sessionId, [
    { type: 'text', text: 'Look at ' },
    { type: 'resource_link', uri: pathToFileURL(join(here.work, 'a.txt')).href, name: 'a.txt' },
    { type: 'text', text: ' and ' },
    { type: 'resource_link', uri: 'https://example.com/page', name: 'a page' },
    { type: 'resource_link', uri: pathToFileURL(join(here.work, 'src')).href, name: 'src' },
    { type: 'resource_link', uri: 'file:///etc/hostname', name: 'hostname' },
    {
      type: 'resource',
      resource: { uri: `${pathToFileURL(join(here.work, 'src/b.ts')).href}#L1:2`, text: 'EMBEDDED-B' },
    },
    { type: 'image', data: pixel, mimeType: 'image/png' },
  ])
  assert.is(stopReason, 'end_turn')
  const sent = JSON.stringify(server.asked[asked]?.messages)
  assert.match(sent, 'Look at `a.txt` and a page (https://example.com/page)`src`hostname (file:///etc/hostname)')
  assert.match(sent, 'CONTENT-OF-A')
  assert.match(sent, 'EMBEDDED-B')
  assert.not.match(sent, 'CONTENT-OF-B')
  assert.match(sent, pixel)
  const again = await openEditor(here)
  await again.agent.request('session/load', { sessionId, cwd: here.work, mcpServers: [] })
  assert.equal(
    again.of('user_message_chunk').map(({ content }) => content.type),
    ['text', 'image'],
  )
  await Promise.all([editor.end(), again.end()])
})

test('20 MB of images in a prompt', async () => {
  const here = world()
  const editor = await openEditor(here)
  const { sessionId } = await editor.open()
  const png = Buffer.concat([
    Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64'),
    Buffer.alloc(3_900_000, 1),
  ]).toString('base64')
  const images = Array.from({ length: 5 }, () => ({ type: 'image' as const, data: png, mimeType: 'image/png' }))
  const asked = server.asked.length
  const answered = await editor.prompt(sessionId, [{ type: 'text', text: 'What is there?' }, ...images])
  assert.equal(answered, { stopReason: 'end_turn' })
  assert.is(JSON.stringify(server.asked[asked]?.messages).split('data:image/png').length - 1, 5)
  await editor.end()
})

test('files are read and written as the editor has them, within the workspace and by leave of the person', async () => {
  const here = world({ 'a.txt': 'saved\n', 'b.txt': 'disk\n' })
  const [a, b, c] = ['a.txt', 'b.txt', 'c.txt'].map((name) => join(here.work, name)) as [string, string, string]
  const buffers = new Map([[a, 'typed and not saved\n']])
  const editor = await openEditor(here, {
    capabilities: fs,
    buffers,
    onWrite: (path, text) => writeFileSync(path, text),
  })
  const { sessionId } = await editor.open()
  const say = async (...of: Parameters<typeof call>): Promise<string> => {
    await editor.prompt(sessionId, call(...of))
    return editor.said().at(-1) ?? ''
  }
  assert.match(await say('read_file', { path: 'a.txt' }), '1\ttyped and not saved')
  assert.match(await say('read_file', { path: 'b.txt' }), '1\tdisk')
  assert.match(
    await say('edit_file', { path: 'a.txt', edits: [{ find: 'typed', replace: 'changed' }] }),
    '-typed and not saved\n+changed and not saved',
  )
  assert.is(read(here, 'a.txt'), 'changed and not saved\n')
  assert.is(buffers.get(a), 'changed and not saved\n')
  await say('write_file', { path: 'c.txt', content: 'new\n' })
  assert.is(read(here, 'c.txt'), 'new\n')
  assert.equal(
    editor.touched.filter((touched) => touched.startsWith('write')),
    [`write ${a}`, `write ${c}`],
  )
  assert.ok(editor.touched.includes(`read ${b}`))
  assert.match(JSON.stringify(editor.asked[0]?.toolCall.content), 'typed and not saved')
  const touched = editor.touched.length
  assert.match(await say('read_file', { path: '/etc/hostname' }), 'path_outside_root')
  assert.is(editor.touched.length, touched)

  await editor.prompt(sessionId, '/undo')
  const { out } = await svc(here, 'runs list --json')
  const edited = (JSON.parse(out) as { data: { id: string; task: string }[] }).data.find(({ task }) =>
    task.includes('edit_file'),
  )
  const undone = await svc(here, ['runs', 'undo', edited?.id ?? ''])
  assert.is(undone.code, 0, undone.err)
  // What was typed and never saved is not lost.
  assert.is(read(here, 'a.txt'), 'typed and not saved\n')
  await editor.end()
})

test('an editor that formats, refuses to write, or hands over what is no text does not lose a file', async () => {
  const here = world({ 'a.txt': 'one\n', 'latin.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) })
  const a = join(here.work, 'a.txt')
  const buffers = new Map([[a, 'one\n']])
  const formatting = await openEditor(here, {
    capabilities: fs,
    buffers,
    onWrite: (path, text) => writeFileSync(path, `// formatted\n${text}`),
  })
  const { sessionId } = await formatting.open()
  const edit = call('edit_file', { path: 'a.txt', edits: [{ find: 'one', replace: 'two' }] })
  await formatting.prompt(sessionId, edit)
  assert.is(read(here, 'a.txt'), '// formatted\ntwo\n')
  await formatting.prompt(sessionId, '/undo')
  assert.is(read(here, 'a.txt'), 'one\n')
  await formatting.prompt(sessionId, call('edit_file', { path: 'latin.txt', edits: [{ find: 'caf', replace: 'CAF' }] }))
  assert.equal([...readFileSync(join(here.work, 'latin.txt'))], [0x43, 0x41, 0x46, 0xe9, 0x0a])
  await formatting.end()

  const refusing = await openEditor(here, {
    capabilities: fs,
    buffers: new Map([[a, 'one\n']]),
    onWrite: () => {
      throw new Error('read only')
    },
  })
  const other = await refusing.open()
  await refusing.prompt(other.sessionId, edit)
  assert.is(read(here, 'a.txt'), 'two\n')
  await refusing.end()

  const reading = await openEditor(here, {
    capabilities: { fs: { readTextFile: true } },
    buffers: new Map([[a, 'typed\n']]),
  })
  const third = await reading.open()
  await reading.prompt(third.sessionId, call('write_file', { path: 'a.txt', content: 'more\n', mode: 'append' }))
  assert.is(read(here, 'a.txt'), 'typed\nmore\n')
  await reading.prompt(third.sessionId, call('write_file', { path: 'a.txt', content: 'x', mode: 'create' }))
  assert.match(reading.said().at(-1) ?? '', 'exists already')
  await reading.end()
})

test('tools of servers that the editor names are there, and names that are taken get a number', async () => {
  const { command, args } = reference('memory')
  const here = world({})
  const store = join(here.work, 'memory.json')
  const editor = await openEditor(here)
  const env = [{ name: 'MEMORY_FILE_PATH', value: store }]
  const { sessionId } = await editor.open({
    mcpServers: [
      { name: 'my notes', command, args, env },
      { name: 'my notes', command, args, env },
    ],
  })
  const asked = server.asked.length
  const entities = [{ name: 'Bob', entityType: 'person', observations: [] }]
  const tool = `mcp.my-notes-2.create_entities`
  await editor.prompt(sessionId, 'Hello')
  const offered = server.asked[asked]?.tools?.map(({ function: { name } }) => name) ?? []
  assert.ok(
    offered.some((name) => name.includes('my-notes-2') && name.includes('create_entities')),
    offered.join(),
  )
  const name = offered.find((known) => known.includes('my-notes-2') && known.includes('create_entities')) ?? ''
  await editor.prompt(sessionId, call(name, { entities }))
  assert.is(editor.of('tool_call').at(-1)?.name, tool)
  assert.is(editor.of('tool_call').at(-1)?.kind, 'other')
  assert.is(editor.asked.length, 1)
  assert.ok(existsSync(store))
  await editor.end()
})

test.run()
