/** S16: no key comes out of the command line: not from the config, a report, a log, a stack or an export. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack } from './s16-attack.ts'

const test = suite('S16 secrets of the command line')

test('keys of variables, config, addresses and `.env` are in nothing that is printed', async () => {
  assert.equal(await attack(), {})
})

test('without the list of what is secret they are in what is shown, logged, exported and reported', async () => {
  const file = 'core/src/support/secrets.ts'
  const found = (await attackWithout('cli/test/security/s16-attack.ts', [
    { file, name: 'createRedactor', weaken: '() => () => (text) => text' },
    { file, name: 'redactSetting', weaken: '() => (value) => value' },
  ])) as Record<string, string[]>
  for (const [order, keys] of [
    ['config show', ['header', 'query', 'address']],
    ['config show --output json', ['header', 'query', 'address', 'database']],
    ['runs export', ['variable', 'header', 'dotenv']],
    ['run with a broken plugin', ['variable', 'proxy']],
  ] as const)
    for (const key of keys)
      assert.ok(found[order]?.includes(key), `${order}: ${key} is not in ${JSON.stringify(found)}`)
})

test.run()
