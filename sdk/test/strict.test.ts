/** `strict`: only a verified answer completes a run. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient } from '../src/index.ts'

const test = suite('strict')

const cwd = mkdtempSync(join(tmpdir(), 'svc-strict-'))
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }))

test('an answer that nothing verifies is incomplete where strict is asked for, and only there', async () => {
  const says = { opinion: 'The sea is lovely at night.', sum: '17 * 23 = 391' }
  const client = await createClient({
    env: { HOME: cwd },
    cwd,
    config: { model: 'scripted/scripted' },
    plugins: [
      definePlugin('model', ({ providers }) =>
        providers.add(
          'scripted',
          scriptedProvider('scripted', ({ messages }) =>
            JSON.stringify(messages).includes('17') ? says.sum : says.opinion,
          ),
        ),
      )(),
    ],
  })
  try {
    const ends = async (task: string, strict: boolean) => {
      const { status, verdict, incomplete, summary } = await client.run(task, { strict, memory: false })
      return [status, verdict, incomplete?.reason, summary]
    }
    assert.equal(await ends('Say something about the sea.', false), [
      'completed',
      'unverified',
      undefined,
      says.opinion,
    ])
    assert.equal(await ends('Say something about the sea.', true), [
      'incomplete',
      'unverified',
      'not_verified',
      says.opinion,
    ])
    assert.equal(await ends('What is 17 * 23?', true), ['completed', 'pass', undefined, says.sum])
  } finally {
    await client.disconnect()
  }
})

test.run()
