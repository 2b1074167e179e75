/** A terminal that hangs up in the middle of a question: what was typed, and not sent, is no answer. */
import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { askChoice } from '../src/ask/prompt.ts'
import { createIo } from '../src/frame/io.ts'

const test = suite('hang-up')

/** What a question answers when this is typed, and whether the run gets the word to stop. */
async function answerTo(act: (input: PassThrough) => void): Promise<{ answer: unknown; isStopped: boolean }> {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  const input = new PassThrough()
  Object.defineProperty(process, 'stdin', { value: input, configurable: true })
  let isStopped = false
  const stop = (): void => {
    isStopped = true
  }
  process.once('SIGINT', stop)
  const io = createIo({ noInput: false, noColor: true })
  const asked = askChoice({ ...io, err: () => {} }, 'Allow it?', ['yes', 'no'], new AbortController().signal)
  // What is typed before the question stands there is thrown away.
  const later = setInterval(() => {
    if (input.listenerCount('keypress') === 0) return
    clearInterval(later)
    act(input)
  }, 5)
  try {
    return { answer: await asked, isStopped }
  } finally {
    process.off('SIGINT', stop)
    Object.defineProperty(process, 'stdin', own)
  }
}

for (const typed of ['yes', 'y', 'yes ', ''])
  test(`"${typed}" without Enter is no answer where the terminal hangs up`, async () => {
    const { answer, isStopped } = await answerTo((input) => input.end(typed))
    assert.equal([answer, isStopped], [undefined, true])
  })

test('the same with Enter is one', async () => {
  assert.equal(await answerTo((input) => void input.write('yes\r')), { answer: 'yes', isStopped: false })
  assert.equal(await answerTo((input) => void input.write('n\r')), { answer: 'no', isStopped: false })
})

test.run()
