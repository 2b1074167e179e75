/**
 * Measures how long `svc --version` takes from starting the process to its end, against a bare `node -e 0`, in turn.
 * Aim: at most 1.6 times bare node.
 */
import { fileURLToPath } from 'node:url'
import { median, toRow, wallOf } from './measure.mjs'

const ROUNDS = 25
const SVC = fileURLToPath(new URL('../cli/bin/svc.js', import.meta.url))

export async function measure() {
  const bare = []
  const version = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await wallOf(['-e', '0']))
    version.push(await wallOf([SVC, '--version']))
  }
  const row = { name: 'svc --version against node -e 0', unit: 'ms', aim: 1.6, of: 'ratio' }
  return [toRow({ ...row, value: median(version), peer: median(bare) })]
}
