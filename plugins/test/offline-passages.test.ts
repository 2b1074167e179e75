import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('passages that answer')

const FOLDER = folderOf({
  'package.json': '{\n  "name": "samovar",\n  "version": "1.0.0"\n}\n',
  'README.md': `# Samovar

Boils water for many guests.

## How it works

A request runs through three stages: fill, heat, pour.

## Exit codes

| exit code | meaning |
|---|---|
| 5 | no water |
| 6 | no fire, or \`--quiet\` was set |

## Options

- \`maxCups\` Most cups of one filling. Default 12.
- \`keepWarm\` Keep the tea warm.
  - \`keepWarm.minutes\` how long, in minutes

\`--quiet\` switches the whistle off.

## A blend: \`blends/evening.json\`

\`\`\`json
{ "leaves": "assam" }
\`\`\`

The file name is its id.

## Blends

There are many blends.
`,
  'AGENTS.md': `# AGENTS.md

Samovar boils water in stages.

## Map

| folder | what is there |
|---|---|
| \`lib\` | the stages |
| \`cli\` | the command |
| \`docs\` | pages |

Glossary. *Ember*: what is left of a fire.
`,
  'docs/fire.md': '# Fire\n\nTo light the fire, use dry wood.\n\n## Browser\n\nNot supported.\n',
  'lib/index.js': 'module.exports = {}\n',
  'cli/main.js': 'require("../lib")\n',
})

for (const [question, expected] of [
  ['What does exit code 6 mean?', '"6 | no fire, or `--quiet` was set" (README.md:14)'],
  ['what does --quiet do', '"`--quiet` switches the whistle off." (README.md:22)'],
  ['How do I turn the whistle off?', '"`--quiet` switches the whistle off." (README.md:22)'],
  ['What does maxCups default to?', '"Default 12." (README.md:18)'],
  ['What is keepWarm.minutes for?', '"`keepWarm.minutes` how long, in minutes" (README.md:20)'],
  ['is keepWarm.minutes seconds or minutes', '"`keepWarm.minutes` how long, in minutes" (README.md:20)'],
  ['How do I add a blend?', '`{ "leaves": "assam" }` (README.md:27)'],
  ['how do i lihgt the fire', '"To light the fire, use dry wood." (docs/fire.md:3)'],
  ['What is an ember?', '*Ember*: what is left of a fire.'],
] as const) {
  test(`finds the passage: ${question}`, async () => {
    const { text } = await ask(FOLDER, question)
    assert.ok(text.split('\n').slice(0, 8).join('\n').includes(expected), text)
    assert.equal(checkCitations(text, FOLDER).problems, [], text)
  })
}

for (const question of [
  'What does exit code 9 mean?',
  'What does --loud do?',
  'How do I polish the tank?',
  'Why does it have three stages?',
  'Does it work with gas bottles?',
])
  test(`answers nothing that no passage answers: ${question}`, async () => {
    assert.match((await ask(FOLDER, question)).text, /^I could not answer this/)
  })

test('explains an architecture in the words of its documents: what it is, its parts, how it runs', async () => {
  const { text } = await ask(FOLDER, 'Explain the architecture of this repository')
  const told = ['Boils water for many guests (README.md:3)', '`lib`: the stages', 'fill, heat, pour'].map((part) =>
    text.indexOf(part),
  )
  assert.ok(!told.includes(-1), text)
  assert.equal(
    [...told].sort((a, b) => a - b),
    told,
  )
  assert.equal(checkCitations(text, FOLDER).problems, [], text)
})

test('says that it was cut short where it was, and names no tool', async () => {
  const tools = [
    {
      id: 'list_files',
      description: 'Lists files.',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
      risk: 'read' as const,
      run: async () => 'README.md  12',
    },
  ]
  const { text } = await ask(FOLDER, 'How do I polish the tank?', { tools })
  assert.not.match(text, /was not called/)
})

test.run()
