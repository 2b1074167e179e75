/** S29: configs with the names of a prototype pollute nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { loadConfig } from '../../src/config/load-config.ts'
import { makeMachine } from '../fixtures/config-folders.ts'
import { attack, FOLDERS } from './s29-attack.ts'

const test = suite('S29 configs')

test('no notation of a config, and no merge of layers, reaches the prototype of all objects', async () => {
  assert.equal(await attack(), [])
})

test('a merge onto plain objects would reach it', async () => {
  const file = 'core/src/config/merge/merge.ts'
  const polluted = (await attackWithout('core/test/security/s29-attack.ts', [
    { file, name: 'setsPrototype', weaken: '() => () => false' },
    { file, name: 'emptyRecord', weaken: '() => () => ({})' },
  ])) as string[]
  assert.ok(polluted.includes('layers'), polluted.join())
})

test('the name that sets a prototype is an error in data, and the names of methods are names like any other', async () => {
  for (const name of ['JSON', 'YAML', 'an import', 'an extended file', 'package.json'] as const) {
    const { options } = makeMachine(FOLDERS[name])
    const error = await loadConfig({ ...options, trust: true }).then(
      () => undefined,
      (thrown: { code?: string }) => thrown,
    )
    assert.is(error?.code, 'config_invalid', name)
  }
  const { options } = makeMachine({
    'svc.config.json': { agents: { constructor: { name: 'x' }, toString: { name: 'y' } } },
  })
  const { agents } = await loadConfig({ ...options, trust: true })
  assert.equal(
    agents.map(({ profile }) => profile.id),
    ['constructor', 'toString'],
  )
})

test.run()
