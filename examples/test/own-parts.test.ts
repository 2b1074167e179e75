/** What a default plugin can, a plugin of a stranger can: every surface answers from the parts of examples/own-parts. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionResult, ModelProvider } from '@svc/core'
import { checkProvider, checkStore } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createJsonlStore, createShout } from '../own-parts/src/index.ts'
import {
  freshFile,
  type ModelServer,
  makeProject,
  notesIn,
  startIn,
  startModelServer,
  svc,
} from './fixtures/own-parts.ts'

const test = suite('own parts')

let model: ModelServer
test.before(async () => {
  model = await startModelServer()
})
test.after(() => model.close())
test.before.each(() => {
  model.asked = []
  model.answer = () => 'well'
})

test('the store passes checkStore', async () => {
  const problems = await checkStore({
    left: true,
    async open(clock) {
      const url = `jsonl:${freshFile('.jsonl')}`
      const [store, other] = [createJsonlStore({ url, clock }), createJsonlStore({ url, clock })]
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
  const make = (): ModelProvider => createShout('mine', { type: 'shout', baseUrl: model.baseUrl }, { env: {} })
  model.answer = (body, closed) => {
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
  const folder = makeProject(model.baseUrl)
  const runtime = await startIn(folder, model.baseUrl)
  const office = await runtime.memory.write({ content: 'The office is closed on Fridays.' })
  assert.equal(notesIn(folder), [office])

  const replies = [
    '!remember {"content":"The release train leaves on Thursdays."}',
    '!recall {"query":"On which days is the office closed?"}',
    'The office is closed on Fridays.',
  ]
  model.answer = () => replies.shift() ?? 'done'
  const { id } = await runtime.runs.create({ task: 'On which day is the office closed?', topology: 'SINGLE' })
  const ended = await runtime.runs.wait(id)
  assert.is(ended.status, 'completed', JSON.stringify(ended.error))
  const result = ended.result as ExecutionResult
  assert.match(result.summary, 'closed on Fridays')
  assert.match(
    model.asked[0] ?? '',
    'The office is closed on Fridays.',
    'what was recalled before the plan is in the prompt',
  )
  assert.match(model.asked[2] ?? '', /^TOOL: .*The office is closed on Fridays/m, 'recall found the note')

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
  const folder = makeProject(model.baseUrl)
  const added = await svc(folder, 'memory', 'add', 'The release train leaves on Thursdays.').done
  assert.is(added.code, 0, added.err)
  const [note] = notesIn(folder)
  assert.is(note?.content, 'The release train leaves on Thursdays.')
  const id = note?.id ?? ''
  assert.match((await svc(folder, 'memory', 'list').done).out, id)
  assert.match((await svc(folder, 'memory', 'search', 'release train').done).out, id)
  const models = await svc(folder, 'models').done
  assert.match(models.out, /^\* +mine\/loud +9000 tokens .*svc\.config\.ts$/m, models.err)

  model.answer = () => 'It leaves on Thursdays.'
  const ran = await svc(folder, 'run', 'When does the release train leave?', '--topology', 'SINGLE').done
  assert.match(ran.out, 'It leaves on Thursdays.', ran.err)
  assert.match(model.asked[0] ?? '', 'The release train leaves on Thursdays.')
  assert.is(notesIn(folder).length, 2)

  assert.is((await svc(folder, 'memory', 'rm', id).done).code, 0)
  assert.is(notesIn(folder).length, 1)
  assert.not.ok(existsSync(join(folder, '.svc', 'data')), 'nothing is kept beside the store of the package')
})

test('a run whose process was killed goes on in another one, and pays for nothing twice', async () => {
  const folder = makeProject(model.baseUrl)
  let isHeld: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  model.answer = (_body, closed) => {
    if (model.asked.length === 1) return '!remember {"content":"The release train leaves on Thursdays."}'
    isHeld()
    return closed.then(() => '')
  }
  const first = svc(folder, 'run', 'Remember when the release train leaves.', '--topology', 'SINGLE')
  await Promise.race([held, first.done.then(({ err }) => assert.unreachable(err))])
  first.kill()
  await first.done

  model.answer = () => 'It is remembered.'
  const second = await startIn(folder, model.baseUrl, { clock: () => Date.now() + 31_000 }) // the lease of the dead process has run out
  const [run] = (await second.runs.list()).data
  const ended = await second.runs.wait(run?.id ?? '')
  assert.is(ended.status, 'completed', JSON.stringify(ended.error))
  assert.is((ended.result as ExecutionResult).summary, 'It is remembered.')
  assert.is(model.asked.length, 3, 'the first call was not made again, the second one was')
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

  const third = await startIn(folder, model.baseUrl)
  assert.is((await third.runs.get(ended.id)).status, 'completed', 'a third process finds it')
  await third.close()
})

test.run()
