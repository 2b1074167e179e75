/** What models, tools, people and files say stays text in every view of the console, and its key stays in its tab. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Plan, PlanStep } from '@svc/core'
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import type { SceneServer } from './scenes.ts'
import { consoleSuite } from './suite.ts'
import { defineTool } from './tools.ts'

const suite = consoleSuite('console: stored XSS')
const { test, inBrowser } = suite

/** Written where anybody may write: each sets `window.pwned` where it is taken for more than text. */
const PAYLOADS = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=2">',
  '</textarea></pre></script><svg/onload=window.pwned=3>',
  '<svg><animate onbegin=window.pwned=4 attributeName=x dur=1s></svg>',
  '[press](javascript:window.pwned=5) <a href="javascript:window.pwned=6">press</a>',
  `{{constructor.constructor("window.pwned=7")()}} ${'$'}{window.pwned=8} <%= 9 %>`,
  '<iframe srcdoc="<script>parent.pwned=10</script>"></iframe><base href="//evil.example">',
  '<style>@import "//evil.example/x.css"</style><meta http-equiv=refresh content="0;url=//evil.example">',
]
const UNSEEN = 'gpj.\u202eexe\u2066\u0007\u001b[31m\u200bend'
const EVIL = `${PAYLOADS.join(' ')} ${UNSEEN}`
const LONG_LINE = `${'A'.repeat(1_000_000)}<img src=x onerror="window.pwned=11">`

/** What a page must show of the signs that cannot be seen. */
const SHOWN = 'gpj.\\u{202e}exe\\u{2066}\\u{7}\\u{1b}[31m\\u{200b}end'

interface Evil extends SceneServer {
  ids: { ended: string; failed: string; waiting: string; team: string }
}

async function openEvil(): Promise<Evil> {
  const opened = await suite.serve({
    config: {
      policy: {
        rules: [
          { tool: EVIL, decision: 'deny', paths: [EVIL] },
          { tool: 'evil_tool', decision: 'ask' },
        ],
      },
    },
    plugins: [
      defineTool({
        id: 'evil_tool',
        risk: 'network',
        description: EVIL,
        touches: async () => ({ paths: [EVIL] }),
        preview: async () => `${EVIL}\n${LONG_LINE}`,
        run: async () => `${EVIL}\n${LONG_LINE}`,
      }),
      defineTool({ id: 'evil_reader', risk: 'read', description: EVIL, run: async () => EVIL }),
    ],
    script({ messages, tools = [] }) {
      const said = JSON.stringify(messages)
      if (said.includes('BREAK')) throw new Error(EVIL)
      const isDone = messages.some(({ role }) => role === 'tool')
      const tool = said.includes('WAIT') ? 'evil_tool' : 'evil_reader'
      if (!isDone && tools.some(({ id }) => id === tool)) {
        return { text: EVIL, toolCalls: [{ tool, args: { [EVIL]: EVIL, path: EVIL, line: LONG_LINE.slice(-50_000) } }] }
      }
      return `${EVIL}\n${LONG_LINE}`
    },
  })
  const { runs, agents, memory, threads } = opened.runtime
  await agents.put({ id: 'evil', name: EVIL.slice(0, 100), instructions: EVIL })
  await threads.create({ title: EVIL.slice(0, 190) })
  await memory.write(
    { content: `${EVIL} ${'B'.repeat(100_000)}`, tags: [EVIL.slice(0, 100), '<b>tag</b>'] },
    { origin: 'web' },
  )
  const common = { tags: ['<img src=x onerror=window.pwned=12>'], metadata: { text: EVIL } }
  const ended = await runs.create({ task: `End: ${EVIL}`, ...common })
  const failed = await runs.create({ task: `BREAK ${EVIL}`, ...common })
  const waiting = await runs.create({ task: `WAIT ${EVIL}`, approval: 'wait', ...common })
  const team = await runs.create({ task: `Team: ${EVIL}`, plan: evilPlan(), ...common })
  for (const { id } of [ended, failed, team, waiting]) await runs.wait(id, 60_000)
  return { ...opened, ids: { ended: ended.id, failed: failed.id, waiting: waiting.id, team: team.id } }
}

/** A plan as somebody hands it in: every name in it is a payload. */
function evilPlan(): Plan {
  // A step's objective may name other steps in double braces, and no others.
  const said = EVIL.replaceAll('{{', '{ {')
  const step = (id: string, dependsOn: string[]): PlanStep => ({
    ...{ id, dependsOn, agentId: 'agent-1', objective: said, role: said, inputs: [said], outputFormat: said },
    ...{ acceptance: [said], tools: ['*'], estimatedTokens: 1_000, risk: 'read', maxTries: 1 },
  })
  return {
    ...{ id: 'plan', topology: 'SEQUENTIAL', source: 'user', criticalPath: ['a', 'b'], warnings: [said] },
    agents: [{ agentId: 'agent-1', name: said, role: said }],
    steps: [step('a', []), step('b', ['a'])],
  }
}

/** Counts what stored texts could have made of a page. */
const HARM = `({
  pwned: window.pwned,
  base: document.querySelectorAll('base, iframe, object, embed').length,
  scripts: [...document.scripts].filter(({ src }) => !src.startsWith(location.origin)).length,
  pictures: [...document.images].filter(({ src }) => !src.startsWith(location.origin + '/console/assets/')).length,
  handlers: [...document.querySelectorAll('*')].filter((element) =>
    [...element.attributes].some(({ name, value }) => /^on/i.test(name) || /^ *javascript:/i.test(value)),
  ).length,
  text: document.body.innerText,
})`

/** What came of the payloads in a page. */
async function harmOf(page: Page): Promise<unknown> {
  const { text, ...harm } = await page.evaluate<{ text: string }>(HARM)
  const at = text.search(/(?![\n\t])[\p{Cf}\p{Cc}]/u)
  return { ...harm, unseen: at < 0 ? '' : text.slice(Math.max(0, at - 40), at + 20) }
}
const NO_HARM = { pwned: undefined, base: 0, scripts: 0, pictures: 0, handlers: 0, unseen: '' }

inBrowser('whatever is stored stays text in every view', async () => {
  const opened = await openEvil()
  const { ids, url } = opened
  const [approval] = (await opened.runtime.approvals.list({ status: 'pending' })).data
  assert.ok(approval, 'a call waits')
  const showing = [
    ...['/console/runs', '/console/approvals', '/console/approvals/policy', `/console/approvals/${approval?.id}`],
    ...['/console/memory', '/console/plugins', `/console/compare/${ids.ended}/${ids.failed}`],
    ...Object.values(ids).flatMap((id) => [`/console/runs/${id}`, `/console/runs/${id}/timeline`]),
  ]
  const others = [
    ...['/console/approvals/history', '/console/%3Cscript%3Ewindow.pwned=13%3C/script%3E'],
    '/console/runs/%3Cimg%20src=x%20onerror=pwned=1%3E',
  ]
  const { page } = await suite.open('runs')
  for (const view of [...showing, ...others]) {
    await page.goto(url + view)
    const sought = showing.includes(view)
      ? page.getByText('<script>window.pwned=1')
      : page.locator('main h1, main h2, main [role="alert"]')
    await sought.first().waitFor({ state: 'attached' })
    assert.equal(await harmOf(page), NO_HARM, view)
  }
  // What has to be there is there, to the letter.
  await page.goto(`${url}/console/approvals`)
  await page
    .getByText(PAYLOADS[0] ?? '')
    .first()
    .waitFor()
  assert.ok((await page.locator('article').innerText()).includes(SHOWN))
  await page.getByRole('button', { name: 'Edit arguments…' }).click()
  const edited = await page.locator('textarea').inputValue()
  assert.equal(JSON.parse(edited), approval?.args)
  assert.not.match(edited, /[\u202e\u2066\u200b]/)
  await page.goto(`${url}/console/memory`)
  await page
    .locator('.memory-row', { hasText: PAYLOADS[0] ?? '' })
    .first()
    .locator('button')
    .click()
  await page.getByRole('region', { name: 'What is remembered' }).waitFor()
  assert.equal(await harmOf(page), NO_HARM)
  await page.goto(`${url}/console/plugins`)
  await page
    .locator('#tools td', { hasText: PAYLOADS[1] ?? '' })
    .first()
    .waitFor()
  await page
    .locator('#config td', { hasText: PAYLOADS[0] ?? '' })
    .first()
    .waitFor()
  assert.equal(await harmOf(page), NO_HARM)
})

inBrowser('the key is asked for again when it is wrong, stands in this tab alone, and goes nowhere else', async () => {
  const KEY = 'the-right-key-of-this-test'
  const opened = await suite.serve({ server: { keys: () => [KEY] } })
  const seen: IncomingMessage[] = []
  const onRequest = (message: unknown): void => void seen.push((message as { request: IncomingMessage }).request)
  subscribe('http.server.request.start', onRequest)
  try {
    const { page, audit } = await suite.open('memory')
    const field = page.getByLabel('The value of SERVICE_API_KEY')
    await field.fill('a-wrong-key')
    await field.press('Enter')
    await page.getByText('refused the key').waitFor()
    assert.equal(await audit(), [])
    await field.fill(KEY)
    await field.press('Enter')
    await page.getByText('Nothing is remembered here yet').waitFor()
    await page.getByRole('link', { name: 'Plugins' }).click()
    await page.getByText('healthy').waitFor()
    await page.reload()
    await page.getByText('healthy').waitFor()

    const kept = await page.evaluate<Record<string, string>>(`({
      tab: JSON.stringify({ ...sessionStorage }),
      machine: JSON.stringify({ ...localStorage }),
      cookies: document.cookie,
      address: location.href,
      state: String(JSON.stringify(history.state)),
      page: document.documentElement.outerHTML + [...document.querySelectorAll('input')].map(({ value }) => value),
    })`)
    assert.ok(kept.tab?.includes(KEY))
    for (const place of ['machine', 'cookies', 'address', 'state', 'page'] as const)
      assert.not.ok(String(kept[place]).includes(KEY), place)
    for (const { url, headers } of seen.filter((request) => request.socket.localPort === opened.port)) {
      assert.not.ok(url?.includes(KEY), url)
      assert.is(headers.referer, undefined, url)
    }
    const other = await page.context().newPage()
    await other.goto(`${opened.url}/console/memory`)
    await other.getByLabel('The value of SERVICE_API_KEY').waitFor()
  } finally {
    unsubscribe('http.server.request.start', onRequest)
  }
})

inBrowser('the same texts do harm where a page takes them for HTML', async () => {
  const { page } = await suite.open('runs')
  const outer = await page.context().newPage()
  await outer.setContent(PAYLOADS.slice(0, 2).join(''))
  await outer.waitForFunction('window.pwned === 2')
  assert.not.equal(await harmOf(outer), NO_HARM)
})

test.run()
