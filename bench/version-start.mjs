/**
 * Measures what `svc --version` takes from starting the process to its end, against a bare `node -e 0`, in turn: time, and
 * processor time of its user part; aim: at most 1.25 times bare node in both. And `svc run 2+2` on the offline provider, with
 * its run kept in a file: aim 250 ms. The first of these, which makes the file and fills caches, is not counted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, toRow, userOf, wallOf } from './measure.mjs'

const ROUNDS = 25
const SVC = fileURLToPath(new URL('../cli/bin/svc.js', import.meta.url))

export async function measure() {
  return [...(await measureVersion()), await measureRun()]
}

async function measureVersion() {
  const rows = []
  for (const [what, take] of [
    ['time', wallOf],
    ['user CPU', userOf],
  ]) {
    const bare = []
    const version = []
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await take(['-e', '0']))
      version.push(await take([SVC, '--version']))
    }
    const row = { name: `svc --version against node -e 0, ${what}`, unit: 'ms', aim: 1.25, of: 'ratio' }
    rows.push(toRow({ ...row, value: median(version), peer: median(bare) }))
  }
  return rows
}

async function measureRun() {
  const home = await mkdtemp(join(tmpdir(), 'svc-start-'))
  const { PATH, LANG } = process.env
  const options = { cwd: home, env: { PATH, LANG, HOME: home }, stdio: 'ignore' }
  const times = []
  try {
    for (let round = 0; round <= ROUNDS; round++) times.push(await wallOf([SVC, 'run', '2+2'], options))
  } finally {
    await rm(home, { recursive: true })
  }
  return toRow({ name: 'svc run 2+2, offline', value: median(times.slice(1)), unit: 'ms', aim: 250 })
}
