/** What a default plugin can, a plugin of a stranger can: every surface answers from the parts of examples/own-parts. */
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionResult, MemoryRecord, ModelProvider, ProviderAdapter, Runtime, StoreFactory } from '@svc/core'
import { checkProvider, checkStore } from '@svc/core/testing'
import { type CreateRuntimeOptions, createRuntime } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { jsonlStore, notes, shout, tally } from '../own-parts/src/index.ts'

const test = suite('own parts')

const root = fileURLToPath(new URL('../..', import.meta.url))
const packageFolder = join(root, 'examples/own-parts')
const main = join(root, 'cli/src/main.ts')

/** What the model server is asked, and what it answers. */
let asked: string[] = []
let answer: (body: string, signal: { closed: Promise<void> }) => string | Promise<string> = () => 'well'
let server: Server
let baseUrl = ''
let home = ''
let folders = 0

test.before(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-own-parts-')))
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push(body)
    const closed = new Promise<void>((resolve) => response.on('close', resolve))
    const text = await answer(body, { closed })
    if (text.startsWith('status ')) response.writeHead(Number(text.slice('status '.length))).end()
    else response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
test.after(() => {
  server.closeAllConnections()
  server.close()
  rmSync(home, { recursive: true, force: true })
})
test.before.each(() => {
  asked = []
  answer = () => 'well'
})

/** A project of its own that has the package installed. */
function makeProject(): string {
  const folder = join(home, `project-${++folders}`)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  symlinkSync(packageFolder, join(folder, 'node_modules', 'svc-own-parts'))
  writeFileSync(
    join(folder, 'svc.config.ts'),
    `import { defineConfig } from '@svc/core'
import { jsonlStore, notes, shout, tally } from 'svc-own-parts'

export default defineConfig({
  plugins: [jsonlStore(), shout()],
  components: { memory: notes({ file: '${join(folder, 'notes.json')}' }), inspect: tally() },
  store: { url: 'jsonl:${join(folder, 'runs.jsonl')}' },
  providers: { mine: { type: 'shout', baseUrl: '${baseUrl}', models: { loud: { context: 9000, tools: true } } } },
  model: 'mine/loud',
  policy: { rules: [{ tool: 'remember', decision: 'allow' }] },
})
`,
  )
  return folder
}

const notesIn = (folder: string): MemoryRecord[] =>
  existsSync(join(folder, 'notes.json')) ? JSON.parse(readFileSync(join(folder, 'notes.json'), 'utf8')) : []

/** A runtime in this process, of the same parts as the project's config has. */
const startIn = (folder: string, options: CreateRuntimeOptions = {}): Promise<Runtime> =>
  createRuntime(
    {
      plugins: [jsonlStore(), shout()],
      components: { memory: notes({ file: join(folder, 'notes.json') }), inspect: tally() },
      store: { url: `jsonl:${join(folder, 'runs.jsonl')}` },
      providers: { mine: { type: 'shout', baseUrl, models: { loud: { tools: true } } } },
      model: 'mine/loud',
      policy: { rules: [{ tool: 'remember', decision: 'allow' }] },
    },
    { env: {}, workspace: folder, ...options },
  )

interface Ran {
  code: number | null
  out: string
  err: string
}

/** `svc` in a project, trusted for this call. */
function svc(folder: string, ...args: string[]): { done: Promise<Ran>; kill(): void } {
  const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }
  const command = [...argumentsFor(main), ...args, '--cwd', folder, '--trust']
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ran: Ran = { code: null, out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    ran.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    ran.err += chunk
  })
  const done = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ ...ran, code })))
  return { done, kill: () => child.kill('SIGKILL') }
}

/** What a plugin of the package puts into one registry of the host. */
function registered<T>(plugin: { apply(host: never): unknown }, registry: string): T {
  let item: unknown
  plugin.apply({ [registry]: { add: (_id: string, added: unknown) => (item = added) } } as never)
  return item as T
}

test('the store passes checkStore', async () => {
  const makeStore = registered<StoreFactory>(jsonlStore(), 'stores')
  let files = 0
  const problems = await checkStore({
    async open(clock) {
      const url = `jsonl:${join(home, `check-${++files}.jsonl`)}`
      const [store, other] = [makeStore({ url, clock }), makeStore({ url, clock })]
      for (const handle of [store, other]) await handle.open()
      const close = async (): Promise<void> => {
        for (const handle of [store, other]) await handle.close()
      }
      return { store, other, close }
    },
  })
  assert.equal(problems, [])
})

test('the wire format passes checkProvider', async () => {
  const adapter = registered<ProviderAdapter>(shout(), 'adapters')
  const make = (): ModelProvider => adapter('mine', { type: 'shout', baseUrl }, { env: {} })
  answer = (body, { closed }) => {
    if (body.includes('fail')) return 'status 500'
    if (body.includes('broken')) return '!look {"no json'
    if (body.includes('slow')) return closed.then(() => '')
    return 'here you are\n!look {"at":1}\n!look {"at":2}'
  }
  const says = (text: string) => ({ messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }] })
  const problems = await checkProvider(make, { failing: [says('fail'), says('broken')], slow: says('slow') })
  assert.equal(problems, [])
})

test('the memory, the inspector, the store and the wire format of a runtime are those of the package', async () => {
  const folder = makeProject()
  const runtime = await startIn(folder)
  const office = await runtime.memory.write({ content: 'The office is closed on Fridays.' })
  assert.equal(notesIn(folder), [office])

  const replies = [
    '!remember {"content":"The release train leaves on Thursdays."}',
    '!recall {"query":"On which days is the office closed?"}',
    'The office is closed on Fridays.',
  ]
  answer = () => replies.shift() ?? 'done'
  const { id } = await runtime.runs.create({ task: 'On which day is the office closed?', topology: 'SINGLE' })
  const ended = await runtime.runs.wait(id)
  assert.is(ended.status, 'completed', JSON.stringify(ended.error))
  const result = ended.result as ExecutionResult
  assert.match(result.summary, 'closed on Fridays')
  assert.match(asked[0] ?? '', 'The office is closed on Fridays.', 'what was recalled before the plan is in the prompt')
  assert.match(asked[2] ?? '', /^TOOL: .*The office is closed on Fridays/m, 'recall found the note')

  const said = notesIn(folder).find(({ content }) => content.includes('Thursdays'))
  assert.equal([said?.trust, said?.source.origin], ['untrusted', 'model'], 'remember wrote a note')
  const recorded = notesIn(folder).find(({ source }) => source.runId === id)
  assert.match(recorded?.content ?? '', 'it ended as completed', 'the run was recorded at inspect')

  assert.equal((await runtime.memory.list({ order: 'asc' })).data, notesIn(folder))
  assert.is(
    (await runtime.memory.query({ query: 'When is the office closed?' })).data[0]?.parts.words !== undefined,
    true,
  )
  assert.equal(await runtime.memory.get(office.id), office)
  await runtime.memory.delete(office.id)
  assert.is(notesIn(folder).length, 2)
  await runtime.memory.get(office.id).then(
    () => assert.unreachable(),
    (thrown) => assert.is(thrown.code, 'memory_not_found'),
  )

  assert.equal(result.inspection?.signals, { worked: 2, failed: 0 })
  assert.equal((await runtime.inspect()).signals, { worked: 2, failed: 0 })
  const { providers } = await runtime.describe()
  assert.is(providers.find((provider) => provider.id === 'mine')?.source, 'given to createRuntime')
  await runtime.close()

  const lines = readFileSync(join(folder, 'runs.jsonl'), 'utf8').split('\n').filter(Boolean)
  assert.ok(
    lines.some((line) =>
      JSON.parse(line).write?.events?.some(({ type }: { type: string }) => type === 'run.completed'),
    ),
  )
})

test('the command line speaks to the memory and the provider of the package', async () => {
  const folder = makeProject()
  const added = await svc(folder, 'memory', 'add', 'The release train leaves on Thursdays.').done
  assert.is(added.code, 0, added.err)
  const [note] = notesIn(folder)
  assert.is(note?.content, 'The release train leaves on Thursdays.')
  const id = note?.id ?? ''
  assert.match((await svc(folder, 'memory', 'list').done).out, id)
  assert.match((await svc(folder, 'memory', 'search', 'release train').done).out, id)
  const models = await svc(folder, 'models').done
  assert.match(models.out, /^\* +mine\/loud +9000 tokens .*svc\.config\.ts$/m, models.err)

  answer = () => 'It leaves on Thursdays.'
  const ran = await svc(folder, 'run', 'When does the release train leave?', '--topology', 'SINGLE').done
  assert.match(ran.out, 'It leaves on Thursdays.', ran.err)
  assert.match(asked[0] ?? '', 'The release train leaves on Thursdays.')
  assert.is(notesIn(folder).length, 2)

  assert.is((await svc(folder, 'memory', 'rm', id).done).code, 0)
  assert.is(notesIn(folder).length, 1)
  const data = join(folder, '.svc', 'data')
  const kept = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'))
  assert.not.match(kept.join(''), /Thursdays/, 'nothing is remembered beside it')
})

test('a run whose process was killed goes on in another one, and pays for nothing twice', async () => {
  const folder = makeProject()
  let isHeld: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  answer = (_body, { closed }) => {
    if (asked.length === 1) return '!remember {"content":"The release train leaves on Thursdays."}'
    isHeld()
    return closed.then(() => '')
  }
  const first = svc(folder, 'run', 'Remember when the release train leaves.', '--topology', 'SINGLE')
  await Promise.race([held, first.done.then(({ err }) => assert.unreachable(err))])
  first.kill()
  await first.done

  answer = () => 'It is remembered.'
  const second = await startIn(folder, { clock: () => Date.now() + 31_000 }) // the lease of the dead process has run out
  const [run] = (await second.runs.list()).data
  const ended = await second.runs.wait(run?.id ?? '')
  assert.is(ended.status, 'completed', JSON.stringify(ended.error))
  assert.is((ended.result as ExecutionResult).summary, 'It is remembered.')
  assert.is(asked.length, 3, 'the first call was not made again, the second one was')
  assert.is(notesIn(folder).filter(({ content }) => content === 'The release train leaves on Thursdays.').length, 1)
  const events: string[] = []
  const numbers: (number | undefined)[] = []
  for await (const event of second.runs.events(ended.id, { deltas: false })) {
    events.push(event.type)
    numbers.push(event.seq)
  }
  assert.equal(
    numbers,
    events.map((_, index) => index + 1),
  )
  assert.is(events.filter((type) => type === 'run.recovered').length, 1)
  assert.is(events.filter((type) => type === 'tool.completed').length, 1)
  assert.equal(await second.runs.replay(ended.id), { identical: true })
  await second.close()

  const third = await startIn(folder)
  assert.is((await third.runs.get(ended.id)).status, 'completed', 'a third process finds it')
  await third.close()
})

test.run()
