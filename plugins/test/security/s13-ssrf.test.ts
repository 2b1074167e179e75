/** S13: tools reach neither this machine and its network, nor a host that the rules do not let them, by any redirect. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { type attack, HOST_RULES, NOTATIONS, reachLocal, redirectPastRules, SCHEMES } from './s13-attack.ts'

const test = suite('S13 addresses')

test(`${NOTATIONS.length} notations, ${SCHEMES.length} schemes, a name that changes its mind, and redirects are refused`, async () => {
  assert.equal(await reachLocal(), [])
})

test('rules that allow, ask and deny hosts hold at each redirect, for every way to the network', async () => {
  const expected = { allow: 'approval_required', deny: 'policy_denied', ask: 'approval_required' }
  for (const [name, rules] of Object.entries(HOST_RULES)) {
    const { codes, evil } = await redirectPastRules(rules)
    assert.equal([...new Set(codes)], [expected[name as keyof typeof expected]], name)
    assert.is(evil, 0, name)
  }
})

test('a redirect to the host that was allowed or approved goes on', async () => {
  for (const [name, rules] of Object.entries(HOST_RULES)) {
    const { codes } = await redirectPastRules(rules, 'good', 'good')
    assert.equal(codes, ['ok', 'ok', 'ok'], name)
  }
})

test('without the question at each redirect, and the looks at addresses, each gets through', async () => {
  const file = 'plugins/src/tools/web/guarded-fetch.ts'
  const found = (await attackWithout('plugins/test/security/s13-attack.ts', [
    { file, name: 'checkRedirect', weaken: '() => (url) => checkUrl(url, { allowPrivate: true })' },
    { file, name: 'isClosedAddress', weaken: '() => () => false' },
    { file, name: 'createLookup', weaken: '(real) => (find) => real(find, true)' },
  ])) as Awaited<ReturnType<typeof attack>>
  assert.equal(
    Object.values(found.past).map(({ evil }) => evil),
    [3, 3, 3],
  )
  assert.ok(found.local.includes('flip.example/'), 'the name that changes its mind')
  assert.ok(found.local.includes('localhost/'), 'the redirect')
  assert.ok(found.local.filter((one) => one === '127.0.0.1/').length > 5, 'the notations')
})

test.run()
