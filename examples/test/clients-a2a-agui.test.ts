/** The examples of A2A and AG-UI, each in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { runNode } from './fixtures/run-node.ts'

const test = suite('clients of A2A and AG-UI')
const root = fileURLToPath(new URL('../..', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'svc-clients-'))
test.after(() => rmSync(home, { recursive: true, force: true }))

for (const name of ['a2a', 'agui'])
  test(`${name}.ts prints the answer`, async () => {
    const file = fileURLToPath(new URL(`../clients/${name}.ts`, import.meta.url))
    const { code, out, err } = await runNode(argumentsFor(file), { cwd: root, home }).done
    assert.is(code, 0, err)
    assert.match(out, /397\.8/)
  })

test.run()
