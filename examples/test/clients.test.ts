/** The clients of other protocols, each a program of a few lines with the official package, in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { runNode } from './fixtures/run-node.ts'

const test = suite('clients of other protocols')

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What each prints. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  a2a: /397\.8/,
  acp: /397\.8/,
  agui: /397\.8/,
  anthropic: /^17% of 2340 = 397\.8 end_turn\n18% of 2340 = 421\.2 end_turn\n$/,
  mcp: /2026-07-28 .*397\.8.* completed/s,
  openai: /^17% of 2340 = 397\.8\n18% of 2340 = 421\.2\s*$/,
}

for (const [name, printed] of Object.entries(PRINTED))
  test(`${name}.ts has svc do a task, and ends`, async () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-clients-'))
    const file = join(root, `examples/clients/${name}.ts`)
    try {
      const { code, out, err } = await runNode(argumentsFor(file), { cwd: root, home }).done
      assert.is(code, 0, err)
      assert.match(out, printed)
      if (name === 'openai') assert.is(err, '')
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })

test.run()
