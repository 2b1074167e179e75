import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask, FILE_TOOLS } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('what the offline provider says is so')

const NO_ANSWER = /^I could not answer this/

const SALES = folderOf({
  'sales.csv':
    'region,amount,discount\nNorth,"1,200.50",5%\nSouth,-5,10%\nNorth,300,15%\nWest,"2,000",20%\nSouth,40.25,25%\n',
})

for (const [question, expected] of [
  ['What is the sum of the positive amounts in sales.csv?', 'is 3540.75'],
  ['How many rows of sales.csv have a negative amount?', 'has 1 row where'],
  ['What is the total amount in sales.csv not in the North?', 'is 2035.25'],
  ['How many rows of sales.csv have a discount between 10 and 20%?', 'has 3 rows where'],
  ['What is the total amount of rows in sales.csv with at least 15 in discount?', 'is 2340.25'],
  ['What is the highest amount in sales.csv?', 'is `2,000`'],
  ['What is the lowest amount in sales.csv?', 'is `-5`'],
] as const) {
  test(`applies each condition: ${question}`, async () => {
    const { text } = await ask(SALES, question)
    assert.ok(text.includes(expected), text)
  })
}

test('names a condition that it does not understand, and counts nothing', async () => {
  for (const [question, condition] of [
    ['What is the total amount in sales.csv of the last 2 orders?', 'last 2'],
    ['What is the total amount in sales.csv before Easter?', 'before Easter'],
    ['How many rows of sales.csv are not blue?', 'not blue'],
  ] as const) {
    const { text } = await ask(SALES, question)
    assert.match(text, NO_ANSWER)
    assert.ok(text.includes(`"${condition}`), `${question}\n${text}`)
  }
})

test('calculates with separators, percentages, scales and units', async () => {
  for (const [question, result] of [
    ['What is 17.5% of 2,340?', '409.5'],
    ['What is 12,345,678.50 + 1,000?', '12346678.5'],
    ['How much is 2,000 plus 15%?', '2300'],
    ['A price of $2,000 is reduced by 15%. What is the new price?', '1700'],
    ['What percentage of 2,000 is 50?', '2.5'],
    ['50 is what percent of 2,000?', '2.5'],
    ['20% off 250', '200'],
    ['What is 3.5 million divided by 7?', '500000'],
    ['How many metres are 12 km?', '12000'],
    ['Convert 90 minutes to hours', '1.5'],
  ] as const)
    assert.ok(
      (await ask(SALES, question)).text.endsWith(` = ${result}`),
      `${question}: ${(await ask(SALES, question)).text}`,
    )
})

const methods = Array.from(
  { length: 37 },
  (_, index) => `  step${index}(count: number): number {\n    return count + ${index}\n  }\n`,
)
const LIBRARY = folderOf({
  'package.json': '{\n  "name": "kettle",\n  "version": "2.0.0",\n  "main": "./index.js"\n}\n',
  'index.js': "module.exports = require('./v2/boiler.js')\n",
  'v1/boiler.js': 'class Boiler {\n  old() {}\n}\nmodule.exports = { Boiler }\n',
  'v2/boiler.js':
    'class Boiler {\n  constructor() {}\n  heat() {}\n  for(time) {}\n}\nBoiler.prototype.cool =\n  function () {}\nmodule.exports = { Boiler }\n',
  'src/steps.ts': `/** Takes **kwargs and steps. */\nexport class Steps {\n${methods.join('\n')}}\n`,
  'lib/response.js': 'var res = module.exports = {}\n\nres.json = function json(body) {\n  return body\n}\n',
  'src/todo.ts': '// TODO: boil\n// TODOs are many\nconst todoList = []\nexport { todoList }\n',
  LICENSE:
    'MIT License\n\nCopyright (c) 2014-2020 Ada Boil <ada@example.org>\n\nTHE COPYRIGHT HOLDERS ARE NOT LIABLE.\n',
  'CHANGELOG.md':
    '# Changelog\n\n## Unreleased\n\n## 2.0.0 - 2024-01-02\n\n### Fixed\n\n- Boil with `**kwargs` again\n  and again\n\n## 1.9.0\n\n- Older thing entirely\n',
  'README.md':
    '# kettle\n\nBoils water for tea.\n\n## Descaling the tank\n\nUse **vinegar** and [wait](https://example.org).\n\n```js\nkettle.descale({ minutes: 20 })\n```\n\n## Other\n\nNothing.\n',
})

for (const [question, expected] of [
  ['How many methods does the class Steps have?', '`Steps` has 37 methods, its constructor not counted'],
  [
    'What methods does the class Boiler have?',
    '`Boiler` has 3 methods, its constructor not counted: `heat`, `for`, `cool`',
  ],
  ['Which file under lib defines res.json?', '`lib/response.js`: `res.json = function json(body)` (lib/response.js:3)'],
  ['Where are the TODOs?', '2 lines with `TODO`:'],
  ['Who holds the copyright?', '"Copyright (c) 2014-2020 Ada Boil <ada@example.org>" (LICENSE:3)'],
  ['What changed in the last version?', '"Boil with `**kwargs` again and again" (CHANGELOG.md:9-10)'],
  ['What changed in version 1.9.0?', '"Older thing entirely" (CHANGELOG.md:14)'],
  ['How do I descale the tank?', '"Use **vinegar** and [wait](https://example.org)." (README.md:7)'],
  ['Show me how to call descale()', '`kettle.descale({ minutes: 20 })` (README.md:10)'],
  ['What is Steps?', '"Takes **kwargs and steps." (src/steps.ts:1)'],
  ['What is kettle for?', '"Boils water for tea." (README.md:3)'],
] as const) {
  test(`answers from the place that says it: ${question}`, async () => {
    const { text } = await ask(LIBRARY, question)
    assert.ok(text.includes(expected), text)
    assert.not.match(text, NO_ANSWER)
    assert.equal(checkCitations(text, LIBRARY).problems, [], text)
  })
}

test('opens by saying so where it does not answer', async () => {
  for (const question of [
    'Why was the tank made of copper?',
    'What changed in version 7.7.7?',
    'Where is Samovar defined?',
    'What is in teapot.txt?',
    'How many files are in the cellar folder?',
    'How do I polish the spout?',
    'Should I buy it?',
  ]) {
    const { text } = await ask(LIBRARY, question)
    assert.match(text, NO_ANSWER, question)
    assert.equal(checkCitations(text, LIBRARY).problems, [], text)
  }
})

test('says at least how many where a class is too long to be read, or a search stopped early', async () => {
  const folder = folderOf({
    'src/long.ts': `export class Long {\n${'  step() {\n    return 1\n  }\n'.replace('step', 'first')}${'  // filler\n'.repeat(7000)}  last() {}\n}\n`,
    'a.md': 'TODO: boil\n',
  })
  assert.match((await ask(folder, 'How many methods does the class Long have?')).text, /`Long` has at least 1 method/)
  const tools = FILE_TOOLS.map((tool) =>
    tool.id === 'search_files'
      ? { ...tool, run: async () => 'a.md:1: TODO: boil\n… stopped after 20000 entries' }
      : tool,
  )
  const { text } = await ask(folder, 'How many TODOs are there?', { tools })
  assert.match(text, /^At least 1 line with `TODO`/)
  assert.match(text, /I could not look everywhere: the tools stopped after 20000 entries/)
})

test('does not say that it searched where the search failed', async () => {
  const tools = FILE_TOOLS.map((tool) =>
    tool.id === 'search_files' ? { ...tool, run: () => Promise.reject(new Error('timed out')) } : tool,
  )
  for (const question of [
    'What about wombats and badgers?',
    'Which files mention wombats?',
    'How many TODOs are there?',
  ]) {
    const { text } = await ask(LIBRARY, question, { tools })
    assert.match(text, NO_ANSWER, question)
    assert.not.match(text, /searched every|no line of the workspace's files/, question)
  }
})

test.run()
