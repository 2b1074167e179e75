/** Files of runs are handed out as they were written, to be saved and never shown; models are listed as they are. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, type ExecutionResult, RunView } from '@svc/core'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { makeThings, NOTES, posting, postingScript } from './fixtures/good-requests.ts'
import { askWith, openServer, serverSuite } from './fixtures/open-server.ts'

const test = serverSuite('artifacts and models')

test('the bytes of an artifact are what the run wrote, with a tag of their own', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const { written } = await makeThings(world)
  const { artifacts } = written.result as { artifacts: { id: string; name: string; bytes: number }[] }
  assert.equal(
    artifacts.map(({ id }) => id),
    ['artifact-1', 'artifact-2'],
  )
  const path = `/v1/runs/${written.id}/artifacts`
  const appended = await world.ask('GET', `${path}/artifact-2`)
  assert.is(appended.text, 'one\nzwölf\n')
  assert.is(appended.headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.is(appended.headers.get('content-length'), String(artifacts[1]?.bytes))
  assert.is(appended.headers.get('cache-control'), 'private, no-cache')
  const tag = appended.headers.get('etag') ?? ''
  assert.match(tag, /^"[0-9a-f]{64}"$/)
  const known = await world.ask('GET', `${path}/artifact-2`, { headers: { 'if-none-match': tag } })
  assert.is(known.status, 304)
  assert.is(known.text, '')
  const head = await world.ask('HEAD', `${path}/artifact-2`)
  assert.is(head.status, 200)
  assert.is(head.text, '')
  for (const accept of ['text/markdown', 'application/json', '*/*'])
    assert.is((await world.ask('GET', `${path}/artifact-2`, { headers: { accept } })).status, 200)
})

test('an artifact is what was written, and not what the model asked for, where a person or a plugin changed it', async () => {
  const changing = definePlugin('changing', ({ hooks }) => {
    hooks.toolRequest.tap('changing', (decision, { args }) => {
      const { path } = args as { path: string }
      return path === 'b.md' ? decision : { decision: 'ask', args: { path: 'plugin.md', content: 'by a plugin' } }
    })
  })
  const world = await openServer({ script: postingScript, plugins: [posting(), changing()] })
  const { id } = await world.runtime.runs.create({ task: 'Write the note', approval: 'wait', topology: 'SINGLE' })
  for (let run = await world.runtime.runs.wait(id); run.status === 'waiting'; run = await world.runtime.runs.wait(id)) {
    for (const { id: approvalId, args } of run.waiting?.approvals ?? []) {
      const { path, content } = args as { path: string; content: string }
      const edited = { path: 'person.md', content: `by a person: ${content}` }
      const body = path === 'b.md' ? { decision: 'edit', args: edited } : { decision: 'approve' }
      assert.is((await world.ask('POST', `/v1/approvals/${approvalId}`, { body })).status, 200)
    }
  }
  const { artifacts } = (await world.runtime.runs.result(id)) as ExecutionResult
  assert.equal(
    artifacts.map(({ name, bytes }) => [name, bytes]),
    [
      ['plugin.md', 11],
      ['person.md', 20],
    ],
  )
  for (const [index, content] of ['by a plugin', 'by a person: zwölf\n'].entries()) {
    const path = `/v1/runs/${id}/artifacts/${artifacts[index]?.id}`
    assert.is((await world.ask('GET', path)).text, content)
  }
  const view = new RunView()
  for await (const event of world.runtime.runs.events(id)) view.apply(event)
  const done = view.toolCalls.map(({ args }) => (args as { path: string }).path)
  assert.equal(done, ['plugin.md', 'person.md', 'person.md', 'person.md'])
  assert.is((await world.ask('POST', `/v1/runs/${id}/replay`)).json.identical, true)
})

test('a file that a run changed is an artifact, as the run left it and as it was before', async () => {
  const workspace = makeFolder()
  await writeFile(join(workspace, 'old.txt'), 'one\ntwo\n')
  await writeFile(join(workspace, 'secret.txt'), 'one\ns3cr3t-word\n')
  const calls = [
    { tool: 'write_file', args: { path: 'new.txt', content: 'ein\nzwölf\n' } },
    { tool: 'edit_file', args: { path: 'new.txt', edits: [{ find: 'ein', replace: 'eins' }] } },
    { tool: 'edit_file', args: { path: './old.txt', edits: [{ find: 'two', replace: 'three' }] } },
    { tool: 'edit_file', args: { path: 'secret.txt', edits: [{ find: 'one', replace: 'two' }] } },
  ]
  const world = await openServer({
    script: (_, turn) => {
      const call = calls[turn]
      return call === undefined ? 'done' : { toolCalls: [call] }
    },
    runtime: { workspace, env: { MY_API_KEY: 's3cr3t-word' } },
  })
  const { id } = await world.runtime.runs.create({ task: 'Change it', topology: 'SINGLE', approval: 'allow-write' })
  await world.runtime.runs.wait(id)
  const { artifacts } = (await world.runtime.runs.result(id)) as ExecutionResult
  assert.equal(
    artifacts.map(({ name, bytes, uri }) => [name, bytes, uri]),
    [
      ['new.txt', 12, 'workspace:new.txt'],
      ['old.txt', 10, 'workspace:old.txt'],
      ['secret.txt', 16, 'workspace:secret.txt'],
    ],
  )
  const after = await readFile(join(workspace, 'new.txt'), 'utf8')
  // Somebody changes the files later.
  for (const name of ['new.txt', 'old.txt']) await writeFile(join(workspace, name), 'later')
  const ask = (artifact: string, version = '') =>
    world.ask('GET', `/v1/runs/${id}/artifacts/${artifact}${version && `?version=${version}`}`)
  assert.is((await ask('artifact-1')).text, after)
  assert.is((await ask('artifact-1', 'after')).text, after)
  const made = await ask('artifact-1', 'before')
  assert.is(made.status, 404)
  assert.match(made.json.detail as string, 'there was no file workspace:new.txt before')
  assert.is((await ask('artifact-2')).text, 'one\nthree\n')
  assert.is((await ask('artifact-2', 'before')).text, 'one\ntwo\n')
  for (const version of ['before', 'after']) {
    const lost = await ask('artifact-3', version)
    assert.is(lost.status, 404)
    assert.match(lost.json.detail as string, 'did not keep')
  }
  assert.is((await ask('artifact-2', 'between')).status, 400)
  assert.equal(await world.runtime.runs.replay(id), { identical: true })
})

test('a key reads the files of its own runs, and of no other', async () => {
  const world = await openServer({
    script: (_, turn) =>
      turn === 0 ? { toolCalls: [{ tool: 'write_file', args: { path: 'a.txt', content: 'mine' } }] } : 'done',
    runtime: { workspace: makeFolder() },
  })
  const { runs } = world.runtime
  const { id } = await runs.create({ task: 'Write it', topology: 'SINGLE', approval: 'allow-write' })
  await runs.wait(id)
  const sha256 = (await runs.fileChanges?.(id))?.[0]?.changes[0]?.after?.sha256 ?? ''
  assert.is(Buffer.from((await runs.fileContent?.(id, sha256)) ?? []).toString(), 'mine')
  assert.is(await runs.fileContent?.(id, '0'.repeat(64)), undefined)
  const reach = { owner: 'somebody' }
  for (const asked of [runs.fileChanges?.(id, reach), runs.fileContent?.(id, sha256, reach)])
    await asked?.then(
      () => assert.unreachable(),
      ({ code }) => assert.is(code, 'run_not_found'),
    )
})

test('a page that a run wrote is neither shown nor run, and its name breaks out of no header', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const { written } = await makeThings(world)
  const { status, headers } = await askWith(world.port, `/v1/runs/${written.id}/artifacts/artifact-1`, {
    host: `127.0.0.1:${world.port}`,
  })
  assert.is(status, 200)
  assert.is(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['content-security-policy']), "default-src 'none'")
  assert.is(
    headers['content-disposition'],
    `attachment; filename="l__t _x___.html"; filename*=UTF-8''l%C3%A4%C3%9Ft%20%22x%22%0D%0A.html`,
  )
  const { text } = await world.ask('GET', `/v1/runs/${written.id}/artifacts/artifact-1`)
  assert.is(text, NOTES[0]?.content)
})

test('what is no artifact of the run is not found, whatever its name leads to', async () => {
  const world = await openServer({ script: postingScript, plugins: [posting()] })
  const { written, run } = await makeThings(world)
  for (const id of ['artifact-3', 'package', 'constructor']) {
    const { status, json } = await world.ask('GET', `/v1/runs/${written.id}/artifacts/${id}`)
    assert.is(status, 404)
    assert.is(json.code, 'artifact_not_found')
    assert.match(json.detail as string, 'artifact-1, artifact-2')
  }
  for (const id of ['..%2f..%2fpackage.json', 'a%00b', 'x'.repeat(65), '-'])
    assert.ok([400, 404].includes((await world.ask('GET', `/v1/runs/${written.id}/artifacts/${id}`)).status), id)
  assert.is((await world.ask('GET', `/v1/runs/${run.id}/artifacts/artifact-1`)).json.code, 'artifact_not_found')
})

test('the models that can be asked for are listed, and one of them can', async () => {
  const world = await openServer()
  const { json } = await world.ask('GET', '/v1/models')
  assert.is(json.object, 'list')
  const data = json.data as { id: string; object: string; created: number; owned_by: string }[]
  assert.equal(
    data.find(({ owned_by }) => owned_by === 'scripted'),
    { id: 'scripted/scripted', object: 'model', created: 0, owned_by: 'scripted' },
  )
  // The first stands for the default model, where the protocol of a client needs a name.
  assert.is(data[0]?.id, 'svc')
  for (const { id } of data.slice(1)) {
    const ran = await world.ask('POST', '/execute', { body: { task: 'What is 6 times 7?', options: { model: id } } })
    assert.is(ran.status, 200, id)
  }
})

test.run()
