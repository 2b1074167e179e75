import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('long tasks of the offline provider')

/** Texts on which a search that starts again at each character does the square of the work. */
const PIECES = [
  'a',
  ' ',
  '`',
  '"x',
  '(a/',
  '1,',
  '1 + ',
  'a.b',
  'how many ',
  'Where is it? ',
  '{"a":',
  '\n',
  '-',
  "'s ",
  '[x](',
]
const SHORT = 20_000

const work = async (folder: string, task: string): Promise<number> => {
  const before = process.cpuUsage()
  await ask(folder, task)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

for (const piece of PIECES) {
  test(`the processor's work on a task of ${JSON.stringify(piece)} grows no faster than its length`, async () => {
    const folder = folderOf({ 'README.md': '# Kettle\n\nThe kettle boils.\n' })
    const task = (length: number): string => `What boils? ${piece.repeat(length / piece.length)}`
    await work(folder, task(SHORT))
    const short = await work(folder, task(SHORT))
    const long = await work(folder, task(8 * SHORT))
    // eight times the length: the square would be 64 times the work
    assert.ok(long <= 24 * Math.max(short, 25), `${short} ms for ${SHORT} characters, ${long} ms for ${8 * SHORT}`)
  })
}

test('the question at the beginning of a long text is answered from the text', async () => {
  const text = `${'Tea is made of leaves.\n'.repeat(600)}The kettle of Ada boils for 4 minutes.\n`
  const { text: answer } = await ask(folderOf({}), `For how many minutes does the kettle of Ada boil?\n${text}`)
  assert.match(answer, /"The kettle of Ada boils for 4 minutes\." \(context:\d+\)/)
})

test.run()
