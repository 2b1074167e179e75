/** S22: memories that came with a folder are not a person's own. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack } from './s22-memory-attack.ts'

const test = suite('S22 memories of others')

test('what somebody else wrote into a data file is recalled in no folder', async () => {
  assert.equal(await attack(), [])
})

test('without trust, mark and git it is recalled in all of them', async () => {
  const believed = await attackWithout('plugins/test/security/s22-memory-attack.ts', [
    {
      file: 'core/src/config/find/data-dir.ts',
      name: 'getDataDir',
      weaken: '(real) => (facts, env) => real({ ...facts, trusted: true }, env)',
    },
    { file: 'plugins/src/stores/sqlite/file/data-mark.ts', name: 'hasMark', weaken: '() => () => true' },
    { file: 'plugins/src/stores/sqlite/file/find-tracked.ts', name: 'findTracked', weaken: '() => () => []' },
  ])
  assert.equal(believed, ['an archive', 'a trusted archive', 'a trusted clone whose index has another format'])
})

test.run()
