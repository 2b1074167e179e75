import { CONTINUE_REQUEST, type ModelPart, type ModelRequest, type Tool, ToolError, textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOfflineProvider } from '../src/offline/index.ts'
import { ask, FILE_TOOLS } from './fixtures/ask-offline.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('the offline provider')

async function collect(request: Partial<ModelRequest>, signal = new AbortController().signal): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  const whole = { model: 'extractive', messages: [textMessage('user', 'hello')], stream: true, ...request }
  for await (const part of createOfflineProvider().generate(whole, { signal })) parts.push(part)
  return parts
}

/** A tool that answers with a fixed text, or fails. */
const fakeTool = (tool: Partial<Tool> & Pick<Tool, 'id'>): Tool => ({
  description: tool.id,
  parameters: { type: 'object', properties: {} },
  risk: 'read',
  run: async () => 'done',
  ...tool,
})

test('is called offline, is deterministic and costs nothing', async () => {
  const provider = createOfflineProvider()
  assert.is(provider.id, 'offline')
  assert.is(provider.deterministic, true)
  const [model] = await provider.models()
  assert.is(model?.id, 'extractive')
  assert.equal(model?.price, { input: 0, output: 0 })
})

test('gives the same parts for the same request, in one piece or in many', async () => {
  assert.equal(await collect({}), await collect({}))
  const text = (parts: ModelPart[]): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  assert.is(text(await collect({ stream: false })), text(await collect({ stream: true })))
})

test('keeps within maxOutputTokens and says that it was cut', async () => {
  const folder = folderOf({
    'package.json': JSON.stringify(
      {
        name: 'a',
        version: '1.0.0',
        scripts: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`script${index}`, `run ${index}`])),
      },
      null,
      1,
    ),
  })
  const whole = await ask(folder, 'List the scripts')
  const cut = await ask(folder, 'List the scripts', { maxOutputTokens: 100 })
  assert.ok(cut.text.length < whole.text.length)
  assert.ok(whole.text.startsWith(cut.text))
})

test('says that it has no tools, rather than making something up', async () => {
  const { text, turns } = await ask(folderOf({}), 'What does this package do?', { tools: [] })
  assert.match(text, /no tools/)
  assert.is(turns, 1)
})

test('says that a tool was denied or failed, and goes on with the others', async () => {
  const denied: Tool = {
    ...fakeTool({ id: 'list_files' }),
    parameters: { type: 'object', properties: { path: {}, depth: {}, limit: {} } },
    run: async () => {
      throw new ToolError('tool_failed', 'the disk is on fire')
    },
  }
  const { text } = await ask(folderOf({ 'a.md': 'Badgers dig.' }), 'Where do badgers dig?', {
    tools: [denied, ...FILE_TOOLS.slice(1)],
  })
  assert.ok(text.includes('the disk is on fire'), text)
  assert.ok(text.includes('"Badgers dig." (a.md:1)') || text.includes('`Badgers dig.` (a.md:1)'), text)
})

test('combines the results of other steps, keeps their citations and drops repetitions', async () => {
  const results = [
    '<result of="step-1" by="agent-2">\nThe version is `1.2.3` (package.json:3)\n</result>',
    '<result of="step-2" by="agent-3">\nThe version is `1.2.3` (package.json:3)\nThe licence is `MIT` (package.json:4)\n</result>',
    '<result of="step-3" by="agent-3">\nI found nothing about `zork`.\n</result>',
  ].join('\n\n')
  const { text } = await ask(folderOf({}), 'Combine the results of the parts into one answer to: version and licence', {
    material: results,
    tools: [],
  })
  assert.is(
    text,
    'The version is `1.2.3` (package.json:3)\n\nThe licence is `MIT` (package.json:4)\n\nI found nothing about `zork`.',
  )
})

test('decides for the draft with the most evidence', async () => {
  const results =
    '<result of="step-1" by="agent-1">\nI found nothing.\n</result>\n\n<result of="step-2" by="agent-2">\nIt is `x` (a.ts:1)\n</result>'
  const { text } = await ask(folderOf({}), 'Decide which draft answers best, and give that answer: what is it', {
    material: results,
    tools: [],
  })
  assert.is(text, 'It is `x` (a.ts:1)')
})

test('reviews nothing, and says so; that is no part of a combined answer', async () => {
  const result = '<result of="step-1" by="agent-1">\nIt is `lamp` (a.ts:1)\n</result>'
  const task = 'Review the result below, by another agent, against its objective: what is there'
  const { text } = await ask(folderOf({}), task, { material: result })
  assert.is(text, 'I review no results: that needs a language model.')
  const material = `${result}\n\n<result of="step-2" by="agent-2">\n${text}\n</result>`
  assert.is((await ask(folderOf({}), 'Combine the results of the parts', { material })).text, 'It is `lamp` (a.ts:1)')
})

test('carries on what an earlier step of a chain found', async () => {
  const folder = folderOf({ 'package.json': '{\n  "name": "a",\n  "license": "MIT"\n}\n' })
  const { text } = await ask(folder, 'What is the licence?', {
    material: '<result of="step-1" by="agent-1">\nThe name is `a` (package.json:2)\n</result>',
  })
  assert.is(text, 'The name is `a` (package.json:2)\n\nThe licence is `MIT` (package.json:3)')
})

test('answers its own part of a task, not the task that it is part of', async () => {
  const folder = folderOf({
    'package.json': '{\n  "name": "a",\n  "version": "1.2.3",\n  "license": "MIT"\n}\n',
    'a.ts': '/** Adds two numbers. */\nexport function add(): void {}\n',
  })
  const whole = 'Find the licence of this package and say what its version is'
  assert.is(
    (await ask(folder, `Say what its version is\nThis is part of: ${whole}`)).text,
    'The version is `1.2.3` (package.json:3)',
  )
  const { text } = await ask(
    folder,
    'Explain what it does\nThis is part of: Read a.ts (the adder), and explain what it does',
  )
  assert.match(text, /Adds two numbers/)
})

const SCHEMA_AGAIN =
  'The answer does not fit the schema: / must be object, the whole is nothing. Give the whole answer again as JSON that fits.'

test('takes a request to answer again in the shape asked for as no new question', async () => {
  const schema = { type: 'object', properties: { zork: { type: 'number' } }, required: ['zork'] }
  const messages = [
    textMessage('user', 'How deep is the Wuthering mine?'),
    textMessage('assistant', 'I found nothing.'),
  ]
  const first = await collect({ messages: messages.slice(0, 1), outputSchema: schema, stream: false })
  const again = await collect({
    messages: [...messages, textMessage('user', SCHEMA_AGAIN)],
    outputSchema: schema,
    stream: false,
  })
  assert.is(again[0]?.type === 'text' && again[0].text, first[0]?.type === 'text' && first[0].text)
  assert.not.match(JSON.stringify(again), /noth\b|schema/)
})

test('carries an answer on where it was cut', async () => {
  const messages = [textMessage('user', 'what is 2 + 3')]
  const [whole] = await collect({ messages, stream: false })
  const text = whole?.type === 'text' ? whole.text : ''
  const [rest] = await collect({
    messages: [...messages, textMessage('assistant', text.slice(0, 9)), textMessage('user', CONTINUE_REQUEST)],
    stream: false,
  })
  assert.ok(text.length > 9)
  assert.is(rest?.type === 'text' && rest.text, text.slice(9))
})

test('answers the last question of a longer conversation', async () => {
  const parts = await collect({
    messages: [
      textMessage('user', 'hello'),
      textMessage('assistant', 'I found nothing.'),
      textMessage('user', 'what is 2 + 3'),
    ],
    tools: FILE_TOOLS.map(({ id, description, parameters }) => ({
      id,
      description,
      parameters: parameters as Record<string, unknown>,
    })),
  })
  const call = parts[0]
  assert.equal(call?.type === 'toolCall' && call.call.args, { expression: '2 + 3' })
})

test.run()
