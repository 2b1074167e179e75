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
  'Fix the failing test',
  'pls fix the bug with arrays',
  'Add a --verbose flag to src/main.ts',
  'rename limit to maxSize in src/main.ts',
  'Write tests for src/main.ts',
  'Write unit tests for src/main.ts to test/main.test.ts',
  'Create tea.ts with a function that boils water',
  'run the tests',
  'Run the test suite and tell me what fails',
  'Install the dependencies',
  'build it',
  'Build the project.',
  'deploy this to npm',
  'Could you please refactor boil()?',
  'I want you to translate README.md to German',
  'Explain src/main.ts and then add a comment to it',
  'Find and fix the bug in src/main.ts',
  'Use async instead of callbacks in src/main.ts',
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
  'How do I build it?',
  'Write a summary of README.md',
  'Explain how to build and run the project',
  'Which function did they rename?',
  'Is there a build script?',
  'Summarise README.md and list the scripts',
  'Add 17 and 4',
  'What does the README say?\nFix the failing test',
  'Which script should I run?',
]) {
  test(`takes no question for an order: ${task}`, async () => {
    assert.not.match((await ask(FOLDER, task)).text, /cannot edit files/)
  })
}

test('uses a tool that an order names, and adds nothing that was not asked', async () => {
  const tools = [
    ...FILE_TOOLS,
    {
      id: 'count_words',
      description: 'Counts the words of a file.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      risk: 'read' as const,
      run: async () => '4 words',
    },
  ]
  const folder = folderOf({ 'README.md': '# Kettle\n\nBoils all water.\n' })
  const { text } = await ask(folder, 'Use count_words on README.md', { tools })
  assert.is(text, '`count_words` says:\n- "4 words" (count_words:1)')
})

test.run()
