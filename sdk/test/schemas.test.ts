/** Schemas of tools and of answers: what a model is shown, and what is refused before anything runs. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type JsonSchema, type ModelRequest, type Plugin, type Tool, type ToolConfig } from '@svc/core'
import type { Script } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { createClient, type ServiceClientOptions } from '../src/index.ts'
import { scriptedModel, thrown, withClient } from './fixtures/transports.ts'

const test = suite('schemas')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-schemas-')))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const scripted = (script: Script, options: ServiceClientOptions = {}): ServiceClientOptions => ({
  env: { HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') },
  cwd: folder,
  ...options,
  config: { model: 'scripted/scripted', ...(options.config as object) },
  plugins: [scriptedModel(script), ...(options.plugins ?? [])],
})

const calendar = (parameters: unknown, more: Partial<Tool> = {}): Plugin =>
  definePlugin('calendar', (host) => {
    const run = async (args: unknown) => JSON.stringify(args)
    const tool = { id: 'book', description: 'Books a day.', risk: 'read', run, ...more } as const
    host.tools.add('book', { ...tool, parameters: parameters as JsonSchema })
  })()

const ALONE = { topology: 'SINGLE', reflect: false, consensus: false, memory: false } as const

/** What a model that calls `book` once is shown of it, and what it gets back. */
async function book(parameters: unknown, args: object, more: Partial<Tool> = {}, options: ServiceClientOptions = {}) {
  const requests: ModelRequest[] = []
  const script: Script = (request, index) => {
    requests.push(structuredClone({ ...request, signal: undefined }) as unknown as ModelRequest)
    return index === 0 ? { toolCalls: [{ tool: 'book', args }] } : { text: 'done' }
  }
  const plugins = [calendar(parameters, more)]
  const { status } = await withClient(scripted(script, { ...options, plugins }), (client) => client.run('Book.', ALONE))
  const shown = requests[0]?.tools?.find(({ id }) => id === 'book')?.parameters
  return { status, shown, answered: JSON.stringify(requests[1]?.messages ?? '') }
}

const day = z.object({
  day: z.string().transform((text) => text.length),
  room: z.string().default('A'),
  note: z.string().optional(),
})

test('of a schema that transforms, and has defaults, the model is shown what goes in', async () => {
  const { status, shown, answered } = await book(day, { day: 'Monday' })
  assert.is(status, 'completed')
  assert.equal(shown?.properties, {
    day: { type: 'string' },
    room: { type: 'string', default: 'A' },
    note: { type: 'string' },
  })
  assert.equal(shown?.required, ['day'])
  assert.match(answered, /\\"day\\\\\\":6,\\\\\\"room\\\\\\":\\\\\\"A|day[^}]*6[^}]*room[^}]*A/)
})

test('what a person approved is called once transformed, and not transformed again', async () => {
  const { answered } = await book(
    day,
    { day: 'Monday' },
    { risk: 'write' },
    { onApproval: async () => ({ decision: 'approve' }) },
  )
  assert.not.match(answered, 'tool_bad_args')
  assert.match(answered, /day[^}]*6[^}]*room[^}]*A/)
})

const fakeVendor = { '~standard': { version: 1, vendor: 'valibot', validate: (value: unknown) => ({ value }) } }

test('a tool whose parameters no model can be shown is refused when it is added, with plugin, tool and place', async () => {
  const circular: Record<string, unknown> = { type: 'object' }
  circular.properties = { again: circular }
  const cases: [parameters: unknown, said: RegExp][] = [
    [z.object({ when: z.date() }), /parameters: .*zod.*Date cannot be represented in JSON Schema/],
    [z.object({ when: z.object({ of: z.array(z.bigint()) }) }), /zod .*when\.of\[\] .*BigInt cannot be represented/],
    [
      z.object({ a: z.object({ b: z.array(z.object({ when: z.date().optional() })) }) }),
      /a\.b\[\]\.when \(Date cannot be represented in JSON Schema\).*such as a text for a date/,
    ],
    [
      z.object({ all: z.map(z.string(), z.number()) }),
      /of all \(Map cannot be represented.*such as an object for a map/,
    ],
    [
      { type: 'object', properties: { a: { $ref: '#/$defs/nope' } } },
      /parameters\/properties\/a\/\$ref: leads nowhere: there is no "#\/\$defs\/nope"/,
    ],
    [fakeVendor, /parameters: .*valibot.*has no JSON Schema of its own.*toStandardJsonSchema/],
    [{ type: 'nonsense' }, /parameters\/type: must be one of .*"object".*, not "nonsense"/],
    [{ type: 'object', properties: { when: { type: 'date' } } }, /parameters\/properties\/when\/type: must be one of/],
    [
      { type: 'object', properties: { when: 'string' } },
      /parameters\/properties\/when: must be either object or boolean/,
    ],
    [{ type: 'object', properties: { when: z.string() } }, /parameters\/properties\/when: is no plain data/],
    [{ type: 'object', required: 'when' }, /parameters\/required: must be array/],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }, /parameters\/properties\/a\/pattern: /],
    [{ type: 'array', items: {} }, /parameters\/type: must be "object"/],
    [z.string(), /parameters\/type: must be "object"/],
    [circular, /parameters.*: contains itself, or is too deep/],
    [undefined, /parameters: has to be JSON Schema, not undefined/],
    [null, /parameters: has to be JSON Schema, not null/],
    ['object', /parameters: has to be JSON Schema, not "object"/],
  ]
  for (const [parameters, said] of cases) {
    const error = await thrown(() => createClient(scripted(() => 'x', { plugins: [calendar(parameters)] })))
    assert.is(error.code, 'plugin_failed', error.message)
    assert.match(error.message, /^tool "book" of plugin calendar \(.*\): parameters/)
    assert.match(error.message, said)
    assert.match(error.errors?.[0]?.path ?? 'none', /^\/parameters/)
  }
})

test('a check of a schema that throws is a failed call, which the model gets, and the run goes on', async () => {
  const boom = (): boolean => {
    throw new Error('boom in refine')
  }
  const { answered, status } = await book(z.object({ day: z.string().refine(boom) }), { day: 'Monday' })
  assert.match(answered, /tool_bad_args: .*could not be checked: boom in refine/)
  assert.is(status, 'completed')
})

test('a plugin that was not called is refused with what to write', async () => {
  const notCalled = definePlugin('careful', () => {}) as unknown as Plugin
  for (const options of [{ plugins: [notCalled] }, { config: { plugins: [notCalled] } }] as ServiceClientOptions[]) {
    const error = await thrown(() => createClient({ env: { HOME: folder }, cwd: folder, ...options }))
    assert.match(error.message, /plugins.*what definePlugin returns is a function.*call/)
  }
})

test('what models can be shown is taken: no fields, lists of types, older JSON Schema that says so', async () => {
  const taken: unknown[] = [
    {},
    { type: 'object' },
    { type: ['object', 'null'] },
    { type: 'object', properties: { a: true, b: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } },
    { type: 'object', properties: { $ref: { const: { $ref: '#/no/schema' } }, again: { $ref: '#' } } },
    {
      type: 'object',
      properties: { a: { $ref: '#b' } },
      $defs: { b: { $anchor: 'b' }, 'c/d': { $ref: '#/$defs/c~1d' } },
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { items: [{ type: 'string' }] } },
    },
    { type: 'object', properties: { a: { type: 'string', 'x-of-a-vendor': { type: 'nonsense' } } } },
    { anyOf: [{ type: 'object' }, { required: ['a'] }] },
    z.toJSONSchema(z.object({ a: z.string() })),
    z.object({ a: z.string() }).strict(),
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  ]
  for (const parameters of taken) {
    const { status, shown } = await book(parameters, { a: 'x' })
    assert.equal([status, typeof shown], ['completed', 'object'])
  }
})

test('a tool of a config is refused with the place in the config', async () => {
  const tool = (parameters: unknown): ToolConfig => ({
    description: 'Books.',
    risk: 'read',
    parameters: parameters as JsonSchema,
    run: () => 'x',
  })
  const cases: [unknown, string, RegExp][] = [
    [{ type: 'nonsense' }, '/tools/book/parameters/type', /tools\/book\/parameters\/type must be one of/],
    [z.object({ when: z.date() }), '/tools/book/parameters', /tools\/book\/parameters .*Date cannot be represented/],
  ]
  for (const [parameters, path, said] of cases) {
    const error = await thrown(() =>
      createClient(scripted(() => 'x', { config: { tools: { book: tool(parameters) } } })),
    )
    assert.equal([error.code, error.errors?.[0]?.path], ['config_invalid', path])
    assert.match(error.message, said)
  }
})

test('a schema for answers is checked when it is given, and the error names its place', async () => {
  await withClient(
    scripted(() => '{ "a": "x" }'),
    async (client) => {
      const run = (outputSchema: unknown) =>
        client.run('Say a.', { ...ALONE, outputSchema: outputSchema as JsonSchema })
      const cases: [unknown, string, RegExp][] = [
        [{ type: 'nonsense' }, '/outputSchema/type', /must be one of/],
        [{ properties: { a: { type: 'date' } } }, '/outputSchema/properties/a/type', /must be one of/],
        [fakeVendor, '/outputSchema', /is a schema of valibot.*JSON Schema/],
        [{ properties: { a: () => {} } }, '/outputSchema/properties/a', /is no plain data/],
      ]
      for (const [outputSchema, path, said] of cases) {
        const error = await thrown(() => run(outputSchema))
        assert.equal([error.code, error.errors?.[0]?.path], ['validation_failed', path])
        assert.match(error.message, said)
        const agents = [{ name: 'Sayer', outputSchema: outputSchema as JsonSchema }]
        const ofAgent = await thrown(() => client.run('Say a.', { ...ALONE, agents }))
        assert.is(ofAgent.code, 'validation_failed')
        assert.match(ofAgent.message, /agent "sayer": \/outputSchema/)
        const put = await thrown(() => client.agents.put({ name: 'Sayer', outputSchema: outputSchema as JsonSchema }))
        assert.equal([put.code, put.errors?.[0]?.path], ['validation_failed', path])
      }
      const { output } = await run(z.toJSONSchema(z.object({ a: z.string() })))
      assert.equal(output, { a: 'x' })
      assert.equal((await run({ type: 'object', required: ['a'] })).output, { a: 'x' })
      assert.is((await client.runs.list()).data.length, 2)
    },
  )
  const agents = { sayer: { name: 'Sayer', outputSchema: { type: 'nonsense' } } }
  const error = await thrown(() => createClient(scripted(() => 'x', { config: { agents } })))
  assert.equal([error.code, error.errors?.[0]?.path], ['config_invalid', '/agents/sayer/outputSchema/type'])
})

test('a run that cannot be prepared fails with why, and others go on', async () => {
  let isBroken = true
  const wordless = definePlugin('wordless', ({ tools }) =>
    tools.add('wordless', {
      id: 'wordless',
      get description(): string {
        if (isBroken) throw new Error('no words for it')
        return 'Has words now.'
      },
      parameters: { type: 'object' },
      risk: 'read',
      run: async () => 'x',
    }),
  )()
  await withClient(
    scripted(() => 'done', { plugins: [wordless] }),
    async (client) => {
      const { status, error } = await client.run('One.', ALONE)
      assert.equal([status, error?.code], ['failed', 'run_failed'])
      assert.match(error?.message ?? '', /could not be prepared: no words for it/)
      isBroken = false
      assert.is((await client.run('Two.', ALONE)).status, 'completed')
    },
  )
})

test.run()
