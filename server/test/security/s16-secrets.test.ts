/** S16: no key comes out of the server again, wherever it was put in. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack, CANARIES, type Found } from './s16-attack.ts'

const test = suite('S16 secrets')

test('keys of every place and in every form are in nothing that leaves the process, though all parts repeat them', async () => {
  assert.equal(await attack(), {})
})

test('without the list of what is secret they are nearly everywhere', async () => {
  const found = (await attackWithout('server/test/security/s16-attack.ts', [
    {
      file: 'plugins/src/assembly/create-runtime.ts',
      name: 'redactorOf',
      weaken: '() => () => (text) => text',
    },
    { file: 'core/src/support/secrets.ts', name: 'redact', weaken: '() => (value) => value' },
  ])) as Found
  const all = Object.keys(CANARIES)
  for (const place of ['/v1/runs/:id/events', '/v1/runs/:id/result', '/v1/runs/:id/log', 'stream', 'export', 'traces'])
    assert.equal(found[place], all, place)
  assert.equal(found['/v1/config'], ['header', 'query', 'address', 'toolHeader'])
})

test.run()
