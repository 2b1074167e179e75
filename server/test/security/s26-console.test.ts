/** S26: no other page can show the console in a frame of its own and have a person press its buttons. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { hasBrowser } from '../console/browser.ts'
import { attack, type Outcome } from './s15-console-attack.ts'

const test = suite('S26 console')
const inBrowser = hasBrowser ? test : test.skip

inBrowser("a stranger's page cannot hold the console in a frame", async () => {
  assert.is((await attack()).isFramed, false)
})

inBrowser('without frame-ancestors it can', async () => {
  const frames = {
    file: 'server/src/console.ts',
    name: `PAGE_HEADERS['Content-Security-Policy']`,
    weaken: `() => "default-src 'self'"`,
  }
  const { isFramed } = (await attackWithout('server/test/security/s15-console-attack.ts', [frames])) as Outcome
  assert.is(isFramed, true)
})

test.run()
