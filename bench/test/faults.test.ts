/** Calls whose server fails one request in five: a small part of what `npm run bench:faults` measures. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FAULTS, REFUSAL } from '../faults/faults.ts'
import { FORMATS } from '../faults/formats.ts'
import { runCell } from '../faults/matrix.ts'

const test = suite('calls of a faulty server')

/** Each fault once, the formats and ways of answering in turn; those that only end with a wait are left to the bench. */
const faults = [...FAULTS, REFUSAL].filter(({ isSilent }) => isSilent !== true)
for (const [at, fault] of faults.entries()) {
  const format = FORMATS[at % FORMATS.length] ?? 'openai'
  const stream = at % 2 === 1
  test(`${fault.name}: ${format}${stream ? ', streamed' : ''}`, async () => {
    const { right, calls, requests, faulty, wrong } = await runCell(
      { fault, format, stream },
      { calls: 20, seed: at, share: 0.2, atOnce: 4, silenceMs: 60_000 },
    )
    assert.equal([right, wrong], [calls, []])
    assert.ok(faulty > 0 && requests <= calls + faulty, `${requests} requests, ${faulty} faulty`)
  })
}

test.run()
