/** S15: were a text of a model ever taken for HTML, the content policy of the console would still let it do nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { hasBrowser } from '../console/browser.ts'
import { attack, type Outcome } from './s15-console-attack.ts'

const test = suite('S15 console')
const inBrowser = hasBrowser ? test : test.skip

inBrowser('text that is put into the page as HTML runs nothing and asks no stranger', async () => {
  const { ran, fetched } = await attack()
  assert.equal(ran, [])
  assert.equal(fetched, [])
})

inBrowser('without the content policy it runs, and asks the stranger', async () => {
  const policy = {
    file: 'server/src/console.ts',
    name: `PAGE_HEADERS['Content-Security-Policy']`,
    weaken: `() => "frame-ancestors 'none'"`,
  }
  const { ran, fetched } = (await attackWithout('server/test/security/s15-console-attack.ts', [policy])) as Outcome
  assert.equal(ran, ['byHandler', 'byScript'])
  assert.equal(fetched, ['/data', '/picture'])
})

test.run()
