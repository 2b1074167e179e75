/**
 * Eight agents that stream at once, as the live view of the console shows them: frames per second, and what a frame costs.
 *
 * Run it with `node --conditions=@svc/source --import tsx bench/console/fan-out.ts` after the console was built. The floor
 * is the same page in the same browser once the run is over. Motion is reduced, as in the tests.
 *
 * By itself the orchestrator streams the last step alone: a plugin asks here for the pieces of every call.
 */
import { definePlugin, type Plan } from '@svc/core'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser } from '../../server/test/console/browser.ts'
import { openScenes, SCENES } from '../../server/test/console/scenes.ts'
import { countFrames } from './frames.ts'

const AGENTS = 8
const SECONDS = 5

const ids = Array.from({ length: AGENTS }, (_, index) => index + 1)
const plan: Plan = {
  id: 'plan-1',
  topology: 'PARALLEL',
  agents: ids.map((id) => ({ agentId: `agent-${id}`, name: `Agent ${id}`, role: 'worker' })),
  steps: ids.map((id) => ({
    id: `step-${id}`,
    objective: `Tell story ${id}`,
    agentId: `agent-${id}`,
    role: 'worker',
    dependsOn: [],
    inputs: [],
    acceptance: ['There is a story.'],
    tools: [],
    estimatedTokens: 1_000,
    risk: 'read',
    maxTries: 1,
  })),
  source: 'user',
  criticalPath: ['step-1'],
  warnings: [],
}

/** How many words each agent has said so far. */
const countWords = (page: Page): Promise<number[]> =>
  page
    .locator('.talk-frame')
    .evaluateAll((all) => all.map(({ textContent }) => textContent?.match(/word \d+/g)?.length ?? 0))

const streamAll = definePlugin('stream-all', ({ hooks }) =>
  hooks.modelRequest.tap('stream', (changed, request) => ({ ...(changed ?? request), stream: true })),
)()

const opened = await openScenes({ plugins: [streamAll] })
const browser = await openBrowser()
try {
  const { id } = await opened.runtime.runs.create({
    task: SCENES.slow,
    model: 'slow/words',
    topology: 'PARALLEL',
    tokenBudget: 200_000,
    plan,
    reflect: false,
    consensus: false,
  })
  const { page, faults } = await browser.open(`${opened.url}/console/runs/${id}`)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  for (const index of ids.keys())
    await page
      .locator('.talk')
      .nth(index)
      .getByText(/word 20 /)
      .waitFor()
  const from = await countWords(page)
  const streaming = await measure(page, session)
  const to = await countWords(page)
  const added = to.map((words, index) => words - (from[index] ?? 0))
  await page.getByRole('region', { name: 'Text of the answer' }).waitFor({ timeout: 60_000 })
  const idle = await measure(page, session)
  console.log(
    `${added.length} agents, ${SECONDS} s each; words that each said while it was measured: ${added.join(', ')}`,
  )
  console.table([
    { page: 'streaming', ...streaming },
    { page: 'idle', ...idle },
  ])
  if (faults.length > 0) console.error(faults.join('\n'))
} finally {
  await browser.close()
  await opened.close()
}

/** Frames for a while, and what each costs of the page's main thread. */
async function measure(page: Page, session: CDPSession): Promise<Record<string, number>> {
  const before = await metrics(session)
  const frames = await countFrames(page, () => page.waitForTimeout(SECONDS * 1_000))
  const after = await metrics(session)
  const perFrame = (...names: string[]): number => {
    const seconds = names.reduce((sum, name) => sum + (after.get(name) ?? 0) - (before.get(name) ?? 0), 0)
    return Number(((seconds * 1_000) / frames.count).toFixed(2))
  }
  return {
    ...frames,
    scriptMs: perFrame('ScriptDuration'),
    layoutMs: perFrame('LayoutDuration', 'RecalcStyleDuration'),
    taskMs: perFrame('TaskDuration'),
  }
}

async function metrics(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send('Performance.getMetrics')
  return new Map(metrics.map(({ name, value }) => [name, value]))
}
