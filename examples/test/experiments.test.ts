/**
 * Makes the experiments of the examples and compares their reports with the expected ones, but for what a clock, a version or
 * a random id decides. SVC_UPDATE=1 writes the expectation anew.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'

const test = suite('examples of experiments')

const root = fileURLToPath(new URL('../..', import.meta.url))

const mask = (report: string): string =>
  report
    .replaceAll(/run\\_[0-9A-Z]{26}/g, 'run')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'SHA-256')
    .replaceAll(/^\| (svc|node) \| \S+ \|$/gm, '| $1 | version |')
    .replaceAll(/^(\|.*\| ×.*\| ×.*\|) ×.*\|$/gm, '$1 × |')
    .replaceAll(/(?<=\| )[\d.,]+ (?:ms|s|min)(?= \|)/g, 'time')

for (const name of ['experiment-analyzer', 'experiment-consensus']) {
  test(`${name} finds what its expected report says`, () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-experiments-'))
    const folder = join(home, name)
    const source = join(root, 'examples', name)
    try {
      cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('.svc') })
      const svc = [...argumentsFor(join(root, 'cli/src/main.ts')), 'experiment', 'experiment.ts', '--trust', '--quiet']
      const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }
      const { status, stdout, stderr } = spawnSync(process.execPath, svc, { cwd: folder, env, encoding: 'utf8' })
      assert.is(status, 0, stderr)
      const out = join(folder, '.svc/experiments', name.replace('experiment-', ''))
      const found = {
        'expected-report.md': mask(readFileSync(join(out, 'report.md'), 'utf8')),
        'expected-verdicts.txt': `${stdout.split('\n\n')[0]}\n`,
      }
      for (const [file, text] of Object.entries(found)) {
        if (process.env.SVC_UPDATE === '1') writeFileSync(join(source, file), text)
        assert.fixture(text, readFileSync(join(source, file), 'utf8'))
      }
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
}

test.run()
