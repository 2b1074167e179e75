/** Every page of the console, with what it has to show: its address, and what one does until it stands before them. */
import type { Page } from 'playwright-core'
import { makeExperiments } from '../fixtures/experiment.ts'
import { answer, SCENES, TEAM } from './scenes.ts'
import type { ConsoleSuite } from './suite.ts'

const TABLE = 'List the lamps as a table'
const MARKDOWN =
  '# Lamps\n\n| Lamp | Price |\n|---|--:|\n| floor | 95 |\n\n- [x] read [the list](https://example.org/a)\n\n> Quoted\n\n```ts\nconst a = 1 // one\n```\n'

/** A word that has no end, and signs that turn what comes after them. */
const LONG = `\u202e<b>${'w'.repeat(180)}`

/** A page as a person has it before them. */
export interface Shown {
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

/** Opens a server with something for each page. @returns the pages, by what they are */
export async function openPages({
  serve,
  ended,
}: Pick<ConsoleSuite, 'serve' | 'ended'>): Promise<Record<string, Shown>> {
  const opened = await serve({
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
