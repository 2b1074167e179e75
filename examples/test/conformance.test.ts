/** Each replacement of the examples keeps the contract of what it replaces. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plugin } from '@svc/core'
import { checkPlugin, checkTool } from '@svc/core/testing'
import { toTool } from '@svc/plugins'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import readingTime from '../drop-in/.svc/tools/reading_time.ts'
import { jsonlStore, notes, shout, tally } from '../own-parts/src/index.ts'
import { careful } from '../stages/careful.ts'
import { cited } from '../stages/cited.ts'
import even from '../swap-component/even.ts'

const test = suite('conformance of the examples')

/** A loaded machine is no fault of theirs. */
const LIMITS = { abortWithinMs: 60_000, settleWithinMs: 60_000 }

const PLUGINS: readonly (() => Plugin)[] = [careful, cited, even, jsonlStore, shout, tally]
for (const make of PLUGINS) {
  test(`the plugin ${make().name} passes checkPlugin`, async () => {
    assert.equal(await checkPlugin(() => make(), LIMITS), [])
  })
}

test('the memory of files passes checkPlugin, in a folder of its own for each runtime', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-notes-'))
  let count = 0
  try {
    assert.equal(await checkPlugin(() => notes({ file: join(folder, `${++count}.md`) }), LIMITS), [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the tool reading_time passes checkTool', async () => {
  assert.equal(await checkTool(() => toTool('reading_time', readingTime), { ...LIMITS, args: { words: 300 } }), [])
})

test.run()
