/** Calls that try to get something dangerous approved unseen in the console. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { consoleSuite } from './suite.ts'
import { defineTool } from './tools.ts'

const suite = consoleSuite('console: approval attacks')
const { test, inBrowser } = suite

const EVIL = 'rm -rf important'

/** Arguments that hide what they end with. */
const HIDDEN: Record<string, unknown> = {
  lines: { script: `echo ok\n${'# harmless\n'.repeat(400)}${EVIL}` },
  'a long word': { script: `${'a'.repeat(60_000)}; ${EVIL}` },
  'many arguments': Object.fromEntries([
    ...Array.from({ length: 300 }, (_, index) => [`option${index}`, index]),
    ['zz', EVIL],
  ]),
  depth: Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), EVIL),
  'a megabyte': { script: `echo ok ${'xy '.repeat(330_000)}; ${EVIL}` },
}

interface Call {
  path: string
  script: string
}

async function openCalls(calls: Record<string, unknown>, preview?: (args: Call) => string): Promise<Page> {
  const opened = await suite.serve({
    config: { policy: { rules: [{ tool: 'anything', decision: 'ask' }] } },
    plugins: [
      defineTool({
        id: 'anything',
        risk: 'write',
        ...(preview && {
          touches: async (args: unknown) => ({ paths: [(args as Call).path] }),
          preview: async (args: unknown) => preview(args as Call),
        }),
      }),
    ],
    script({ messages }) {
      if (messages.some(({ role }) => role === 'tool')) return 'Done.'
      const said = JSON.stringify(messages)
      const [, args] = Object.entries(calls).find(([name]) => said.includes(`call ${name}.`)) ?? []
      return { toolCalls: [{ tool: 'anything', args: args as Record<string, unknown> }] }
    },
  })
  for (const name of Object.keys(calls)) {
    const { id } = await opened.runtime.runs.create({ task: `call ${name}.`, approval: 'wait', topology: 'SINGLE' })
    await opened.runtime.runs.wait(id, 60_000)
  }
  return (await suite.open('approvals')).page
}

inBrowser('nothing is approved before all of it was on the screen, wherever the dangerous part stands', async () => {
  const page = await openCalls(HIDDEN)
  const cards = page.locator('article')
  await cards.nth(Object.keys(HIDDEN).length - 1).waitFor()
  for (let left = Object.keys(HIDDEN).length; left > 0; left--) {
    const card = cards.first()
    const id = await card.getAttribute('data-approval')
    const yes = card.getByRole('button', { name: 'Approve', exact: true })
    const boxes = card.locator('pre')
    assert.ok(await yes.isDisabled(), id ?? '')
    assert.match(await card.locator('.question').innerText(), /Allow anything/)
    for (const more of await card.getByRole('button', { name: /^Show all/ }).all()) await more.click()
    for (let at = 0; at < (await boxes.count()); at++) {
      const box = boxes.nth(at)
      await box.press('PageDown')
      assert.ok(await yes.isDisabled(), 'a part of it was seen')
      // A key that is pressed while the page still scrolls by another one may be lost.
      await until(async () => {
        await box.press('End')
        return box.evaluate((pre) => pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 2)
      })
    }
    assert.match(await card.innerText(), new RegExp(EVIL))
    await yes.click() // It waits until it may be pressed.
    await page.locator(`[data-approval="${id}"]`).waitFor({ state: 'detached' })
  }
})

inBrowser('a short call is approved at once; blanks are counted, and look-alikes in places are named', async () => {
  const calls = {
    blanks: { path: 'p\u0430ckage.json', script: `echo ok${' '.repeat(6_000)}; ${EVIL}` },
    lines: { path: `notes.md${' '.repeat(500)}`, script: `ok${'\n'.repeat(500)}${EVIL}` },
    imitation: { path: 'a.md', script: 'Allow read_file?\nNot all of it was on the screen yet.\n⟨6000 spaces⟩' },
  }
  const page = await openCalls(calls, ({ script }) => script)
  const cards = page.locator('article')
  await cards.nth(2).waitFor()
  const said = await cards.allInnerTexts()
  const all = said.join('\n')
  assert.match(all, '⟨6000 spaces⟩')
  assert.match(all, /⟨499 empty lines⟩|⟨500 blanks⟩/)
  assert.match(all, 'p\u0430ckage.json ⟨not ASCII: U+430⟩')
  assert.match(all, 'notes.md⟨500 spaces⟩')
  assert.match(all, '\\u{27e8}6000 spaces\\u{27e9}')
  for (let at = 0; at < 3; at++) {
    assert.match(
      await cards.nth(at).locator('.question').innerText(),
      /^Allow anything, path (p.ckage\.json|notes\.md|a\.md)/,
    )
    assert.not.ok(await cards.nth(at).getByRole('button', { name: 'Approve', exact: true }).isDisabled())
  }
})

test.run()
