/** Every page of the console, in each size and both colours: in order for people who cannot see it, whole, and reached by the keyboard. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { makeExperiments } from '../fixtures/experiment.ts'

import { answer, SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: every page')
const { test, inBrowser, ended } = suite

const TABLE = 'List the lamps as a table'
const MARKDOWN =
  '# Lamps\n\n| Lamp | Price |\n|---|--:|\n| desk | 40 |\n\n- [x] read [the list](https://example.org/a)\n\n> Quoted\n\n```ts\nconst a = 1 // one\n```\n'

/** A word that has no end, and signs that turn what comes after them. */
const LONG = `\u202e<b>${'w'.repeat(180)}`

/** A page as a person has it before them. */
interface Shown {
  path: string
  /** Once this is there, the page is. */
  ready(page: Page): Promise<unknown>
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const dialog = (page: Page) => page.locator('dialog[open]')
/** By a shortcut of letters, which works once the page listens. */
const byKeys = async (page: Page, ...keys: string[]): Promise<void> => {
  await page.locator('main h1, main h2').first().waitFor()
  for (const key of keys) await page.keyboard.press(key)
  await dialog(page).waitFor()
}

async function prepare(): Promise<Record<string, Shown>> {
  const opened = await suite.serve({
    server: { experiments: makeExperiments('topologies') },
    script(request) {
      const asked = request.messages.findLast(({ role }) => role === 'user')
      return JSON.stringify(asked).includes(TABLE) ? MARKDOWN : answer(request)
    },
  })
  const { runs, threads, memory, agents } = opened.runtime
  const empty = await threads.create({ title: 'Nothing yet' })
  const talk = await threads.create({ title: 'About lamps' })
  for (const task of [TABLE, SCENES.failure]) await ended({ task, threadId: talk.id })
  const asking = await threads.create({ title: 'About notes' })
  const table = await ended({ task: TABLE, tags: ['lamps'] })
  const vote = await ended({ task: SCENES.vote, riskLevel: 'high', consensus: true })
  const team = await ended({ task: SCENES.team, ...TEAM })
  const failed = await ended({ task: SCENES.failure })
  const waits = await ended({ task: SCENES.approval, approval: 'wait', threadId: asking.id })
  const slow = (await runs.create({ task: SCENES.slow, model: 'slow/words' })).id
  await memory.write({ content: 'Lamps are listed in src/list.ts.', kind: 'fact' })
  await memory.write({ content: `A word of no end: ${LONG}` })
  await agents.put({ name: 'Reviewer', instructions: 'Look twice.' })
  await agents.put({ name: LONG.slice(0, 90), role: LONG.slice(0, 40), instructions: LONG })
  const wholeLog = async (page: Page, id: string): Promise<void> => {
    const { lastSeq } = await runs.get(id)
    await page.locator(`.history input[max="${lastSeq}"]`).waitFor()
  }
  return {
    'chat, empty': { path: '', ready: (page) => heading(page, 'What is to be done?') },
    'chat, new': {
      path: `chat/${empty.id}`,
      ready: (page) => page.getByRole('textbox', { name: 'Message' }).waitFor(),
    },
    'chat, with answers': { path: `chat/${talk.id}`, ready: (page) => page.getByText('It failed:').waitFor() },
    'chat, what was done': {
      path: `chat/${talk.id}`,
      async ready(page) {
        await page.getByText('It failed:').waitFor()
        for (const each of await page.getByRole('button', { name: /What was done/ }).all()) await each.click()
      },
    },
    'chat, with an approval': { path: `chat/${asking.id}`, ready: (page) => button(page, 'Approve').waitFor() },
    'chat, options': {
      path: '',
      async ready(page) {
        await button(page, 'Options').click()
        await page.getByRole('group', { name: 'Options of the next messages' }).waitFor()
      },
    },
    list: { path: 'runs', ready: (page) => page.getByRole('link', { name: SCENES.team }).waitFor() },
    'list, with the box': {
      path: 'runs',
      async ready(page) {
        await button(page, 'New run').click()
        await page.getByRole('form', { name: 'New run' }).waitFor()
      },
    },
    'list, nothing fits': {
      path: 'runs?q=zebra',
      ready: (page) => page.getByText('No run fits these filters').waitFor(),
    },
    'run at work': {
      path: `runs/${slow}`,
      ready: (page) =>
        page
          .getByText(/word 9 /)
          .first()
          .waitFor(),
    },
    'run, team': { path: `runs/${team}`, ready: (page) => wholeLog(page, team) },
    'run, answer': { path: `runs/${table}`, ready: (page) => wholeLog(page, table) },
    'run, failed': { path: `runs/${failed}`, ready: (page) => wholeLog(page, failed) },
    'run, waits': { path: `runs/${waits}`, ready: (page) => button(page, 'Approve').waitFor() },
    timeline: { path: `runs/${team}/timeline`, ready: (page) => wholeLog(page, team) },
    log: { path: `runs/${team}/timeline?view=log`, ready: (page) => wholeLog(page, team) },
    'timeline, a call': {
      path: `runs/${team}/timeline`,
      async ready(page) {
        await wholeLog(page, team)
        await page
          .getByRole('button', { name: /^scripted\/scripted|^Model call|model/i })
          .first()
          .click()
      },
    },
    compare: {
      path: `compare/${vote}/${team}`,
      ready: (page) => heading(page, 'What differs in these events'),
    },
    approvals: { path: 'approvals', ready: (page) => button(page, 'Approve').waitFor() },
    'approvals, do not ask again': {
      path: 'approvals',
      async ready(page) {
        await button(page, 'Approve and do not ask again…').click()
        await page.getByRole('group', { name: /do not ask again for/ }).waitFor()
      },
    },
    policy: {
      path: 'approvals',
      async ready(page) {
        await page.getByRole('link', { name: 'Policy in force' }).click()
        await heading(page, /Policy|rule/i)
      },
    },
    agents: { path: 'agents', ready: (page) => page.getByRole('link', { name: 'Reviewer' }).waitFor() },
    agent: { path: 'agents/reviewer', ready: (page) => heading(page, 'Reviewer') },
    'agent, form': {
      path: 'agents',
      async ready(page) {
        await page.getByRole('link', { name: 'New agent' }).click()
        await page.getByRole('form', { name: 'New agent' }).waitFor()
      },
    },
    experiments: { path: 'experiments', ready: (page) => page.getByRole('link', { name: 'topologies' }).waitFor() },
    report: {
      path: 'experiments/topologies',
      ready: (page) => page.getByRole('region', { name: 'What it showed' }).waitFor(),
    },
    costs: { path: 'costs', ready: (page) => page.getByRole('region', { name: /as a table$/ }).waitFor() },
    memory: { path: 'memory', ready: (page) => button(page, /Lamps are listed/).waitFor() },
    'memory, a record': {
      path: 'memory',
      async ready(page) {
        await button(page, /Lamps are listed/).click()
        await page.getByRole('region', { name: 'Record', exact: true }).waitFor()
      },
    },
    plugins: { path: 'plugins', ready: (page) => page.getByText('write_file').first().waitFor() },
    'no such page': { path: 'nowhere', ready: (page) => heading(page, /No such page|no such page|There is no/) },
    palette: { path: 'agents', ready: (page) => byKeys(page, 'Control+k') },
    help: { path: 'memory', ready: (page) => byKeys(page, '?') },
    'dialog, fork': {
      path: `runs/${team}`,
      async ready(page) {
        await wholeLog(page, team)
        await button(page, 'Fork').click()
        await dialog(page).waitFor()
      },
    },
    'dialog, delete': {
      path: `runs/${vote}`,
      async ready(page) {
        await wholeLog(page, vote)
        await button(page, 'Delete').click()
        await button(page, 'Delete for good').waitFor()
      },
    },
  }
}

const isNightly = process.env.SVC_NIGHTLY === '1'

/** A width, a height, and how many times larger the letters are. The last but one is a window at 200 %. */
const SIZES: readonly [width: number, height: number, letters: number][] = [
  [1440, 900, 1],
  [768, 1024, 1],
  [360, 740, 1],
  [720, 450, 1],
  [1440, 900, 2],
]

/** Letters of twice the size, as a browser can be set to, and no side of the page is out of sight. */
const fit = async (page: Page, letters: number): Promise<string[]> => {
  await page.evaluate(`document.documentElement.style.fontSize = ${letters === 1 ? "''" : `'${letters * 100}%'`}`)
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth } = document.documentElement
    const over = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    return scrollWidth > innerWidth + 1 ? ['cut: ' + scrollWidth + ' ' + over.map((one) => one.outerHTML.slice(0, 80)).slice(0, 8)] : []
  })()`)
}

/** What one comes to with Tab, until it begins anew, and what of it does not show that it has the focus. */
const TABBED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return 'end'
  const isFirst = document.querySelector('[data-tabbed]') === null
  const look = () => JSON.stringify([[element], [element, '::after'], [element.closest('label') ?? element.parentElement]].map((of) => {
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(...of)
    return [outlineStyle, outlineWidth, boxShadow, borderColor]
  }))
  const focused = look()
  element.blur()
  const ringed = look() !== focused
  element.focus({ preventScroll: true, focusVisible: true })
  // What was pressed with the mouse shows no ring.
  const shows = ringed || isFirst
  const { width, height, top, bottom } = element.getBoundingClientRect()
  const isSeen = width > 0 && height > 0 && bottom > 0 && top < innerHeight
  element.dataset.tabbed = ''
  const name = element.localName + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40)
  return shows && isSeen ? '' : name + (shows ? ' is out of sight' : ' shows no focus')
})()`
const MISSED = `(() => {
  const root = document.querySelector('dialog[open]') ?? document
  return [...root.querySelectorAll('a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) && !('tabbed' in element.dataset))
    .filter((element) => !(element.type === 'radio' && !element.checked))
    .map((element) => 'missed: ' + element.outerHTML.slice(0, 120))
})()`

async function tabThrough(page: Page): Promise<string[]> {
  const faults = new Set<string>()
  // From wherever the page has put the focus, to the end, and once around.
  for (let ends = 0; ends < 2; await page.keyboard.press('Tab')) {
    const said = await page.evaluate<string>(TABBED)
    if (said === 'end') ends++
    else if (said !== '') faults.add(said)
    if (faults.size > 20) break
  }
  return [...faults, ...(await page.evaluate<string[]>(MISSED))]
}

let shown: Record<string, Shown> = {}
test.before(async () => {
  if (suite.browser !== undefined) shown = await prepare()
})

inBrowser('no page has a fault that axe finds, nor is it cut at its side, in any size and both colours', async () => {
  const faults: string[] = []
  for (const [name, { path, ready }] of Object.entries(shown)) {
    const watched = await suite.open(path)
    const { page, audit } = watched
    await ready(page)
    for (const [index, [width, height, letters]] of SIZES.entries()) {
      await page.setViewportSize({ width, height })
      for (const colorScheme of isNightly
        ? (['light', 'dark'] as const)
        : ([index % 2 === 0 ? 'light' : 'dark'] as const)) {
        await page.emulateMedia({ colorScheme })
        const found = [...(await fit(page, letters)), ...(await audit())]
        faults.push(...found.map((fault) => `${name}, ${width}x${height} ×${letters} ${colorScheme}: ${fault}`))
      }
    }
    faults.push(...watched.faults.splice(0).map((fault) => `${name}: ${fault}`))
    await page.context().close()
  }
  assert.equal(faults, [])
})

inBrowser('the keyboard comes to everything on every page, and what it comes to is in sight and shows it', async () => {
  const faults: string[] = []
  for (const [name, { path, ready }] of Object.entries(shown))
    for (const width of isNightly ? [1440, 360] : [1440]) {
      const { page } = await suite.open(path, { width, height: 800 })
      await ready(page)
      faults.push(...(await tabThrough(page)).map((fault) => `${name}, ${width}: ${fault}`))
      await page.context().close()
    }
  assert.equal(faults, [])
})

test.run()
