/** Tools that a program hands over with typed arguments, who is asked about them, and outputs of typed schemas. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Approval, Tool, ToolCall } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as Type from 'typebox'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as v from 'valibot'
import { z } from 'zod'
import { type ApprovalAnswer, createClient, definePlugin, defineTool, type ServiceClientOptions } from '../src/index.ts'

const test = suite('typed tools')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-typed-')))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A client whose model answers by a script, with nothing of this machine in it. */
async function withClient(script: Script, options: ServiceClientOptions = {}) {
  const model = scriptedProvider('scripted', script)
  const plugin = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', model))()
  const client = await createClient({
    env: { HOME: folder, XDG_CONFIG_HOME: folder },
    cwd: folder,
    config: { model: 'scripted/scripted' },
    ...options,
    plugins: [plugin],
  })
  return { client, model }
}

/** What came of the only tool call of a run: its result, or code and message of its error. */
async function resultOf(tool: string, args: unknown, options: ServiceClientOptions): Promise<string> {
  const { client } = await withClient(
    ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { toolCalls: [{ tool, args } as Omit<ToolCall, 'callId'>] },
    options,
  )
  let came = ''
  for await (const { type, data } of client.stream('Do it')) {
    if (type === 'tool.completed') came ||= String(data.result)
    if (type === 'tool.failed' || type === 'tool.denied') came ||= `${data.error?.code}: ${data.error?.message}`
  }
  await client.disconnect()
  return came
}

const city = { id: 'greet', description: 'Greets a city.' }
const KINDS: Readonly<Record<string, () => Tool>> = {
  zod: () => defineTool({ ...city, parameters: z.object({ name: z.string() }), run: ({ name }) => `Hello, ${name}.` }),
  valibot: () =>
    defineTool({
      ...city,
      parameters: toStandardJsonSchema(v.object({ name: v.string() })),
      run: ({ name }) => `Hello, ${name}.`,
    }),
  arktype: () => defineTool({ ...city, parameters: type({ name: 'string' }), run: ({ name }) => `Hello, ${name}.` }),
  typebox: () =>
    defineTool({ ...city, parameters: Type.Object({ name: Type.String() }), run: ({ name }) => `Hello, ${name}.` }),
  'json schema': () =>
    defineTool({
      ...city,
      parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      run: ({ name }) => `Hello, ${name}.`,
    }),
}

for (const [kind, make] of Object.entries(KINDS)) {
  test(`a tool with parameters of ${kind} is offered with them, called with them, and with nothing else`, async () => {
    const { client, model } = await withClient(() => 'Done.', { tools: [make()] })
    await client.run('Greet Oslo')
    await client.disconnect()
    const offered = model.requests[0]?.tools?.find(({ id }) => id === 'greet')
    assert.equal((offered?.parameters as { properties?: object } | undefined)?.properties, { name: { type: 'string' } })
    assert.is(await resultOf('greet', { name: 'Oslo' }, { tools: [make()] }), 'Hello, Oslo.')
    assert.match(await resultOf('greet', { name: 7 }, { tools: [make()] }), /^tool_bad_args: greet: .*name/)
  })
}

test('a transform of a schema is what the tool gets, and its default is no duty of the model', async () => {
  const tool = defineTool({
    ...city,
    parameters: z.object({ name: z.string().transform((text) => text.length), times: z.number().default(2) }),
    run: ({ name, times }) => `${name * times}`,
  })
  assert.is(await resultOf('greet', { name: 'Oslo' }, { tools: [tool] }), '8')
})

for (const [kind, output] of Object.entries({
  zod: z.object({ celsius: z.number() }),
  valibot: v.object({ celsius: v.number() }),
  arktype: type({ celsius: 'number' }),
  typebox: Type.Object({ celsius: Type.Number() }),
  'json schema': { type: 'object', properties: { celsius: { type: 'number' } } },
}))
  test(`what a tool returns is held to an output of ${kind}`, async () => {
    const make = (celsius: unknown) =>
      defineTool({ ...city, parameters: z.object({}), output: output as object, run: () => ({ celsius }) })
    assert.is(await resultOf('greet', {}, { tools: [make(7)] }), '{"celsius":7}')
    assert.match(await resultOf('greet', {}, { tools: [make('warm')] }), /^tool_failed: .*celsius/)
  })

test('what a tool returns is held to its output', async () => {
  const make = (celsius: unknown): Tool =>
    defineTool({
      ...city,
      parameters: z.object({}),
      output: z.object({ celsius: z.number().transform((degrees) => degrees * 2) }),
      run: () => ({ celsius }) as { celsius: number },
    })
  assert.match(await resultOf('greet', {}, { tools: [make(4)] }), /"celsius":\s*8/)
  const wrong = /^tool_failed: greet returned what its output does not allow: \/celsius/
  assert.match(await resultOf('greet', {}, { tools: [make('warm')] }), wrong)
})

test('all that is wrong with a tool is said at once, with its places', () => {
  const wrong = {
    id: '1st',
    description: ' ',
    parameters: { type: 'strin' },
    risk: 'some',
    output: { type: 3 },
    run: 5,
  }
  try {
    defineTool(wrong as never)
    assert.unreachable()
  } catch (thrown) {
    const { code, errors } = thrown as { code: string; errors: { path: string }[] }
    assert.is(code, 'validation_failed')
    assert.equal(
      errors.map(({ path }) => path),
      ['/id', '/description', '/parameters/type', '/risk', '/output/type', '/run'],
    )
  }
  assert.throws(() => defineTool({ ...city, parameters: v.object({}), run: () => 1 }), /toStandardJsonSchema/)
  assert.throws(() => defineTool(undefined as never), /id, description, parameters and run/)
})

const danger = (needsApproval: (args: { path: string }) => unknown): Tool =>
  defineTool({
    id: 'erase',
    description: 'Erases a file.',
    parameters: z.object({ path: z.string() }),
    needsApproval: needsApproval as never,
    run: ({ path }) => `erased ${path}`,
  })

/** A tool whose functions are methods, with something of its own that they read. */
class Refund {
  readonly id = 'refund'
  readonly parameters = z.object({ euros: z.number() })
  readonly #limit = 50
  get description(): string {
    return 'Pays back.'
  }
  needsApproval({ euros }: { euros: number }): boolean {
    return euros > this.#limit
  }
  run({ euros }: { euros: number }): string {
    return `paid ${Math.min(euros, this.#limit)}`
  }
}

test('the methods of a class are functions of its tool, and keep their this', async () => {
  const tools = [defineTool(new Refund())]
  assert.is(await resultOf('refund', { euros: 20 }, { tools }), 'paid 20')
  assert.match(await resultOf('refund', { euros: 90 }, { tools }), /^approval_required: /)
})

test('a field that no tool has is refused, with the one that was meant, and so is a value of the wrong type', () => {
  const tool = { ...city, parameters: z.object({}), run: () => 1 }
  const define = (more: object) => () => defineTool({ ...tool, ...more } as never)
  assert.throws(
    define({ needsAproval: () => true }),
    /needsAproval is no field of a tool: did you mean needsApproval\?/,
  )
  assert.throws(define({ inputSchema: z.object({}) }), /inputSchema is no field of a tool: did you mean parameters\?/)
  assert.throws(define({ execute: () => 1 }), /execute is no field of a tool: did you mean run\?/)
  assert.throws(define({ timeoutMs: '5s' }), /timeoutMs must be a number above 0/)
  assert.throws(define({ idempotent: 'yes' }), /idempotent must be true or false/)
  assert.throws(define({ needsApproval: true }), /needsApproval must be a function of the arguments/)
  assert.throws(() => defineTool('greet' as never), /^tool must be an object with id/)
})

test('needsApproval decides by the arguments who is asked', async () => {
  const asked: Approval[] = []
  const options: ServiceClientOptions = {
    tools: [danger((args) => args.path !== 'a.tmp')],
    onApproval: (approval) => {
      asked.push(approval)
      return 'approve'
    },
  }
  assert.is(await resultOf('erase', { path: 'a.tmp' }, options), 'erased a.tmp')
  assert.is(asked.length, 0)
  assert.is(await resultOf('erase', { path: 'a.txt' }, options), 'erased a.txt')
  assert.equal(
    asked.map(({ args, tool }) => [tool, args]),
    [['erase', { path: 'a.txt' }]],
  )
})

const answers: readonly [string, () => ApprovalAnswer, RegExp][] = [
  ['"approve"', () => 'approve', /^erased a\.txt$/],
  ['"deny"', () => 'deny', /^approval_denied: /],
  ['other arguments', () => ({ decision: 'approve', args: { path: 'b.txt' } }), /^erased b\.txt$/],
  ['a denial with a note', () => ({ decision: 'deny', note: 'not mine' }), /not mine/],
  ['arguments that the tool does not take', () => ({ decision: 'approve', args: { path: 7 } }), /^approval_denied: /],
  ['nothing', () => undefined as never, /^approval_denied: .*onApproval .*'approve', 'deny' or/],
  ['true', () => true as never, /^approval_denied: .*onApproval .*'approve', 'deny' or/],
  [
    'another word',
    () => 'approved' as never,
    /^approval_denied: .*onApproval .*'approve', 'deny' or .* not "approved"/,
  ],
  [
    'an error',
    () => {
      throw new Error('no line')
    },
    /^approval_denied: .*no line/,
  ],
]
for (const [what, onApproval, expected] of answers) {
  test(`an approver that answers with ${what}`, async () => {
    const said = await resultOf('erase', { path: 'a.txt' }, { tools: [danger(() => true)], onApproval })
    assert.match(said, expected)
  })
}

test('a needsApproval that throws, or answers neither yes, no nor why, has the call denied', async () => {
  const failing = (): never => {
    throw new Error('no idea')
  }
  for (const need of [failing, () => undefined, () => 1, () => '']) {
    const said = await resultOf('erase', { path: 'a.txt' }, { tools: [danger(need)], onApproval: () => 'approve' })
    assert.match(said, /^policy_denied: needsApproval of erase /)
  }
})

test('what a tool says of its approval lifts no rule, no default of the config and no denial by risk', async () => {
  const make = (risk: Tool['risk']): Tool =>
    defineTool({ ...city, parameters: z.object({}), risk, needsApproval: () => false, run: () => 'done' })
  const run = (risk: Tool['risk'], policy: object): Promise<string> =>
    resultOf('greet', {}, { tools: [make(risk)], config: { model: 'scripted/scripted', policy } })
  assert.is(await run('write', {}), 'done')
  assert.match(await run('write', { default: 'ask' }), /^approval_required: /)
  assert.match(await run('execute', { rules: [{ tool: 'greet', decision: 'deny' }] }), /^policy_denied: /)
  assert.match(await run('destructive', {}), /^policy_denied: /)
})

const Person = z.object({ name: z.string(), age: z.number() }).refine(({ age }) => age < 150, 'nobody is that old')

test('an output is what its schema makes of it', async () => {
  const { client } = await withClient(() => '{"born": "1815-12-10"}')
  const { output, status } = await client.run('When was Ada born?', {
    outputSchema: z.object({ born: z.string().transform((text) => Number(text.slice(0, 4))) }),
  })
  assert.is(status, 'completed')
  assert.is(output?.born, 1815)
  await client.disconnect()
})

test('an output that the schema refuses is asked for once more, also where JSON Schema cannot say why', async () => {
  const { client, model } = await withClient((_, index) => `{"name": "Ada", "age": ${index === 0 ? 208 : 36}}`)
  const { output, status } = await client.run('How old was Ada?', { outputSchema: Person })
  assert.is(status, 'completed')
  assert.equal(output, { name: 'Ada', age: 36 })
  assert.match(JSON.stringify(model.requests[1]?.messages), /nobody is that old/)
  await client.disconnect()
})

test('an output that is refused twice makes the run incomplete, without an output', async () => {
  const { client } = await withClient(() => '{"name": "Ada", "age": 208}')
  const { output, status, verdict, error } = await client.run('How old was Ada?', { outputSchema: Person })
  assert.equal([status, verdict, error?.code], ['incomplete', 'fail', 'output_schema_mismatch'])
  assert.is(output, undefined)
  await client.disconnect()
})

test('an outputSchema that no model can be shown is refused before a run', async () => {
  const { client } = await withClient(() => '{}')
  for (const outputSchema of [z.object({ at: z.date() }), v.object({}), { type: 'strin' }]) {
    try {
      await client.run('When?', { outputSchema })
      assert.unreachable()
    } catch (thrown) {
      const { code, errors } = thrown as { code: string; errors: { path: string }[] }
      assert.is(code, 'validation_failed', String(thrown))
      assert.match(errors[0]?.path ?? '', /^\/outputSchema/)
    }
  }
  await client.disconnect()
})

test.run()
