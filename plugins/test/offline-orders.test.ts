import { type Tool, ToolError } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask, FILE_TOOLS } from './fixtures/ask-offline.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('what the offline provider cannot do')

const FOLDER = folderOf({
  'package.json': '{ "name": "kettle", "scripts": { "test": "node test.js", "build": "tsc" } }',
  'README.md': '# Kettle\n\nBoils water.\n\n## Running the tests\n\nRun `npm test`.\n',
  'src/main.ts': 'export function boil(limit: number) {\n  return limit\n}\n',
})

for (const task of [
  'pls fix the bug with arrays',
  'Add a --verbose flag to src/main.ts',
  'Write tests for src/main.ts',
  'Run the test suite and tell me what fails',
  'deploy this to npm',
  'Could you please refactor boil()?',
  'I want you to translate README.md to German',
  'Explain src/main.ts and then add a comment to it',
  'Write a haiku about kettles',
]) {
  test(`says that it cannot, and what can: ${task}`, async () => {
    const { text, calls } = await ask(FOLDER, task)
    assert.match(text, /^I could not answer this: I cannot edit files or run commands\b.*--provider/, task)
    assert.is(text.split('\n').length, 1)
    assert.equal(calls, [])
  })
}

for (const task of [
  'How do I run the tests?',
  'Write a summary of README.md',
  'Explain how to build and run the project',
  'Summarise README.md and list the scripts',
  'Add 17 and 4',
  'What does the README say?\nFix the failing test',
]) {
  test(`takes no question for an order: ${task}`, async () => {
    assert.not.match((await ask(FOLDER, task)).text, /cannot edit files/)
  })
}

/** A tool with one text as its argument, and what it was called with. */
function recorder(id: string, name: string, run: (text: string) => string): { tool: Tool; seen: unknown[] } {
  const seen: unknown[] = []
  const tool: Tool = {
    id,
    description: 'Looks at a text or a file.',
    parameters: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
    risk: 'read',
    idempotent: true,
    timeoutMs: 1000,
    touches: async () => ({}),
    run: async (args) => {
      const value = Object.values(args as object)[0]
      seen.push(value)
      return run(String(value))
    },
  }
  return { tool, seen }
}

for (const [task, given] of [
  ['Use count_words on "my file.txt"', 'my file.txt'],
  ['Use count_words with path="my file.txt"', 'my file.txt'],
  ['Use the tool count_words on README.md', 'README.md'],
  ['Please use `count_words` on 2 + 2, and more', '2 + 2, and more'],
  ['Use count_words on "a; b. And c?"', 'a; b. And c?'],
] as const) {
  test(`passes a tool the argument that the order names: ${task}`, async () => {
    const { tool, seen } = recorder('count_words', 'path', () => '7')
    const { text } = await ask(FOLDER, task, { tools: [...FILE_TOOLS, tool] })
    assert.equal(seen, [given])
    assert.is(text, '`count_words` says:\n- "7" (count_words:1)')
  })
}

test('calls no tool with what is left of an argument that is too long to be read', async () => {
  const { tool, seen } = recorder('long', 'text', () => 'read')
  for (const argument of ['x'.repeat(100_000), 'word '.repeat(20_000)]) {
    const { text } = await ask(FOLDER, `Use long with text "${argument}"`, { tools: [...FILE_TOOLS, tool] })
    assert.match(text, /^I could not answer this: I found no value for `text` of the tool `long`/)
  }
  assert.equal(seen, [])
})

test('says that there is no such tool, and answers with nothing else', async () => {
  for (const task of [
    'Use nosuchtool on README.md',
    'Use nosuchtool on "README.md"',
    'Use `nosuchtool` with README.md',
  ]) {
    const { text, calls } = await ask(FOLDER, task)
    assert.match(text, /^I could not answer this: I found no tool `nosuchtool`/, task)
    assert.equal(calls, [])
  }
})

test('says that a tool printed nothing', async () => {
  const { tool } = recorder('quiet', 'text', () => '')
  const { text } = await ask(FOLDER, 'Use quiet on "hello"', { tools: [...FILE_TOOLS, tool] })
  assert.is(text, 'The tool `quiet` succeeded; it printed nothing.')
})

test('says first why a tool failed, with the last lines of what its program wrote', async () => {
  const { tool } = recorder('broken', 'text', () => {
    throw new ToolError(
      'tool_failed',
      "node ended with code 1: node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x/nothere.js'\n    at a (b:1:1)\n    at c (d:1:1) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2",
    )
  })
  const { text } = await ask(FOLDER, 'Use broken on "hello"', { tools: [...FILE_TOOLS, tool] })
  assert.is(
    text,
    "I could not answer this: I got no result from the tool `broken`: error tool_failed: node ended with code 1\nError: Cannot find module '/x/nothere.js'\ncode: 'MODULE_NOT_FOUND',\nrequireStack: []\nNode.js v20.20.2",
  )
})

test.run()
