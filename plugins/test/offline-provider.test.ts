import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CONTINUE_REQUEST, type ModelPart, type ModelRequest, type Tool, ToolError, textMessage } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOfflineProvider } from '../src/offline/index.ts'
import { writeFile } from '../src/tools/write-file.ts'
import { ask, FILE_TOOLS } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
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

test('ends every answer with a finish part that carries estimated usage', async () => {
  const parts = await collect({})
  const last = parts.at(-1)
  assert.is(last?.type, 'finish')
  if (last?.type !== 'finish') return
  assert.is(last.usage.estimated, true)
  assert.ok(last.usage.inputTokens > 0)
  assert.ok(last.usage.outputTokens > 0)
})

test('gives the same parts for the same request, in one piece or in many', async () => {
  assert.equal(await collect({}), await collect({}))
  const text = (parts: ModelPart[]): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  assert.is(text(await collect({ stream: false })), text(await collect({ stream: true })))
})

test('stops when the signal is aborted', async () => {
  try {
    await collect({}, AbortSignal.abort())
    assert.unreachable('it answered')
  } catch (error) {
    assert.is((error as { code?: string }).code, 'cancelled')
  }
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

test('says that an empty folder is empty', async () => {
  for (const question of [
    'Explain the architecture of this repository',
    'What does this package do?',
    'What is the version?',
    'Where is main defined?',
  ])
    assert.match((await ask(folderOf({}), question)).text, /I found no/, question)
})

test('describes a Python project by its pyproject', async () => {
  const folder = folderOf({
    'pyproject.toml':
      '[project]\nname = "lantern"\nversion = "2.4.1"\ndescription = "Lights paths."\nlicense = "BSD-3-Clause"\nrequires-python = ">=3.10"\ndependencies = [\n  "attrs>=23",\n  "rich",\n]\n\n[project.scripts]\nlantern = "lantern.cli:main"\n',
    'lantern/__init__.py': '"""Lanterns."""\nfrom .wick import Wick\n\n__all__ = ["Wick"]\n',
    'lantern/wick.py':
      'class Wick:\n    """A wick that burns."""\n\n    def light(self, seconds):\n        """Burn for some seconds."""\n        return seconds\n',
    'lantern/cli.py': 'from lantern.wick import Wick\n\n\ndef main():\n    Wick().light(3)\n',
    'tests/test_wick.py': 'def test_light():\n    assert True\n',
  })
  for (const [question, ...expected] of [
    ['Explain the architecture of this repository', 'lantern', '2.4.1', 'Lights paths.', 'attrs', 'test_wick.py'],
    ['What is the version and licence?', '2.4.1', 'BSD-3-Clause'],
    ['What are the dependencies?', 'attrs', '>=23', 'rich'],
    ['Which python version does it need?', '>=3.10'],
    ['What are the entry points?', 'lantern.cli:main'],
    ['What does the class Wick do?', 'A wick that burns.', 'light', 'lantern/wick.py:1'],
    ['Which files import Wick?', 'lantern/cli.py', 'lantern/__init__.py'],
  ]) {
    const { text } = await ask(folder, question ?? '')
    for (const part of expected) assert.ok(text.includes(part), `"${part}" is missing for "${question}":\n${text}`)
    assert.equal(checkCitations(text, folder).problems, [], text)
  }
})

test('answers questions about a plain folder of tables', async () => {
  const folder = folderOf({
    'sales.csv': 'month,region,amount\n2024-01,north,10\n2024-02,south,25.5\n2024-03,north,4.5\n',
    'people.csv': 'name;age\n"Ada; L.";36\nGrace;85\n',
  })
  for (const [question, ...expected] of [
    ['What is the total amount in sales.csv?', ' 40 ', '10 + 25.5 + 4.5'],
    ['What is the total amount for north?', '14.5', 'sales.csv:1-2, sales.csv:4'],
    ['How many rows have an amount above 5 in sales.csv?', '2 rows'],
    ['Who is the oldest, with the highest age in people.csv?', '85', 'Grace'],
    ['total amount by region in sales.csv', '`south`: 25.5', '`north`: 14.5'],
  ]) {
    const { text } = await ask(folder, question ?? '')
    for (const part of expected) assert.ok(text.includes(part), `"${part}" is missing for "${question}":\n${text}`)
    assert.equal(checkCitations(text, folder).problems, [], text)
  }
})

test('reads decimal commas and points between thousands', async () => {
  const folder = folderOf({
    'prices.csv': 'name;price;sold;version\nkettle;1,5;1.200;1.2\ncup;2,25;10;2.0\noven;1.234,50 €;1.000.000;2.1\n',
    'lists.csv': 'name;parts\na;1,2\nb;1,2,3\n',
  })
  for (const [question, ...expected] of [
    ['What is the sum of price in prices.csv?', '1238.25', '1.5 + 2.25 + 1234.5'],
    ['What is the total sold in prices.csv?', '1001210'],
    ['What is the average version in prices.csv?', '1.76666666667'],
    ['Which name has the highest price in prices.csv?', '`1.234,50 €`', 'oven'],
    ['How many rows have a price of at least 2,25 in prices.csv?', '2 rows'],
    ['How many rows have a price of at least 2.25 in prices.csv?', '2 rows'],
    ['What is the sum of parts in lists.csv?', 'I found no number'],
  ]) {
    const { text } = await ask(folder, question ?? '')
    for (const part of expected) assert.ok(text.includes(part), `"${part}" is missing for "${question}":\n${text}`)
    assert.equal(checkCitations(text, folder).problems, [], text)
  }
})

test('reads commas between thousands', async () => {
  const folder = folderOf({ 'money.csv': 'name;amount\nrent;"1,200"\nfood;300.50\nall;"1,234,567"\n' })
  assert.match((await ask(folder, 'What is the total amount in money.csv?')).text, '1236067.5')
  assert.match((await ask(folder, 'How many rows have an amount above 1,100 in money.csv?')).text, '2 rows')
})

test('finds the uses of a name with a point in it, and of a file', async () => {
  const folder = folderOf({
    'src/a.ts': "import { b } from './config.ts'\nexport const home = process.env.HOME\n",
    'src/b.ts': "process.on('exit', () => {})\n// the config of a process\n",
    'src/config.ts': 'export const b = 1\n',
    'README.md': 'Settings stand in config.ts.\n',
  })
  for (const [question, cited] of [
    ['Find all usages of process.env', ['src/a.ts:2']],
    ['Where is process.env used?', ['src/a.ts:2']],
    ['Find all usages of config.ts', ['src/a.ts:1', 'README.md:1']],
  ] as const) {
    const { text } = await ask(folder, question)
    for (const place of cited) assert.ok(text.includes(`(${place})`), `${question}:\n${text}`)
    assert.not.match(text, 'src/b.ts', `${question}:\n${text}`)
  }
})

test('shows its calculations', async () => {
  const folder = folderOf({})
  for (const [question, expected] of [
    ['what is 17*23 + 4?', '17*23 + 4 = 395'],
    ['15 % of 80', '= 12'],
    ['What is the average of 3, 4 and 8?', '= 5'],
    ['square root of 144', '= 12'],
    ['What is 12 times 12 minus 4?', '= 140'],
    ['How much is 200 increased by 10%?', '= 220'],
  ])
    assert.ok((await ask(folder, question ?? '')).text.includes(expected ?? ''), question)
})

test("calls a user's own tool when the words match and the arguments can be filled", async () => {
  const seen: unknown[] = []
  const weather = fakeTool({
    id: 'weather',
    description: 'Tells the current weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'name of the city' }, days: { type: 'integer' } },
      required: ['city'],
    },
    run: async (args) => {
      seen.push(args)
      return 'Sunny, 21 degrees'
    },
  })
  const { text } = await ask(folderOf({}), 'What is the weather in New York today?', {
    tools: [...FILE_TOOLS, weather],
  })
  assert.equal(seen, [{ city: 'New York' }])
  assert.ok(text.includes('"Sunny, 21 degrees" (weather:1)'), text)
  await ask(folderOf({ 'README.md': '# A\n\nThis is a little thing.\n' }), 'What does this package do?', {
    tools: [...FILE_TOOLS, weather],
  })
  assert.is(seen.length, 1, 'it was called without need')
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

test('reviews a result by opening the lines that it cites', async () => {
  const folder = folderOf({ 'a.ts': 'export const lamp = 1\n' })
  const review = (line: string) =>
    ask(folder, 'Review the result below, by another agent, against its objective: what is there', {
      material: `<result of="step-1" by="agent-1">\n${line}\n</result>`,
    })
  assert.match((await review('It exports `lamp` (a.ts:1)')).text, /I found no mistake/)
  assert.match((await review('It exports `torch` (a.ts:1)')).text, /does not stand[\s\S]*torch/)
})

test('carries on what an earlier step of a chain found', async () => {
  const folder = folderOf({ 'package.json': '{\n  "name": "a",\n  "license": "MIT"\n}\n' })
  const { text } = await ask(folder, 'What is the licence?', {
    material: '<result of="step-1" by="agent-1">\nThe name is `a` (package.json:2)\n</result>',
  })
  assert.is(text, 'The name is `a` (package.json:2)\n\nThe licence is `MIT` (package.json:3)')
})

test('the checker of citations sees wrong lines, names, numbers and sentences without a source', () => {
  const folder = folderOf({ 'a.csv': 'name,size\nlamp,3\nkettle,4\n' })
  const problems = (line: string): number => checkCitations(line, folder).problems.length
  assert.is(problems('- `lamp` has 3 (a.csv:2)'), 0)
  assert.is(problems('The sum of `size` is 7 (a.csv:1-3)'), 0)
  assert.is(problems('There is 1 file in `./` (./)'), 0)
  assert.is(problems('- `kettle` is there (a.csv:2)'), 1)
  assert.is(problems('The sum of `size` is 8 (a.csv:1-3)'), 1)
  assert.is(problems('- `lamp` (a.csv:9)'), 2)
  assert.is(problems('- `lamp` (b.csv:1)'), 2)
  assert.is(problems('The lamp has 3.'), 1)
})

test('votes from quoted tool results as it would answer with the tools', async () => {
  const folder = folderOf({ 'package.json': '{\n  "name": "a",\n  "version": "3.2.1"\n}\n' })
  const question = 'What is the version of this package?'
  const asked = await ask(folder, question)
  const quoted = []
  for (const call of asked.calls) {
    const tool = FILE_TOOLS.find(({ id }) => id === call.tool)
    const result = await tool?.run(call.args, {
      ask: async () => ({ kind: 'expired' }),
      signal: new AbortController().signal,
      workspace: folder,
      idempotencyKey: 'a',
      agentId: 'a',
      fetch,
      log() {},
      output() {},
    })
    quoted.push(`result of ${call.tool} ${JSON.stringify(call.args)}: ${JSON.stringify(result)}`)
  }
  const vote = await ask(folder, question, { tools: [], material: `<material>\n${quoted.join('\n')}\n</material>` })
  assert.is(vote.text, asked.text)
})

test('quotes a text that came with the task', async () => {
  const { text } = await ask(folderOf({}), 'How long does the kettle boil?', {
    material:
      'Material that came with the task:\n<material>\nThe kettle is blue.\nThe kettle boils for 4 minutes.\n</material>',
  })
  assert.ok(text.includes('"The kettle boils for 4 minutes." (context:2)'), text)
})

test('says that a name is not defined, and over how many files, and nothing else', async () => {
  const folder = folderOf({
    'src/cache.ts': '/** Caches what was defined. */\nexport function cache(): void {}\n',
    'README.md': '# Store\n\nDefine where the cache lies before it is defined.\n',
    'lib/other.ts': 'export const other = 1\n',
  })
  for (const question of ['Where is cac defined?', 'Where is the function cac defined?', 'Where is `cac` declared?']) {
    const { text } = await ask(folder, question)
    assert.is(text, 'I could not answer this: I found nothing named `cac`: I looked at 3 files.', question)
  }
  assert.match((await ask(folder, 'Where is cache defined?')).text, /defined in `src\/cache\.ts`/)
})

test('quotes nothing that shares only the common words of a question', async () => {
  const folder = folderOf({
    'README.md':
      '# Loader\n\nThis means that the last entry wins. An empty file may mean something to you. It means that. The kettle boils water for tea.\n',
  })
  const { text } = await ask(folder, 'What is the meaning of life?')
  assert.match(text, /^I could not answer this: I found nothing about /)
  assert.not.match(text, /"|README/)
  assert.match((await ask(folder, 'What is it that boils the water?')).text, /The kettle boils water/)
})

test('takes what lies in .svc for settings, not for something to quote, unless the question names it', async () => {
  const folder = folderOf({
    'README.md': '# Garden\n\nThe garden has three ponds.\n',
    '.svc/agents/gardener.json': '{\n  "instructions": "Count the herons that visit the ponds of the garden."\n}\n',
    '.svc/tools/herons.ts': '/** Finds herons at ponds. */\nexport function findHerons(): void {}\n',
  })
  for (const question of [
    'How many herons visit the ponds?',
    'Who visits the garden ponds?',
    'Where is findHerons defined?',
  ]) {
    const { text } = await ask(folder, question)
    assert.not.match(text, /\.svc/, `${question}\n${text}`)
  }
  assert.match((await ask(folder, 'What is in .svc/agents/gardener.json?')).text, /^`\.svc\/agents\/gardener\.json`/)
})

test('a second half that only asks for the versions of what the first one lists has no answer of its own', async () => {
  const folder = folderOf({
    'package.json': '{\n  "name": "a",\n  "version": "3.2.1",\n  "dependencies": {\n    "left": "^1.2.0"\n  }\n}\n',
    'README.md': '# A\n\nAll versions of them are listed in the package.\n',
  })
  const expected = 'Dependencies (1 dependency):\n- `left` `^1.2.0` (package.json:5)'
  for (const question of [
    'Which dependencies does it have, and which versions of them?',
    'Which dependencies does it have and what versions do they have?',
  ])
    assert.is((await ask(folder, question)).text, expected, question)
})

test('says how long a file is only with the lines that show it', async () => {
  const folder = folderOf({
    'LONG.md': `# Long\n\nThis document goes on and on.\n${'A line of it.\n'.repeat(497)}`,
    'short.md': '# Short\n\nThis document ends soon.\n',
  })
  const long = (await ask(folder, 'Summarize LONG.md')).text
  assert.match(long, /^I read the first 300 lines of `LONG\.md` \(LONG\.md:1-300\)/)
  assert.not.match(long, /500/)
  assert.match((await ask(folder, 'Summarize short.md')).text, /^`short\.md` has 3 lines \(short\.md:1-3\)/)
  assert.is((await ask(folder, 'How many lines does LONG.md have?')).text, '`LONG.md` has 500 lines (LONG.md:500)')
})

test('writes its answer to a file when asked and able to', async () => {
  const folder = folderOf({ 'package.json': '{\n  "name": "a",\n  "license": "MIT"\n}\n' })
  const { text } = await ask(folder, 'What is the licence? Write it to NOTES.md', { tools: [...FILE_TOOLS, writeFile] })
  assert.ok(readFileSync(join(folder, 'NOTES.md'), 'utf8').includes('The licence is `MIT` (package.json:3)'))
  assert.match(text, /I wrote this to `NOTES.md`/)
})

test('writes what the task gives, to the letter', async () => {
  const tools = [...FILE_TOOLS, writeFile]
  for (const [task, path, content] of [
    ['Write the word hello to b.txt', 'b.txt', 'hello'],
    ['Please write the words hello big world into the file notes/c.txt.', 'notes/c.txt', 'hello big world'],
    ['Write "Hello. Is it you?" to d.md', 'd.md', 'Hello. Is it you?'],
    ["Save 'one line' in e.txt", 'e.txt', 'one line'],
    ['Create f.txt with the content 12 geese', 'f.txt', '12 geese'],
    ['Create a file called g.txt with the text "a.b"', 'g.txt', 'a.b'],
    ['Create h.txt that says good morning.', 'h.txt', 'good morning'],
  ] as const) {
    const folder = folderOf({ 'README.md': '# Words\n\nHello is a word to write. Geese say hello in the morning.\n' })
    const { text } = await ask(folder, task, { tools })
    assert.is(readFileSync(join(folder, path), 'utf8'), content, task)
    assert.match(text, /^I wrote this to/, task)
    assert.not.match(text, /README/)
  }
})

test('answers what stands beside a text to write', async () => {
  const folder = folderOf({ 'package.json': '{\n  "name": "a",\n  "license": "MIT"\n}\n' })
  const { text } = await ask(folder, 'What is the licence? Write "done" to b.txt', {
    tools: [...FILE_TOOLS, writeFile],
  })
  assert.is(readFileSync(join(folder, 'b.txt'), 'utf8'), 'done')
  assert.match(text, /^The licence is `MIT` \(package\.json:3\)\n\nI wrote this to `b\.txt`/)
})

test('writes nothing where no text is given and none can be found, and says so', async () => {
  const tools = [...FILE_TOOLS, writeFile]
  for (const task of [
    'Write a poem about hello to b.txt',
    'Write it to b.txt',
    'Create b.txt with a limerick about geese',
  ]) {
    const folder = folderOf({
      'README.md': '# Words\n\nHello is a word. A poem about hello and a limerick about geese.\n',
    })
    const { text, calls } = await ask(folder, task, { tools })
    assert.match(text, /^I could not answer this: I (?:wrote nothing to `b\.txt`|cannot edit files)/, task)
    assert.not.ok(
      calls.some(({ tool }) => tool === 'write_file'),
      task,
    )
  }
  const { text } = await ask(folderOf({ 'README.md': '# hello' }), 'Write the word hello to b.txt')
  assert.is(text, 'I could not answer this: I could not write `b.txt`: I was offered no tool that writes files.')
})

test('takes no question about a file for an order to write it', async () => {
  const folder = folderOf({ 'index.js': 'export const a = 1\n' })
  for (const question of ['What does it export in index.js?', 'Which names does it read and write in index.js?']) {
    const { calls } = await ask(folder, question, { tools: [...FILE_TOOLS, writeFile] })
    assert.not.ok(
      calls.some(({ tool }) => tool === 'write_file'),
      question,
    )
  }
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

test('counts the dependencies of the manifest with the lines that hold them, not the manifests', async () => {
  const names = Array.from({ length: 28 }, (_, index) => `needed-${index}`)
  const dependencies = Object.fromEntries(names.map((name, index) => [name, `^${index}.0.0`]))
  const folder = folderOf({
    'package.json': JSON.stringify(
      { name: 'laden', version: '1.0.0', dependencies, devDependencies: { a: '1' } },
      null,
      2,
    ),
  })
  const { text } = await ask(folder, 'How many dependencies does this package have?')
  assert.ok(text.includes('`laden` lists 28 dependencies (package.json:2, package.json:5-32)'), text)
  for (const name of names) assert.ok(text.includes(`\`${name}\``), text)
  assert.not.match(text, /manifests?\b.*:/)
  assert.match((await ask(folder, 'How many dev dependencies does it have?')).text, /lists 1 development dependency/)
  assert.match((await ask(folder, 'How many packages are there?')).text, /1 package manifest/)
})

test('claims no more than the tools searched, and names the files that they skipped', async () => {
  const folder = folderOf({ 'a.md': 'A needle lies here.\n', 'big.txt': 'hay '.repeat(1_300_000) })
  const skipped = 'I could not look everywhere: the tools skipped 1 file over 5 MB: big.txt.'
  const found = (await ask(folder, 'Where is needle mentioned?')).text
  assert.match(found, /At least 1 file mentions `needle`/)
  assert.ok(found.includes(skipped), found)
  for (const question of ['Where is thimble mentioned?', 'Why do thimbles rust?', 'What is a thimble?']) {
    const { text } = await ask(folder, question)
    assert.ok(text.includes(skipped), text)
    assert.not.match(text, /every (?:text )?file/)
  }
  rmSync(join(folder, 'big.txt'))
  assert.match((await ask(folder, 'Where is thimble mentioned?')).text, /I searched every text file/)
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

test('shows the words that it did not find as they were typed', async () => {
  const { text } = await ask(folderOf({ 'a.md': 'Badgers dig.' }), 'Why are Wombats gliding?')
  assert.match(text, /I found nothing about `Wombats` and `gliding`/)
})

test('says that a tool it is to use is not offered, and nothing else', async () => {
  const folder = folderOf({ 'README.md': '# Words\n\nWe count words on paper.\n' })
  const missing = 'among those that I was offered: `list_files`, `read_file`, `search_files` and `calculate`.'
  for (const [question, name] of [
    ['Use count_words on README.md', 'count_words'],
    ['Please call the wordcount tool on README.md', 'wordcount'],
    ['Run the tool `tally` on README.md.', 'tally'],
  ]) {
    const { text, calls } = await ask(folder, question ?? '')
    assert.is(text, `I could not answer this: I found no tool \`${name}\` ${missing}`)
    assert.is(calls.length, 0)
  }
  for (const question of [
    'Use read_file on README.md',
    'Use the search tool on README.md',
    'Use the right tool on README.md',
  ])
    assert.not.match((await ask(folder, question)).text, /I found no tool/)
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
