/** People sign in to the console at a provider, work as themselves, and sign out. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { type IdentityProvider, openIdentityProvider } from '../fixtures/identity-provider.ts'
import type { PageOptions } from './browser.ts'
import { say, turn } from './chat-page.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const console = consoleSuite('console: sign-in')
const { test, inBrowser } = console
const TASK = 'What does README say of lamps?'

let provider: IdentityProvider
test.before(async () => {
  provider = await openIdentityProvider()
  provider.people.set('alice', { sub: 'a1', preferred_username: 'alice', groups: ['makers'] })
  provider.people.set('bob', { sub: 'b1', preferred_username: 'bob', groups: ['makers'] })
  provider.people.set('carol', { sub: 'c1', preferred_username: 'carol', groups: ['deciders'] })
  provider.people.set('dan', { sub: 'd1', preferred_username: 'dan', groups: ['guests'] })
  await console.serve({ server: { oidc: provider.config() } })
})
test.after(() => provider.close())

const signInLink = (page: Page) => page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` })

/** A window of somebody, who is asked to sign in. */
async function openWindow(path = '', options?: PageOptions) {
  const window = await console.browser.open(`${console.opened.url}/console/${path}`, options)
  await signInLink(window.page).waitFor()
  return window
}

async function signIn(page: Page, who: string): Promise<void> {
  await signInLink(page).click()
  await page.getByRole('link', { name: who, exact: true }).click()
  await page.waitForURL(`${console.opened.url}/console/**`)
}

/** The page of the provider is another one: nothing else of another server is asked for. */
const faultsOf = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.startsWith(`foreign request: ${provider.issuer}/authorize`))

inBrowser('somebody signs in, makes a run, and signs out; nobody else has seen it', async () => {
  const alice = await openWindow()
  assert.equal(await alice.audit(), [])
  await signIn(alice.page, 'alice')
  await say(alice.page, TASK)
  await turn(alice.page, TASK).getByText('A cache in the browser').first().waitFor()
  assert.equal(await alice.audit(), [])
  const bob = await openWindow('runs', { width: 360, height: 740 })
  assert.equal(await bob.audit(), [])
  await signIn(bob.page, 'bob')
  assert.is(new URL(bob.page.url()).pathname, '/console/runs')
  await bob.page.getByRole('button', { name: 'More' }).click()
  await bob.page.getByRole('button', { name: 'Sign out bob' }).waitFor()
  assert.is(await bob.page.getByText(TASK).count(), 0)
  const { data } = await console.opened.runtime.runs.list()
  assert.equal(
    data.map(({ by }) => by),
    ['oidc:alice'],
  )
  await alice.page.getByRole('button', { name: 'Sign out alice' }).click()
  await signInLink(alice.page).waitFor()
  assert.is(await alice.page.getByText(TASK).count(), 0)
  await alice.page.goBack()
  await signInLink(alice.page).waitFor()
  for (const { faults, page } of [alice, bob]) {
    assert.equal(faultsOf(faults), [])
    await page.context().close()
  }
})

inBrowser('who made a run waits for somebody with another role, who approves it', async () => {
  const alice = await openWindow()
  await signIn(alice.page, 'alice')
  await say(alice.page, SCENES.approval)
  await alice.page.getByText('it needs the scope approve').first().waitFor()
  const carol = await openWindow('approvals')
  await signIn(carol.page, 'carol')
  await carol.page.getByRole('button', { name: 'Approve', exact: true }).click()
  await turn(alice.page, SCENES.approval).getByText('The note is in notes.md.').first().waitFor()
  for (const { faults, page } of [alice, carol]) {
    assert.equal(faultsOf(faults), [])
    await page.context().close()
  }
})

inBrowser('who has no role reads so, and so does whom the provider refuses; a key is good all the same', async () => {
  const { page, faults, audit } = await openWindow('runs')
  await signIn(page, 'dan')
  await page.getByRole('heading', { name: 'You have no role here' }).waitFor()
  await page.getByText('You are signed in as dan').waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Sign out' }).last().click()
  await signIn(page, 'nobody')
  await page.getByText('The provider has refused the sign-in.').waitFor()
  assert.not.match(page.url(), /sign-in/)
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('The value of SERVICE_API_KEY').fill('wrong')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('The server refused the key that was entered.').waitFor()
  await page.getByRole('button', { name: 'Use a key' }).click()
  await page.getByLabel('The value of SERVICE_API_KEY').fill(console.opened.server.localKey)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'Use a key of the server' }).waitFor({ state: 'hidden' })
  assert.equal(faultsOf(faults), [])
  await page.context().close()
})

inBrowser('a session that has ended asks again, and leads back to where one was', async () => {
  await console.serve({ server: { oidc: provider.config({ sessionMinutes: 0.2 }) } })
  const { page, faults } = await openWindow('costs')
  await signIn(page, 'alice')
  await page.getByRole('heading', { name: 'Costs' }).first().waitFor()
  await signInLink(page).waitFor()
  await signIn(page, 'alice')
  assert.is(new URL(page.url()).pathname, '/console/costs')
  await page.getByRole('heading', { name: 'Costs' }).first().waitFor()
  assert.equal(faultsOf(faults), [])
  await page.context().close()
})

test.run()
