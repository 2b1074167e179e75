/** What the offline provider answers about a folder, and what it says it cannot answer. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask, FILE_TOOLS } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('what the offline provider answers')
const NO_ANSWER = /^I could not answer this(?:: |\. )/

const KETTLE = folderOf({
  'package.json':
    '{\n  "name": "kettle",\n  "version": "2.0.1",\n  "license": "MIT",\n  "main": "lib/index.js",\n  "scripts": {\n    "prepare": "node make.mjs",\n    "lint": "check .",\n    "test": "node test.mjs"\n  },\n  "dependencies": {\n    "steam": "^1.2.0"\n  }\n}\n',
  'README.md': `# Kettle

Boils water for many guests. Where the boiling fails, the wire is thin.

## How it works

A request runs through three stages: fill, heat, pour.

## Features

- Robust descaling

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

Who asks for tea says -w twice.

## A blend: \`blends/evening.json\`

\`\`\`json
{ "leaves": "assam" }
\`\`\`

The file name is its id.

## Why copper

Copper is the default because it warms fast.
`,
  'AGENTS.md':
    '# Agents\n\nEvery cup passes [steps.js](src/steps.js), which holds the steps. Glossary. *Ember*: what is left of a fire.\n',
  'docs/fire.md': '# Fire\n\nTo light the fire, use dry wood.\n\n## Browser\n\nNot supported.\n',
  'lib/index.js':
    "const heat = require('./heat')\n/** Boils what it is given. */\nfunction boil(limit) {\n  return limit\n}\nmodule.exports = { boil, heat }\n",
  'lib/response.js': 'const res = {}\n\nres.json = function json(body) {\n  return body\n}\n// TODO: boil\n',
  'src/steps.js': '/** Checks the steps of a filling. */\nexport class Steps {\n  /** One step. */\n  next() {}\n}\n',
  'data/sales.csv': 'region,amount\nNorth,10\nSouth,20\n',
  '.svc/agents/gardener.json': '{\n  "instructions": "Count the herons that visit the ponds."\n}\n',
})

for (const [question, ...expected] of [
  ['what exit codes are there', '"5 | no water" (README.md:17)', '"6 | no fire'],
  ['What does maxCups default to?', 'Default 12." (README.md:22)'],
  ['What is keepWarm.minutes for?', '"`keepWarm.minutes` how long, in minutes" (README.md:24)'],
  ['What is the licence?', 'The licence is `MIT` (package.json:4)'],
  ['Which version of steam does it need?', '`steam` `^1.2.0` is a dependency (package.json:12)'],
  ['Which dependencies does it have, and which versions of them?', '- `steam` `^1.2.0` (package.json:12)'],
  ['What is the command to run tests', 'Run npm test: the script `test` runs `node test.mjs` (package.json:9)'],
  ['What is the main file?', 'main file: `lib/index.js` (package.json:5)'],
  ['What is kettle for?', '"Boils water for many guests." (README.md:3)'],
  [
    'Where is boil defined?',
    '`boil` is a function defined in `lib/index.js`',
    '"Boils what it is given." (lib/index.js:2)',
  ],
  ['Which file under lib defines res.json?', '`res.json = function json(body)` (lib/response.js:3)'],
  ['What does the class Steps do?', 'defined in `src/steps.js`', '"Checks the steps of a filling."'],
  ['Where is boil mentioned?', '`// TODO: boil` (lib/response.js:6)'],
  ['How many TODOs are there?', '1 line with `TODO`:\n- `// TODO: boil` (lib/response.js:6)'],
  ['How many JavaScript files are in lib?', 'There are 2 `.js` files in `lib/`'],
  ['How many lines does docs/fire.md have?', '`docs/fire.md` has 7 lines (docs/fire.md:7)'],
  ['How many names does lib/index.js export?', '`lib/index.js` exports 2 names: `boil` and `heat`'],
  ['Summarise src/steps.js', '`src/steps.js` has 5 lines', 'class `Steps`: "Checks the steps of a filling."'],
  ['Summarise docs/fire.md', '"To light the fire, use dry wood." (docs/fire.md:3)', '"Browser" (docs/fire.md:5)'],
  [
    'What is in the lib folder?',
    '`lib/` has 2 files directly in it (lib/)',
    '- `response.js` defines `json` (lib/response.js:3)',
  ],
  ['What is in .svc/agents/gardener.json?', '`.svc/agents/gardener.json` has 3 lines'],
  ['What does lib/index.js require?', '`lib/index.js` imports `./heat` (lib/index.js:1)'],
  ['In which file are the steps of a filling checked?', 'It is in `src/steps.js`'],
  // in other languages
  ['Unter welcher Lizenz steht das Paket?', 'The licence is `MIT` (package.json:4)'],
  ['Wo ist boil definiert?', '`boil` is a function defined in `lib/index.js`'],
  ['Wie viele Dateien liegen in lib?', 'There are 2 files in `lib/`'],
  ['Quelle est la version de ce paquet ?', 'The version is `2.0.1` (package.json:3)'],
  ['De quelles bibliothèques dépend-il ?', '- `steam` `^1.2.0` (package.json:12)'],
  ['Que fait la classe Steps ?', '"Checks the steps of a filling."'],
  ['このパッケージのライセンスは何ですか？', 'The licence is `MIT` (package.json:4)'],
  ['Steps クラスはどこで定義されていますか？', 'defined in `src/steps.js`'],
] as const) {
  test(`answers from the place that says it: ${question}`, async () => {
    const { text, failed, turns } = await ask(KETTLE, question)
    for (const part of expected) assert.ok(text.includes(part), `${part}\n---\n${text}`)
    assert.not.match(text, NO_ANSWER)
    assert.equal(checkCitations(text, KETTLE).problems, [], text)
    assert.is(failed, 0)
    assert.ok(turns <= 6, `${turns} turns`)
  })
}

for (const [question, first, passage] of [
  [
    'How do I turn the whistle off?',
    /I found no direct answer; these passages/,
    '"`--quiet` switches the whistle off." (README.md:26)',
  ],
  ['how do I light the fire', /these passages/, '"To light the fire, use dry wood." (docs/fire.md:3)'],
  ['What is an ember made of?', /these passages/, '*Ember*: what is left of a fire.'],
  ['why is copper the default', /these passages/, 'because it warms fast'],
  ['Does it need Node 18?', /could not answer/, ''],
  ['Warum ist copper der Standard?', /diese Stellen/, 'because it warms fast'],
  ['Pourquoi copper est-il le métal choisi ?', /ces passages/, 'because it warms fast'],
  ['なぜ copper が選ばれましたか？', /最も近い箇所/, 'because it warms fast'],
] as const) {
  test(`shows passages under a line that says that they are no answer: ${question}`, async () => {
    const { text } = await ask(KETTLE, question)
    const [line = '', ...passages] = text.split('\n')
    assert.match(line, NO_ANSWER)
    assert.match(line, first)
    assert.ok(text.includes(passage), text)
    assert.ok(passages.filter((one) => one.startsWith('- ')).length <= 3, text)
    assert.equal(checkCitations(text, KETTLE).problems, [], text)
  })
}

for (const question of [
  'What does exit code 9 mean?',
  'What does --loud do?',
  'What does the -w flag do?',
  'How do I polish the tank?',
  'Why does it have three stages?',
  'What is the version of express?',
  'What is the meaning of life?',
  'Where is Samovar defined?',
  // what is done stands there, what it is done to does not
  'Where are the steps of a samovar checked?',
  'Is Steps a function?',
  'What is in teapot.txt?',
  'How many files are in the cellar folder?',
  'How many herons visit the ponds?',
  // kinds that it does not answer, whatever it quotes
  'What is the sum of amount in data/sales.csv?',
  'What methods does the class Steps have?',
  'What changed in the last version?',
]) {
  test(`opens by saying so where it does not answer: ${question}`, async () => {
    const { text } = await ask(KETTLE, question)
    assert.match(text, NO_ANSWER)
    assert.not.match(text, /\.svc/)
    assert.equal(checkCitations(text, KETTLE).problems, [], text)
  })
}

test('says that a name stands nowhere, and over how many files, and nothing else', async () => {
  for (const question of ['Where is cac defined?', 'Where is the function cac defined?', 'Where is `cac` declared?'])
    assert.is(
      (await ask(KETTLE, question)).text,
      'I could not answer this: I found nothing about `cac`: no text file here holds it (8 files listed).',
      question,
    )
})

test('does not say of a word that stands in a hidden folder alone that nothing holds it', async () => {
  const { text } = await ask(
    folderOf({ '.hidden/notes.md': 'A wombat.\n', 'a.md': 'Nothing.\n' }),
    'Why are wombats slow?',
  )
  assert.match(text, /^I could not answer this: I found nothing about `wombats`/)
  assert.not.match(text, /no text file/)
})

test('shows the words that it did not find as they were typed', async () => {
  const { text } = await ask(KETTLE, 'Why are Wombats gliding?')
  assert.match(text, /^I could not answer this: I found nothing about `Wombats` and `gliding`/)
})

test('takes no word of an exported value for an import, and knows the imports of JavaScript and TypeScript alone', async () => {
  const folder = folderOf({
    'make.ts': "import { heat } from './heat.ts'\n\nexport const kettle = heat('kettle', { from: 'cold' })\n",
    'kettle.py': 'import os\n\nkettle = os.environ\n',
  })
  assert.is((await ask(folder, 'What does make.ts import?')).text, '`make.ts` imports `./heat.ts` (make.ts:1)')
  assert.not.match((await ask(folder, 'What does kettle.py import?')).text, /imports/)
})

test('says of an empty folder that it found nothing', async () => {
  for (const question of [
    'Explain the architecture of this repository',
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
    'lantern/wick.py': 'class Wick:\n    """A wick that burns."""\n',
  })
  for (const [question, ...expected] of [
    ['Explain the architecture of this repository', 'lantern', '2.4.1', 'Lights paths.', 'attrs'],
    ['What is the version and licence?', '2.4.1', 'BSD-3-Clause'],
    ['What are the dependencies?', '`attrs` `>=23` (pyproject.toml:8)', '`rich` (pyproject.toml:9)'],
    ['Which python version does it need?', '`>=3.10` (pyproject.toml:6)'],
    ['What are the entry points?', 'lantern.cli:main'],
    ['What does the class Wick do?', 'A wick that burns.', 'lantern/wick.py:1'],
  ]) {
    const { text } = await ask(folder, question ?? '')
    for (const part of expected) assert.ok(text.includes(part), `"${part}" is missing for "${question}":\n${text}`)
    assert.equal(checkCitations(text, folder).problems, [], text)
  }
})

test('quotes a text that came with the task, also a long one', async () => {
  const material =
    'Material that came with the task:\n<material>\nThe kettle is blue.\nThe kettle boils for 4 minutes.\n</material>'
  const given = await ask(folderOf({}), 'How long does the kettle boil?', { material })
  assert.ok(given.text.includes('"The kettle boils for 4 minutes." (context:2)'), given.text)
  const long = `${'Tea is made of leaves.\n'.repeat(600)}The kettle of Ada boils for 4 minutes.\n`
  const { text } = await ask(folderOf({}), `For how many minutes does the kettle of Ada boil?\n${long}`)
  assert.match(text, /"The kettle of Ada boils for 4 minutes\." \(context:\d+\)/)
})

test('claims no more than the tools searched, and names the files that they skipped', async () => {
  const folder = folderOf({ 'a.md': 'A needle lies here.\n', 'big.txt': 'hay '.repeat(1_300_000) })
  const skipped = 'I could not look everywhere: the tools skipped 1 file over 5 MB: big.txt.'
  for (const question of ['Where is `needle` mentioned?', 'Where is `thimble` mentioned?', 'Why do thimbles rust?']) {
    const { text } = await ask(folder, question)
    assert.match(text, NO_ANSWER)
    assert.ok(text.includes(skipped), text)
    assert.not.match(text, /no text file here holds it/)
  }
  rmSync(join(folder, 'big.txt'))
  assert.match((await ask(folder, 'Where is `thimble` mentioned?')).text, /no text file here holds it/)
})

test('does not say that it searched where the search failed or stopped', async () => {
  const withSearch = (run: () => Promise<string>) =>
    FILE_TOOLS.map((tool) => (tool.id === 'search_files' ? { ...tool, run } : tool))
  const failing = withSearch(() => Promise.reject(new Error('timed out')))
  for (const question of [
    'What about wombats and badgers?',
    'Which files mention wombats?',
    'How many FIXMEs are there?',
  ]) {
    const { text } = await ask(KETTLE, question, { tools: failing })
    assert.match(text, NO_ANSWER, question)
    assert.not.match(text, /no text file here holds it/, question)
  }
  const stopped = withSearch(async () => 'a.md:1: TODO: boil\n… stopped after 20000 entries')
  const { text } = await ask(KETTLE, 'How many TODOs are there?', { tools: stopped })
  assert.match(text, /^At least 1 line with `TODO`/)
  assert.match(text, /I could not look everywhere: the tools stopped after 20000 entries/)
})

test('a question about a repository of 300 files fits a small budget, whether or not it is answered', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [
      `src/part-${n % 20}/unit-${n}.ts`,
      `${`// the request is sent again after a while, as the budget of unit ${n} allows\n`.repeat(60)}export const unit${n} = ${n}\n`,
    ]),
  )
  const readme = `# Units\n\n${'A request of a unit has a budget.\n\n'.repeat(700)}`
  const folder = folderOf({ ...files, 'README.md': readme, 'package.json': '{ "name": "units" }\n' })
  for (const question of [
    'Where is unit77 defined?',
    'How does a request behave when the budget is used up?',
    'Explain the architecture of this repository',
    'What does a budget of a request do?',
    'Which file sends the request again?',
  ]) {
    const { tokens } = await ask(folder, question)
    assert.ok(tokens < 30_000, `${tokens} tokens: ${question}`)
  }
})

test('fills a schema from the same evidence, and declines what it does not know', async () => {
  const properties = { name: { type: 'string' }, version: { type: 'string' }, dependencies: { type: 'array' } }
  const { text } = await ask(KETTLE, 'Give name, version and dependencies of this package', {
    outputSchema: { type: 'object', properties, required: ['name', 'version'] },
  })
  assert.equal(JSON.parse(text), { name: 'kettle', version: '2.0.1', dependencies: ['steam'] })
  const declined = await ask(KETTLE, 'Who is the president of the moon?', {
    outputSchema: { type: 'object', properties: { president: { type: 'string' } }, required: ['president'] },
  })
  assert.match(declined.text, /^I could not answer this: /)
})

test.run()
