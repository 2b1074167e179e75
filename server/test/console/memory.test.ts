/** The console's page of memory, as a person uses it. */
import * as assert from 'uvu/assert'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: memory')
const { test, inBrowser } = suite

inBrowser('a person remembers something, finds it, sees who said what, and deletes it', async () => {
  const { memory } = suite.opened.runtime
  await memory.write({ content: 'The web says that lamps are free.', tags: ['web'] }, { origin: 'web' })
  const { page, audit } = await suite.open('memory')
  await page.locator('.memory-row', { hasText: 'lamps are free' }).waitFor()
  assert.is(await page.locator('.memory-row[data-trust="untrusted"]').count(), 1)

  await page.getByRole('button', { name: 'Remember something…' }).click()
  await page.getByLabel('What runs should know').fill('The shop opens at nine.')
  await page.getByLabel('Tags').fill('shop, hours')
  await page.getByRole('button', { name: 'Remember', exact: true }).click()
  await page.locator('.memory-row', { hasText: 'opens at nine' }).waitFor()
  const [written] = (await memory.list({ layer: 'long-term' })).data
  assert.equal(written?.tags, ['shop', 'hours'])
  assert.is(written?.trust, 'trusted')

  await page.getByLabel('Search the memory').fill('when does the shop open')
  await page.getByText(/records? found/).waitFor()
  await page.locator('.memory-row .score').first().waitFor()
  await page.getByRole('button', { name: /opens at nine/ }).click()
  await page.getByRole('region', { name: 'Record', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remember something…' }).click()
  assert.equal(await audit(), [])

  await page.getByLabel('Search the memory').fill('')
  await page.getByRole('button', { name: /lamps are free/ }).click()
  await page.getByText('Nobody vouches for this').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByText('deleted for good').waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Keep it' }).click()
  assert.is((await memory.list()).data.length, 2)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.locator('.memory-row', { hasText: 'lamps are free' }).waitFor({ state: 'detached' })
  assert.is((await memory.list()).data.length, 1)

  await page.getByRole('button', { name: 'Working' }).click()
  await page.getByText('Nothing is remembered here yet').waitFor()
})

inBrowser('a person corrects a record where it stands, and it is theirs from then on', async () => {
  await suite.serve()
  const { memory } = suite.opened.runtime
  const { id } = await memory.write({ content: 'The harbour crane is violet.', tags: ['crane'] }, { origin: 'web' })
  const { page, audit } = await suite.open('memory')
  await page.getByRole('button', { name: /crane is violet/ }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const text = page.getByRole('textbox', { name: 'What is remembered' })
  assert.is(await text.inputValue(), 'The harbour crane is violet.')
  await page.getByText('With a new text it is yours').waitFor()
  assert.equal(await audit(), [])
  await text.fill('The harbour crane is green.')
  await page.getByLabel('Tags').fill('crane, port')
  await page.getByLabel('Kind').selectOption('decision')
  await page.getByLabel('True until').fill('2001-01-01T00:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByText(/before the record is true from/)
    .first()
    .waitFor()
  // What is refused was written by somebody: it is still there.
  assert.is(await page.getByLabel('Tags').inputValue(), 'crane, port')
  assert.is(await page.getByLabel('Kind').inputValue(), 'decision')
  assert.is(await page.getByLabel('True until').inputValue(), '2001-01-01T00:00')
  await page.getByLabel('True until').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: /crane is green/ }).waitFor()
  const { content, kind, tags, trust, source } = await memory.get(id)
  assert.equal(
    [content, kind, tags, trust, source],
    ['The harbour crane is green.', 'decision', ['crane', 'port'], 'trusted', { origin: 'user' }],
  )
  assert.is(await page.getByText('Nobody vouches for this').count(), 0)
  assert.is(await page.evaluate('document.activeElement?.textContent'), 'Edit')
})

test.run()
