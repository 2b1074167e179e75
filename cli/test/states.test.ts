/** One word for how a run stands: in its exit code, its result, lists, and what is shown of one run. */
import type { ExecutionResult, Run } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { json, killed, notesWorld, runsOf, startNotesServer } from './fixtures/notes.ts'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('states of runs')

const answers = await startModelServer(({ messages }) => {
  const said = JSON.stringify(messages)
  if (said.includes('Break down')) return (_, response) => response.writeHead(401).end('{}')
  return said.includes('17 * 23') ? '17 * 23 = 392' : 'Nothing is known of it.'
})
const notes = await startNotesServer()
const world = makeWorld({}, { 'providers/mine.json': dropIn(answers) })

const CASES = [
  {
    words: ['Tell me of the crane'],
    code: 0,
    status: 'completed',
    verdict: 'unverified',
    shown: 'completed, unverified',
  },
  {
    words: ['--strict', 'Tell me of the crane'],
    code: 6,
    status: 'incomplete',
    verdict: 'unverified',
    shown: 'incomplete, unverified (not_verified)',
  },
  {
    words: ['What is 17 * 23?'],
    code: 6,
    status: 'incomplete',
    verdict: 'fail',
    shown: 'incomplete, fail (checks_failed)',
  },
] as const

test('exit code, result, list and run agree on status and verdict', async () => {
  for (const { words, code, status, verdict, shown } of CASES) {
    const ran = await svc(world, ['run', '--json', ...words])
    assert.is(ran.code, code, ran.err)
    const result = json<ExecutionResult>(ran)
    assert.equal([result.status, result.verdict], [status, verdict])
    const [got, list, listed] = await each(world, [
      ['runs', 'get', result.runId],
      'runs list',
      ['runs', 'list', '--json', '--limit', '1'],
    ])
    assert.match(got.out, `run           ${result.runId}, ${shown}\n`)
    assert.match(list.out, new RegExp(`${result.runId} +${status} +${verdict} `))
    const [row] = json<{ data: Run[] }>(listed).data
    assert.equal([row?.status, row?.verdict], [status, verdict])
  }
})

test('a run without an answer is shown without a verdict, and its error is no statement', async () => {
  const ran = await svc(world, ['run', 'Break down'])
  assert.not.match(ran.err, /statement|unverified/)
  const [, id = ''] = /svc: failed \(provider_auth\), .*(run_\w+)/.exec(ran.err) ?? []
  const [got, list, gotJson] = await each(world, [['runs', 'get', id], 'runs list', ['runs', 'get', id, '--json']])
  assert.match(got.out, `${id}, failed (provider_auth)\n`)
  assert.match(list.out, new RegExp(`${id} +failed +just now `))
  assert.equal((json<Run>(gotJson).result as ExecutionResult).claims, [])
})

test('a plan and an analysis have no verdict', async () => {
  await each(world, ['plan Hello', 'analyze Hello'])
  for (const run of await runsOf(world, '--limit', '2'))
    assert.equal([run.status, run.verdict], ['completed', undefined])
})

test('of a run whose process has died lists and the run itself say that it is left', async () => {
  const here = notesWorld(notes)
  const id = await killed(notes, here, 'WORD-left')
  const [list, got, gotJson] = await each(here, ['runs list', ['runs', 'get', id], ['runs', 'get', id, '--json']])
  assert.match(list.out, `${id}  running (left) `)
  assert.match(got.out, `${id}, running (left)\n`)
  assert.match(got.out, /agent-1 \S.*: pending/)
  const [row] = await runsOf(here)
  assert.equal([row?.left, json<Run>(gotJson).left], [true, true])
  assert.is((await svc(here, ['runs', 'resume', id])).code, 0)
  const [ended] = await runsOf(here)
  assert.equal([ended?.status, ended?.left], ['completed', undefined])
})

test.run()
