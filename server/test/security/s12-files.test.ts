/** S12: a run is handed no file that its tools would not reach. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack, type Outcome } from './s12-attack.ts'

const test = suite('S12 files of a run')

test('names that lead out of the workspace, or to what a rule denies, are refused by their field; globs leave such files out', async () => {
  const { answers, seen, listed } = await attack()
  const outside = [403, 'path_outside_root', '/files/0']
  const denied = [403, 'policy_denied', '/files/0']
  const invalid = [400, 'validation_failed', '/files/0']
  assert.equal(answers, {
    parent: outside,
    absolute: outside,
    link: outside,
    folderLink: outside,
    climbingGlob: outside,
    denied,
    deniedByLink: denied,
    device: outside,
    deviceLink: outside,
    nul: outside,
    folder: invalid,
    missing: invalid,
    tenThousand: [400, 'validation_failed', '/files'],
  })
  assert.equal(seen, ['an open file'])
  assert.equal(listed, { data: ['src/a.ts'], hasMore: false })
})

test('without the question to the policy a run is handed what a rule denies', async () => {
  const asking = {
    file: 'core/src/runtime/runs/service/workspace-files.ts',
    name: 'isGiven',
    weaken: '() => () => true',
  }
  const { answers, seen } = (await attackWithout('server/test/security/s12-attack.ts', [asking])) as Outcome
  assert.is(answers.denied?.[0], 201)
  assert.ok(seen.includes('CANARY-denied'))
})

test.run()
