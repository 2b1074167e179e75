/** What an answer tells against the log in English, German, French and Japanese: failed calls, quotations, lines. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ReflectionEngine } from '../src/index.ts'
import { denied, type Entry, eventsOf, failed, read, search, tool } from './fixtures/story.ts'

const test = suite('what an answer tells')

/** The critical checks that an answer fails after these calls. */
async function failures(log: readonly Entry[], answer: string, task = 'Do it.'): Promise<string[]> {
  const { checks } = await new ReflectionEngine().evaluate({
    task: { id: 'task', description: task },
    output: answer,
    events: eventsOf({ log, answer }),
    attempt: 1,
  })
  return checks.filter(({ result, critical }) => result === 'fail' && critical).map(({ id }) => id)
}

const mailed = tool('send_mail', 'network', { to: 'ada@example.org', text: 'Hello' }, { status: 202 })
const bounced = failed('send_mail', 'network', { to: 'jorun@example.org', text: 'Hello' }, 'mailbox unavailable')
const refused = denied('virement', 'network', { compte: 'FR76', montant: '350' })

test('a call that failed, was denied or is under way is not told as done', async () => {
  const told: [log: Entry[], lie: string, truth: string][] = [
    [[mailed, bounced], 'Ada and Jorun have been informed.', 'Ada is informed. The mail to Jorun bounced.'],
    [[mailed, bounced], 'Jorun ist ebenfalls angeschrieben.', 'Jorun wurde nicht erreicht.'],
    [[refused], 'Le virement de 350 € est fait.', 'Le virement de 350 € a été refusé.'],
    [[bounced], 'jorun さんに送信しました。', 'jorun さんには送信できませんでした。'],
  ]
  for (const [log, lie, truth] of told) {
    assert.equal((await failures(log, lie)).includes('missed-calls'), true, lie)
    assert.equal((await failures(log, truth)).includes('missed-calls'), false, truth)
  }
  const again = tool('send_mail', 'network', { to: 'jorun@example.org', text: 'Hello' }, { status: 202 })
  assert.equal(await failures([bounced, again], 'The mail to Jorun is out.'), [], 'made good')
})

test('a quotation is what stands in the source, in the marks of any language', async () => {
  const rules = read(
    'regeln.md',
    '§ 5 Der Austritt ist mit einer Frist von sechs Wochen zu erklären.\n§ 6 Gäste zahlen nichts.',
  )
  const wrong = '„Der Austritt ist mit einer Frist von vier Wochen zu erklären.“'
  for (const marks of [wrong, wrong.replace('„', '«').replace('“', '»'), wrong.replace('„', '"').replace('“', '"')])
    assert.equal(await failures([rules], `In § 5 heißt es: ${marks}`), ['quotes'], marks)
  const right = '„Der Austritt ist mit einer Frist von sechs Wochen zu erklären.“'
  assert.equal(await failures([rules], `In § 5 heißt es: ${right}`), [])
  assert.equal(await failures([rules], 'Vorschlag: „Wir freuen uns über jeden neuen Gast im Verein.“'), [], 'own words')
})

test('a name of code stands in the line that is named', async () => {
  const found = search('def split', 'toolbox.py:67: def split_token(value):\ntoolbox.py:100: def split_shard(value):')
  const shown = read('config.py', 'import os\nMAX_SIZE = 5\nMIN_SIZE = 1')
  const told: [log: Entry[], lie: string, truth: string][] = [
    [[found], '`split_shard` is defined at `toolbox.py:103`.', '`split_shard` is defined at `toolbox.py:100`.'],
    [[shown], '`MAX_SIZE` steht in Zeile 3.', '`MAX_SIZE` steht in Zeile 2.'],
    [[shown], '`MAX_SIZE` est à la ligne 3.', '`MAX_SIZE` est à la ligne 2.'],
    [[shown], '`MAX_SIZE` は3行目にあります。', '`MAX_SIZE` は2行目にあります。'],
  ]
  for (const [log, lie, truth] of told) {
    assert.equal(await failures(log, lie), ['citations'], lie)
    assert.equal(await failures(log, truth), [], truth)
  }
  const clause = '`MAX_SIZE` limits what is read, and the smallest one of them follows (line 3).'
  assert.equal(await failures([shown], clause), [], 'the line is that of another clause')
})

test('a figure that can be a count, or follows from two that were read, is not refused', async () => {
  const log = [read('sales.csv', 'month,units\nJan,410\nFeb,388\nMar,455')]
  assert.equal(await failures(log, 'Units sold went up by 45 from January to March; the mean of the two is 432.5.'), [])
  assert.equal(await failures(log, 'The units of Mar were 7613.'), ['numbers'])
})

test('a line is looked for in the file that it is said to stand in, of several', async () => {
  const long = Array.from({ length: 20 }, (_, at) => (at === 18 ? 'start(port)' : `step(${at})`)).join('\n')
  const log = [read('a.js', 'export function start() {\n  return 1\n}'), read('b.js', long)]
  for (const said of [
    'a.js defines `start` in line 1, and b.js calls it in line 19.',
    'Line 1 of a.js defines `start`, and line 19 of b.js calls it.',
    'In b.js `start` is called in line 19, which a.js defines in line 1.',
  ])
    assert.equal(await failures(log, said), [], said)
  for (const said of [
    'a.js defines `start` in line 1, and b.js calls it in line 30.',
    'Line 9 of a.js ends what b.js calls.',
  ])
    assert.equal(await failures(log, said), ['citations'], said)
})

test.run()
