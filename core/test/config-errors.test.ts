import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configJsonSchema } from '../src/config/json-schema.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { checkConfig } from '../src/config/read/check-config.ts'
import { parseData } from '../src/config/read/read-data.ts'
import { SvcError } from '../src/errors.ts'
import { findErrors } from '../src/validate.ts'
import { failure, makeMachine } from './fixtures/config-folders.ts'

const test = suite('config errors')

async function errorOf(file: string, content: unknown): Promise<SvcError> {
  const { options } = makeMachine({ [file]: content })
  return failure(loadConfig({ ...options, trust: true }))
}

test('an unknown setting is named with file, pointer and the setting that was meant', async () => {
  const error = await errorOf('svc.config.json', { modle: 'x', budget: { maxTokns: 3 } })
  assert.is(error.code, 'config_invalid')
  assert.is(error.exitCode, 3)
  assert.match(
    error.message,
    /work\/svc\.config\.json: \/modle is not a known setting; did you mean "model"\?; \/budget\/maxTokns is not a known .*"maxTokens"\?$/,
  )
  assert.equal(error.errors, [
    { path: '/modle', message: 'is not a known setting; did you mean "model"?' },
    { path: '/budget/maxTokns', message: 'is not a known setting; did you mean "maxTokens"?' },
  ])
})

test('of many errors the message says ten and counts the rest', async () => {
  const wrong = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`unheard${index}`, 1]))
  const { message } = await errorOf('svc.config.json', wrong)
  assert.match(message, /\/unheard9 [^;]*\(and 2 more\)$/)
  assert.not.match(message, /unheard10/)
})

const WRONG: [string, unknown, RegExp][] = [
  ['a value of the wrong type', { model: 3 }, /\/model must be string/],
  ['a number out of bounds', { budget: { maxTokens: -1 } }, /\/budget\/maxTokens must be >= 1/],
  ['a list instead of settings', [], /must be an object of settings, not a list/],
  [
    'a typo inside a provider',
    { providers: { fast: { type: 'openai', baseURL: 'http://x' } } },
    /\/providers\/fast\/baseURL .*"baseUrl"/,
  ],
  ['a provider without a type', { providers: { fast: {} } }, /\/providers\/fast must have required properties type/],
  [
    'a provider whose id is no slug',
    { providers: { 'Fast!': { type: 'openai' } } },
    /\/providers\/Fast! is not a valid name/,
  ],
  [
    'a tool that works in no way',
    { tools: { x: { description: 'x', parameters: {}, risk: 'read' } } },
    /\/tools\/x needs exactly one of/,
  ],
  [
    'a tool whose function is a text',
    { tools: { x: { description: 'x', parameters: {}, risk: 'read', run: 'rm' } } },
    /\/tools\/x\/run must be a function/,
  ],
  ['a slot that does not exist', { components: { analyse: './x.ts' } }, /\/components\/analyse .*"analyze"/],
  [
    'a slot that must not be empty',
    { components: { orchestrator: false } },
    /\/components\/orchestrate cannot be switched off/,
  ],
  [
    'a slot with two names',
    { components: { analyze: './a.ts', analyzer: './b.ts' } },
    /names the slot "analyze" a second time/,
  ],
  ['a plugin that is a number', { plugins: [3] }, /\/plugins\/0 must be a plugin/],
  ['an extended package', { extends: ['some-package'] }, /\/extends must hold paths of files/],
]
test('each wrong setting is an error that names the field', async () => {
  for (const [what, content, reason] of WRONG) {
    const error = await errorOf('svc.config.json', content)
    assert.is(error.code, 'config_invalid', what)
    assert.match(error.message, reason, what)
  }
})

test('the names of components stand for their slots, in any layer', () => {
  const { components } = checkConfig(
    { components: { analyzer: './a.ts', InspectorAgent: false, reflection: './r.ts' } },
    'x',
  )
  assert.equal({ ...components }, { analyze: './a.ts', inspect: false, reflect: './r.ts' })
})

test('the place of a mistake in JSON is where it stands, and its message is one line', async () => {
  const cases: [content: string, place: string][] = [
    [
      '{\n  "risk": "read",\n  "parameters": {},\n  "x": 1,\n  "command":["ls",],\n  "y": 2\n}\n',
      '(line 5, column 19)',
    ],
    ['{"a": [1,]}\n', '(line 1, column 10)'],
    ['{"a": 1,}\n', '(line 1, column 9)'],
    ['{"a": \n', '(line 1, column 7)'],
    ['{"a": tru\n}\n', '(line 1, column 7)'],
  ]
  for (const [content, place] of cases) {
    const { message } = await errorOf('svc.config.json', content)
    assert.not.match(message, '\n')
    assert.ok(message.endsWith(` ${place}`), `${message} is not at ${place}`)
    assert.not.match(message, /\.\.\.|is not valid/)
  }
})

test('a file that is empty or holds only comments says nothing and is no error', async () => {
  for (const [file, content] of [
    ['svc.config.json', ' \n'],
    ['svc.config.yaml', '# nothing\n'],
    ['.svcrc', ''],
  ] as const) {
    const { options } = makeMachine({ [file]: content })
    assert.is((await loadConfig({ ...options, trust: true })).config.model, undefined)
    assert.is((await loadConfig(options)).config.model, undefined)
  }
})

test('a YAML file whose aliases unfold into billions of values is refused before it is unfolded, trusted or not', async () => {
  const lines = ['a0: &a0 [1,1,1,1,1,1,1,1,1,1]']
  for (let level = 1; level < 30; level++)
    lines.push(
      `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
    )
  const { options } = makeMachine({ '.svcrc': lines.join('\n') })
  for (const trust of [true, false]) {
    assert.match((await failure(loadConfig({ ...options, trust }))).message, /unfolds into more than 100000 values/)
  }
  const circle = makeMachine({ '.svcrc': 'model: &m [*m]' })
  assert.match((await failure(loadConfig(circle.options))).message, /nested deeper/)
})

test('any JSON or YAML text is read as plain data or refused with a code', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), fc.constantFrom('x.json', 'x.yaml'), async (text, file) => {
      try {
        checkConfig(await parseData(text, file), file)
      } catch (thrown) {
        assert.ok(SvcError.isInstance(thrown) && thrown.code === 'config_invalid', String(thrown))
        assert.ok(thrown.message.startsWith(`${file}: `))
      }
    }),
    { numRuns: 300 },
  )
})

test('the schema for editors accepts what loads and refuses typos', () => {
  const schema = configJsonSchema()
  const good = {
    $schema: './svc.schema.json',
    model: 'a/b',
    plugins: ['./p.ts', ['pkg', { from: 1 }]],
    components: { consensus: './c.ts', inspect: false },
  }
  assert.equal(findErrors(schema, good), [])
  for (const bad of [
    { modle: 'x' },
    { plugins: [3] },
    { components: { analyse: 'x' } },
    { providers: { a: { type: 'x', create: 1 } } },
  ]) {
    assert.ok(findErrors(schema, bad).length > 0, JSON.stringify(bad))
  }
  assert.is(JSON.stringify(schema).includes('~'), false)
})

test.run()
