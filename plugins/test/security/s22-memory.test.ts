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
      file: 'core/src/config/data-dir.ts',
      find: 'projectDir !== undefined && trusted',
      replace: 'projectDir !== undefined',
    },
    { file: 'plugins/src/stores/data-file.ts', find: '!hasMark(file, userDir)', replace: 'false' },
    { file: 'plugins/src/stores/data-file.ts', find: 'known !== undefined', replace: 'false' },
  ])
  assert.equal(believed, ['an archive', 'a trusted archive', 'a trusted clone whose index has another format'])
})

test.run()
