/**
 * Measures what the sandbox adds to a program that does nothing, against running it without one, in turn: in an empty workspace, in
 * a clone of this repository, and in one of thousands of folders with packages and a repository. Milliseconds more, the middle of the pairs and their
 * quartiles. Aim: at most 30.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSandbox, ProgramRunner } from '@svc/plugins'
import { median, quartiles, toRow } from './measure.mjs'

const ROUNDS = 40
const PACKAGES = 12
const FOLDERS_EACH = 150

export async function measure() {
  const { kind, problems } = await findSandbox()
  if (kind === undefined) throw new Error(`there is no sandbox here: ${problems.join('; ')}`)
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')))
  try {
    const rows = []
    for (const [name, folder] of [
      ['empty workspace', emptyWorkspace(top)],
      ['clone of this repository', clone(top)],
      ['large workspace', largeWorkspace(top)],
    ]) {
      const pairs = await pairsIn(folder)
      const more = pairs.map(([inside, without]) => inside - without)
      rows.push(
        toRow({
          name: `a program in ${kind}, ${name}, more than without`,
          value: median(more),
          unit: 'ms',
          peer: median(pairs.map(([, without]) => without)),
          spread: quartiles(more),
          aim: 30,
        }),
      )
    }
    return rows
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

async function pairsIn(workspace) {
  const guarded = { folders: [], programs: [] }
  const runners = [new ProgramRunner({ guarded }), new ProgramRunner({ guarded, sandbox: 'none' })]
  const context = { workspace, signal: new AbortController().signal, output() {} }
  const take = async (runner) => {
    const started = performance.now()
    await runner.run(['true'], context, { timeoutMs: 30_000, network: false, writes: true, headBytes: 100 })
    return performance.now() - started
  }
  for (const runner of runners) await take(runner)
  const pairs = []
  for (let round = 0; round < ROUNDS; round++) pairs.push([await take(runners[0]), await take(runners[1])])
  return pairs
}

function emptyWorkspace(top) {
  const folder = join(top, 'empty')
  mkdirSync(folder)
  return folder
}

function clone(top) {
  const folder = join(top, 'clone')
  execFileSync('git', ['clone', '-q', '--shared', join(import.meta.dirname, '..'), folder])
  return folder
}

function largeWorkspace(top) {
  const folder = join(top, 'large')
  for (let one = 0; one < PACKAGES; one++) {
    for (let each = 0; each < FOLDERS_EACH; each++) {
      const inner = join(folder, `packages/p${one}/node_modules/m${each}/lib`)
      mkdirSync(inner, { recursive: true })
      writeFileSync(join(inner, 'index.js'), '')
    }
    writeFileSync(join(folder, `packages/p${one}/package.json`), '{}')
  }
  execFileSync('git', ['init', '-q'], { cwd: folder })
  return folder
}
