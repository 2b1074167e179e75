/** The client of Anthropic, against a server of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { runNode } from './fixtures/run-node.ts'

const test = suite('client of Anthropic')

test('the official client holds a conversation with svc', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-clients-'))
  const file = new URL('../clients/anthropic.ts', import.meta.url)
  try {
    const { code, out, err } = await runNode(argumentsFor(file), { cwd: home }).done
    assert.is(code, 0, err)
    assert.is(out, '17% of 2340 = 397.8 end_turn\n18% of 2340 = 421.2 end_turn\n')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

test.run()
