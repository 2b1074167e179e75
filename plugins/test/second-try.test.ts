/** A second try of a step knows what the first one did, and does none of it twice. */
import { definePlugin, type ExecutionResult, type RunEvent, type Tool, type ToolRisk } from '@svc/core'
import { type ScriptedToolCall, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../src/index.ts'
import { resultOf } from './fixtures/runs.ts'

const test = suite('second try')

const TASK = 'Add a line to notes.txt and work out 17*23'
/** What does not hold whatever was called, so that it is tried again. */
const WRONG = 'The line is there, and 17*23 = 392.'
const RIGHT = 'The line is there, and 17*23 = 391.'

const call = (tool: string, args: object): ScriptedToolCall => ({ tool, args })
const APPEND = call('append', { path: 'notes.txt', line: 'one' })
const OTHER = call('append', { path: 'notes.txt', line: 'two' })
const TICKET = call('ticket', { title: 'crane' })
const PROGRAM = call('program', { name: 'deploy' })

interface Ran {
  result: ExecutionResult
  events: RunEvent[]
  /** Calls that reached a tool, in order. */
  made: string[]
  /** The first request of the second try. */
  second: string
}

/** @param tries the calls of each try, one after the other, before it answers */
async function run(tries: readonly (readonly ScriptedToolCall[])[], exitCode = 0): Promise<Ran> {
  const made: string[] = []
  const tool = (id: string, risk: ToolRisk, answer: unknown = 'done'): Tool => ({
    id,
    description: id,
    parameters: { type: 'object' },
    risk,
    async run(args) {
      made.push(`${id} ${Object.values(args as object).at(-1)}`)
      return answer
    },
  })
  let attempt = 0
  let second = ''
  const provider = scriptedProvider('scripted', ({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'tool').length
    if (turn === 0 && ++attempt === 2) second = JSON.stringify(messages)
    const next = tries[attempt - 1]?.[turn]
    return next === undefined ? (attempt === 1 ? WRONG : RIGHT) : { toolCalls: [next] }
  })
  const own = definePlugin('own', ({ providers, tools }) => {
    providers.add('scripted', provider)
    tools.add('append', tool('append', 'write'))
    tools.add('ticket', tool('ticket', 'network'))
    tools.add('program', tool('program', 'execute', { exitCode }))
  })
  const policy = { rules: [{ tool: '*', decision: 'allow' as const }] }
  const runtime = await createRuntime({ model: 'scripted/scripted', policy }, { plugins: [own()], env: {} })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({ task: TASK, topology: 'SINGLE' })
  const result = await resultOf(runtime, id)
  await runtime.close()
  assert.is(events.filter(({ type }) => type === 'step.retrying').length, 1, 'tried again')
  return { result, events, made, second }
}

test('is shown what was done, and what it does again is answered and not done', async () => {
  const { made, second, result } = await run([
    [APPEND, TICKET],
    [APPEND, TICKET],
  ])
  assert.equal(made, ['append one', 'ticket crane'])
  assert.match(second, /An earlier try made these calls/)
  assert.match(second, /- append .*notes\.txt/)
  assert.is(result.toolCalls.total, 4, 'each is in the log')
})

test('does what the first did not do, and again what something else has changed since', async () => {
  assert.equal((await run([[APPEND], [OTHER]])).made, ['append one', 'append two'])
  assert.equal((await run([[APPEND, OTHER], [APPEND]])).made, ['append one', 'append two', 'append one'])
})

test('runs a program again after a change, or when it had failed, and not else', async () => {
  assert.equal((await run([[PROGRAM], [PROGRAM]])).made, ['program deploy'])
  assert.equal((await run([[PROGRAM], [PROGRAM]], 1)).made, ['program deploy', 'program deploy'])
  assert.equal((await run([[PROGRAM], [APPEND, PROGRAM]])).made, ['program deploy', 'append one', 'program deploy'])
})

test('a first try that did nothing leaves nothing to say', async () => {
  const { second } = await run([[], [APPEND]])
  assert.not.match(second, /An earlier try/)
})

test.run()
