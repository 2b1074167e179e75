/**
 * Measures what `svc --version` takes from starting the process to its end, against a bare `node -e 0`, in turn: time, and
 * processor time of its user part. Aim: at most 1.25 times bare node in both.
 */
import { fileURLToPath } from 'node:url'
import { median, toRow, userOf, wallOf } from './measure.mjs'

const ROUNDS = 25
const SVC = fileURLToPath(new URL('../cli/bin/svc.js', import.meta.url))

export async function measure() {
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
