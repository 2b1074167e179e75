/** S22: what the managed file of a machine demands is met by what it names, not by what calls itself so. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { attack, NAMESAKE, type Started, start } from './s22-mandatory-attack.ts'

const test = suite('S22 mandatory plugins')

const refused = (why: string): Started => ({
  error: `config_invalid: plugin "audit" is mandatory on this machine and ${why}: where it is none of svc's own, "mandatory" has to name its file, such as "/etc/svc/audit.mjs"`,
})

test("a project's plugin of that name does not count, nor does one that calls itself mandatory", async () => {
  assert.equal(await attack(), {
    namesake: refused('is not the one of that name from /project/.svc/plugins/audit.mjs'),
    selfMade: { mandatory: { audit: '/etc/audit.mjs' }, last: 'audit' },
  })
  assert.equal(await start(['audit'], {}), refused('was not found'))
})

test('without the look at where a plugin comes from, a plugin that does nothing is taken for it', async () => {
  const file = 'plugins/src/assembly/slots.ts'
  const weakened = await attackWithout('plugins/test/security/s22-mandatory-attack.ts', [
    { file, name: 'isOurs', weaken: '() => () => true' },
  ])
  assert.equal(weakened, {
    namesake: { mandatory: { audit: '/project/.svc/plugins/audit.mjs' }, last: 'audit' },
    selfMade: { mandatory: { audit: '/etc/audit.mjs', own: '/project/.svc/plugins/own.mjs' }, last: 'own' },
  })
})

test('a name of one of its own is met by svc; beside a mandatory plugin no other has its name', async () => {
  assert.equal(await start(['inspect'], {}), { mandatory: { inspect: 'built in' }, last: 'inspect' })
  const beside = await start(['./audit.mjs'], NAMESAKE)
  assert.match(beside.error ?? '', /^plugin_duplicate: two plugins are called "audit": one from \/etc\/audit\.mjs/)
  const gone = await start(['./nothing.mjs'], {})
  assert.is(gone.error, 'plugin_load_failed: /etc/nothing.mjs: there is no such module')
})

test.run()
