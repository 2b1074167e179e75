import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('the kind of answer that a question wants')

const FOLDER = folderOf({
  'package.json':
    '{\n  "name": "loom",\n  "scripts": {\n    "prepare": "node make.mjs",\n    "lint": "check .",\n    "test": "node test.mjs"\n  }\n}\n',
  'README.md': `# Loom

Weaves cloth. Where the weaving fails, the thread is thin.

## Features

- Robust dyeing
- Quiet

## Signals

| signal | what happens | exit code |
|---|---|---|
| SIGTERM | stops | 143 |
| SIGINT | stops | 130 |
| SIGHUP | reads again | |

## Output

| exit code | meaning |
|---|---|
| 0 | done |
| 3 | no thread |
| 4 | no loom |

## Why wool

Wool is the default because it stretches.

## Silk

The loom takes silk after \`loom --yarn silk\`, and \`SILK_HOST\` says from where.
`,
  'AGENTS.md': '# Agents\n\nEvery weft passes [tension.js](src/tension.js), which holds the tension.\n',
  'src/tension.js': '/** Checks the tension of a thread. */\nexport function checkTension() {}\n',
  '.tools/list.mjs': 'export const tension = []\n',
  'test/tension.test.js': 'const tension = 3\n',
})

const answerOf = async (question: string): Promise<string> => {
  const { text } = await ask(FOLDER, question)
  assert.equal(checkCitations(text, FOLDER).problems, [], text)
  return text
}

for (const question of [
  'why does the weaving fail',
  'why is silk so slow',
  'should I use silk',
  'is it safe to use wool',
  'which is better, wool or silk',
  'how does dyeing work',
]) {
  test(`says that nothing answers: ${question}`, async () => {
    assert.match(await answerOf(question), /^I could not answer this/)
  })
}

test('gives a reason that a sentence gives', async () => {
  const text = await answerOf('why is wool the default')
  assert.match(text, /because it stretches/)
  assert.not.match(text, /^I could not/)
})

test('gives the whole table that a list is asked of, and no other', async () => {
  for (const question of ['what exit codes are there', 'list all exit codes', 'which exit codes does loom have']) {
    const text = await answerOf(question)
    assert.match(text, /^README\.md:\d+ says under "Output":\n- "exit code \| meaning"/, question)
    assert.match(text, /4 \| no loom/)
    assert.not.match(text, /SIGTERM/)
  }
})

test('names the documents and files that say where, and neither tools nor tests', async () => {
  const text = await answerOf('where is the tension checked?')
  assert.match(text, /\(AGENTS\.md:3\)/)
  assert.match(text, /`src\/tension\.js`/)
  assert.not.match(text, /test\/tension|\.tools/)
})

test('gives the script that is asked for, and what to type', async () => {
  assert.match(
    await answerOf('what is the command to run tests'),
    /^Run npm test: the script `test` runs `node test.mjs`/,
  )
  assert.match(await answerOf('what is the command to lint'), /^Run npm run lint: the script `lint`/)
})

test('gives the sentence around a name', async () => {
  assert.match(await answerOf('how do I make loom use silk'), /loom --yarn silk/)
})

test.run()
