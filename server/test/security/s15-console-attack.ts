/** A page of the console that is made to take a model's text for HTML, and one that stands in a stranger's frame. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowser } from '../console/browser.ts'
import { openServer } from '../fixtures/open-server.ts'

export interface Outcome {
  /** Which of the texts put in as HTML ran: an inline handler, an inline script. */
  ran: string[]
  /** Whether a text could be put in as HTML at all. */
  isHtml: boolean
  /** Whether an element put in made the page's own relative addresses lead to a stranger. */
  isRebased: boolean
  /** Addresses of a stranger's server that the page asked for. */
  fetched: string[]
  /** Whether the console was drawn inside a stranger's page. */
  isFramed: boolean
}

/** What a page would do whose code had the fault that the content policy is there for. */
const PUT_IN = (strange: string): string => `new Promise((resolve) => {
  const place = document.createElement('div')
  window.isHtml = true
  try {
    place.innerHTML = '<img src="/console/none.png" onerror="window.byHandler = true"><img src="${strange}/picture">'
  } catch {
    window.isHtml = false
  }
  const script = document.createElement('script')
  const write = (element, name, value) => {
    try {
      element[name] = value
    } catch {}
  }
  write(script, 'textContent', 'window.byScript = true')
  const base = document.createElement('base')
  base.href = '${strange}/'
  document.head.append(base)
  window.isRebased = document.baseURI.startsWith('${strange}')
  base.remove()
  const last = new Image()
  const pictures = [...place.querySelectorAll('img'), last].map((picture) => new Promise((done) => {
    picture.addEventListener('load', done)
    picture.addEventListener('error', done)
  }))
  document.body.append(place, script)
  last.src = '/console/none.png'
  Promise.all([...pictures, fetch('${strange}/data').catch(() => {})]).then(() =>
    resolve(['byHandler', 'byScript'].filter((name) => window[name] === true)))
})`

/** A form that hands what a person typed to a stranger. */
const SEND = (strange: string): string => `new Promise((resolve) => {
  document.addEventListener('securitypolicyviolation', resolve)
  const form = document.createElement('form')
  form.action = '${strange}/form'
  document.body.append(form)
  form.submit()
})`

export async function attack(): Promise<Outcome> {
  const opened = await openServer()
  const fetched: string[] = []
  const stranger = createServer(({ url = '' }, response) => {
    if (url !== '/frame') fetched.push(url)
    response.setHeader('Content-Type', 'text/html')
    response.end(url === '/frame' ? `<iframe src="${opened.url}/console/" width="800" height="600"></iframe>` : 'x')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const strange = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const browser = await openBrowser()
  try {
    const { page } = await browser.open(`${opened.url}/console/`)
    const ran = await page.evaluate<string[]>(PUT_IN(strange))
    const [isHtml, isRebased] = await page.evaluate<[boolean, boolean]>('[window.isHtml, window.isRebased]')
    await page.evaluate(SEND(strange)).catch(() => {}) // The page is gone where the form was sent.
    const outer = await page.context().newPage()
    await outer.goto(`${strange}/frame`)
    const inside = await outer.locator('iframe').contentFrame().locator('html').innerHTML()
    return {
      ran,
      isHtml,
      isRebased,
      fetched: fetched
        .map((url) => url.replace('?', ''))
        .filter((url) => url !== '/favicon.ico')
        .sort(),
      isFramed: inside.includes('id="app"'),
    }
  } finally {
    await browser.close()
    await opened.close()
    stranger.closeAllConnections()
    stranger.close()
  }
}
