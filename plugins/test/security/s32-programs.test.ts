/** S32: the programs of trusted command tools are those that were trusted, or a person is asked again. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkTrust, recordTrust } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack, CHANGES, callChanged } from './s32-attack.ts'

const test = suite('S32 programs of tools')

const SCRIPT = { command: ['sh', 'check.sh'], files: { 'check.sh': 'echo fine\n' }, to: { 'check.sh': 'echo evil\n' } }

test('no program runs unasked that is not the one that was trusted', async () => {
  assert.equal(await attack(), [])
})

test('without the comparison each of them runs', async () => {
  const file = 'plugins/src/assembly/trusted-programs.ts'
  const weakened = { file, name: 'createTrustedPrograms', weaken: '() => () => () => undefined' }
  assert.equal(await attackWithout('plugins/test/security/s32-attack.ts', [weakened]), Object.keys(CHANGES))
})

test('a person is shown the difference, and the program runs with their yes', async () => {
  const { outcomes, asked } = await callChanged(SCRIPT, {
    run: { approval: 'wait' },
    answer: () => ({ decision: 'approve' }),
  })
  assert.equal(
    outcomes.map(({ text }) => text),
    ['fine', 'evil'],
  )
  assert.is(asked.length, 1)
  assert.match(asked[0]?.preview ?? '', '-echo fine\n+echo evil')
  assert.match(asked[0]?.reason ?? '', 'check.sh, which its command runs, changed since it was trusted')
})

test('what is trusted meanwhile runs, and so does a tool whose sources and documents change', async () => {
  for (const to of [{}, { 'README.md': 'new', 'src/a.js': 'new()', 'data.txt': 'new' }]) {
    const files = { ...SCRIPT.files, 'README.md': 'old', 'src/a.js': 'old()', 'data.txt': 'old' }
    const { outcomes } = await callChanged({ command: ['sh', 'check.sh', 'data.txt'], files, to })
    assert.equal(
      outcomes.map(({ text }) => text),
      ['fine', 'fine'],
    )
  }
  const { outcomes } = await callChanged(SCRIPT, {
    before: async (index, { top, workspace }) => {
      if (index === 0) return
      writeFileSync(join(workspace, 'check.sh'), 'echo better\n')
      await recordTrust(workspace, { userDir: join(top, 'home/config/svc') })
    },
  })
  assert.is(outcomes[1]?.text, 'better')
})

test('a folder whose script changed before it is loaded is asked about again, with the name of the script', async () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    if (name === 'a command that code makes') continue
    await callChanged(change, {
      before: (index, { top, workspace, put }) => {
        if (index === 0) return
        put(change.to)
        const { state, changed } = checkTrust(workspace, { userDir: join(top, 'home/config/svc') })
        assert.is(state, 'changed', name)
        assert.equal(changed, [join(workspace, Object.keys(change.to)[0] ?? '')], name)
      },
    })
  }
})

test.run()
