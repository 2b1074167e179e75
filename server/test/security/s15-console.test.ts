/**
 * S15 and S26: were a text of a model ever taken for HTML, the content policy of the console would still let it do nothing; and
 * no other page can show the console in a frame of its own and have a person press its buttons.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { hasBrowser } from '../console/browser.ts'
import { attack, type Outcome } from './s15-console-attack.ts'

const test = suite('S15 and S26 console')
const inBrowser = hasBrowser ? test : test.skip

inBrowser(
  'text that is put into the page as HTML runs nothing and asks no stranger, nor does one frame the page',
  async () => {
    assert.equal(await attack(), { ran: [], isHtml: false, isRebased: false, fetched: [], isFramed: false })
  },
)

inBrowser('without the content policy it runs, asks the stranger, and stands in its frame', async () => {
  const policy = {
    file: 'server/src/console.ts',
    name: `PAGE_HEADERS['Content-Security-Policy']`,
    weaken: `() => 'object-src *'`,
  }
  const outcome = (await attackWithout('server/test/security/s15-console-attack.ts', [policy])) as Outcome
  assert.equal(outcome, {
    ran: ['byHandler', 'byScript'],
    isHtml: true,
    isRebased: true,
    fetched: ['/data', '/form', '/picture'],
    isFramed: true,
  })
})

test.run()
