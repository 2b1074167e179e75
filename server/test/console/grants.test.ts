/** A yes for more than one call, as a person gives it in the console. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRulesFile } from '@svc/plugins'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'
import { defineTool } from './tools.ts'

const suite = consoleSuite('console: grants')
const { test, inBrowser } = suite

inBrowser('always: the rule and its file are shown before; then it is written, said, and in force', async () => {
  const dir = makeFolder()
  const file = join(dir, 'svc.config.json')
  const opened = await suite.serve({ runtime: { rulesFile: openRulesFile(dir) } })
  const { runs } = opened.runtime
  const { page, audit } = await suite.open('approvals', { width: 360 })
  const first = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await page.getByRole('button', { name: 'Approve and do not ask again…' }).click()
  // No key that is pressed on arrival gives anything.
  const scope = page.getByRole('radio', { name: /^write_file in / })
  await scope.waitFor()
  assert.ok(await scope.isChecked(), 'the narrowest is chosen')
  await page.getByRole('radio', { name: 'write_file, all calls' }).waitFor()
  assert.equal(await audit(), [])
  await page.getByRole('radio', { name: 'Always, in later runs too' }).check()
  await page.getByText(`This rule goes into ${file}`).waitFor()
  await page.getByText(`{"tool":"write_file","decision":"allow","paths":["${opened.folder}/**"]}`).waitFor()
  assert.equal(await audit(), [])
  assert.not.ok(existsSync(file))
  await page.getByRole('button', { name: 'Approve, and write the rule' }).click()
  await page.getByText(`The rule was added to ${file}`).waitFor()
  const { policy } = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal(policy.rules, [{ tool: 'write_file', decision: 'allow', paths: [`${opened.folder}/**`] }])
  assert.is((await runs.wait(first.id, 60_000)).status, 'completed')
  const later = await runs.create({ task: SCENES.approval, approval: 'wait' })
  assert.is((await runs.wait(later.id, 60_000)).status, 'completed')
  await page.getByRole('link', { name: 'Policy in force' }).click()
  await page.getByText('allows write_file on').waitFor()
})

inBrowser('by the keyboard alone: a yes for the run; Back loses neither the place nor the question', async () => {
  const opened = await suite.serve({
    plugins: [defineTool({ id: 'send_mail', risk: 'network' })],
    script: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length
      return results < 2 ? { toolCalls: [{ tool: 'send_mail', args: { to: `${results}` } }] } : 'Done.'
    },
  })
  const { runs } = opened.runtime
  const { page, audit } = await suite.open('approvals', { dark: true })
  const { id } = await runs.create({ task: 'Send it', approval: 'wait' })
  const more = page.getByRole('button', { name: 'Approve and do not ask again…' })
  await more.focus()
  await page.keyboard.press('Enter')
  const scope = page.getByRole('radio', { name: 'send_mail, all calls' })
  await scope.waitFor()
  assert.is(await page.locator(':focus').getAttribute('type'), 'radio')
  assert.is(await page.getByRole('radio', { name: 'Always, in later runs too' }).count(), 0, 'there is no config')
  await page.getByRole('button', { name: 'Back' }).press('Enter')
  await page.keyboard.press('Enter')
  assert.is((await runs.get(id)).status, 'waiting', 'Enter after Back approves nothing')
  await more.press('Enter')
  await page.getByRole('button', { name: 'Approve, and do not ask again…' }).press('Enter')
  await page.getByLabel('I have read what it would do').check()
  assert.equal(await audit(), [])
  await page.getByRole('button', { name: 'Approve send_mail' }).press('Enter')
  await page.getByText('Nothing waits for you').waitFor()
  const run = await runs.wait(id, 60_000)
  assert.is(run.status, 'completed', 'the second call was not asked about')
})

test.run()
