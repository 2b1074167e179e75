/** One state of a run, wherever it is looked at. */
import * as assert from 'uvu/assert'
import { answer, SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: states')
const { test, inBrowser, ended } = suite

/** Ends of the addresses of a run. */
const VIEWS = ['', '/timeline']

/** The states that the page shows: a word each, of the run, its stages, agents, steps and calls. */
async function statesAt(id: string, view: string): Promise<string[]> {
  const { page } = await suite.openRun(id, view)
  await page.locator('.strip, .waterfall').first().waitFor()
  return page.locator('[data-status]').evaluateAll((all) => all.map((one) => one.getAttribute('data-status') ?? ''))
}

inBrowser('nothing of a run that waits is shown as at work, and its clocks stand still', async () => {
  const id = await ended({ task: SCENES.approval, approval: 'wait' })
  for (const view of VIEWS) {
    const states = await statesAt(id, view)
    assert.ok(states.includes('waiting'))
    assert.not(states.includes('running'), view)
  }
  const { page } = await suite.open('runs')
  const row = page.getByRole('listitem').filter({ hasText: SCENES.approval }).first()
  await row.waitFor()
  assert.is(await row.locator('.number').nth(3).innerText(), '–', 'nobody is at work on it')
})

inBrowser('of a run that was cancelled nothing is to come, and nothing has failed', async () => {
  const { runs } = suite.opened.runtime
  const { id } = await runs.create({ task: SCENES.slow, model: 'slow/words', ...TEAM })
  for await (const { type } of runs.events(id)) if (type === 'message.delta') break
  await runs.cancel(id, 'enough')
  assert.is((await runs.wait(id)).status, 'cancelled')
  for (const view of VIEWS) {
    const states = new Set(await statesAt(id, view))
    for (const wrong of ['running', 'failed', 'pending', 'requested', 'idle'])
      assert.not(states.has(wrong), `${view || 'live'}: ${wrong}`)
  }
  const { agents } = await runs.get(id)
  assert.equal([...new Set(agents.map(({ status }) => status))].sort(), ['cancelled', 'skipped'])
})

inBrowser('an answer has its verdict in the words of the result, and what failed has no answer to judge', async () => {
  const answered = await ended({ task: 'Summarise README.md' })
  const wrong = await ended({ task: 'What is 17 * 23?' })
  const failed = await ended({ task: SCENES.failure })
  const { runs } = suite.opened.runtime
  const { page: list } = await suite.open('runs')
  for (const [id, text] of [
    [answered, 'completed, unverified'],
    [wrong, 'incomplete, fail (checks_failed)'],
    [failed, 'failed (provider_auth)'],
  ] as const) {
    const { page } = await suite.open(`runs/${id}`)
    await page.locator('.run-header .status').getByText(text).waitFor()
    const { status, verdict } = await runs.get(id)
    const row = list.getByRole('listitem').filter({ has: list.locator(`a[href$="${id}"]`) })
    assert.is(await row.locator('.verdict').innerText(), status === 'failed' ? '–' : verdict)
    if (verdict !== undefined && status !== 'failed')
      await page.locator('.outcome .pill').getByText(verdict, { exact: true }).waitFor()
    else assert.is(await page.locator('.outcome .pill').count(), 0)
    if (verdict === 'fail')
      await page
        .locator('.outcome')
        .getByText(/Checks made: .*arithmetic: failed/)
        .waitFor()
    else if (status === 'completed')
      await page
        .locator('.outcome')
        .getByText(/Checks made: |No check was made|Evidence of the run/)
        .waitFor()
  }
})

inBrowser('a run that was deleted goes from a list that is open', async () => {
  const id = await ended({ task: 'Summarise README.md once more' })
  const { page } = await suite.open('runs')
  const row = page.getByRole('listitem').filter({ has: page.locator(`a[href$="${id}"]`) })
  await row.waitFor()
  await suite.opened.runtime.runs.delete(id)
  await ended({ task: SCENES.vote })
  await row.waitFor({ state: 'detached' })
})

test.before(async () => {
  await suite.serve({
    script: (request) =>
      JSON.stringify(request.messages).includes('17 * 23') ? 'The product is 17 * 23 = 392.' : answer(request),
  })
})

test.run()
