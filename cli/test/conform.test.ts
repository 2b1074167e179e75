/** `svc conform` loads a file behind the trust gate, finds out what it is, and holds it against its contract. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each } from './fixtures/svc.ts'
import { makeWorld, type Outcome, STACK } from './fixtures/world.ts'

const test = suite('conform')

const pluginOf = (name: string, answer: string): string => `
import { definePlugin, TaskComplexityAnalyzer } from '@svc/core'
const analyzer = new TaskComplexityAnalyzer()
export default definePlugin('${name}', ({ hooks }) => {
  hooks.analyze.tap('${name}', (answer, { task }) => ${answer})
})
`
const toolOf = (body: string): string => `
import { writeFileSync } from 'node:fs'
export default {
  description: 'Counts the words of a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  risk: 'read',
  run: async ({ text }, { workspace }) => { ${body} },
}
`
const PROVIDER = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', defaultModel: 'small' }

const world = makeWorld({
  'good.ts': pluginOf('good', 'answer ?? analyzer.analyze(task)'),
  'late.ts': pluginOf('late', 'answer ?? { ...analyzer.analyze(task), explanation: [String(Date.now())] }'),
  '.svc/tools/words.ts': toolOf('return text.split(" ").length'),
  '.svc/tools/leaves.ts': toolOf('try { writeFileSync(workspace + "/left", text) } catch {} return 1'),
  '.svc/providers/house.json': PROVIDER,
  'number.ts': 'export default 7\n',
  'broken.ts': 'export default definePlugin(\n',
  'page.txt': 'text',
})

async function outcomes<const Lines extends readonly string[][]>(...lines: Lines) {
  const all = await each(
    world,
    lines.map((words) => ['conform', ...words]),
  )
  for (const { err } of all) assert.not.match(err, STACK)
  return all as { -readonly [Index in keyof Lines]: Outcome }
}

/** The rules of a card that failed. */
const failedIn = ({ out }: Outcome): string[] => {
  const { cards } = JSON.parse(out) as { cards: { rules: { rule: string; result: string }[] }[] }
  return cards.flatMap(({ rules }) => rules.filter(({ result }) => result === 'failed').map(({ rule }) => rule))
}

test('a file that keeps its contract ends with 0, one that does not with 1, and the card names the rule', async () => {
  const [good, late, words, leaves, house] = await outcomes(
    ['good.ts', '--trust'],
    ['late.ts', '--trust', '--json'],
    ['.svc/tools/words.ts', '--trust', '--args', '{"text":"a b"}'],
    ['.svc/tools/leaves.ts', '--trust', '--json'],
    ['.svc/providers/house.json', '--trust', '--json'],
  )
  assert.is(good.code, 0, good.err + good.out)
  assert.match(good.out, /^plugin good \(.*good\.ts\)$/m)
  assert.match(good.out, /- +memory .*\n +does not apply: it provides no memory/)
  assert.match(good.out, /conforms: \d+ ok, 0 failed/)
  assert.is(late.code, 1, late.err)
  assert.equal(failedIn(late), ['deterministic'])
  assert.match(late.out, 'it read Date.now')
  assert.is(words.code, 0, words.err + words.out)
  assert.is(leaves.code, 1, leaves.err)
  assert.equal(failedIn(leaves), ['risk'])
  assert.is(house.code, 0, house.err + house.out)
  assert.equal(failedIn(house), [])
})

test('what is built in is checked by its name', async () => {
  const [analyze, readFile, offline] = await outcomes(['analyze'], ['read_file'], ['offline'])
  for (const outcome of [analyze, readFile, offline]) assert.is(outcome.code, 0, outcome.out)
  assert.match(analyze.out, /plugin analyze \(built in, llm: true\)/)
})

test('a file that cannot be loaded ends with 3, and a word that names nothing with 2', async () => {
  const found = await outcomes(
    ['good.ts'],
    ['missing.ts'],
    ['number.ts', '--trust'],
    ['broken.ts', '--trust'],
    ['page.txt', '--trust'],
    ['analyse'],
    [],
    ['good.ts', '--trust', '--kind', 'thing'],
    ['good.ts', '--trust', '--args', '{'],
    ['good.ts', '--trust', '--kind', 'store'],
  )
  const said = found.map(({ code, err }) => `${code} ${err}`)
  const expected = [
    /^3 .*good\.ts: is code, and its folder is not trusted.*svc trust good\.ts.*\[config_untrusted\]/s,
    /^3 .*missing\.ts: there is no such file/s,
    /^3 .*number\.ts: looks like no plugin, provider, tool or agent/s,
    /^3 .*broken\.ts/s,
    /^3 .*page\.txt: must end in one of/s,
    /^2 .*there is no file "analyse".*Did you mean analyze\?/s,
    /^2 .*svc conform needs a file/s,
    /^2 .*--kind must be one of plugin, provider/s,
    /^2 .*--args is not JSON/s,
    /^2 .*--kind says store, and good\.ts has none/s,
  ]
  for (const [index, pattern] of expected.entries()) assert.match(said[index] ?? '', pattern)
})

test.run()
