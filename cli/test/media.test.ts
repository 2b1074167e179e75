/** Images and PDFs with `--file`, as a person sees it in a terminal. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pdfOf, pngOf } from '../../plugins/test/fixtures/media-files.ts'
import { dropIn, startModelServer } from './fixtures/model-server.ts'
import { each, makeWorld } from './fixtures/world.ts'

const test = suite('images and PDFs on the command line')

const FILES = {
  'logo.txt': pngOf(64, 48),
  'report.pdf': pdfOf(2),
  'large.png': Buffer.concat([pngOf(8, 8), Buffer.alloc(4_000_000)]),
}
const BYTES = FILES['logo.txt'].toString('base64')

test('--file shows an image and a PDF to a model, and neither log nor debug log holds their bytes', async () => {
  const server = await startModelServer((_, turn) =>
    turn % 2 === 0 ? { calls: [{ name: 'read_file', args: '{"path":"logo.txt"}' }] } : 'A grey square.',
  )
  const world = makeWorld(FILES, { 'providers/fake.json': dropIn(server) })
  const run = ['run', '--provider', 'fake', '--topology', 'SINGLE', '--file', 'logo.txt', '--file', 'report.pdf']
  const [shown, debug, json] = await each(world, [
    [...run, 'What is shown?'],
    [...run, '--log-level', 'debug', 'What is shown?'],
    ['runs', '--json'],
  ])
  assert.is(shown.code, 0, shown.err)
  assert.match(shown.out, /A grey square\./)
  const [first, second] = server.asked.map(({ messages }) => JSON.stringify(messages))
  assert.ok(first?.includes(`"url":"data:image/png;base64,${BYTES}"`))
  assert.match(first ?? '', /"filename":"report\.pdf","file_data":"data:application\/pdf;base64,/)
  assert.is(second?.split(BYTES).length, 3, 'of the task and of the tool')
  assert.match(debug.err, /\[image logo\.txt, \d+ bytes, 64x48\]/)
  for (const { out, err } of [shown, debug, json].map((outcome) => outcome ?? { out: '', err: '' }))
    assert.not.match(`${out}${err}`, BYTES.slice(0, 60))
  await server.close()
})

test('the offline provider says that it cannot see, and what is too large is refused', async () => {
  const world = makeWorld(FILES)
  const [blind, large, read] = await each(world, [
    ['run', '--provider', 'offline', '--file', 'logo.txt', 'What is shown in the picture?'],
    ['run', '--provider', 'offline', '--file', 'large.png', 'What is shown?'],
    ['run', '--provider', 'offline', '--json', '--file', 'report.pdf', 'What does the report say?'],
  ])
  assert.match(blind.out, /cannot see images or PDFs\. Not looked at: image logo\.txt, \d+ bytes, 64x48\./)
  assert.match(blind.err, /offline\/extractive was not shown image logo\.txt/)
  assert.is(large.code, 2)
  assert.match(large.err, /--file large\.png has 400\d{4} bytes; an image may have at most 3932160/)
  const { warnings } = JSON.parse(read.out ?? '{}') as { warnings: { code: string }[] }
  assert.ok(warnings.some(({ code }) => code === 'media_unseen'))
})

test.run()
