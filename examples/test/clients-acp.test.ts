/** The official client of the Agent Client Protocol in a program of a few lines. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { runNode } from './fixtures/run-node.ts'

const test = suite('an editor of the Agent Client Protocol')

const root = fileURLToPath(new URL('../..', import.meta.url))

test('it has svc do a task, and the process ends with its standard input', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  const { code, out, err } = await runNode(argumentsFor(join(root, 'examples/clients/acp.ts')), { cwd: root, home })
    .done
  rmSync(home, { recursive: true, force: true })
  assert.is(code, 0, err)
  assert.match(out, '397.8')
})

test.run()
