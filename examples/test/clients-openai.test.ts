/** The example of OpenAI's client, in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { runNode } from './fixtures/run-node.ts'

const test = suite('OpenAI’s client against a server of svc')

const root = fileURLToPath(new URL('../..', import.meta.url))

test('it gets a completion, and a response that goes on from another', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-clients-'))
  const { code, out, err } = await runNode(argumentsFor(join(root, 'examples/clients/openai.ts')), { cwd: root, home })
    .done
  rmSync(home, { recursive: true, force: true })
  assert.is(err, '')
  assert.is(code, 0)
  assert.equal(out.trimEnd().split('\n'), ['17% of 2340 = 397.8', '18% of 2340 = 421.2'])
})

test.run()
